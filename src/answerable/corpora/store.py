"""A workspace's documents, passages, vectors and files in one SQLite file: the only truth.

Every index is derived from it and can be rebuilt. Reading is safe from several threads and beside one writer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from answerable.corpora.database import connect, explained
from answerable.corpora.pair_tables import PairReading
from answerable.corpora.statements import AT_ONCE, marks
from answerable.corpora.transaction import FileState, KeptBook, Transaction, passage_hash
from answerable.errors import BusyError, IndexMismatch
from answerable.types import Document, Passage, Section

HalfVectors = NDArray[np.float16]
Keys = NDArray[np.int64]

_TEXT = "COALESCE(p.text, substr(d.text, p.start + 1, p.stop - p.start))"
_FIRST = "NOT EXISTS (SELECT 1 FROM passages q WHERE q.document = p.document AND q.key < p.key)"
_ROW = f"SELECT p.key, p.id, d.title, p.section, {_TEXT} FROM passages p JOIN documents d ON d.key = p.document"


@dataclass(frozen=True, slots=True)
class Row:
    """A passage as an index sees it. Keys grow with time and are never used twice."""

    key: int
    id: str
    title: str
    section: str
    text: str

    @property
    def heading(self) -> str:
        """The title, and the path of headings below it."""
        return f"{self.title} {self.section}" if self.section else self.title


@dataclass(frozen=True, slots=True)
class Holdings:
    """What an enclave holds. `fingerprint` depends on the passages alone, not on when or in what order they came."""

    enclave: str
    documents: int = 0
    passages: int = 0
    fingerprint: str = f"{0:032x}"


class Store(PairReading):
    """Reading of one SQLite file; `write()` is the way to change it. One writer at a time, any number of readers."""

    def __init__(self, path: Path) -> None:
        """Open the store at `path`, or make it. Raises `WorkspaceError`, `BusyError`."""
        super().__init__(Path(path), connect(Path(path)))

    def close(self) -> None:
        """Close the file. Closing twice does no harm."""
        with self._lock:
            self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """One transaction: all of it is committed at the end of the block, or, on an error, none of it."""
        with self._lock, explained(self.path):
            self._reader.execute("BEGIN IMMEDIATE")
            transaction = Transaction(self._reader)
            try:
                yield transaction
                transaction.settle()
                self._reader.execute("COMMIT")
            except BaseException:
                if self._reader.in_transaction:  # SQLite may have rolled back itself, on a full disk
                    self._reader.execute("ROLLBACK")
                raise

    def purge(self, enclave: str) -> None:
        """Leave no byte of what was deleted from an enclave in the file or its log, and give the space back.

        Raises `BusyError` while another process still reads the log; the purge stays due.
        """
        with self._lock, explained(self.path):
            self._reader.execute("PRAGMA incremental_vacuum").fetchall()
            busy = self._reader.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            if busy:
                raise BusyError(
                    f"deleted text of enclave {enclave!r} may remain in the log of {self.path}, which is being read",
                    hint="end it and run the command again",
                )
            self._reader.execute("DELETE FROM unpurged WHERE enclave = ?", (enclave,))

    def unpurged(self) -> list[str]:
        """Enclaves that something was deleted from and that were not purged since."""
        return [row[0] for row in self._all("SELECT enclave FROM unpurged ORDER BY enclave")]

    def enclaves(self) -> list[Holdings]:
        """What each enclave holds, by name."""
        rows = self._all("SELECT name, documents, passages, fingerprint FROM enclaves ORDER BY name")
        return [Holdings(*row) for row in rows]

    def holdings(self, enclave: str) -> Holdings:
        """What one enclave holds: nothing, if it is not known."""
        found = self._all("SELECT name, documents, passages, fingerprint FROM enclaves WHERE name = ?", (enclave,))
        return Holdings(*found[0]) if found else Holdings(enclave)

    def document(self, enclave: str, id: str) -> Document | None:
        """A document whole, or None."""
        rows = self._all(
            "SELECT id, enclave, title, text, source, kind, sections, meta FROM documents WHERE enclave = ? AND id = ?",
            (enclave, id),
        )
        if not rows:
            return None
        found, within, title, text, source, kind, sections, meta = rows[0]
        parts = tuple(Section(*section) for section in json.loads(sections))
        return Document(found, within, title, text, source, kind, parts, json.loads(meta))

    def documents(self, enclave: str) -> Iterator[tuple[str, str, str]]:
        """(id, source, title) of every document of an enclave, in the order they came."""
        return self._stream("SELECT id, source, title FROM documents WHERE enclave = ? ORDER BY key", (enclave,))

    def named(self, enclave: str, name: str) -> list[str]:
        """Ids of the documents whose id or source is `name`, in the order they came."""
        rows = self._all(
            "SELECT key, id FROM documents WHERE enclave = ?1 AND id = ?2 "
            "UNION SELECT key, id FROM documents WHERE enclave = ?1 AND source = ?2 ORDER BY 1",
            (enclave, name),
        )
        return [id for _, id in rows]

    def passages(self, enclave: str, ids: Sequence[str]) -> list[Passage]:
        """The passages of these ids, in that order; those that are not there are left out."""
        found: dict[str, Passage] = {}
        for i in range(0, len(ids), AT_ONCE):
            part = ids[i : i + AT_ONCE]
            rows = self._all(
                f"SELECT p.id, d.id, p.enclave, d.title, {_TEXT}, p.start, p.stop, p.section FROM passages p "
                f"JOIN documents d ON d.key = p.document WHERE p.enclave = ? AND p.id IN ({marks(part)})",
                (enclave, *part),
            )
            found.update((row[0], Passage(*row)) for row in rows)
        return [found[id] for id in ids if id in found]

    def openings(self, enclave: str, documents: Sequence[str]) -> dict[str, Passage]:
        """The first passage of each of these documents, by the document's id; those that have none are left out."""
        found: dict[str, Passage] = {}
        for i in range(0, len(documents), AT_ONCE):
            part = documents[i : i + AT_ONCE]
            rows = self._all(
                f"SELECT p.id, d.id, p.enclave, d.title, {_TEXT}, p.start, p.stop, p.section FROM documents d "
                "JOIN passages p ON p.key = (SELECT min(q.key) FROM passages q WHERE q.document = d.key) "
                f"WHERE d.enclave = ? AND d.id IN ({marks(part)})",
                (enclave, *part),
            )
            found.update((row[1], Passage(*row)) for row in rows)
        return found

    def passages_of_kind(self, enclave: str, kind: str) -> Iterator[tuple[str, int, Passage]]:
        """(source, edition, passage) of an enclave's documents of a kind, in no order."""
        sql = (
            f"SELECT d.source, e.edition, p.id, d.id, p.enclave, d.title, {_TEXT}, p.start, p.stop, p.section "
            "FROM documents d JOIN editions e ON e.document = d.key JOIN passages p ON p.document = d.key "
            "WHERE d.enclave = ? AND d.kind = ?"
        )
        for source, edition, *fields in self._stream(sql, (enclave, kind)):
            yield source, edition, Passage(*fields)

    def ids(self, keys: Sequence[int]) -> dict[int, str]:
        """Passage ids by key; keys that are gone are left out."""
        found: dict[int, str] = {}
        for i in range(0, len(keys), AT_ONCE):
            part = keys[i : i + AT_ONCE]
            found.update(self._all(f"SELECT key, id FROM passages WHERE key IN ({marks(part)})", part))
        return found

    def rows(self, enclave: str, after: int = 0) -> Iterator[Row]:
        """Passages with a key above `after`, in the order of their ids: the same for the same content."""
        key = "p.key" if after else "+p.key"  # the plus turns SQLite to the index of ids, away from sorting all texts
        for row in self._stream(f"{_ROW} WHERE p.enclave = ? AND {key} > ? ORDER BY p.id", (enclave, after)):
            yield Row(*row)

    def last_key(self, enclave: str) -> int:
        """The highest key of an enclave's passages, 0 without any."""
        return int(self._all("SELECT COALESCE(max(key), 0) FROM passages WHERE enclave = ?", (enclave,))[0][0])

    def count_after(self, enclave: str, key: int) -> int:
        """How many passages of an enclave have a key above `key`."""
        return int(self._all("SELECT count(*) FROM passages WHERE enclave = ? AND key > ?", (enclave, key))[0][0])

    def fingerprint_up_to(self, enclave: str, key: int) -> str:
        """The fingerprint of the passages with keys up to `key`. Reads them all: half a second for 100,000."""
        total = 0
        for row in self._stream(f"{_ROW} WHERE p.enclave = ? AND p.key <= ? ORDER BY p.key", (enclave, key)):
            total += passage_hash(*row[1:])
        return f"{total % 2**128:032x}"

    def without_vectors(
        self, enclave: str, encoder: str, after: int, limit: int, first_only: bool = False
    ) -> list[Row]:
        """Up to `limit` passages with a key above `after` that lack a vector by `encoder`, in the order of keys.

        `first_only` keeps to the first passage of each document.
        """
        rows = self._all(
            f"{_ROW} LEFT JOIN vectors v ON v.key = p.key AND v.encoder = ? WHERE p.enclave = ? AND p.key > ? "
            f"AND v.key IS NULL{f' AND {_FIRST}' if first_only else ''} ORDER BY p.key LIMIT ?",
            (encoder, enclave, after, limit),
        )
        return [Row(*row) for row in rows]

    def unpaired(self, enclave: str, made_by: str, after: int = 0, most: int = 512) -> list[Row]:
        """Up to `most` passages with a key above `after` that `made_by` has not yet made pairs of, in order of keys."""
        rows = self._all(
            f"{_ROW} WHERE p.enclave = ?1 AND p.key > ?2 AND NOT EXISTS (SELECT 1 FROM paired w JOIN pair_origins o "
            "ON o.key = w.origin WHERE w.passage = p.key AND o.imported = 0 AND o.name = ?3) ORDER BY p.key LIMIT ?4",
            (enclave, after, made_by, most),
        )
        return [Row(*row) for row in rows]

    def first_passages(self, enclave: str) -> int:
        """How many documents of an enclave have a passage."""
        sql = (
            "SELECT count(*) FROM documents d WHERE d.enclave = ? "
            "AND EXISTS (SELECT 1 FROM passages p WHERE p.document = d.key)"
        )
        return int(self._all(sql, (enclave,))[0][0])

    def vector_counts(self, enclave: str) -> dict[str, int]:
        """How many vectors of an enclave each encoder made; those of pages under a name of their own."""
        return dict(self._all("SELECT encoder, count FROM vector_counts WHERE enclave = ? AND count > 0", (enclave,)))

    def vectors(
        self, enclave: str, encoder: str, dimension: int, after: int = 0
    ) -> tuple[Keys, list[str], HalfVectors]:
        """Keys, ids and (n, dimension) float16 vectors of an enclave, in the order of keys, above `after`.

        Raises `IndexMismatch` when a stored vector has another dimension.
        """
        keys: list[int] = []
        ids: list[str] = []
        blocks: list[HalfVectors] = []
        sql = (
            "SELECT p.key, p.id, v.vector FROM passages p JOIN vectors v ON v.key = p.key "
            "WHERE p.enclave = ? AND p.key > ? AND v.encoder = ? ORDER BY p.key"
        )
        with self._lock, explained(self.path):
            cursor = self._reader.execute(sql, (enclave, after, encoder))
            while part := cursor.fetchmany(AT_ONCE):
                _check_vectors(enclave, (row[2] for row in part), dimension)
                keys += [row[0] for row in part]
                ids += [row[1] for row in part]
                blocks.append(np.frombuffer(b"".join(row[2] for row in part), np.float16).reshape(-1, dimension))
        matrix = np.concatenate(blocks) if blocks else np.empty((0, dimension), np.float16)
        return np.array(keys, np.int64), ids, matrix

    def vectors_of(self, enclave: str, encoder: str, dimension: int, ids: Sequence[str]) -> dict[str, HalfVectors]:
        """The (dimension,) float16 vectors of these passages by id; those that have none by this encoder are left out.

        Raises `IndexMismatch` when a stored vector has another dimension.
        """
        found: dict[str, HalfVectors] = {}
        for i in range(0, len(ids), AT_ONCE):
            part = ids[i : i + AT_ONCE]
            rows = self._all(
                "SELECT p.id, v.vector FROM passages p JOIN vectors v ON v.key = p.key AND v.encoder = ? "
                f"WHERE p.enclave = ? AND p.id IN ({marks(part)})",
                (encoder, enclave, *part),
            )
            _check_vectors(enclave, (data for _, data in rows), dimension)
            found.update((id, np.frombuffer(data, np.float16)) for id, data in rows)
        return found

    def book(self, enclave: str, id: str, navigator: str, dimension: int) -> KeptBook | None:
        """What was kept to walk a document with, by this navigator; None when there is none of that dimension."""
        rows = self._all(
            "SELECT b.digest, b.sentences, b.wholes FROM books b JOIN documents d ON d.key = b.document "
            "WHERE d.enclave = ? AND d.id = ? AND b.navigator = ?",
            (enclave, id, navigator),
        )
        if not rows or any(len(data) % (2 * dimension) for data in rows[0][1:]):
            return None
        sentences, wholes = (np.frombuffer(data, np.float16).reshape(-1, dimension) for data in rows[0][1:])
        return KeptBook(rows[0][0], sentences, wholes)

    def placed(self, place: str) -> list[tuple[str, str, FileState]]:
        """(enclave, source, state) of every file that was last read from a place, by enclave and source."""
        rows = self._all(
            "SELECT enclave, source, stamp, digest, edition, records, complete, problem, place FROM files "
            "WHERE place = ? ORDER BY enclave, source",
            (place,),
        )
        return [
            (enclave, source, FileState(stamp, digest, edition, records, bool(complete), problem, place))
            for enclave, source, stamp, digest, edition, records, complete, problem, place in rows
        ]

    def file(self, enclave: str, source: str) -> FileState | None:
        """How far a source is, or None when it was never seen."""
        rows = self._all(
            "SELECT stamp, digest, edition, records, complete, problem, place FROM files "
            "WHERE enclave = ? AND source = ?",
            (enclave, source),
        )
        if not rows:
            return None
        stamp, digest, edition, records, complete, problem, place = rows[0]
        return FileState(stamp, digest, edition, records, bool(complete), problem, place)

    def files(self, enclave: str) -> Iterator[tuple[str, FileState]]:
        """(source, state) of every file of an enclave, by source."""
        sql = (
            "SELECT source, stamp, digest, edition, records, complete, problem, place FROM files "
            "WHERE enclave = ? ORDER BY source"
        )
        for source, stamp, digest, edition, records, complete, problem, place in self._stream(sql, (enclave,)):
            yield source, FileState(stamp, digest, edition, records, bool(complete), problem, place)


def _check_vectors(enclave: str, stored: Iterable[bytes], dimension: int) -> None:
    if any(len(data) != 2 * dimension for data in stored):
        raise IndexMismatch(
            f"vectors of enclave {enclave!r} do not have {dimension} dimensions",
            hint="remove the vectors by indexing with another encoder name, or index the enclave anew",
        )
