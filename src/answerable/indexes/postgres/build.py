"""Indexing into PostgreSQL, by as many processes and machines at once as one likes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from answerable.corpora.ingest import Ingested
from answerable.corpora.store import Row
from answerable.indexes import build
from answerable.indexes.index import Progress, silent
from answerable.indexes.postgres.search import graph_of, make_graph
from answerable.indexes.postgres.store import EnclaveStore, PostgresStore


class PostgresBuilder(build.IndexBuilder):
    """As `IndexBuilder`, and nobody has to wait for another: files and blocks of passages are shared out as they come.

    Words are indexed as passages are stored. What a process had claimed that was killed is free at once.
    """

    store: PostgresStore

    def _tidy(self, enclave: str, done: Ingested) -> None:
        if done.added or done.replaced:
            self._held(enclave).tidy()

    def lexical(self, enclave: str, progress: Progress = silent) -> None:
        """Nothing is left to do."""

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Others may write too."""
        yield

    def _missing(self, enclave: str, name: str, pages: bool) -> Iterator[Sequence[Row]]:
        """Blocks by their keys, each claimed until the next is asked for; those that another process works on last."""
        size = build.BLOCK
        for wait in (False, True):
            for number in self._held(enclave).blocks_without_vectors(name, size, pages):
                with self.store.claim(enclave, f"{name} {number}", wait) as mine:
                    after = number * size - 1
                    rows = self.store.without_vectors(enclave, name, after, size, pages) if mine else []
                    if rows := [row for row in rows if row.key <= after + size]:
                        yield rows

    def _ann(self, enclave: str, kind: str, total: int, stage: str, progress: Progress) -> None:
        """Have a graph made where there is none and there are vectors enough."""
        name, held = self._made_by(kind), self._held(enclave)
        if self.store.vector_counts(enclave).get(name, 0) < self._exact_limit:
            return
        with self.store.claim(enclave, stage, wait=True):
            if not graph_of(held, name):
                progress(stage, 0, total)
                make_graph(held, name, self.encoder.dimension)
                progress(stage, total, total)

    def _held(self, enclave: str) -> EnclaveStore:
        held = self.store.held(enclave)
        assert isinstance(held, EnclaveStore)
        return held
