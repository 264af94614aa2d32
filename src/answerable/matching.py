"""What the one door needs to search among question-answer pairs (PAQ, section 4.2): an index of them for an enclave.

The rule is that of every search: decide, write down, search. A batch of questions is encoded and searched at once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from answerable.encoders.encoder import Vectors
from answerable.errors import IndexMismatch
from answerable.privacy.egress import Sent
from answerable.privacy.flow import Decision
from answerable.types import Enclave, Hit, Hop, Passage, QAPair, Query, Skill

Found = list[tuple[QAPair, float]]


class QuestionMatcher(Protocol):
    """Questions to unit vectors (`pairs.lookup.Matcher`)."""

    name: str

    def encode_questions(self, questions: Sequence[str]) -> Vectors:
        """(n, dimension) float32 unit rows, in order; those given together are of one label."""
        ...


class SearchablePairs(Protocol):
    """The pairs of one enclave by their questions (`pairs.lookup.PairIndex`). It is sent vectors and a number."""

    count: int
    matcher: str

    def search(self, vectors: Vectors, k: int) -> list[Found]:
        """For each of (n, dimension) rows the k best pairs, best first."""
        ...


class Shelf(Protocol):
    """Where the passages of an enclave are found by id."""

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """Those that are there, in that order."""
        ...


@dataclass(frozen=True, slots=True)
class PairDoor:
    """Searches pairs for the retriever: `decide`, `write` and `found` are its rule and its journal.

    `known`: vectors of this ask by their key, to which new ones are added.
    """

    matcher: QuestionMatcher
    pairs: Mapping[str, SearchablePairs]
    shelves: Mapping[str, Shelf]
    decide: Callable[[Query, Enclave], Decision]
    write: Callable[[Enclave, Sequence[tuple[Query, Decision, Sent | None]]], Sequence[str | None]]
    found: Callable[[str | None, Sequence[Hit]], None]
    known: dict[Any, Vectors]

    def match(self, queries: Sequence[Query], k: int, enclaves: Iterable[Enclave]) -> list[list[Hop]]:
        """For each query a Hop for each of the enclaves that has pairs, refused ones included, as `Retriever.search`.

        Raises `IndexMismatch` for pairs of another matcher or enclave.
        """
        hops: list[list[Hop]] = [[] for _ in queries]
        for enclave in enclaves:
            if enclave.name in self.pairs:
                for place, hop in self._within(queries, k, enclave):
                    hops[place].append(hop)
        return hops

    def _within(self, queries: Sequence[Query], k: int, enclave: Enclave) -> Iterable[tuple[int, Hop]]:
        """The hop of each query in one enclave, by its place among the queries."""
        rulings = self._rulings(queries, enclave)
        allowed = [place for place, ruling in enumerate(rulings) if ruling.allowed]
        refused = [(query, ruling) for query, ruling in zip(queries, rulings, strict=True) if not ruling.allowed]
        self.write(enclave, [(query, ruling, None) for query, ruling in refused])
        for place, ruling in enumerate(rulings):
            if not ruling.allowed:
                hop = Hop(queries[place], Skill.MATCH, enclave.name, ruling.reason, (), 0.0, ruling.reason)
                yield place, hop
        if not allowed:
            return
        started = time.perf_counter()
        index = self._index(enclave)
        vectors = self._encoded([queries[place].text for place in allowed])
        sent = [
            (queries[place], rulings[place], Sent(queries[place].text, row.tobytes(), "dense", k))
            for place, row in zip(allowed, vectors, strict=True)
        ]
        lines = self.write(enclave, sent)
        hits = self._hits(enclave, index.search(vectors, k))
        each = (time.perf_counter() - started) / len(allowed)
        for place, line, own in zip(allowed, lines, hits, strict=True):
            self.found(line, own)
            yield place, Hop(queries[place], Skill.MATCH, enclave.name, None, own, each, rulings[place].reason)

    def _rulings(self, queries: Sequence[Query], enclave: Enclave) -> list[Decision]:
        """What the rule says of each. It is asked once where they differ in nothing but their text, for which a grant
        may be that lifts a refusal."""
        first = self.decide(queries[0], enclave)
        plain = all((one.label, one.asker) == (queries[0].label, queries[0].asker) for one in queries)
        if plain and not first.grants and first.allowed:
            return [first] * len(queries)
        return [first, *(self.decide(one, enclave) for one in queries[1:])]

    def _index(self, enclave: Enclave) -> SearchablePairs:
        index = self.pairs[enclave.name]
        if index.matcher != self.matcher.name:
            raise IndexMismatch(
                f"the pairs of {enclave.name} were indexed by {index.matcher}, not by {self.matcher.name}",
                hint="build them again",
            )
        return index

    def _encoded(self, texts: Sequence[str]) -> Vectors:
        """(n, dimension): those not known yet in one batch."""
        keys = {text: (text, Skill.MATCH, (), None) for text in texts}
        missing = [text for text, key in keys.items() if key not in self.known]
        if missing:
            rows = self.matcher.encode_questions(missing)
            self.known.update((keys[text], row) for text, row in zip(missing, rows, strict=True))
        return np.stack([self.known[keys[text]] for text in texts])

    def _hits(self, enclave: Enclave, found: Sequence[Found]) -> list[tuple[Hit, ...]]:
        """Pairs with the passages they were made from; one whose passage is gone is gone too."""
        ids = dict.fromkeys(pair.passage_id for own in found for pair, _ in own if pair.passage_id)
        shelf = self.shelves.get(enclave.name)
        passages = {one.id: one for one in shelf.passages([*ids])} if shelf and ids else {}
        passages[""] = Passage("", "", enclave.name, "", "", 0, 0)  # of a pair that was imported without one
        made = []
        for own in found:
            if any(pair.enclave != enclave.name or not math.isfinite(score) for pair, score in own):
                raise IndexMismatch(f"the pairs of {enclave.name} cannot be used", hint="build them again")
            best = sorted(own, key=lambda row: (-row[1], row[0].id))
            made.append(
                tuple(
                    Hit(passages[pair.passage_id], score, enclave.label, Skill.MATCH, pair)
                    for pair, score in best
                    if pair.passage_id in passages
                )
            )
        return made
