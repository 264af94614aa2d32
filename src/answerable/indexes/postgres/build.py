"""Indexing into PostgreSQL, by as many processes and machines at once as one likes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from answerable.corpora.imap import Mailbox
from answerable.corpora.ingest import Ingested
from answerable.corpora.sources import Report
from answerable.corpora.store import Row
from answerable.corpora.transaction import entity_side
from answerable.encoders.encoder import Linker, Vectors
from answerable.indexes import build
from answerable.indexes.index import Progress, silent
from answerable.indexes.postgres.search import graph_of, make_graph
from answerable.indexes.postgres.store import EnclaveStore, PostgresStore


class PostgresBuilder(build.IndexBuilder):
    """As `IndexBuilder`, and nobody has to wait for another: files and blocks of passages are shared out as they come.

    Words are indexed as passages are stored. What a process had claimed that was killed is free at once.
    """

    store: PostgresStore

    def run(
        self,
        paths: Sequence[Path | Mailbox],
        enclave: str,
        progress: Progress = silent,
        report: Report = silent,
        public: bool = False,
    ) -> Ingested:
        """As `IndexBuilder.run`."""
        done = super().run(paths, enclave, progress, report, public)
        if done.added or done.replaced:
            self._held(enclave).tidy()
        return done

    def lexical(self, enclave: str, progress: Progress = silent) -> None:
        """Nothing is left to do."""

    def vectors(self, enclave: str, progress: Progress = silent) -> None:
        """As `IndexBuilder.vectors`."""

        def encode(rows: Sequence[Row]) -> Vectors:
            return self.encoder.encode_passages([(row.heading, row.text) for row in rows])

        total = self.store.holdings(enclave).passages
        self._share(enclave, self.encoder.name, encode, False, lambda done: progress("vectors", done, total))

    def entities(self, enclave: str, progress: Progress = silent) -> None:
        """As `IndexBuilder.entities`."""
        if not (self._linking and isinstance(encoder := self.encoder, Linker)):
            return

        def encode(rows: Sequence[Row]) -> Vectors:
            return encoder.encode_entities([(row.title, row.text) for row in rows])

        name, total = entity_side(self.encoder.name), self.store.first_passages(enclave)
        self._share(enclave, name, encode, True, lambda done: progress("entities", done, total))

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Others may write too."""
        yield

    def _share(
        self,
        enclave: str,
        name: str,
        encode: Callable[[Sequence[Row]], Vectors],
        first_only: bool,
        progress: Callable[[int], None],
    ) -> None:
        """Encode what lacks a vector, in blocks by their keys, those that another process works on at last."""
        size = build.BLOCK
        for wait in (False, True):
            for number in self._held(enclave).blocks_without_vectors(name, size, first_only):
                with self.store.claim(enclave, f"{name} {number}", wait) as mine:
                    after = number * size - 1
                    rows = self.store.without_vectors(enclave, name, after, size, first_only) if mine else []
                    rows = [row for row in rows if row.key <= after + size]
                    if rows:
                        self._keep(enclave, name, rows, encode(rows))
                        progress(self.store.vector_counts(enclave).get(name, 0))

    def _graph(self, enclave: str, kind: str, total: int, stage: str, progress: Progress) -> None:
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
