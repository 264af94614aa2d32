"""What travels between a client and the server of an enclave: one JSON object each way, read by strict models.

    POST /v1/search     {mode, k, text?, vector?, vectors?}
                                                    → {to, hits: [{score, passage fields, vector?}]}
    POST /v1/passages   {ids}                       → {to, passages: [{passage fields}]}
    POST /v1/words      {words}                     → {to, state, passages, length, languages, paired, having}
    POST /v1/weigh      {a search, statistics?}     → {to, state, hits: [{words?, near?, passage fields, vector?}]}
    GET  /v1/about                                  → what is served, and by which encoder
    GET  /v1/health                                 → {status}, without a token
    anything refused                                → {error: {code, message}}

A field that is not known is passed over, for a second number of the protocol may add some. `to` is a digest of the
request, so that an answer is never taken for that of another one. No label travels: what a passage makes private is
said by whoever reads it, in their own table of enclaves.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Annotated, Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from answerable.corpora.store import HalfVectors
from answerable.encoders.encoder import Vectors
from answerable.indexes.index import Ranking, SearchMode, Statistics, Weights
from answerable.types import Passage

Wire = TypeVar("Wire")

API = (1, 2)
"""Another first number is another protocol; a second number only adds fields that may be ignored."""
API_HEADER = "answerable-api"
SEARCH, PASSAGES, ABOUT, HEALTH = "/v1/search", "/v1/passages", "/v1/about", "/v1/health"
WORDS, WEIGH = "/v1/words", "/v1/weigh"
"""For one server among several that hold an enclave together; since API 1.2."""
MOST = 1000
"""Hits of one answer, ids or words of one request."""
LONGEST_TEXT = 50_000  # characters of a query
LONGEST_PASSAGE = 1_000_000  # characters of any string of an answer
LARGEST_VECTOR = 1 << 16  # numbers

Count = Annotated[int, Field(strict=True, ge=0, le=2**53)]
Name = Annotated[str, Field(max_length=200)]
Long = Annotated[str, Field(max_length=LONGEST_PASSAGE)]
Encoded = Annotated[str, Field(max_length=4 * -(-4 * LARGEST_VECTOR // 3))]
"""A vector in base64."""


class WireError(ValueError):
    """Something that is not what it should be. Names the field, never its value."""


class OtherEncoderError(Exception):
    """The vector of a search was made by another encoder than the server's."""


@dataclass(frozen=True, slots=True)
class Search:
    """A search as it is sent: nothing but a text, a vector, a mode and a number.

    `vector`: (d,) float32 of length one, made by `encoder`, which is named so that no other reads it. `vectors`: the
    passages' own are wanted too, by the same encoder; a server from before API 1.1 sends none. `shared`: the statistics
    that words are weighed by, where this is one server of several.
    """

    mode: SearchMode
    k: int
    text: str | None
    vector: Vectors | None
    encoder: str | None
    vectors: bool = False
    shared: Statistics | None = None

    def to_bytes(self) -> bytes:
        """Equal searches give equal bytes."""
        record: dict[str, Any] = {"mode": self.mode, "k": self.k}
        if self.text is not None:
            record["text"] = self.text
        if self.vector is not None:
            data = base64.b64encode(self.vector.astype("<f4").tobytes()).decode("ascii")
            record["vector"] = {"encoder": self.encoder, "data": data}
        if self.vectors:
            record["vectors"] = True
        if self.shared:
            record["statistics"] = asdict(self.shared)
        return dumped(record)

    @staticmethod
    def from_bytes(body: bytes) -> Search:
        """Raises `WireError` for what is no search: a mode without what it searches by, a vector that is none."""
        got = _read(_SearchBody, body)
        vector = _numbers(got.vector.data, "<f4").astype(np.float32) if got.vector else None
        if got.text is None and (got.mode in ("hybrid", "lexical") or vector is None):
            _wrong("text")
        if got.mode == "entity" and vector is None:
            _wrong("vector")
        if got.vectors and vector is None:
            _wrong("vectors")
        encoder, shared = got.vector.encoder if got.vector else None, got.statistics.known() if got.statistics else None
        return Search(got.mode, got.k, got.text, vector, encoder, got.vectors, shared)


@dataclass(frozen=True, slots=True)
class About:
    """What a server serves: its name for the enclave, the encoder of its vectors, and how much there is."""

    enclave: Annotated[str, Field(max_length=64)]
    encoder: Name
    dimension: Count
    documents: Count
    passages: Count
    vectors: Count
    pages: Count

    def to_bytes(self) -> bytes:
        """As JSON, with the version of the protocol."""
        return dumped({"api": list(API), **asdict(self)})

    @staticmethod
    def from_bytes(body: bytes) -> About:
        """Raises `WireError` when a field is missing or is of another type."""
        return _read(About, body)


LEFT_OUT: Any = None
"""The default of a field that may be left out, but never be null."""


class _Model(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class _Vector(_Model):
    encoder: Name
    data: Encoded


class _Statistics(_Model):
    passages: Count
    length: Count
    languages: Annotated[list[Name], Field(max_length=100)]
    paired: bool
    having: Annotated[dict[Long, Count], Field(max_length=LONGEST_TEXT)]

    def known(self) -> Statistics:
        """Raises `WireError` for a word in more passages than there are."""
        if any(count > self.passages for count in self.having.values()):
            _wrong("having")
        return Statistics(self.passages, self.length, tuple(self.languages), self.paired, self.having)


class _SearchBody(_Model):
    mode: SearchMode
    k: Annotated[int, Field(ge=1, le=MOST)]
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] = LEFT_OUT
    vector: _Vector = LEFT_OUT
    vectors: bool = False
    statistics: _Statistics = LEFT_OUT


class _Row(_Model):
    id: Annotated[Long, Field(min_length=1)]
    document_id: Annotated[Long, Field(alias="document")]
    title: Long
    section: Long
    start: Count
    end: Count
    text: Long


class _Hit(_Row):
    score: Annotated[float, Field(allow_inf_nan=False)]
    vector: Encoded = LEFT_OUT


class _Hits(_Model):
    to: str
    hits: list[_Hit]


class _Weighed(_Row):
    words: Annotated[float, Field(ge=0, le=1.01, allow_inf_nan=False)] = LEFT_OUT
    near: Annotated[float, Field(ge=-1.01, le=1.01, allow_inf_nan=False)] = LEFT_OUT
    vector: Encoded = LEFT_OUT


class _AllWeighed(_Model):
    to: str
    state: Name
    hits: list[_Weighed]


class _Told(_Statistics):
    to: str
    state: Name


class _Words(_Model):
    words: Annotated[list[Long], Field(max_length=MOST)]


class _Passages(_Model):
    to: str
    passages: list[_Row]


class _Ids(_Model):
    ids: Annotated[list[Long], Field(max_length=MOST)]


def hits_to_bytes(
    hits: Sequence[tuple[Passage, float]], request: bytes, vectors: Mapping[str, HalfVectors] | None = None
) -> bytes:
    """The answer to a search: passages with their scores, best first, and the vectors there are, by passage id."""
    rows = [{"score": score, **_sent(passage, vectors)} for passage, score in hits]
    return dumped({"to": digest(request), "hits": rows})


def hits_from_bytes(
    body: bytes, request: bytes, enclave: str, k: int, dimension: int | None = None
) -> tuple[Ranking, dict[str, Passage], dict[str, HalfVectors]]:
    """A ranking and its passages, as those of `enclave`, whatever the server calls it; and where a dimension is given
    the vectors that came, by passage id: (dimension,) float16 each.

    Raises `WireError` for an answer to another request, more than k hits, a hit twice, a score that is no number, or a
    vector that is none or of another dimension.
    """
    hits = _answer(_Hits, body, request).hits
    if len(hits) > k:
        _wrong("hits")
    found = _received(hits, enclave)
    ranking = sorted(((hit.id, hit.score) for hit in hits), key=lambda hit: (-hit[1], hit[0]))
    return ranking, found, {} if dimension is None else _vectors(hits, dimension)


def _vectors(rows: Sequence[_Hit | _Weighed], dimension: int) -> dict[str, HalfVectors]:
    found = {row.id: row.vector for row in rows if row.vector is not None}
    return {id: _numbers(data, "<f2", dimension).astype(np.float16) for id, data in found.items()}


def weights_to_bytes(
    passages: Sequence[Passage], weights: Weights, state: str, request: bytes, vectors: Mapping[str, HalfVectors]
) -> bytes:
    """The answer of one server of several: passages with what is weighed of them, and the state that its statistics are
    of."""
    words, near = dict(weights[0]), weights[1]
    kinds = {"words": words, "near": near}
    rows = [
        {**_sent(one, vectors), **{name: kind[one.id] for name, kind in kinds.items() if one.id in kind}}
        for one in passages
    ]
    return dumped({"to": digest(request), "state": state, "hits": rows})


def weights_from_bytes(
    body: bytes, request: bytes, enclave: str, most: int, dimension: int
) -> tuple[str, Weights, dict[str, Passage], dict[str, HalfVectors]]:
    """The state, what is weighed, its passages and the vectors that came. Raises `WireError` as `hits_from_bytes`."""
    got = _answer(_AllWeighed, body, request)
    if len(got.hits) > most:
        _wrong("hits")
    words = [(one.id, one.words) for one in got.hits if one.words is not None]
    near = {one.id: one.near for one in got.hits if one.near is not None}
    return got.state, (words, near), _received(got.hits, enclave), _vectors(got.hits, dimension)


def words_from_bytes(body: bytes) -> list[str]:
    """The words whose statistics are asked for. Raises `WireError` for what is no list of words, or too long a one."""
    return _read(_Words, body).words


def statistics_to_bytes(known: Statistics, state: str, request: bytes) -> bytes:
    """The answer to a request for statistics; they hold until the state is another."""
    return dumped({"to": digest(request), "state": state, **asdict(known)})


def statistics_from_bytes(body: bytes, request: bytes) -> tuple[str, Statistics]:
    """The state and the statistics. Raises `WireError`."""
    got = _answer(_Told, body, request)
    return got.state, got.known()


def ids_from_bytes(body: bytes) -> list[str]:
    """The passages that are asked for. Raises `WireError` for what is no list of ids, or too long a one."""
    return _read(_Ids, body).ids


def passages_to_bytes(passages: Sequence[Passage], request: bytes) -> bytes:
    """The answer to a request for passages."""
    return dumped({"to": digest(request), "passages": [_sent(passage) for passage in passages]})


def passages_from_bytes(body: bytes, request: bytes, enclave: str, ids: Sequence[str]) -> dict[str, Passage]:
    """The passages by id. Raises `WireError` for one that was not asked for, or that comes twice."""
    found = _received(_answer(_Passages, body, request).passages, enclave)
    if not found.keys() <= set(ids):
        _wrong("id")
    return found


def dumped(record: Mapping[str, Any]) -> bytes:
    """One JSON object in UTF-8."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf8")


def parsed(body: bytes) -> dict[str, Any]:
    """The JSON object of a body. Raises `WireError` when it is none, or names a field twice."""
    try:
        record = json.loads(body, parse_constant=lambda _: _wrong("number"), object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise WireError("the body is not valid") from None
    if not isinstance(record, dict):
        raise WireError("the body is not valid")
    return record


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):  # whoever reads the first of two and whoever reads the last would differ
        _wrong("name")
    return record


def digest(request: bytes) -> str:
    """What an answer is marked with: 16 characters that depend on every byte of its request."""
    return hashlib.sha256(request).hexdigest()[:16]


_adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)
_FIELDS = set(_Row.model_fields)


def _read(kind: type[Wire], body: bytes) -> Wire:
    try:
        read: Wire = _adapter(kind).validate_python(parsed(body))
        return read
    except ValidationError as error:
        place = error.errors(include_url=False, include_context=False, include_input=False)[0]["loc"]
    _wrong(next(part for part in reversed(place) if isinstance(part, str)))


Answer = TypeVar("Answer", _Hits, _Passages, _AllWeighed, _Told)


def _answer(kind: type[Answer], body: bytes, request: bytes) -> Answer:
    got = _read(kind, body)
    return got if got.to == digest(request) else _wrong("to")


def _received(rows: Sequence[_Row], enclave: str) -> dict[str, Passage]:
    found: dict[str, Passage] = {}
    for one in rows:
        if one.id in found:
            _wrong("id")
        if one.end - one.start != len(one.text):
            _wrong("end")
        found[one.id] = Passage(enclave=enclave, **one.model_dump(include=_FIELDS))
    return found


def _sent(passage: Passage, vectors: Mapping[str, HalfVectors] | None = None) -> dict[str, Any]:
    row = {one.alias or name: getattr(passage, name) for name, one in _Row.model_fields.items()}
    if vectors and passage.id in vectors:
        row["vector"] = base64.b64encode(vectors[passage.id].astype("<f2").tobytes()).decode("ascii")
    return row


def _numbers(data: str, kind: str, dimension: int | None = None) -> NDArray[np.floating]:
    """A vector of length one at most, of that many numbers where a dimension is given."""
    try:
        vector = np.frombuffer(base64.b64decode(data, validate=True), dtype=kind)
    except ValueError:
        raise WireError("the field vector is not valid") from None
    if not len(vector) or dimension not in (None, len(vector)):
        _wrong("vector")
    if not np.isfinite(vector).all() or float(np.linalg.norm(vector.astype(np.float64))) > 1.01:
        _wrong("vector")
    return vector


def _wrong(name: str) -> NoReturn:
    raise WireError(f"the field {name} is not valid")
