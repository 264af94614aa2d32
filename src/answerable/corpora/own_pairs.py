"""Pairs of enclaves whose documents lie in a store that others share: in a file of the workspace's own.

Beside them lies a shadow of each such enclave: the ids of its documents and passages, without their text. It follows
the enclave. What is gone from there, or has another text, leaves the shadow and takes its pairs along, as in a store of
one file; until it did, no pair of the enclave is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from answerable.corpora.passages import document_of
from answerable.corpora.store import Holdings, Store
from answerable.corpora.transaction import FileState
from answerable.types import Document, Passage, QAPair

_SHADOW = ""
"""In the place of a source: how far the shadow of an enclave is."""


class OwnPairs(Store):
    """A store of the pairs, and of the shadows; texts are read from the one that is `shared`."""

    def __init__(self, path: Path, shared: Store) -> None:
        super().__init__(path)
        self._texts = shared

    def close(self) -> None:
        """Close both stores. Closing twice does no harm."""
        super().close()
        self._texts.close()

    def faults(self, enclave: str, anchor: str | None = None) -> Iterator[str]:
        """As `Audit.faults`, of what is shared, and of pairs and the shadow."""
        yield from self._texts.faults(enclave, anchor)
        yield from super().faults(enclave)

    def current(self, enclave: str) -> bool:
        """As `PairReading.current`: whether nothing came, went or changed in an enclave since its shadow was made."""
        state = self.file(enclave, _SHADOW)
        return state is not None and state.digest == self._now(enclave)

    def late(self) -> list[str]:
        """As `PairReading.late`."""
        return [*{*self.unpurged()}.union(name for name in self.pair_enclaves() if not self.current(name))]

    def follow(self, enclave: str) -> None:
        """As `PairReading.follow`: make the shadow of an enclave that of what is there now.

        One that is not there stays: a disk that is not mounted takes nothing along.
        """
        if enclave not in self._there():
            return
        now = self._now(enclave)  # first, like the documents before their passages: what comes meanwhile is late again
        there, before = dict(self._texts.versions(enclave)), {id: int(had) for id, had, _ in self.documents(enclave)}
        new = [id for id, version in there.items() if before.get(id) != version]
        passages: dict[str, list[Passage]] = {id: [] for id in new}
        for id in self._texts.passages_of(enclave, new):
            passages[document_of(id)].append(Passage(id, document_of(id), enclave, "", "", 0, 0))
        with self.write() as transaction:
            transaction.remove(enclave, [id for id, version in before.items() if there.get(id) != version])
            for id in new:
                transaction.put(Document(id, enclave, "", "", str(there[id])), passages[id])
            if not there:
                transaction.remove_all_pairs(enclave)
            transaction.put_file(enclave, _SHADOW, FileState("", now))

    def pair_enclaves(self) -> list[str]:
        """As `Store.pair_enclaves`, of those that are there."""
        there = self._there()
        return [name for name in super().pair_enclaves() if name in there]

    def pairs_of(self, enclave: str, document: str, most: int) -> list[QAPair]:
        """As `Store.pairs_of`; none of an enclave that changed since."""
        return super().pairs_of(enclave, document, most) if self.current(enclave) else []

    def holdings(self, enclave: str) -> Holdings:
        """As `Store.holdings`, of what is shared."""
        return self._texts.holdings(enclave)

    def document(self, enclave: str, id: str) -> Document | None:
        """As `Store.document`, of what is shared."""
        return self._texts.document(enclave, id)

    def passages(self, enclave: str, ids: Sequence[str]) -> list[Passage]:
        """As `Store.passages`, of what is shared; those of the shadow alone, which are gone by now, have no text."""
        found = {one.id: one for one in (*super().passages(enclave, ids), *self._texts.passages(enclave, ids))}
        return [found[id] for id in ids if id in found]

    def changes(self) -> int:
        """As `Store.changes`, of both."""
        return hash((super().changes(), self._texts.changes()))

    def _there(self) -> set[str]:
        return {one.enclave for one in self._texts.enclaves()}

    def _now(self, enclave: str) -> str:
        held = self._texts.holdings(enclave)
        return f"{held.documents} {held.passages} {held.fingerprint}"
