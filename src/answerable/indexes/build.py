"""Making and keeping up the indexes of a workspace, in stages that a kill at any moment does not harm.

    ingest    files → documents and passages in the store, some hundred a transaction
    lexical   store → BM25 index: from here on the enclave can be searched by words
    vectors   store → encoder → store, 512 passages a transaction
    entities  the same for the first passage of each document, as the page that mentions link to; only when asked for
    ann       store → the signs of each of the two, for enclaves too large to compare every vector

Each stage looks at what is there and does what is missing, so that running all of them again is always right.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout

from answerable.corpora.database import explained, own_folder
from answerable.corpora.imap import Mailbox
from answerable.corpora.ingest import Ingested, ingest
from answerable.corpora.pair_joins import settle_pairs
from answerable.corpora.sources import Limits, Report
from answerable.corpora.store import Row, Store
from answerable.corpora.transaction import entity_side
from answerable.corpora.units import codes, units
from answerable.encoders.encoder import Encoder, Linker, Passages, Vectors
from answerable.errors import AbsentError, BusyError, IndexMismatch, ModelError
from answerable.indexes.enclave import LEXICAL, PAGE_SIGNS, SIGNS, usable_lexical
from answerable.indexes.index import Progress, silent
from answerable.indexes.lexical import Bm25Index, build_bm25, extend_bm25
from answerable.indexes.manifest import (
    Manifest,
    check_files,
    discard_others,
    discard_stale_pairs,
    finished,
    newest,
    publish,
    read_manifest,
)
from answerable.indexes.vectors import EXACT_LIMIT, build_signs
from answerable.privacy.small_files import write_file
from answerable.types import Label
from answerable.work.spread import HERE, Task, Workers

BLOCK = 512
"""Passages encoded and committed together. Always the same ones, because with int8 arithmetic a vector depends a little
on its neighbours in a batch, and a kill must not change a vector."""
_EXTEND_SHARE = 0.25
"""An index that would grow by more is built anew."""


@dataclass(frozen=True, slots=True)
class Spreading:
    """Who does the work that can be spread. `encoder`: opens the encoder where it is done; `label`: of the text of an
    enclave and of what the encoder learned from, which whoever is given that text must be cleared for."""

    workers: Workers
    encoder: Callable[[], Encoder]
    label: Callable[[str], Label]


class IndexBuilder:
    """The one writer of a workspace. Every method raises `BusyError` while another process writes."""

    def __init__(
        self,
        store: Store,
        folder: Path,
        encoder: Encoder,
        limits: Limits | None = None,
        exact_limit: int = EXACT_LIMIT,
        linking: bool = False,
        own: Collection[Path] = (),
        spreading: Spreading | None = None,
    ) -> None:
        """Indexes lie in `folder`, a folder for each enclave. From `exact_limit` vectors on, one has their signs.

        With `linking`, and an encoder that links, pages are indexed for mentions to find. `own` files and folders are
        not read (`corpora.ingest`). `spreading`: None where all is done in this process.
        """
        self.store = store
        self.folder = Path(folder)
        self.encoder = encoder
        self._limits = limits or Limits()
        self._exact_limit = exact_limit
        self._linking = linking
        self._own = own
        self.spreading = spreading or Spreading(HERE, lambda: encoder, lambda enclave: frozenset({enclave}))
        self.renew_pairs: Callable[[str], object] = lambda enclave: None
        """Brings the index of an enclave's pairs up to date, while the one before it still has their vectors."""
        with explained(self.folder):
            own_folder(self.folder)
        self._lock = FileLock(self.folder / "writer.lock", timeout=0, mode=0o600)

    def run(
        self,
        paths: Sequence[Path | Mailbox],
        enclave: str,
        progress: Progress = silent,
        report: Report = silent,
        public: bool = False,
    ) -> Ingested:
        """All stages for files under `paths` and mailboxes. `report` gets a line for whatever could not be read."""
        with self.writing():
            ingested = self.ingest(paths, enclave, progress, report, public)
            self.refresh(enclave, progress)
            self._tidy(enclave, ingested)
            return ingested

    def _tidy(self, enclave: str, done: Ingested) -> None:
        """What a database does once it holds other documents than before."""

    def refresh(self, enclave: str, progress: Progress = silent) -> None:
        """All stages after the first: bring the indexes of an enclave up to date with the store."""
        with self.writing():
            self._settle()
            self.lexical(enclave, progress)
            self.vectors(enclave, progress)
            self.entities(enclave, progress)
            self.ann(enclave, progress)

    def ingest(
        self,
        paths: Sequence[Path | Mailbox],
        enclave: str,
        progress: Progress = silent,
        report: Report = silent,
        public: bool = False,
    ) -> Ingested:
        """Bring the store up to date with the files under `paths`, and with mailboxes; see `corpora.ingest`."""
        with self.writing():
            self._settle()
            try:
                by = (self.spreading.workers, self.spreading.label(enclave))
                how = (report, lambda done: progress("ingest", done, 0), public, self._own, *by)
                return ingest(self.store, paths, enclave, self._limits, *how)
            finally:
                self._settle()

    def lexical(self, enclave: str, progress: Progress = silent) -> None:
        """Bring the BM25 index up to date: passages that were only added are added, else it is built anew."""
        with self.writing():
            holdings = self.store.holdings(enclave)
            base = self._lexical_base(enclave)
            if base and base[1].describes(self.store):
                return
            discard_others(self.folder, enclave, LEXICAL, keep=base[0] if base else None)
            if not holdings.passages:
                return
            last, version = self.store.last_key(enclave), newest(LEXICAL)
            manifest = Manifest(LEXICAL, enclave, "", 0, holdings.fingerprint, holdings.passages, last, version)
            new = holdings.passages - base[1].count if base else holdings.passages

            def make(folder: Path) -> None:
                if base and new <= _EXTEND_SHARE * holdings.passages:
                    extend_bm25(base[0], self.store.rows(enclave, base[1].last_key), folder, progress, new)
                else:
                    build_bm25(self.store.rows(enclave), folder, progress, holdings.passages)

            publish(self.folder, manifest, make)

    def vectors(self, enclave: str, progress: Progress = silent) -> None:
        """Encode the passages that have no vector by this encoder."""
        self._encode(enclave, False, "vectors", progress)

    def entities(self, enclave: str, progress: Progress = silent) -> None:
        """Encode as pages the documents that have no vector as one: by their titles and first passages.

        Does nothing unless linking was asked for and the encoder links.
        """
        if self._linking and isinstance(self.encoder, Linker):
            self._encode(enclave, True, "entities", progress)

    def _encode(self, enclave: str, pages: bool, stage: str, progress: Progress) -> None:
        """Encode what lacks a vector, or a vector as a page."""
        with self.writing():
            total = self.store.first_passages(enclave) if pages else self.store.holdings(enclave).passages
            name = entity_side(self.encoder.name) if pages else self.encoder.name
            label, taken = self.spreading.label(enclave), dict[int, Sequence[Row]]()

            def tasks() -> Iterator[Task[Passages]]:
                for number, rows in enumerate(self._missing(enclave, name, pages)):
                    taken[number] = rows
                    told = f"{stage} of {enclave}, passages {rows[0].key} to {rows[-1].key}"
                    yield Task(told, label, [(row.title if pages else row.heading, row.text) for row in rows])

            opener = partial(encoding, self.spreading.encoder, pages)
            with closing(self.spreading.workers.map(opener, tasks())) as results:
                for number, matrix in results:
                    self._keep(enclave, name, taken.pop(number), matrix)
                    progress(stage, self.store.vector_counts(enclave).get(name, 0), total)

    def _missing(self, enclave: str, name: str, pages: bool) -> Iterator[Sequence[Row]]:
        """What lacks a vector of this name, in blocks."""
        last = 0
        while rows := self.store.without_vectors(enclave, name, last, BLOCK, first_only=pages):
            yield rows
            last = rows[-1].key

    def ann(self, enclave: str, progress: Progress = silent) -> None:
        """Bring the signs up to date, each once its vectors are all there; small enclaves do without."""
        with self.writing():
            self._ann(enclave, SIGNS, self.store.holdings(enclave).passages, "ann", progress)
            self._ann(enclave, PAGE_SIGNS, self.store.first_passages(enclave), "entity-ann", progress)

    def _ann(self, enclave: str, kind: str, total: int, stage: str, progress: Progress) -> None:
        """Bring the signs of `total` vectors up to date."""
        name, dimension = self._made_by(kind), self.encoder.dimension
        base = self._signs_base(enclave, kind)
        if base and base[1].describes(self.store):
            return
        if total < self._exact_limit:
            base = None
        discard_others(self.folder, enclave, kind, keep=base[0] if base else None)
        if total < self._exact_limit or self.store.vector_counts(enclave).get(name, 0) != total:
            return
        keys, _, matrix = self.store.vectors(enclave, name, dimension, base[1].last_key if base else 0)
        fingerprint = self.store.holdings(enclave).fingerprint
        last, version = self.store.last_key(enclave), newest(kind)
        manifest = Manifest(kind, enclave, name, dimension, fingerprint, total, last, version)
        publish(self.folder, manifest, lambda folder: build_signs(folder, keys, matrix, base[0] if base else None))
        progress(stage, total, total)

    def delete(self, enclave: str, names: Sequence[str] | None, progress: Progress = silent) -> int:
        """Delete documents by id, or all documents of a source, or with None all of the enclave; returns how many.

        Pairs go with what they belong to (`corpora.pair_tables`), with None all of them.

        Afterwards nothing of them is in the store, its log or any index. A source deleted whole is read again when its
        file is indexed again; single documents of a file stay away until the file changes. Raises `UsageError` on a
        name that is neither, before anything is deleted.
        """
        with self.writing():
            ids, sources = self._chosen(enclave, names)
            with self.store.write(enclave) as transaction:
                for source in sources:
                    transaction.forget_file(enclave, source)
                removed = transaction.remove(enclave, ids)
                if names is None:
                    transaction.remove_all_pairs(enclave)
            self._settle()
            self.lexical(enclave, progress)
            self.ann(enclave, progress)
            return removed

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Be the one writer for the length of the block; blocks may be nested. Raises `BusyError`."""
        holder, nested = self.folder / "writer.pid", self._lock.is_locked
        try:
            self._lock.acquire()
        except Timeout as error:
            raise BusyError(
                f"{self.folder} is being written by {_process(holder)}",
                hint="wait until it is done, or end it",
            ) from error
        try:
            if not nested:
                with explained(holder):
                    write_file(holder, str(os.getpid()))
            yield
        finally:
            if not nested:
                holder.unlink(missing_ok=True)
            self._lock.release()

    def _chosen(self, enclave: str, names: Sequence[str] | None) -> tuple[list[str], list[str]]:
        """Ids of documents to delete, and sources to forget."""
        if names is None:
            ids = [id for id, _, _ in self.store.documents(enclave)]
            return ids, [source for source, _ in self.store.files(enclave)]
        ids, sources = [], []
        for name in names:
            found = self.store.named(enclave, name)
            is_source = self.store.file(enclave, name) is not None
            if not found and not is_source:
                raise AbsentError(
                    f"enclave {enclave!r} has no document or file {name!r}", hint="give it as it is cited"
                )
            ids += found
            sources += [name] if is_source else []
        return ids, sources

    def settle(self, seconds: float | None = None) -> None:
        """Finish what a deletion began, as every other method does first. `seconds`: how long to wait for readers."""
        with self.writing():
            self._settle(seconds)

    def _settle(self, seconds: float | None = None) -> None:
        """Finish what a deletion began: no index, and no byte of the store, keeps what was deleted."""
        due = self.store.unpurged()
        for enclave in due:
            settle_pairs(self.store, enclave)
            bases = {LEXICAL: self._lexical_base(enclave)}
            bases |= {kind: self._signs_base(enclave, kind) for kind in (SIGNS, PAGE_SIGNS)}
            for kind, base in bases.items():
                discard_others(self.folder, enclave, kind, keep=base[0] if base else None)
            if self.store.pair_count(enclave):
                self.renew_pairs(enclave)
            discard_stale_pairs(self.store, self.folder, enclave)
        if due:
            self.store.purge(*due, seconds=seconds)

    def _lexical_base(self, enclave: str) -> tuple[Path, Manifest] | None:
        """A sound index of all passages, or of all but the newest, each analysed in its language."""
        try:
            base = usable_lexical(self.store, self.folder, enclave)
            if base:
                check_files(*base, whole=True)
                index = Bm25Index(base[0], self.store.ids)
                if len(index) == base[1].count:
                    return base
        except IndexMismatch:
            pass  # damaged, or of another version: to be built anew
        return None

    def _made_by(self, kind: str) -> str:
        """The name under which the vectors of signs of this kind are kept."""
        return entity_side(self.encoder.name) if kind == PAGE_SIGNS else self.encoder.name

    def _signs_base(self, enclave: str, kind: str) -> tuple[Path, Manifest] | None:
        """Sound signs by this encoder of all passages, or of all but the newest."""
        for path in finished(self.folder, enclave, kind):
            try:
                manifest = read_manifest(path)
                manifest.require(kind, enclave, self._made_by(kind), self.encoder.dimension)
                check_files(path, manifest, whole=True)
                if manifest.describes_older(self.store):
                    return path, manifest
            except IndexMismatch:
                continue
        return None

    def _keep(self, enclave: str, name: str, rows: Sequence[Row], matrix: Vectors) -> None:
        """Store the vectors of a block, after a look at them."""
        if matrix.shape != (len(rows), self.encoder.dimension) or not np.isfinite(matrix).all():
            raise ModelError(
                f"the encoder {self.encoder.name} gave unusable vectors for passages {rows[0].id!r} to {rows[-1].id!r}",
                hint="check the model with 'answerable doctor'",
            )
        with self.store.write(enclave) as transaction:
            # As a file holds them, so that every engine ranks by the same.
            transaction.put_vectors(enclave, name, [row.key for row in rows], units(codes(matrix)))


def encoding(opener: Callable[[], Encoder], pages: bool) -> Callable[[Passages], Vectors]:
    """What encodes passages, or the first ones as pages, in whichever process."""
    encoder = opener()
    return encoder.encode_entities if pages and isinstance(encoder, Linker) else encoder.encode_passages


def _process(holder: Path) -> str:
    """Who writes, if it has said so by now."""
    try:
        return f"process {int(holder.read_text(encoding='ascii'))}"
    except (OSError, ValueError):
        return "another process"
