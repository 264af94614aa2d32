"""What every setting means, the range of its numbers, and a value as the type it is to have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from answerable.chains.beam import steps
from answerable.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Key:
    """What a setting means and, for numbers, the range it must lie in."""

    about: str
    low: float | None = None
    high: float | None = None

    @property
    def bounds(self) -> str:
        """The range in words; empty where there is none."""
        return "" if self.low is None or self.high is None else f"from {self.low:,g} to {self.high:,g}"


ABOUT: Mapping[str, Key] = {
    "ask.privacy": Key(
        "what no outside enclave may be told: none, document (private text) or query (the question too)"
    ),
    "ask.threshold": Key("least confidence of an answer that is given; empty: as calibrated", 0, 1),
    "ask.read": Key("chains handed to the reader", 1, 400),
    "beam.hops": Key("passages in the longest chain", 1, 5),
    "beam.k": Key("passages taken for each chain at each hop", 1, 200),
    "beam.width": Key("chains kept at each hop for each label", 1, 200),
    "beam.ranking": Key("overall: the best chains, wherever from; enclave: a share for every path of enclaves"),
    "beam.keep_short": Key("also read the chains of earlier hops, for questions that one passage answers"),
    "beam.link": Key("pages taken for each name in what was read, where search.linking is on; 0: none", 0, 20),
    "beam.alpha": Key("what a passage's score is multiplied by when both a search and a name lead to it", 1, 10),
    "beam.rerank": Key("chains of each hop that are read with the question once more; 0: none", 0, 200),
    "beam.seconds": Key("how long reranking the chains of a hop may take, as this machine goes; 0: no limit", 0, 3600),
    "beam.beta": Key("what a reranking score counts for beside a hit's own", 0, 10),
    "beam.ahead": Key("passages fetched where later queries may not go, to be searched among here; 0: none", 0, 1000),
    "beam.chain": Key(
        "what each hop does besides searching, the last for all later: none, link, rerank, both; []: both"
    ),
    "search.mode": Key("rank by words and vectors fused (hybrid), by vectors (dense) or by words (lexical)"),
    "search.linking": Key("also index documents by what names them, with an encoder that links; then index again"),
    "models.encoder": Key("minilm, skills (an expert for each), hashed (no weights), or an exported encoder's folder"),
    "models.reader": Key("span, skills (reads paths), ranked (span on the best paths), overlap, or a reader's folder"),
    "models.navigator": Key("what walks long documents: skills, hashed (no weights), or the folder of a model"),
    "models.judge": Key("what judges whether documents fit a constraint: skills, overlap (no weights), or a folder"),
    "models.matcher": Key("what matches questions among pairs: skills, minilm, hashed (no weights), or a folder"),
    "models.threads": Key("processors a model may use; 0: all", 0, 256),
    "read.windows": Key("pieces of a long document that are read for a question", 1, 100),
    "read.room": Key("characters of one of them, at most", 100, 20_000),
    "read.wide": Key("characters from which a paragraph is wide: half of them are read at once there", 200, 40_000),
    "read.threshold": Key("least confidence of an answer from a long document", 0, 1),
    "read.long": Key("paragraphs from which a document is long", 1, 1_000_000),
    "read.ahead": Key("make long documents ready to be read when they are indexed, not when they are first read"),
    "read.inside": Key("also walk long documents that were made ready, where the chains of an ask end in one"),
    "read.rerank": Key("let a second reader put pairs of evidence in order, for questions that want two pieces"),
    "find.whole": Key("passages taken for a set query as it was asked", 1, 1000),
    "find.each": Key("passages taken for each of its constraints, and for those that must hold together", 1, 1000),
    "find.candidates": Key("documents of each label that are judged", 1, 2000),
    "find.passages": Key("passages of one document that it is judged by: its first, and those that were found", 1, 50),
    "find.logic": Key("how constraints join: product (as independent) or minimum (least and greatest)"),
    "find.threshold": Key(
        "probability from which on a document is a member; empty: the best expected F1 decides", 0, 1
    ),
    "find.least": Key("probability below which no document is a member, where the expected F1 decides", 0, 0.5),
    "find.shows": Key("probability from which on a sentence is evidence for a constraint", 0, 1),
    "find.cited": Key("sentences shown for each constraint of a member, at most", 1, 10),
    "find.left_out": Key("documents of each label shown that fit but for what is taken away", 0, 100),
    "find.endpoint": Key("a language model that is asked how a query is meant, at .../v1; empty: none"),
    "find.model": Key("the model's name there"),
    "find.key_file": Key("file of the key for it"),
    "find.endpoint_private": Key("private questions may be sent there too"),
    "pairs.answer": Key("ask answers from pairs where it is sure enough"),
    "pairs.threshold": Key("least confidence of an answer from a pair; empty: as calibrated", 0, 1),
    "pairs.rerank": Key("pairs found that are read with the question; 0: none", 0, 1000),
    "pairs.early": Key("passages of the first search that ask reads before it searches on; 0: none", 0, 100),
    "pairs.early_threshold": Key("least confidence of what is read there; empty: as calibrated", 0, 1),
    "pairs.index": Key("how questions are searched: flat (all of them), graph, or auto (by their number)"),
    "pairs.numbers": Key("what their vectors are kept as: f16, i8 or pq (codes)"),
    "pairs.budget": Key("what model, index and text may take together, as 500MB; empty: as much as they need"),
    "pairs.endpoint": Key("a language model that is asked for the questions of passages, at .../v1; empty: none"),
    "pairs.model": Key("the model's name there"),
    "pairs.key_file": Key("file of the key for it"),
    "pairs.endpoint_private": Key("private passages may be sent there too"),
    "limits.max_bytes": Key("bytes of a file that is read whole", 1, 2**40),
    "limits.max_record": Key("bytes of one mail or one line of JSONL", 1, 2**40),
    "limits.max_ratio": Key("times its packed size that an archive may unpack to", 1, 10_000),
    "limits.max_pages": Key("pages of one PDF", 1, 1_000_000),
    "limits.max_seconds": Key("seconds for reading each 4 MiB of a file; 0: no limit, nor of memory", 0, 86_400),
    "limits.max_memory": Key("bytes of memory that reading files may take, on Linux", 2**27, 2**40),
    "journal.keep": Key("write down every search that is sent or refused: journal.jsonl, shown by answerable journal"),
    "journal.text": Key("also write down what was sent, word for word, not only a digest of it"),
    "remote.timeout": Key("seconds for one try to ask an enclave on another machine", 0.05, 600),
    "remote.tries": Key("times that one search of such an enclave is sent, at most", 1, 10),
    "serve.host": Key("address that `answerable serve` answers at; other than loopback only with tokens"),
    "serve.port": Key("its port; 0: any that is free", 0, 65535),
    "serve.token_file": Key("file of the tokens that may ask, lines NAME: TOKEN"),
    "serve.certificate": Key("file of the certificate for TLS, with those it rests on"),
    "serve.key": Key("file of the certificate's key"),
    "serve.rate": Key("requests a second for each token; 0: any number", 0, 1_000_000),
    "serve.max_request": Key("bytes of one request", 1024, 2**30),
    "serve.concurrent": Key("searches at once", 1, 1024),
    "serve.waiting": Key("requests that wait for their turn; more are refused", 0, 100_000),
    "serve.connections": Key("connections open at once", 1, 65536),
    "serve.connections_each": Key("those of one client, at most", 1, 65536),
    "serve.timeout": Key("seconds for a request to come, to answer it, and for the answer to be taken", 0.05, 600),
    "serve.idle": Key("seconds for which a connection is kept from one request to the next", 0.05, 3600),
    "serve.hosts": Key("names that it may be asked by, with spaces between, beside its address and localhost"),
}
"""Every setting, in the order of the file."""


def convert(path: str, value: Any, kind: Any, known: Key) -> Any:
    """`value` as the type `kind`. Raises `SettingsError` with `path` (or the variable) and what is allowed."""
    if get_origin(kind) in (Union, UnionType):
        if value is None or value == "":
            return None
        kind = next(arm for arm in get_args(kind) if arm is not type(None))
    if get_origin(kind) is Literal or (isinstance(kind, type) and issubclass(kind, StrEnum)):
        allowed = list(get_args(kind)) if get_origin(kind) is Literal else [member.value for member in kind]
        if value not in allowed:
            raise SettingsError(f"{path} is {value!r}, not one of: {', '.join(allowed)}")
        return value if get_origin(kind) is Literal else kind(value)
    if get_origin(kind) is tuple:
        listed = steps(value) if isinstance(value, str) else value
        if not isinstance(listed, list | tuple):
            raise SettingsError(f"{path} is {value!r}, not a list", hint=known.about)
        return tuple(convert(path, one, get_args(kind)[0], known) for one in listed)
    if kind is bool:
        named = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
        value = named.get(value.lower(), value) if isinstance(value, str) else value
        if not isinstance(value, bool):
            raise SettingsError(f"{path} is {value!r}, not true or false", hint=known.about)
        return value
    if kind in (int, float):
        return _number(path, value, kind, known)
    if not isinstance(value, str) or not value.strip():
        raise SettingsError(f"{path} is {value!r}, not a name", hint=known.about)
    return value


def _number(path: str, value: Any, kind: type, known: Key) -> float:
    try:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ValueError
        number: float = kind(value) if not (kind is int and isinstance(value, float)) else kind(str(value))
    except (ValueError, OverflowError):
        name = "a whole number" if kind is int else "a number"
        raise SettingsError(f"{path} is {value!r}, not {name}", hint=known.bounds) from None
    low, high = known.low, known.high
    if number != number or (low is not None and number < low) or (high is not None and number > high):
        raise SettingsError(f"{path} is {value!r}, out of range", hint=known.bounds)
    return number
