"""The passages of an enclave that fit a filter, searched as if there were no others.

Few are held in memory and ranked there, by the words' rarity in the whole enclave, so that scores are as there.
Where many fit the whole is searched, deeper the fewer they are, and what does not fit is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Protocol, runtime_checkable

from answerable.corpora.fields import UNFILTERED, FieldRow, Filter
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


@runtime_checkable
class Restricting(Protocol):
    """What a filter has left of an enclave."""

    @property
    def restricts(self) -> bool:
        """Whether all that the filter asks for can be told here, so that what is found fits all of it."""
        ...


@runtime_checkable
class Listed(Protocol):
    """An index whose documents can be gone through by their fields."""

    def fields(self) -> Sequence[FieldRow]:
        """Of every document what filters go by, in the order they came."""
        ...

    def openings(self, documents: Sequence[str]) -> Mapping[str, Passage]:
        """The first passage of each of these documents, by the document's id: all of one that has none, such as the
        head of a mail that says nothing."""
        ...

    def among(self, documents: Sequence[str]) -> SearchableEnclave:
        """These documents alone, searched under the same terms."""
        ...


class WholeEnclave(SearchableEnclave, Listed, Protocol):
    """What a part may be taken of."""


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


class ByFields(SearchableEnclave):
    """Documents of an enclave that their fields choose, by their first passages, for one ask.

    `choose`: from the fields of all documents the ids of those that are found, best first.
    """

    def __init__(self, whole: Listed, choose: Callable[[Sequence[FieldRow]], Sequence[str]]) -> None:
        self._whole, self._choose = whole, choose
        self._found: dict[str, Passage] = {}

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        """The first k of what is chosen, whatever is asked in words."""
        documents = self._choose(self._whole.fields())[:k]
        first = self._whole.openings(documents)
        self._found = {first[id].id: first[id] for id in documents if id in first}
        return [(id, 1.0 / place) for place, id in enumerate(self._found, start=1)]

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """As `SearchableEnclave.passages`, of those that were found."""
        return [self._found[id] for id in ids if id in self._found]


class FittingPassages:
    """What of one enclave fits, for one ask. `documents`: their ids, None where all fit; looked up at the first search.

    `passages_of`: the ids of their passages. `hold`: those of some ids in memory. `vectors`: the vectors of some ids,
    where they have any. `count`: passages of the whole. `wanted`: the filter that chose the documents, if one did.
    """

    def __init__(
        self,
        whole: WholeEnclave,
        documents: Callable[[], Sequence[str] | None],
        passages_of: Callable[[Sequence[str]], Sequence[str]],
        hold: Callable[[Sequence[str]], HeldPassages],
        vectors: Callable[[Sequence[str]], Mapping[str, HalfVectors]],
        count: int,
        wanted: Filter = UNFILTERED,
    ) -> None:
        self._wanted = wanted
        self._whole, self._documents, self._passages_of = whole, documents, passages_of
        self._hold, self._vectors, self._count = hold, vectors, count

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

    def fields(self) -> Sequence[FieldRow]:
        """As `Listed.fields`."""
        documents = self._fit
        return [row for row in self._whole.fields() if documents is None or row[0] in documents]

    def openings(self, documents: Sequence[str]) -> Mapping[str, Passage]:
        """As `Listed.openings`."""
        return self._whole.openings(documents)

    def among(self, documents: Sequence[str]) -> SearchableEnclave:
        """As `Listed.among`, of documents that `fields` has."""
        return self._whole.among(documents)

    @cached_property
    def restricts(self) -> bool:
        """As `Restricting.restricts`."""
        return self._wanted.answered(self._whole.fields())

    @cached_property
    def _ids(self) -> dict[str, None] | None:
        return None if self._fit is None else dict.fromkeys(self._passages_of([*self._fit]))

    @cached_property
    def _fit(self) -> dict[str, None] | None:
        documents = self._documents()
        return None if documents is None else dict.fromkeys(documents)

    @cached_property
    def _held(self) -> HeldPassages:
        return self._hold(list(self._ids or ()))
