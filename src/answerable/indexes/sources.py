"""What the one door searches: the passages of an enclave, or its question-answer pairs (PAQ, section 4.2).

Both are handed the same, texts with their vectors, and give the same, hits. The rule is kept by whoever holds them:
`Retriever` decides, writes down, and only then calls `find`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

import numpy as np

from answerable.corpora.store import HalfVectors
from answerable.encoders.encoder import Vectors
from answerable.errors import IndexMismatch
from answerable.indexes.index import Ranking, SearchMode, placed
from answerable.types import Enclave, Hit, Passage, QAPair, Skill

Matched = list[tuple[QAPair, float]]
"""Pairs with finite scores, best first, ties by pair id."""


@runtime_checkable
class SearchableEnclave(Protocol):
    """The indexes of one enclave, here or elsewhere. It is sent a text, a vector, a mode and a number; nothing else."""

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        """The k best passages; `vector` is a (dimension,) float32 unit vector, None when the mode is "lexical"."""
        ...

    def fetch(
        self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int
    ) -> tuple[Ranking, Mapping[str, HalfVectors]]:
        """As `search`, and the (dimension,) float16 vectors of what was found, by passage id, where there are any."""
        return self.search(query_text, vector, mode, k), {}

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The stored passages with these ids; an id that is gone is left out."""
        ...


@runtime_checkable
class Sharded(Protocol):
    """An enclave that several servers hold together. `shards`: their addresses."""

    shards: tuple[str, ...]

    def without(self, lost: dict[str, str]) -> SearchableEnclave:
        """The same, of the servers that are not in `lost`, where those that do not answer are put with the reason."""
        ...


class Shelf(Protocol):
    """Where passages are found by id."""

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """As `SearchableEnclave.passages`."""
        ...


class QuestionMatcher(Protocol):
    """Questions to unit vectors; those that ask the same lie close (PAQ, section 4.2.1: one embedding, symmetric)."""

    name: str
    """Identifies the weights; an index refuses vectors of another name."""

    def encode_questions(self, questions: Sequence[str]) -> Vectors:
        """(n, dimension) float32 unit rows, in order, encoded in batches: for questions of one label at a time.

        One question alone always has the same vector.
        """
        ...


class SearchablePairs(Protocol):
    """The pairs of one enclave by their questions. It is sent vectors and a number."""

    count: int
    matcher: str
    """The name of the matcher whose vectors these are."""

    def search(self, vectors: Vectors, k: int) -> list[Matched]:
        """For each of (n, dimension) float32 rows the k best pairs; fewer where there are fewer."""
        ...


@dataclass(frozen=True, slots=True)
class Searched:
    """One search: a text, its (dimension,) float32 unit vector or none, a mode, and how many are wanted."""

    text: str
    vector: Vectors | None
    mode: SearchMode
    k: int


class Searchable(Protocol):
    """What can be searched in one enclave."""

    def find(self, asked: Sequence[Searched]) -> list[tuple[Hit, ...]]:
        """For each search its hits, best first. Raises `IndexMismatch`, and `RemoteError` where it lies elsewhere."""
        ...


@dataclass(frozen=True, slots=True)
class Passages:
    """The passages of an enclave, searched one text after another.

    `by_place`: hits score by their place in the ranking. With `fetched`, the vectors of what is found are put there.
    """

    enclave: Enclave
    index: SearchableEnclave
    skill: Skill
    by_place: bool
    fetched: dict[str, HalfVectors] | None = field(default=None, compare=False)

    def find(self, asked: Sequence[Searched]) -> list[tuple[Hit, ...]]:
        """As `Searchable.find`."""
        return [
            passage_hits(self.enclave, self.index, self._ranking(one), self.skill, one.k, self.by_place)
            for one in asked
        ]

    def _ranking(self, one: Searched) -> Ranking:
        if self.fetched is None:
            return self.index.search(one.text, one.vector, one.mode, one.k)
        ranking, vectors = self.index.fetch(one.text, one.vector, one.mode, one.k)
        self.fetched.update(vectors)
        return ranking


def asking(source: Searchable, lost: dict[str, str]) -> tuple[Searchable, tuple[str, ...]]:
    """The same source without the servers that are lost, and the addresses of those that it asks: none where it does
    not lie on several. Who does not answer is put into `lost`."""
    if not (isinstance(source, Passages) and isinstance(source.index, Sharded)):
        return source, ()
    shards = tuple(one for one in source.index.shards if one not in lost)
    return replace(source, index=source.index.without(lost)), shards


@dataclass(frozen=True, slots=True)
class Pairs:
    """The question-answer pairs of an enclave, all texts searched at once. `shelf`: where their passages are.

    `matcher`: the name of what made the vectors.
    """

    enclave: Enclave
    index: SearchablePairs
    shelf: Shelf | None
    matcher: str

    def find(self, asked: Sequence[Searched]) -> list[tuple[Hit, ...]]:
        """As `Searchable.find`. A pair whose passage is gone is gone too."""
        if self.index.matcher != self.matcher:
            raise IndexMismatch(
                f"the pairs of {self.enclave.name} were indexed by {self.index.matcher}, not by {self.matcher}",
                hint="build them again",
            )
        found = self.index.search(np.stack([one.vector for one in asked if one.vector is not None]), asked[0].k)
        ids = dict.fromkeys(pair.passage_id for own in found for pair, _ in own if pair.passage_id)
        passages = {one.id: one for one in self.shelf.passages([*ids])} if self.shelf and ids else {}
        passages[""] = Passage("", "", self.enclave.name, "", "", 0, 0)  # of a pair that was imported without one
        return [self._hits(own, passages) for own in found]

    def _hits(self, own: Matched, passages: Mapping[str, Passage]) -> tuple[Hit, ...]:
        if any(pair.enclave != self.enclave.name or not math.isfinite(score) for pair, score in own):
            raise IndexMismatch(f"the pairs of {self.enclave.name} cannot be used", hint="build them again")
        best = sorted(own, key=lambda row: (-row[1], row[0].id))
        there = [(pair, score) for pair, score in best if pair.passage_id in passages]
        label = self.enclave.label
        return tuple(Hit(passages[pair.passage_id], score, label, Skill.MATCH, pair) for pair, score in there)


def passage_hits(
    enclave: Enclave, index: Shelf, ranking: Ranking, skill: Skill, k: int, by_place: bool
) -> tuple[Hit, ...]:
    """A ranking with its passages. A hit's label is that of the enclave it was read in, whatever the passage says."""
    if not all(math.isfinite(score) for _, score in ranking):
        raise IndexMismatch(f"the index of {enclave.name} gives scores that are not numbers", hint="index it again")
    best = sorted(ranking, key=lambda row: (-row[1], row[0]))[:k]
    best = placed(best) if by_place else best
    found = {passage.id: passage for passage in index.passages([id for id, _ in best])}
    if any(passage.enclave != enclave.name for passage in found.values()):
        hint = "index it again, or attach an index of your own under the enclave that its passages name"
        raise IndexMismatch(f"the index of {enclave.name} holds passages of another enclave", hint=hint)
    return tuple(Hit(found[id], score, enclave.label, skill) for id, score in best if id in found)
