"""A workspace's documents, passages, vectors and files in one SQLite file: the only truth.

Every index is derived from it and can be rebuilt. Reading is safe from several threads and beside one writer.
"""

from __future__ import annotations

import json
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from answerable.corpora.audit import Audit
from answerable.corpora.database import AT_ONCE, connect, explained, marks, rewrite
from answerable.corpora.fields import with_day
from answerable.corpora.seals import (
    SEALED_DOCUMENT,
    SEALED_PASSAGE,
    check_counts,
    damaged,
    name_seal,
    seal,
    without_check,
)
from answerable.corpora.transaction import FileState, KeptBook, Transaction, passage_hash
from answerable.corpora.units import codes_of, units
from answerable.errors import BusyError, IndexMismatch
from answerable.types import Document, Passage, Section

HalfVectors = NDArray[np.float16]
Keys = NDArray[np.int64]

_FILES = "SELECT enclave, source, stamp, digest, edition, records, complete, problem, place FROM files"
_DAY = "SELECT day FROM fields WHERE enclave = ? AND document = ? AND day != ''"
FIRST = "NOT EXISTS (SELECT 1 FROM passages q WHERE q.document = p.document AND q.key < p.key)"


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


class Store(Audit):
    """Reading of one SQLite file; `write()` is the way to change it. One writer at a time, any number of readers."""

    def __init__(self, path: Path) -> None:
        """Open the store at `path`, or make it. Raises `WorkspaceError`, `BusyError`."""
        super().__init__(Path(path), connection := connect(Path(path)))
        weakref.finalize(self, connection.close).atexit = False  # for who leaves it open
        with explained(self.path):
            self._reader.execute("BEGIN")
            try:
                check_counts(self._reader.execute, self.path)
            finally:
                self._reader.execute("COMMIT")

    def close(self) -> None:
        """Close the file. Closing twice does no harm."""
        with self._lock:
            self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    shared = False
    """Whether several processes may index at once, and passages are indexed here as they are stored."""

    @contextmanager
    def claim(self, enclave: str, what: str, wait: bool = False) -> Iterator[bool]:
        """For the length of the block some work is done by nobody else; False where another process does it.

        `wait`: until it is free. Here there is one writer, whose all work is.
        """
        yield True

    @contextmanager
    def write(self, enclave: str | None = None) -> Iterator[Transaction]:
        """One transaction: all of it is committed at the end of the block, or, on an error, none of it.

        `enclave`: the one that is written to; here it may be several.
        """
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

    def purge(self, *enclaves: str, seconds: float | None = None) -> None:
        """Leave no byte of what was deleted from enclaves in the file or its log, and give the space back.

        Writes the whole file anew (`database.rewrite`). Raises `BusyError` while somebody still reads the log after
        `seconds` (None: as long as for a lock); the purge stays due, as it does when it is killed.
        """
        if not rewrite(self.path, seconds):
            raise BusyError(
                f"deleted text of {', '.join(enclaves)} may remain in {self.path}, which another process is reading",
                hint="wait until it is done, or end it; opening the workspace then finishes the deletion",
            )
        with self._lock, explained(self.path):
            self._reader.executemany("DELETE FROM unpurged WHERE enclave = ?", [(one,) for one in enclaves])

    def unpurged(self) -> list[str]:
        """Enclaves that something was deleted from and that were not purged since."""
        return [row[0] for row in self._all("SELECT enclave FROM unpurged ORDER BY enclave")]

    def changes(self) -> int:
        """Differs after whatever another process has written."""
        return int(self._all("PRAGMA data_version")[0][0])

    def enclaves(self) -> list[Holdings]:
        """What each enclave holds, by name."""
        rows = self._all("SELECT name, documents, passages, fingerprint FROM enclaves ORDER BY name")
        return [Holdings(*row) for row in rows]

    def holdings(self, enclave: str) -> Holdings:
        """What one enclave holds: nothing, if it is not known."""
        found = self._all("SELECT name, documents, passages, fingerprint FROM enclaves WHERE name = ?", (enclave,))
        return Holdings(*found[0]) if found else Holdings(enclave)

    def document(self, enclave: str, id: str) -> Document | None:
        """A document whole, or None. Where its meta has no date, what is known of its file's day is there."""
        rows = self._all(f"{SEALED_DOCUMENT} WHERE d.enclave = ? AND d.id = ?", (enclave, id))
        if not rows:
            return None
        found, within, title, text, source, kind, sections, meta = self._as_stored(enclave, rows[0])
        parts, known = tuple(Section(*section) for section in json.loads(sections)), json.loads(meta)
        if "date" not in known and (day := self._all(_DAY, (enclave, rows[0][0]))):
            known = with_day(known, source, day[0][0])
        return Document(found, within, title, text, source, kind, parts, known)

    def _as_stored(self, enclave: str, row: Sequence[Any]) -> Sequence[Any]:
        """A row without its key and its seal. Raises `WorkspaceError` when it is not what was stored."""
        key, digest, *fields = row
        if digest != seal(key, fields):
            raise damaged(self.path, f"a text of enclave {enclave!r} is")
        return fields

    def _row(self, enclave: str, row: Sequence[Any]) -> Row:
        id, _, _, title, text, _, _, section = self._as_stored(enclave, row)
        return Row(row[0], id, title, section, text)

    def documents(self, enclave: str) -> Iterator[tuple[str, str, str]]:
        """(id, source, title) of every document of an enclave, in the order they came."""
        return self._stream("SELECT id, source, title FROM documents WHERE enclave = ? ORDER BY key", (enclave,))

    def versions(self, enclave: str) -> list[tuple[str, int]]:
        """(id, a number) of every document of an enclave: its key, since another text of the same id has another."""
        return [*map(tuple, self._all("SELECT id, key FROM documents WHERE enclave = ? ORDER BY key", (enclave,)))]

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
        rows = self._in_parts(f"{SEALED_PASSAGE} WHERE p.enclave = ? AND p.id IN ({{}})", ids, (enclave,))
        found = {row[2]: Passage(*self._as_stored(enclave, row)) for row in rows}
        return [found[id] for id in ids if id in found]

    def require_gone(self, enclave: str, ids: Sequence[str]) -> None:
        """Raise `WorkspaceError` where a passage of these ids, which was not found, is there all the same."""
        # The pluses turn SQLite away from the index that did not lead to them.
        if any(self._in_parts("SELECT 1 FROM passages WHERE +enclave = ? AND +id IN ({})", ids, (enclave,))):
            raise damaged(self.path, f"the order of passages of enclave {enclave!r} is")

    def openings(self, enclave: str, documents: Sequence[str]) -> dict[str, Passage]:
        """The first passage of each of these documents, by the document's id; those that have none are left out."""
        first = "p.key = (SELECT min(q.key) FROM passages q WHERE q.document = d.key)"
        sql = f"{SEALED_PASSAGE} WHERE d.enclave = ? AND d.id IN ({{}}) AND {first}"
        rows = self._in_parts(sql, documents, (enclave,))
        return {row[3]: Passage(*self._as_stored(enclave, row)) for row in rows}

    def passages_of_kind(self, enclave: str, kind: str) -> Iterator[tuple[str, int, Passage]]:
        """(source, edition, passage) of an enclave's documents of a kind, in no order."""
        also = SEALED_PASSAGE.replace("SELECT", "SELECT d.source, e.edition,", 1)
        sql = f"{also} JOIN editions e ON e.document = d.key WHERE d.enclave = ? AND d.kind = ?"
        for source, edition, *row in self._stream(sql, (enclave, kind)):
            yield source, edition, Passage(*self._as_stored(enclave, row))

    def ids(self, keys: Sequence[int]) -> dict[int, str]:
        """Passage ids by key; keys that are gone are left out."""
        found: dict[int, str] = {}
        for i in range(0, len(keys), AT_ONCE):
            part = keys[i : i + AT_ONCE]
            sql = "SELECT p.key, p.id, s.name FROM passages p LEFT JOIN passage_seals s ON s.passage = p.key"
            rows = self._all(f"{sql} WHERE p.key IN ({marks(part)})", part)
            there = {row[0] for row in rows}
            gone = [key for key in part if key not in there]
            kept = self._all(f"SELECT 1 FROM passage_seals WHERE passage IN ({marks(gone)})", gone) if gone else ()
            if kept or any(name not in (None, name_seal(key, id)) for key, id, name in rows):
                raise damaged(self.path, "the ids of passages are")
            found.update(row[:2] for row in rows)
        return found

    def rows(self, enclave: str, after: int = 0) -> Iterator[Row]:
        """Passages with a key above `after`, in the order of their ids: the same for the same content."""
        key = "p.key" if after else "+p.key"  # the plus turns SQLite to the index of ids, away from sorting all texts
        for row in self._stream(f"{SEALED_PASSAGE} WHERE p.enclave = ? AND {key} > ? ORDER BY p.id", (enclave, after)):
            yield self._row(enclave, row)

    def last_key(self, enclave: str) -> int:
        """The highest key of an enclave's passages, 0 without any."""
        return int(self._all("SELECT COALESCE(max(key), 0) FROM passages WHERE enclave = ?", (enclave,))[0][0])

    def fingerprint_up_to(self, enclave: str, key: int) -> str:
        """The fingerprint of the passages with keys up to `key`. Reads them all: half a second for 100,000."""
        total = 0
        for raw in self._stream(f"{SEALED_PASSAGE} WHERE p.enclave = ? AND p.key <= ? ORDER BY p.key", (enclave, key)):
            row = self._row(enclave, raw)
            total += passage_hash(row.id, row.title, row.section, row.text)
        return f"{total % 2**128:032x}"

    def without_vectors(
        self, enclave: str, encoder: str, after: int, limit: int, first_only: bool = False
    ) -> list[Row]:
        """Up to `limit` passages with a key above `after` that lack a vector by `encoder`, in the order of keys.

        `first_only` keeps to the first passage of each document.
        """
        rows = self._all(
            f"{SEALED_PASSAGE} LEFT JOIN vectors v ON v.key = p.key AND v.encoder = ? WHERE p.enclave = ? "
            f"AND p.key > ? AND v.key IS NULL{f' AND {FIRST}' if first_only else ''} ORDER BY p.key LIMIT ?",
            (encoder, enclave, after, limit),
        )
        return [self._row(enclave, row) for row in rows]

    def unpaired(self, enclave: str, made_by: str, after: int = 0, most: int = 512) -> list[Row]:
        """Up to `most` passages with a key above `after` that `made_by` has not yet made pairs of, in order of keys."""
        rows = self._all(
            f"{SEALED_PASSAGE} WHERE p.enclave = ?1 AND p.key > ?2 AND NOT EXISTS (SELECT 1 FROM paired w "
            "JOIN pair_origins o ON o.key = w.origin WHERE w.passage = p.key AND o.imported = 0 AND o.name = ?3) "
            "ORDER BY p.key LIMIT ?4",
            (enclave, after, made_by, most),
        )
        return [self._row(enclave, row) for row in rows]

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
        """Keys, ids and (n, dimension) float16 vectors of an enclave, of length 1, in the order of keys, above `after`.

        Raises `IndexMismatch` when a stored vector has another dimension.
        """
        keys: list[int] = []
        ids: list[str] = []
        blocks: list[HalfVectors] = []
        sql = (
            "SELECT p.key, p.id, v.vector, s.name, (SELECT count FROM vector_counts c WHERE c.enclave = ?1 AND "
            "c.encoder = ?3) FROM passages p JOIN vectors v ON v.key = p.key LEFT JOIN passage_seals s "
            "ON s.passage = p.key WHERE p.enclave = ?1 AND p.key > ?2 AND v.encoder = ?3 ORDER BY p.key"
        )
        with self._lock, explained(self.path):
            cursor = self._reader.execute(sql, (enclave, after, encoder))
            while part := cursor.fetchmany(AT_ONCE):
                if any(name not in (None, name_seal(key, id)) for key, id, _, name, _ in part):
                    raise damaged(self.path, f"the ids of passages of enclave {enclave!r} are")
                blocks.append(self._read(enclave, [(row[2], row[0]) for row in part], dimension))
                keys += [row[0] for row in part]
                ids += [row[1] for row in part]
                of = part[0][4]
        if not after and len(keys) != (of if keys else self.vector_counts(enclave).get(encoder, 0)):
            raise damaged(self.path, f"the number of vectors of enclave {enclave!r} is")
        matrix = np.concatenate(blocks) if blocks else np.empty((0, dimension), np.float16)
        return np.array(keys, np.int64), ids, matrix

    def _read(self, enclave: str, stored: Sequence[tuple[bytes, int]], dimension: int) -> HalfVectors:
        """(n, dimension) vectors of rows and the keys that they were stored with."""
        kept = b"".join(self._codes(enclave, *one, dimension) for one in stored)
        return units(np.frombuffer(kept, np.int8).reshape(-1, dimension))

    def _codes(self, enclave: str, stored: bytes, key: int, dimension: int) -> bytes:
        data = codes_of(stored, key, dimension)
        if data is None:
            raise damaged(self.path, f"a vector of enclave {enclave!r} is")
        if len(data) != dimension:
            raise IndexMismatch(
                f"vectors of enclave {enclave!r} do not have {dimension} dimensions",
                hint="remove the vectors by indexing with another encoder name, or index the enclave anew",
            )
        return data

    def vectors_at(self, enclave: str, encoder: str, dimension: int, keys: Sequence[int]) -> dict[int, HalfVectors]:
        """As `vectors_of`, of an enclave's passages by their keys."""
        found = [*self._in_parts("SELECT key, vector FROM vectors WHERE encoder = ? AND key IN ({})", keys, (encoder,))]
        matrix = self._read(enclave, [(data, key) for key, data in found], dimension)
        return {key: row for (key, _), row in zip(found, matrix, strict=True)}

    def vectors_of(self, enclave: str, encoder: str, dimension: int, ids: Sequence[str]) -> dict[str, HalfVectors]:
        """The (dimension,) float16 vectors of these passages by id; those that have none by this encoder are left out.

        Raises `IndexMismatch` when a stored vector has another dimension.
        """
        sql = (
            "SELECT p.id, p.key, v.vector FROM passages p JOIN vectors v ON v.key = p.key AND v.encoder = ? "
            "WHERE p.enclave = ? AND p.id IN ({})"
        )
        found = [*self._in_parts(sql, ids, (encoder, enclave))]
        matrix = self._read(enclave, [(data, key) for _, key, data in found], dimension)
        return {id: row for (id, _, _), row in zip(found, matrix, strict=True)}

    def book(self, enclave: str, id: str, navigator: str, dimension: int) -> KeptBook | None:
        """What was kept to walk a document with, by this navigator; None when there is none of that dimension."""
        rows = self._all(
            "SELECT d.key, b.digest, b.sentences, b.wholes FROM books b JOIN documents d ON d.key = b.document "
            "WHERE d.enclave = ? AND d.id = ? AND b.navigator = ?",
            (enclave, id, navigator),
        )
        for key, digest, *stored in rows:
            halves = [data for one in stored if (data := without_check(one, key, 2 * dimension)) is not None]
            if len(halves) == len(stored) and not any(len(data) % (2 * dimension) for data in halves):
                return KeptBook(digest, *(np.frombuffer(data, np.float16).reshape(-1, dimension) for data in halves))
        return None

    def placed(self, place: str) -> list[tuple[str, str, FileState]]:
        """(enclave, source, state) of every file that was last read from a place, by enclave and source."""
        rows = self._all(f"{_FILES} WHERE place = ? ORDER BY enclave, source", (place,))
        return [(row[0], row[1], _state(row)) for row in rows]

    def file(self, enclave: str, source: str) -> FileState | None:
        """How far a source is, or None when it was never seen."""
        rows = self._all(f"{_FILES} WHERE enclave = ? AND source = ?", (enclave, source))
        return _state(rows[0]) if rows else None

    def files(self, enclave: str) -> Iterator[tuple[str, FileState]]:
        """(source, state) of every file of an enclave, by source."""
        for row in self._stream(f"{_FILES} WHERE enclave = ? ORDER BY source", (enclave,)):
            yield row[1], _state(row)


def _state(row: Sequence[Any]) -> FileState:
    """Of a row of `_FILES`."""
    _, _, stamp, digest, edition, records, complete, problem, place = row
    return FileState(stamp, digest, edition, records, bool(complete), problem, place)
