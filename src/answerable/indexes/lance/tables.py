"""Tables of LanceDB: what they hold, how they are read, and how they are changed so that nobody's change is lost.

A table is changed by one commit, all or nothing. Of two at once the later is worked out again on what the first left
(`Tables.put`): every change says what is to be there of certain documents, whatever was there before.
"""

from __future__ import annotations

import os
import random
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from threading import RLock
from typing import Any

import pyarrow as pa

os.environ.setdefault("LANCEDB_LOG", "off")  # its lines may quote conditions, and so names of documents
import lancedb
from lancedb.background_loop import LOOP
from lancedb.index import BTree, IvfFlat

from answerable.errors import AnswerableError, BusyError, WorkspaceError

TEXTS, WORDS, VECTORS = "texts", "words", "vectors-"
"""Names of tables; those of vectors go on with who made them, in hexadecimal."""
NAME = pa.field("row", pa.string(), nullable=False, metadata={"lance-schema:unenforced-primary-key:position": "1"})
"""What names the rows of every table; of one name there is one, since two who put it at once are seen to."""
MARKS = {"part_of": pa.string(), "what": pa.string(), "key": pa.int64(), "document": pa.int64()}
FIELDS = {name: pa.string() for name in ("id", "source", "title", "section", "text", "data")}
NUMBERS = {name: pa.int64() for name in ("start", "stop", "edition", "name")}
DATA = {"digest": pa.binary(), "blob": pa.binary()}
TEXT_SCHEMA = pa.schema([NAME, *({**MARKS, **FIELDS, **NUMBERS, **DATA}.items())])
"""Documents, passages, files and all that belongs to them, told apart by `what`; `row` names each, `part_of` its
document."""
WORD_SCHEMA = pa.schema(
    [
        NAME,
        ("segment", pa.string()),
        ("word", pa.string()),
        ("keys", pa.list_(pa.int64())),
        ("counts", pa.list_(pa.int32())),
        ("languages", pa.string()),
    ]
)
"""For each word of a segment the keys of the passages that have it, and how often; for the empty one all passages of
the segment, and how long they are."""
AT_ONCE = 500
"""Values in one condition."""
_MOST = 10_000
"""Tables at one place."""
_TRIES = 5
_INDEXED = 1_000
"""Rows from which on a table has trees to look them up by."""
_FRAGMENTS = 24
"""Pieces of a table from which on they are put together."""
_PARTITION = 500
"""Vectors of a part, about."""
_WAIT = 2.0
"""Seconds that somebody who was too late waits at most."""
_AN_HOUR = timedelta(hours=1)

Row = dict[str, Any]


def vector_schema(dimension: int) -> pa.Schema:
    """Of vectors by one encoder. `check`: as `seals.with_check`."""
    vector = pa.list_(pa.float16(), dimension)
    return pa.schema([NAME, ("key", pa.int64()), ("check", pa.int64()), ("vector", vector)])


def literal(value: str | int) -> str:
    """A value as conditions have it."""
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def among(column: str, values: Iterable[str | int]) -> str:
    """The condition that a column has one of these."""
    return f"{column} IN ({', '.join(map(literal, values)) or 'NULL'})"


class Tables:
    """The tables at one place. Safe to use from several threads; other processes may change them at any time."""

    def __init__(self, place: str) -> None:
        self.place, self._lock = place, RLock()
        with explained(place):
            self._there = lancedb.connect(place, read_consistency_interval=timedelta(0))
        self._opened: dict[str, Any] = {}

    def names(self) -> list[str]:
        """Of the tables that are there."""
        with explained(self.place):
            return sorted(self._there.list_tables(limit=_MOST).tables)

    def open(self, name: str) -> Any:
        """A table, or None where it is not there."""
        with self._lock:
            if name not in self._opened:
                if name not in self.names():
                    return None
                with explained(self.place):
                    try:
                        self._opened[name] = self._there.open_table(name)
                    except ValueError as error:
                        if "not found" not in str(error):
                            raise
                        return None  # another is just making it
            return self._opened[name]

    def made(self, name: str, schema: pa.Schema) -> Any:
        """A table, made where it is not there; two who make it at once make one."""
        if self.open(name) is None:
            try:
                with explained(self.place):
                    self._there.create_table(name, schema=schema, exist_ok=True)
            except AnswerableError:
                if self.open(name) is None:  # else another has just made it
                    raise
        return self.open(name)

    def version(self, name: str) -> int:
        """Grows with each change; 0 where there is no table."""
        table = self.open(name)
        with explained(self.place):
            return int(table.version) if table is not None else 0

    def read(self, name: str, where: str | None, columns: Sequence[str]) -> pa.Table:
        """Columns of the rows for which a condition holds, in no order."""
        table = self.open(name)
        if table is None:
            return pa.table({column: pa.array([], pa.string()) for column in columns})
        for left in range(_TRIES - 1, -1, -1):
            try:
                with explained(self.place):
                    asked = table._table.query().select([*columns])  # `table.search` asks for its schema three times
                    found = (asked.where(where) if where else asked).to_arrow()
                    return LOOP.run(found)  # type: ignore[no-untyped-call]
            except WorkspaceError:
                if not left:
                    raise
                table.checkout_latest()  # what it was reading was cleared away
        raise AssertionError

    def rows(self, name: str, where: str | None, columns: Sequence[str]) -> list[Row]:
        """As `read`, row by row."""
        found: list[Row] = self.read(name, where, columns).to_pylist()
        return found

    def for_each(self, name: str, column: str, values: Sequence[Any], also: str, columns: Sequence[str]) -> list[Row]:
        """As `rows`, of those that have one of these values in a column, and for which a condition holds."""
        parts = (values[at : at + AT_ONCE] for at in range(0, len(values), AT_ONCE))
        return [row for part in parts for row in self.rows(name, f"{among(column, part)} AND {also}", columns)]

    def count(self, name: str, where: str | None = None) -> int:
        """How many rows there are for which a condition holds."""
        table = self.open(name)
        with explained(self.place):
            return int(table.count_rows(where)) if table is not None else 0

    def put(self, name: str, schema: pa.Schema, rows: Sequence[Row] | pa.Table, instead: str | None = None) -> None:
        """In one commit put rows in the place of those of their names, and of all others for which `instead` holds."""
        table = self.made(name, schema)
        data = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist([*rows], schema=schema)
        for left in range(_TRIES - 1, -1, -1):
            try:
                with explained(self.place):
                    merge = table.merge_insert("row").when_matched_update_all().when_not_matched_insert_all()
                    (merge.when_not_matched_by_source_delete(instead) if instead else merge).execute(data)
                return
            except BusyError:  # it has been tried several times by then
                if not left:
                    raise
                time.sleep(random.uniform(0, _WAIT))

    def advance(self, name: str, row: str, expected: int, value: int) -> bool:
        """Give a row this key where it still has the one that was expected; False where another was quicker."""
        with explained(self.place):
            where = f"row = {literal(row)} AND key = {expected}"
            return bool(self.open(name).update(where=where, values={"key": value}).rows_updated)

    def delete(self, name: str, where: str) -> None:
        """Remove the rows for which a condition holds."""
        table = self.open(name)
        if table is not None and self.count(name, where):
            with explained(self.place):
                table.delete(where)

    def tidy(self, trees: Mapping[str, Sequence[str]]) -> None:
        """Put pieces together, where there are many, and index columns, by table, where there are many rows."""
        for name in self.names():
            table = self.open(name)
            with explained(self.place):
                if table.count_rows() >= _INDEXED:
                    there = self.indexed(name)
                    for column in trees.get(name.partition("-")[0], ()):
                        if column not in there:
                            self.index(name, column)
                if table.stats()["fragment_stats"]["num_fragments"] > _FRAGMENTS:
                    table.optimize(cleanup_older_than=_AN_HOUR)

    def rewrite(self) -> None:
        """Write every table anew, with its indexes, and remove what was there before, so that no byte of it is left."""
        for name in self.names():
            table, there = self.open(name), self.indexed(name)
            with explained(self.place), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about whoever else works on it
                for one in table.list_indices():
                    table.drop_index(one.name)
                table.update(values_sql={"row": "row"})
                table.optimize(cleanup_older_than=timedelta(0))
                for column in there if table.count_rows() else ():
                    self.index(name, column)

    def indexed(self, name: str) -> set[str]:
        """The columns of a table that rows are looked up by."""
        table = self.open(name)
        with explained(self.place):
            return {column for one in table.list_indices() for column in one.columns} if table is not None else set()

    def index(self, name: str, column: str) -> None:
        """Make a tree of a column, or put vectors into parts of neighbours; what comes later is looked through."""
        table = self.open(name)
        with explained(self.place):
            parts = partitions(table.count_rows())
            how = IvfFlat(distance_type="dot", num_partitions=parts) if column == "vector" else BTree()
            table.create_index(column, config=how, replace=True)


def partitions(vectors: int) -> int:
    """Into how many parts so many vectors are put."""
    return max(1, vectors // _PARTITION)


@contextmanager
def explained(place: str) -> Iterator[None]:
    """Turn what LanceDB raises into one sentence with a way out. Its own words may quote texts, so none are given."""
    try:
        yield
    except AnswerableError:
        raise
    except OSError as error:
        raise WorkspaceError(
            f"the store at {place} cannot be reached", hint="check [store] url, and the credentials in the environment"
        ) from error
    except (RuntimeError, ValueError) as error:
        if "conflict" in str(error).lower() or "concurrent" in str(error).lower():
            raise BusyError(f"the store at {place} is being changed by others", hint="run it again") from error
        raise WorkspaceError(
            f"the store at {place} cannot be used", hint="answerable doctor looks through it"
        ) from error
