"""Passages fetched ahead: a mirror that an ask makes for itself of what it may ask for, and searches where it may not.

Under document privacy a query that quotes private text may not go to a public enclave. Queries made of the question and
of public text may, and may ask for many more passages than are read. Those lie here then, and a query that is refused
there is searched among them instead. So what an enclave is sent is settled as before: a larger number, always the same.

A passage was fetched by some query, and that it is here tells of that query. So a query is given only what was fetched
by queries whose labels its own label contains. Held for one ask, and never on disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from answerable.corpora.store import HalfVectors
from answerable.indexes.in_memory import HeldPassages
from answerable.types import Label, Passage


@dataclass(slots=True)
class _Fetched:
    """What queries of one label fetched of one enclave."""

    passages: dict[str, Passage] = field(default_factory=dict)
    vectors: dict[str, HalfVectors] = field(default_factory=dict)


class Prefetched:
    """What one ask has fetched, by enclave and by the label of the queries that fetched it."""

    def __init__(self) -> None:
        self._fetched: dict[str, dict[Label, _Fetched]] = {}
        self._within: dict[tuple[str, Label], HeldPassages] = {}

    def add(self, enclave: str, label: Label, passages: Iterable[Passage], vectors: Mapping[str, HalfVectors]) -> None:
        """Hold what a query of that label found in an enclave."""
        fetched = self._fetched.setdefault(enclave, {}).setdefault(label, _Fetched())
        fetched.passages.update((passage.id, passage) for passage in passages)
        fetched.vectors.update(vectors)
        self._within.clear()

    def within(self, enclave: str, label: Label) -> HeldPassages | None:
        """What is held of an enclave and a query of that label may see; None when that is nothing."""
        if (enclave, label) not in self._within:
            parts = [held for fetched_by, held in self._fetched.get(enclave, {}).items() if fetched_by <= label]
            passages = {id: passage for part in parts for id, passage in part.passages.items()}
            vectors = {id: vector for part in parts for id, vector in part.vectors.items()}
            if not passages:
                return None
            self._within[enclave, label] = HeldPassages([passages[id] for id in sorted(passages)], vectors)
        return self._within[enclave, label]
