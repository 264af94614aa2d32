"""What travels between a client and the server of an enclave: one JSON object each way, checked field by field.

    POST /v1/search     {mode, k, text?, vector?, vectors?}
                                                    → {to, hits: [{score, passage fields, vector?}]}
    POST /v1/passages   {ids}                       → {to, passages: [{passage fields}]}
    GET  /v1/about                                  → what is served, and by which encoder
    GET  /v1/health                                 → {status}, without a token
    anything refused                                → {error: {code, message}}

`to` is a digest of the request, so that an answer is never taken for that of another one. No label travels: what a
passage makes private is said by whoever reads it, in their own table of enclaves.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, NoReturn, get_args

import numpy as np
from numpy.typing import NDArray

from answerable.corpora.store import HalfVectors
from answerable.encoders.encoder import Vectors
from answerable.indexes.index import Mode, Ranking, SearchMode
from answerable.types import Passage

API = (1, 1)
"""Another first number is another protocol; a second number only adds fields that may be ignored."""
API_HEADER = "answerable-api"
SEARCH, PASSAGES, ABOUT, HEALTH = "/v1/search", "/v1/passages", "/v1/about", "/v1/health"
MOST = 1000
"""Hits of one answer, ids of one request."""
LONGEST_TEXT = 50_000  # characters of a query
LONGEST_PASSAGE = 1_000_000  # characters of any string of an answer
LARGEST_VECTOR = 1 << 16  # numbers
_MODES: tuple[str, ...] = (*get_args(Mode), "entity")


class WireError(ValueError):
    """Something that is not what it should be. Names the field, never its value."""


@dataclass(frozen=True, slots=True)
class Search:
    """A search as it is sent: nothing but a text, a vector, a mode and a number.

    `vector`: (d,) float32 of length one, made by `encoder`, which is named so that no other reads it. `vectors`: the
    passages' own are wanted too, by the same encoder; a server from before API 1.1 sends none.
    """

    mode: SearchMode
    k: int
    text: str | None
    vector: Vectors | None
    encoder: str | None
    vectors: bool = False

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
        return dumped(record)

    @staticmethod
    def from_bytes(body: bytes) -> Search:
        """Raises `WireError` for what is no search: a mode without what it searches by, a vector that is none."""
        record = parsed(body)
        mode = _string(record, "mode", 20)
        if mode not in _MODES:
            _wrong("mode")
        text = _string(record, "text", LONGEST_TEXT) if "text" in record else None
        vector, encoder = _vector(record["vector"]) if "vector" in record else (None, None)
        if text is None and (mode in ("hybrid", "lexical") or vector is None):
            _wrong("text")
        if mode == "entity" and vector is None:
            _wrong("vector")
        wanted = record.get("vectors", False)
        if not isinstance(wanted, bool) or (wanted and vector is None):
            _wrong("vectors")
        return Search(mode, _integer(record, "k", 1, MOST), text, vector, encoder, wanted)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class About:
    """What a server serves: its name for the enclave, the encoder of its vectors, and how much there is."""

    enclave: str
    encoder: str
    dimension: int
    documents: int
    passages: int
    vectors: int
    pages: int

    def to_bytes(self) -> bytes:
        """As JSON, with the version of the protocol."""
        return dumped({"api": list(API), **asdict(self)})

    @staticmethod
    def from_bytes(body: bytes) -> About:
        """Raises `WireError` when a field is missing or is of another type."""
        record = parsed(body)
        numbers = {one.name: _integer(record, one.name, 0, 2**53) for one in fields(About) if one.type == "int"}
        return About(_string(record, "enclave", 64), _string(record, "encoder", 200), **numbers)


def hits_to_bytes(
    hits: Sequence[tuple[Passage, float]], request: bytes, vectors: Mapping[str, HalfVectors] | None = None
) -> bytes:
    """The answer to a search: passages with their scores, best first, and the vectors there are, by passage id."""
    rows = [{"score": score, **_sent(passage)} for passage, score in hits]
    for row in rows:
        if vectors and row["id"] in vectors:
            row["vector"] = base64.b64encode(vectors[row["id"]].astype("<f2").tobytes()).decode("ascii")
    return dumped({"to": digest(request), "hits": rows})


def hits_from_bytes(body: bytes, request: bytes, enclave: str, k: int) -> tuple[Ranking, dict[str, Passage]]:
    """A ranking and its passages, as those of `enclave`, whatever the server calls it.

    Raises `WireError` for an answer to another request, more than k hits, a hit twice, or a score that is no number.
    """
    found: dict[str, Passage] = {}
    ranking: Ranking = []
    for row in _list(_answer(body, request), "hits", k):
        passage = _received(row, enclave)
        if passage.id in found:
            _wrong("id")
        found[passage.id] = passage
        ranking.append((passage.id, _score(row)))
    return sorted(ranking, key=lambda hit: (-hit[1], hit[0])), found


def vectors_from_bytes(body: bytes, dimension: int) -> dict[str, HalfVectors]:
    """The vectors that came with the hits of a checked answer, by passage id: (dimension,) float16 each.

    Raises `WireError` for one of another dimension, or that is none.
    """
    rows = [row for row in parsed(body)["hits"] if "vector" in row]
    return {row["id"]: _numbers(row["vector"], "<f2", dimension).astype(np.float16) for row in rows}


def ids_to_bytes(ids: Sequence[str]) -> bytes:
    """A request for passages."""
    return dumped({"ids": list(ids)})


def ids_from_bytes(body: bytes) -> list[str]:
    """Raises `WireError` for what is no list of ids, or too long a one."""
    ids = parsed(body).get("ids")
    if not isinstance(ids, list) or len(ids) > MOST:
        _wrong("ids")
    return [_text(id, "ids", LONGEST_PASSAGE) for id in ids]


def passages_to_bytes(passages: Sequence[Passage], request: bytes) -> bytes:
    """The answer to a request for passages."""
    return dumped({"to": digest(request), "passages": [_sent(passage) for passage in passages]})


def passages_from_bytes(body: bytes, request: bytes, enclave: str, ids: Sequence[str]) -> dict[str, Passage]:
    """The passages by id. Raises `WireError` for one that was not asked for, or that comes twice."""
    found: dict[str, Passage] = {}
    for row in _list(_answer(body, request), "passages", len(ids)):
        passage = _received(row, enclave)
        if passage.id in found or passage.id not in ids:
            _wrong("id")
        found[passage.id] = passage
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


# ---------------------------------------------------------------- fields


def _answer(body: bytes, request: bytes) -> dict[str, Any]:
    record = parsed(body)
    if record.get("to") != digest(request):
        _wrong("to")
    return record


def _sent(passage: Passage) -> dict[str, Any]:
    return {
        "id": passage.id,
        "document": passage.document_id,
        "title": passage.title,
        "section": passage.section,
        "start": passage.start,
        "end": passage.end,
        "text": passage.text,
    }


def _received(row: Any, enclave: str) -> Passage:
    if not isinstance(row, dict):
        _wrong("passage")
    names = ("id", "document", "title", "section", "text")
    id, document, title, section, text = (_string(row, name, LONGEST_PASSAGE) for name in names)
    start, end = _integer(row, "start", 0, 2**53), _integer(row, "end", 0, 2**53)
    if not id or end - start != len(text):
        _wrong("end")
    return Passage(id, document, enclave, title, text, start, end, section)


def _score(row: dict[str, Any]) -> float:
    score = row.get("score")
    if isinstance(score, bool) or not isinstance(score, int | float) or not abs(score) <= sys.float_info.max:
        _wrong("score")
    return float(score)


def _vector(record: Any) -> tuple[Vectors, str]:
    if not isinstance(record, dict):
        _wrong("vector")
    return _numbers(record.get("data"), "<f4").astype(np.float32), _string(record, "encoder", 200)


def _numbers(value: Any, kind: str, dimension: int | None = None) -> NDArray[np.floating]:
    """A vector of length one at most, of that many numbers where a dimension is given."""
    try:
        vector = np.frombuffer(base64.b64decode(_text(value, "vector", LARGEST_VECTOR * 6), validate=True), dtype=kind)
    except (binascii.Error, ValueError):
        raise WireError("the field vector is not valid") from None
    if not len(vector) or dimension not in (None, len(vector)):
        _wrong("vector")
    if not np.isfinite(vector).all() or float(np.linalg.norm(vector.astype(np.float64))) > 1.01:
        _wrong("vector")
    return vector


def _list(record: dict[str, Any], name: str, most: int) -> list[Any]:
    value = record.get(name)
    if not isinstance(value, list) or len(value) > most:
        _wrong(name)
    return value


def _integer(record: dict[str, Any], name: str, low: int, high: int) -> int:
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        _wrong(name)
    return value


def _string(record: dict[str, Any], name: str, most: int) -> str:
    return _text(record.get(name), name, most)


def _text(value: Any, name: str, most: int) -> str:
    if not isinstance(value, str) or len(value) > most:
        _wrong(name)
    try:
        value.encode("utf8")
    except UnicodeEncodeError:  # half a character: it could be neither printed nor sent on
        _wrong(name)
    return value


def _wrong(name: str) -> NoReturn:
    raise WireError(f"the field {name} is not valid")
