"""Small worlds for the laws: enclaves in memory that write down all they are sent, and an encoder of a few words."""

from __future__ import annotations

import math
import random
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import islice

import numpy as np
from hypothesis import settings

from answerable.chains.beam import BeamSettings
from answerable.corpora.store import HalfVectors
from answerable.encoders.encoder import Asked, Passages, Span, Vectors
from answerable.encoders.expansion import expanded_text
from answerable.indexes.index import Mode, Ranking, SearchMode, weighed
from answerable.indexes.sources import SearchableEnclave
from answerable.privacy.enclaves import QUESTION, EnclaveTable, ladder, mirror, private, public
from answerable.privacy.flow import first_query
from answerable.privacy.grants import Grant, for_question, standing
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import EVERYTHING, PUBLIC, Asker, Enclave, Evidence, Passage, Privacy, Query, Skill

WORDS = tuple(f"w{i}" for i in range(30))
MODES: tuple[Mode, ...] = ("hybrid", "dense", "lexical")

Sent = tuple[str, bytes | None, str, int]
"""Everything an enclave is sent at once: text, vector, mode, k."""


class TinyEncoder:
    """Words hashed into 16 places; one text at a time."""

    name = "tiny"
    dimension = 16

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode_query(self, text: str, skill: Skill, passages: Passages = ()) -> Vectors:
        whole = expanded_text(text, passages)
        self.texts.append(whole)
        return _vector(whole)

    def encode_queries(self, queries: Sequence[Asked]) -> Vectors:
        return np.stack([self.encode_query(*one) for one in queries])

    def encode_passages(self, texts: Sequence[tuple[str, str]]) -> Vectors:
        return np.stack([_vector(f"{title} {text}") for title, text in texts])

    def propose(self, text: str) -> list[tuple[Span, float]]:
        found = [(match.span(), 1.0) for match in re.finditer(r"W\d+", text)]
        return found[:3]

    def encode_mentions(self, text: str, spans: Sequence[Span]) -> Vectors:
        self.texts += [text[start:end] for start, end in spans]
        return np.stack([_vector(text[start:end]) for start, end in spans])

    def encode_entities(self, texts: Passages) -> Vectors:
        return np.stack([_vector(title) for title, _ in texts])


@cache
def _vector(text: str) -> Vectors:
    """The same for the same text, so that nobody may write into it."""
    vector = np.zeros(TinyEncoder.dimension, np.float32)
    for word in text.replace(".", " ").split():
        vector[zlib.crc32(word.encode()) % TinyEncoder.dimension] += 1.0
    made = (vector / max(1e-9, math.sqrt(float((vector * vector).sum())))).astype(np.float32)
    made.flags.writeable = False
    return made


@dataclass
class MemoryEnclave:
    """An enclave's indexes in memory. Hits need a shared word, or a positive inner product: rankings may be empty.

    `log` is the run's common list of (enclave, what it was sent), in the order of sending. `fails` raises instead.
    """

    name: str
    stored: Sequence[Passage]
    log: list[tuple[str, Sent]]
    fails: bool = False
    rows: Vectors = field(init=False)
    pages: Vectors = field(init=False)

    def __post_init__(self) -> None:
        encoder, texts = TinyEncoder(), [(p.title, p.text) for p in self.stored]
        none = np.zeros((0, TinyEncoder.dimension), np.float32)
        self.rows = encoder.encode_passages(texts) if texts else none
        self.pages = encoder.encode_entities(texts) if texts else none

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        self.log.append((self.name, (query_text, None if vector is None else vector.tobytes(), mode, k)))
        if self.fails:
            raise OSError("the disk is gone")
        words: Ranking = []
        near: Ranking = []
        if mode in ("lexical", "hybrid"):
            asked = set(query_text.replace(".", " ").split())
            words = _top(((p.id, _shared(asked, p)) for p in self.stored), len(self.stored))
        if mode != "lexical":
            assert vector is not None
            rows = self.pages if mode == "entity" else self.rows
            scores = (rows * vector).sum(axis=1).tolist()  # each by itself, whatever is beside it
            near = _top(((p.id, score) for p, score in zip(self.stored, scores, strict=True)), len(self.stored))
        return weighed(words, dict(near), k) if mode == "hybrid" else (words or near)[:k]

    def fetch(
        self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int
    ) -> tuple[Ranking, dict[str, HalfVectors]]:
        ranking = self.search(query_text, vector, mode, k)
        return ranking, {} if mode == "lexical" else self.vectors([id for id, _ in ranking])

    def vectors(self, ids: Sequence[str]) -> dict[str, HalfVectors]:
        rows = {p.id: row.astype(np.float16) for p, row in zip(self.stored, self.rows, strict=True)}
        return {id: rows[id] for id in ids}

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        by_id = {p.id: p for p in self.stored}
        return [by_id[id] for id in ids if id in by_id]


def _shared(asked: set[str], passage: Passage) -> float:
    own = _words(passage.text)
    return len(asked & own) / (1 + len(own))


@cache
def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _top(scored: object, k: int) -> Ranking:
    rows = [row for row in scored if row[1] > 0]  # type: ignore[attr-defined]
    return sorted(rows, key=lambda row: (-row[1], row[0]))[:k]


def passage(enclave: str, at: int, text: str) -> Passage:
    """A passage whose id says where it is from."""
    return Passage(f"{enclave}{at:02d}", f"{enclave}{at:02d}", enclave, text.split()[0], text, 0, len(text))


def some_text(rng: random.Random, least: int, most: int) -> str:
    """Between `least` and `most` different words; capitals, so that they count as names."""
    return " ".join(word.upper() for word in rng.sample(WORDS, rng.randint(least, most)))


def corpus(rng: random.Random, enclave: str, least: int = 1, most: int = 6) -> list[Passage]:
    """Up to 8 passages of a few words; sometimes none."""
    return [passage(enclave, at, some_text(rng, least, most)) for at in range(rng.randint(0, 8))]


TABLES: tuple[EnclaveTable, ...] = (
    EnclaveTable([public("wiki"), private("mail")]),
    EnclaveTable([public("wiki"), private("mail", admits=[])]),
    EnclaveTable([public("wiki"), mirror("copy"), private("mail")]),
    EnclaveTable([public("wiki"), private("mail", admits=[]), private("clinic", admits=[])]),
    EnclaveTable([public("wiki"), Enclave("news", admits=frozenset({"mail"})), private("mail"), private("clinic")]),
    EnclaveTable(ladder("public", "internal", "secret")),
    EnclaveTable(
        [
            Enclave("news", admits=frozenset({"mail"})),
            Enclave("notes", admits=frozenset({"clinic"})),
            private("mail"),
            private("clinic"),
        ]
    ),
)
"""Two enclaves on one host and on two, a mirror, compartments that must not mix, a host that admits one, a ladder, and
two hosts that each admit what the other does not."""

Gather = Callable[[Query, Retriever, BeamSettings], Evidence]


NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


def hidden_from(observer: Enclave, table: EnclaveTable, grants: Sequence[Grant] = ()) -> frozenset[str]:
    """The enclaves whose text must not shape what the observer is sent: whose label it neither admits nor is granted"""
    if observer.admits == EVERYTHING:
        return frozenset()
    granted = (one.lifts for one in grants if one.to == observer.name and one.asker == "me" and one.in_force(NOW))
    admitted = observer.admits.union(*granted)
    return frozenset(name for name, enclave in table.items() if not enclave.label <= admitted)


def some_grants(rng: random.Random, table: EnclaveTable, asker: Asker) -> tuple[Grant, ...]:
    """Up to three standing grants, some of them over, revoked or another's, and now and then one for the question."""
    words = sorted({QUESTION}.union(*(enclave.label for enclave in table.values())))
    grants = []
    for _ in range(rng.randint(0, 3)):
        whose = rng.choice((asker, asker, asker, Asker("other")))
        given = NOW - timedelta(hours=rng.choice((1, 1, 1, 48)))
        made = standing(whose, rng.sample(words, rng.choice((1, 1, 2))), rng.choice([*table]), given)
        grants.append(made.withdrawn(NOW) if rng.random() < 0.15 else made)
    if rng.random() < 0.5:
        named = rng.sample(words, rng.choice((0, 0, 1)))
        grants.append(for_question(asker, rng.choice([*table]), NOW, named))
    return tuple(grants)


@dataclass(frozen=True)
class Trial:
    """One question asked twice; only the corpora hidden from `observer` differ."""

    table: EnclaveTable
    observer: str
    question: str
    corpora: tuple[Mapping[str, Sequence[Passage]], Mapping[str, Sequence[Passage]]]
    privacy: Privacy
    mode: Mode
    beam: BeamSettings
    asker: Asker = Asker()
    grants: tuple[Grant, ...] = ()
    modes: Mapping[str, Mode] = field(default_factory=dict)

    def seen(self, gather: Gather, failing: bool = False) -> tuple[list[Sent], list[Sent]]:
        """What the observer was sent in each run; in the second, hidden enclaves may fail when asked."""
        first = self.sent(gather)
        hidden = hidden_from(self.table[self.observer], self.table, self.grants)
        second = self._run(gather, 1, hidden if failing else frozenset())
        return first, second

    def sent(self, gather: Gather) -> list[Sent]:
        """What the observer was sent in the first."""
        return self._run(gather, 0, frozenset())

    def _run(self, gather: Gather, which: int, failing: frozenset[str]) -> list[Sent]:
        log: list[tuple[str, Sent]] = []
        indexes = {
            name: MemoryEnclave(name, stored, log, name in failing) for name, stored in self.corpora[which].items()
        }
        try:
            self.ask(gather, indexes)
        except OSError:
            assert failing
        return [sent for name, sent in log if name == self.observer]

    def ask(self, gather: Gather, indexes: Mapping[str, SearchableEnclave]) -> Evidence:
        """The question, asked of these enclaves."""
        how = RetrieverSettings(self.mode)
        retriever = Retriever(self.table, indexes, TinyEncoder(), self.privacy, how, modes=self.modes)
        door = retriever.under(self.privacy, self.grants, NOW)
        return gather(first_query(self.question, self.asker, self.privacy, self.table), door, self.beam)


def trials(number: int) -> int:
    """How many a law draws by itself: this many, and ten times as many in the profile `thorough`."""
    return number * settings.default.max_examples // 40


def at_least(least: int, differ: Iterable[bool]) -> bool:
    """Whether so many do; no more are tried than show it."""
    return len([*islice(filter(None, differ), least)]) == least


def draw(
    rng: random.Random,
    tables: Sequence[EnclaveTable] = TABLES,
    sparse: bool | None = None,
    granting: bool = False,
) -> Trial:
    """A random trial. `sparse`: passages of one to three words, so that many searches find nothing (None: either).

    `granting`: with grants, and with an asker whose questions may carry a label of their own.
    """
    table = rng.choice(tables)
    width = rng.randint(1, 4)
    asker, grants = Asker(), ()
    if granting:
        private = sorted(PUBLIC.union(*(e.label for e in table.values())))
        asker = Asker(label=frozenset(rng.sample(private, rng.choice((0, 0, 1)))))
        grants = some_grants(rng, table, asker)
    watched = [e.name for e in table.values() if hidden_from(e, table, grants)]
    if not watched:
        return draw(rng, tables, sparse, granting)
    observer = rng.choice(watched)
    hidden = hidden_from(table[observer], table, grants)
    most = 3 if (rng.random() < 0.5 if sparse is None else sparse) else 8
    mixed = rng.random() < 0.5
    common = {name: corpus(rng, name, 1, most) for name in table if name not in hidden}
    first, second = ({**common, **{name: corpus(rng, name, 1, most) for name in sorted(hidden)}} for _ in range(2))
    return Trial(
        table,
        observer,
        some_text(rng, 1, most),
        (first, second),
        rng.choice((Privacy.DOCUMENT, Privacy.DOCUMENT, Privacy.QUERY)),
        rng.choice(MODES),
        BeamSettings(
            hops=rng.randint(1, 3),
            k=rng.randint(1, 4),
            width=width,
            ranking=rng.choice(("overall", "enclave")),
            keep_short=rng.random() < 0.5,
            link=rng.choice((0, 0, 1, 2)),
            alpha=rng.choice((1.0, 1.5)),
            ahead=rng.choice((0, 3, 8)),
        ),
        asker,
        grants,
        {name: rng.choice(MODES) for name in table if mixed and rng.random() < 0.5},
    )
