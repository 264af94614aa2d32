"""The passages of an enclave that fit a filter, searched as if there were no others.

Few are held in memory and ranked there, by the words' rarity in the whole enclave, so that scores are as there.
Where many fit the whole is searched, deeper the fewer they are, and what does not fit is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Protocol, runtime_checkable

from answerable.corpora.fields import Filter
from answerable.corpora.store import HalfVectors
from answerable.encoders.encoder import Vectors
from answerable.indexes.in_memory import HeldPassages
from answerable.indexes.index import Ranking, SearchMode
from answerable.indexes.sources import SearchableEnclave
from answerable.types import LEFT_OUT, Passage

FEW = 3_000
"""Passages up to which those that fit are held: some tenths of a second for an ask."""


@runtime_checkable
class Fielded(Protocol):
    """An index that knows the fields of its documents."""

    def fitting(self, wanted: Filter) -> SearchableEnclave:
        """What of it fits a filter, searched under the same terms."""
        ...


def narrowed(
    indexes: Mapping[str, SearchableEnclave], wanted: Filter
) -> tuple[dict[str, SearchableEnclave], dict[str, str]]:
    """The indexes under a filter by name, and why the others are not searched.

    An enclave on another machine, or with an index of one's own, knows no fields here and is sent none: a filter by
    them leaves it out.
    """
    kept: dict[str, SearchableEnclave] = {}
    left_out: dict[str, str] = {}
    for name, index in indexes.items():
        if wanted.enclaves and name not in wanted.enclaves:
            left_out[name] = f"{name} {LEFT_OUT}"
        elif not wanted.of_documents:
            kept[name] = index
        elif isinstance(index, Fielded):
            kept[name] = index.fitting(wanted)
        else:
            left_out[name] = f"{name} cannot be asked for fields of documents and {LEFT_OUT}"
    return kept, left_out


class FittingPassages:
    """What of one enclave fits, for one ask. `found`: their ids, None where all fit; looked up at the first search.

    `hold`: those of some ids in memory. `vectors`: the vectors of some ids, where they have any. `count`: passages of
    the whole.
    """

    def __init__(
        self,
        whole: SearchableEnclave,
        found: Callable[[], Sequence[str] | None],
        hold: Callable[[Sequence[str]], HeldPassages],
        vectors: Callable[[Sequence[str]], Mapping[str, HalfVectors]],
        count: int,
    ) -> None:
        self._whole, self._found, self._hold, self._vectors, self._count = whole, found, hold, vectors, count

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        """As `SearchableEnclave.search`, and as if nothing else were there."""
        ids = self._ids
        if ids is None:
            return self._whole.search(query_text, vector, mode, k)
        if mode != "entity" and len(ids) <= FEW:
            return self._held.search(query_text, vector, mode, k)
        depth = min(self._count, 2 * k * self._count // max(1, len(ids)))
        while True:
            ranking = self._whole.search(query_text, vector, mode, depth)
            fit = [row for row in ranking if row[0] in ids][:k]
            if len(fit) == k or depth >= self._count:
                return fit
            depth = min(self._count, 4 * depth)

    def fetch(
        self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int
    ) -> tuple[Ranking, Mapping[str, HalfVectors]]:
        """As `SearchableEnclave.fetch`."""
        ranking = self.search(query_text, vector, mode, k)
        return ranking, {} if mode == "lexical" else self._vectors([id for id, _ in ranking])

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """As `SearchableEnclave.passages`."""
        return self._whole.passages(ids)

    @cached_property
    def _ids(self) -> dict[str, None] | None:
        found = self._found()
        return None if found is None else dict.fromkeys(found)

    @cached_property
    def _held(self) -> HeldPassages:
        return self._hold(list(self._ids or ()))
