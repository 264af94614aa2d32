"""A workspace's store in LanceDB: for each enclave the tables of one folder, on a disk or on object storage.

Documents with all that belongs to them lie in one table, so that a transaction is one commit. Words and vectors are
made from it and lie in tables beside it. There is no server and no lock: two who write at once both do.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from zlib import crc32

import numpy as np
import pyarrow as pa

from answerable.corpora.fields import FieldRow, with_day
from answerable.corpora.seals import damaged, name_seal, root_of, without_check
from answerable.corpora.store import HalfVectors, Holdings, Keys, Row
from answerable.corpora.transaction import FileState, KeptBook, Transaction, entity_side
from answerable.encoders.encoder import Encoder
from answerable.errors import IndexMismatch
from answerable.indexes.lance import tables as kept
from answerable.indexes.lance.search import LanceVectors, LanceWords
from answerable.indexes.lance.tables import TEXTS, VECTORS, WORDS, Tables, literal
from answerable.indexes.lance.transaction import HEAD, LanceTransaction, heads_of, made_by, vectors_by
from answerable.indexes.shared import EngineStore, Parts, SharedStore
from answerable.types import Document, Passage, Section

if TYPE_CHECKING:
    from answerable.indexes.build import IndexBuilder

_PASSAGE = ("key", "digest", "id", "part_of", "title", "text", "start", "stop", "section", "document")
_TEXT = ("key", "digest", "id", "title", "text", "source", "data")
_HEAD = ("key", "id", "source", "title", "data")
TREES = {TEXTS: ("row", "key", "part_of"), WORDS: ("word",), VECTORS.rstrip("-"): ("key",)}
_PART = 4096
"""Passages that are read at once."""
_ENCLAVES = "enclaves"


class LanceEnclave(EngineStore):
    """What a folder of tables holds of one enclave."""

    def __init__(self, tables: Tables, enclave: str, path: Path) -> None:
        self.tables, self.enclave, self.path = tables, enclave, path
        self._counts: tuple[int, Holdings] = (-1, Holdings(enclave))

    def close(self) -> None:
        """Nothing is held open."""

    def parts(self, encoder: Encoder) -> Parts:
        """As `EngineStore.parts`: every vector is compared here until there are many."""
        names = (encoder.name, entity_side(encoder.name))
        graphs = [
            partial(LanceVectors, self.tables, name, encoder.dimension)
            if "vector" in self.tables.indexed(vectors_by(name))
            else None
            for name in names
        ]
        return LanceWords(self.tables), graphs[0], graphs[1]

    @contextmanager
    def write(self, enclave: str | None = None) -> Iterator[Transaction]:
        """As `Store.write`. Raises `BusyError` where too many others write."""
        transaction = LanceTransaction(self.tables, self.enclave)
        yield transaction
        transaction.settle()

    def purge(self, *enclaves: str, seconds: float | None = None) -> None:
        """Write every table anew, and remove what was there before. Nobody is to write or read meanwhile."""
        LanceWords(self.tables).forget()
        self.drop_orphans()
        self.tables.delete(TEXTS, "what IN ('due', 'gone')")
        self.tables.rewrite()

    def drop_orphans(self) -> None:
        """Remove vectors of passages that are not there: of two who stored a document at once, those of the first."""
        live = LanceWords(self.tables).live()
        for name in self._vector_tables():
            stored = self.tables.read(name, None, ["key"])["key"].to_numpy()
            if len(left := np.setdiff1d(stored, live)):
                self.tables.delete(name, kept.among("key", left.tolist()))

    def unpurged(self) -> list[str]:
        """As `Store.unpurged`."""
        return [self.enclave] if self.tables.count(TEXTS, "what = 'due'") else []

    def enclaves(self) -> list[Holdings]:
        """What it holds."""
        return [self.holdings(self.enclave)]

    def holdings(self, enclave: str) -> Holdings:
        """As `Store.holdings`."""
        version = self.tables.version(TEXTS)
        if self._counts[0] != version:
            rows = self.tables.rows(TEXTS, "what = 'head'", ["start", "blob"])
            total = sum(int.from_bytes(row["blob"], "little") for row in rows) % 2**128
            held = Holdings(self.enclave, len(rows), sum(row["start"] for row in rows), f"{total:032x}")
            self._counts = version, held
        return self._counts[1]

    def document(self, enclave: str, id: str) -> Document | None:
        """As `Store.document`."""
        rows = self._documents(f"row = {literal(f'd:{id}')}")
        if not rows:
            return None
        id, within, title, text, source, kind, sections, meta = self._as_stored(enclave, rows[0])
        parts, known = tuple(Section(*section) for section in json.loads(sections)), json.loads(meta)
        if "date" not in known:
            for row in self.tables.rows(TEXTS, f"row = {literal(f'y:{id}')}", ["data"]):
                known = with_day(known, source, row["data"])
        return Document(id, within, title, text, source, kind, parts, known)

    def documents(self, enclave: str) -> Iterator[tuple[str, str, str]]:
        """As `Store.documents`."""
        return iter([(row["id"], row["source"], row["title"]) for row in self._heads()])

    def versions(self, enclave: str) -> list[tuple[str, int]]:
        """As `Store.versions`."""
        rows = self.tables.rows(TEXTS, "what = 'head'", ["id", "key"])
        return sorted(((row["id"], row["key"]) for row in rows), key=lambda one: one[1])

    def named(self, enclave: str, name: str) -> list[str]:
        """As `Store.named`."""
        return [row["id"] for row in self._heads(f"id = {literal(name)} OR source = {literal(name)}")]

    def passages(self, enclave: str, ids: Sequence[str]) -> list[Passage]:
        """As `Store.passages`."""
        rows = self.tables.for_each(TEXTS, "row", [f"p:{id}" for id in dict.fromkeys(ids)], "TRUE", _PASSAGE)
        found = {row["id"]: Passage(*self._as_stored(enclave, self._sealed_row(row))) for row in rows}
        return [found[id] for id in ids if id in found]

    def fields(self, enclave: str) -> list[FieldRow]:
        """As `Store.fields`."""
        return [(row["id"], kind, sender, to, day) for row, (kind, sender, to, day) in self._known()]

    def passages_of(self, enclave: str, documents: Sequence[str]) -> list[str]:
        """As `Store.passages_of`."""
        rows = self.tables.for_each(TEXTS, "part_of", [*documents], "what = 'passage'", ["key", "id"])
        return [row["id"] for row in sorted(rows, key=lambda row: int(row["key"]))]

    def undated(self, enclave: str) -> set[str]:
        """As `Store.undated`."""
        return {row["source"] for row, (kind, *_, day) in self._known() if not day and kind not in ("mail", "record")}

    def openings(self, enclave: str, documents: Sequence[str]) -> dict[str, Passage]:
        """As `Store.openings`."""
        rows = self.tables.for_each(TEXTS, "part_of", [*documents], "what = 'passage'", _PASSAGE)
        first: dict[str, dict[str, Any]] = {}
        for row in sorted(rows, key=lambda row: int(row["key"])):
            first.setdefault(row["part_of"], row)
        return {id: Passage(*self._as_stored(enclave, self._sealed_row(row))) for id, row in first.items()}

    def passages_of_kind(self, enclave: str, kind: str) -> Iterator[tuple[str, int, Passage]]:
        """As `Store.passages_of_kind`."""
        heads = {row["id"]: row for row in self._heads() if json.loads(row["data"])[0] == kind}
        found = heads_of(self.tables.for_each(TEXTS, "part_of", [*heads], "what IN ('head', 'edition')", HEAD))
        for row in self.tables.for_each(TEXTS, "part_of", [*heads], "what = 'passage'", _PASSAGE):
            head = found[row["part_of"]]
            yield head["source"], head["edition"], Passage(*self._as_stored(enclave, self._sealed_row(row)))

    def ids(self, keys: Sequence[int]) -> dict[int, str]:
        """As `Store.ids`."""
        rows = self.tables.for_each(TEXTS, "key", [*keys], "what = 'passage'", ["key", "id", "name"])
        if any(row["name"] != name_seal(row["key"], row["id"]) for row in rows):
            raise damaged(self.path, "the ids of passages are")
        return {row["key"]: row["id"] for row in rows}

    def rows(self, enclave: str, after: int = 0) -> Iterator[Row]:
        """As `Store.rows`."""
        found = self.tables.read(TEXTS, f"what = 'passage' AND key > {after}", ["id"])
        ids = sorted(found["id"].to_pylist())
        for at in range(0, len(ids), _PART):
            for one in self._passage_rows([f"p:{id}" for id in ids[at : at + _PART]], "row"):
                yield self._row(enclave, one)

    def last_key(self, enclave: str) -> int:
        """As `Store.last_key`."""
        return max(LanceWords(self.tables).live().tolist(), default=0)

    def without_vectors(
        self, enclave: str, encoder: str, after: int, limit: int, first_only: bool = False
    ) -> list[Row]:
        """As `Store.without_vectors`."""
        there = self.tables.read(TEXTS, "what = 'passage'", ["key", "document"])
        keys, owners = (there[name].to_numpy().astype(np.int64) for name in ("key", "document"))
        if first_only:
            order = np.lexsort((keys, owners))
            keys = keys[order][np.unique(owners[order], return_index=True)[1]]
        done = self.tables.read(vectors_by(encoder), None, ["key"])["key"].to_numpy()
        left = np.setdiff1d(keys, done.astype(np.int64))
        return [self._row(enclave, one) for one in self._passage_rows(left[left > after][:limit].tolist(), "key")]

    def first_passages(self, enclave: str) -> int:
        """As `Store.first_passages`."""
        return self.tables.count(TEXTS, "what = 'head' AND start > 0")

    def vector_counts(self, enclave: str) -> dict[str, int]:
        """As `Store.vector_counts`."""
        counts = {made_by(name): self.tables.count(name) for name in self._vector_tables()}
        return {name: count for name, count in counts.items() if count}

    def vectors(
        self, enclave: str, encoder: str, dimension: int, after: int = 0
    ) -> tuple[Keys, list[str], HalfVectors]:
        """As `Store.vectors`."""
        found = self.tables.read(vectors_by(encoder), f"key > {after}", ["key", "check", "vector"])
        if not found.num_rows:
            return np.empty(0, np.int64), [], np.empty((0, dimension), np.float16)
        named = self.tables.read(TEXTS, "what = 'passage'", ["key", "id", "name"])
        ids = dict(zip(named["key"].to_pylist(), named["id"].to_pylist(), strict=True))
        found = found.filter(pa.array([key in ids for key in found["key"].to_pylist()])).sort_by("key")
        keys = found["key"].to_numpy().astype(np.int64)
        return keys, [ids[key] for key in keys.tolist()], self._halves(found, dimension)

    def vectors_at(self, enclave: str, encoder: str, dimension: int, keys: Sequence[int]) -> dict[int, HalfVectors]:
        """As `Store.vectors_at`."""
        found = self.tables.read(vectors_by(encoder), kept.among("key", keys), ["key", "check", "vector"])
        rows: Sequence[HalfVectors] = [*self._halves(found, dimension)] if found.num_rows else []
        return dict(zip(found["key"].to_pylist(), rows, strict=True))

    def vectors_of(self, enclave: str, encoder: str, dimension: int, ids: Sequence[str]) -> dict[str, HalfVectors]:
        """As `Store.vectors_of`."""
        named = self.tables.for_each(TEXTS, "row", [f"p:{id}" for id in ids], "TRUE", ["key", "id"])
        names = {row["key"]: row["id"] for row in named}
        return {names[key]: row for key, row in self.vectors_at(enclave, encoder, dimension, [*names]).items()}

    def book(self, enclave: str, id: str, navigator: str, dimension: int) -> KeptBook | None:
        """As `Store.book`."""
        where = f"row = {literal(f'b:{id}')} AND title = {literal(navigator)}"
        for row in self.tables.rows(TEXTS, where, ["key", "digest", "blob", "start"]):
            stored = row["blob"][: row["start"]], row["blob"][row["start"] :]
            halves = [data for one in stored if (data := without_check(one, row["key"], 2 * dimension)) is not None]
            if len(halves) == 2 and not any(len(data) % (2 * dimension) for data in halves):
                matrices = (np.frombuffer(data, np.float16).reshape(-1, dimension) for data in halves)
                return KeptBook(row["digest"], *matrices)
        return None

    def placed(self, place: str) -> list[tuple[str, str, FileState]]:
        """As `Store.placed`."""
        return [(self.enclave, source, state) for source, state in self.files(self.enclave) if state.place == place]

    def file(self, enclave: str, source: str) -> FileState | None:
        """As `Store.file`."""
        return next((state for _, state in self._files(f"row = {literal(f'f:{source}')}")), None)

    def files(self, enclave: str) -> Iterator[tuple[str, FileState]]:
        """As `Store.files`."""
        return iter(sorted(self._files("what = 'file'"), key=lambda one: one[0]))

    def roots(self) -> dict[str, str]:
        """As `Store.roots`."""
        rows = self.tables.rows(TEXTS, "what = 'text'", ["id", "digest"])
        return {self.enclave: root_of(row["digest"] for row in sorted(rows, key=lambda row: str(row["id"])))}

    def _vector_tables(self) -> list[str]:
        return [name for name in self.tables.names() if name.startswith(VECTORS)]

    def _heads(self, where: str = "TRUE") -> list[dict[str, Any]]:
        rows = self.tables.rows(TEXTS, f"what = 'head' AND ({where})", _HEAD)
        return sorted(rows, key=lambda row: int(row["key"]))

    def _known(self) -> Iterator[tuple[dict[str, Any], list[str]]]:
        """Documents, and what filters go by of each: kind, sender, recipients, day."""
        days = {row["part_of"]: row["data"] for row in self.tables.rows(TEXTS, "what = 'day'", ["part_of", "data"])}
        for row in self._heads():
            *known, day = json.loads(row["data"])
            yield row, [*known, day or days.get(row["id"], "")]

    def _files(self, where: str) -> list[tuple[str, FileState]]:
        rows = self.tables.rows(TEXTS, where, ["source", "data"])
        return [(row["source"], FileState(**json.loads(row["data"]))) for row in rows]

    def _documents(self, where: str) -> list[tuple[Any, ...]]:
        """Rows as `SEALED_DOCUMENT` has them, by id."""
        rows = sorted(self.tables.rows(TEXTS, where, _TEXT), key=lambda row: str(row["id"]))
        return [
            (
                *(row["key"], row["digest"], row["id"], self.enclave, row["title"], row["text"], row["source"]),
                *json.loads(row["data"]),
            )
            for row in rows
        ]

    def _sealed_row(self, row: dict[str, Any]) -> tuple[Any, ...]:
        """A passage as `SEALED_PASSAGE` has it."""
        values = (row[name] for name in ("title", "text", "start", "stop", "section"))
        return row["key"], row["digest"], row["id"], row["part_of"], self.enclave, *values

    def _passage_rows(self, names: Sequence[Any], column: str) -> list[tuple[Any, ...]]:
        """Passages of which a column has one of these values, in the order of that."""
        rows = self.tables.for_each(TEXTS, column, names, "what = 'passage'", ["row", *_PASSAGE])
        return [self._sealed_row(row) for row in sorted(rows, key=lambda row: row[column])]

    def _documents_as_stored(self, enclave: str) -> Iterator[tuple[Any, ...]]:
        return iter(self._documents("what = 'text'"))

    def _passages_as_stored(self, enclave: str) -> Iterator[tuple[Any, ...]]:
        for row in self.tables.rows(TEXTS, "what = 'passage'", _PASSAGE):
            yield self._sealed_row(row)

    def _counted(self, enclave: str) -> tuple[int, int, str] | None:
        held = self.holdings(enclave)
        return held.documents, held.passages, held.fingerprint

    def _vectors_missing(self, enclave: str) -> bool:
        return False  # they are not counted apart from themselves

    def _spoilt(self, enclave: str) -> int:
        tables = (self.tables.read(name, None, ["key", "check", "vector"]) for name in self._vector_tables())
        return sum(len(found) - int(_sound(found).sum()) for found in tables)

    def _halves(self, found: pa.Table, dimension: int) -> HalfVectors:
        """(n, dimension) of rows with vectors."""
        if found["vector"].type.list_size != dimension:
            raise IndexMismatch(f"vectors of enclave {self.enclave!r} do not have {dimension} dimensions")
        if not _sound(found).all():
            raise damaged(self.path, f"a vector of enclave {self.enclave!r} is")
        return _matrix(found)


def _matrix(found: pa.Table) -> HalfVectors:
    column = found["vector"].combine_chunks()
    halves: HalfVectors = column.flatten().to_numpy(zero_copy_only=False).astype(np.float16, copy=False)
    return halves.reshape(-1, found["vector"].type.list_size)


def _sound(found: pa.Table) -> Any:
    """Of which rows the vector is as it was stored."""
    rows = zip(found["key"].to_pylist(), found["check"].to_pylist(), _matrix(found), strict=True)
    return np.array([crc32(row.tobytes(), key & 0xFFFFFFFF) == check for key, check, row in rows], bool)


class LanceStore(SharedStore):
    """The enclaves in a folder, or below an address of object storage."""

    kind = "the shared folder"

    def __init__(self, url: str, folder: Path) -> None:
        """`url`: `lance:///FOLDER`, or an address that LanceDB knows, such as `s3://BUCKET/PREFIX`."""
        super().__init__(folder)
        self._place = (urlsplit(url).path if url.startswith("lance:") else url).rstrip("/")
        self._listed = Tables(self._place)

    def names(self) -> list[str]:
        """As `SharedStore.names`."""
        return sorted(row["row"] for row in self._listed.rows(_ENCLAVES, None, ["row"]))

    def make(self, enclave: str) -> None:
        """As `SharedStore.make`: a folder of its own, and a line that names it."""
        Tables(f"{self._place}/{enclave}").made(TEXTS, kept.TEXT_SCHEMA)
        self._listed.put(_ENCLAVES, pa.schema([kept.NAME]), [{"row": enclave}])

    def open(self, enclave: str) -> LanceEnclave:
        """As `SharedStore.open`."""
        return LanceEnclave(Tables(f"{self._place}/{enclave}"), enclave, self.path)

    def builder(self, *given: Any, **named: Any) -> IndexBuilder:
        """As `SharedStore.builder`."""
        from answerable.indexes.lance.build import LanceBuilder

        return LanceBuilder(self, *given, **named)
