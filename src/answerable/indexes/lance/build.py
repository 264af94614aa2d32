"""Indexing into LanceDB: the stages of `indexes.build`, over tables."""

from __future__ import annotations

from answerable.indexes import build
from answerable.indexes.index import Progress, silent
from answerable.indexes.lance.search import LanceWords
from answerable.indexes.lance.store import TREES, LanceEnclave, LanceStore
from answerable.indexes.lance.transaction import vectors_by


class LanceBuilder(build.IndexBuilder):
    """As `IndexBuilder`, one at a time in a workspace; workspaces on several machines may write at once."""

    store: LanceStore

    def refresh(self, enclave: str, progress: Progress = silent) -> None:
        """As `IndexBuilder.refresh`."""
        super().refresh(enclave, progress)
        held = self._held(enclave)
        held.drop_orphans()
        held.tables.tidy(TREES)

    def lexical(self, enclave: str, progress: Progress = silent) -> None:
        """As `IndexBuilder.lexical`."""
        with self.writing():
            LanceWords(self._held(enclave).tables).refresh(progress)

    def _ann(self, enclave: str, kind: str, total: int, stage: str, progress: Progress) -> None:
        table, tables = vectors_by(self._made_by(kind)), self._held(enclave).tables
        if tables.count(table) >= self._exact_limit and "vector" not in tables.indexed(table):
            progress(stage, 0, total)
            tables.index(table, "vector")
            progress(stage, total, total)

    def _settle(self, seconds: float | None = None) -> None:
        for enclave in self.store.unpurged():
            self.store.purge(enclave)

    def _held(self, enclave: str) -> LanceEnclave:
        held = self.store.held(enclave)
        assert isinstance(held, LanceEnclave)
        return held
