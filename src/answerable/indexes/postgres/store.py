"""A workspace's store in PostgreSQL: for each enclave one as `corpora.store` describes it, in a schema of its own.

What is written there is indexed in the same transaction, words by their passages and vectors by what PostgreSQL makes
of them, so that nothing is derived beside it. Transactions in one enclave follow one another; what lies between them,
reading files and encoding, is done by several processes at once, each part by the one that claimed it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import RLock, local
from typing import TYPE_CHECKING, Any

import numpy as np
from pgvector import HalfVector

from answerable.corpora.database import AT_ONCE
from answerable.corpora.seals import check_counts
from answerable.corpora.store import FIRST, HalfVectors, Keys
from answerable.corpora.transaction import Transaction, entity_side
from answerable.encoders.encoder import Encoder
from answerable.errors import IndexMismatch
from answerable.indexes.postgres.database import (
    Connection,
    Database,
    Translated,
    claimed,
    explained,
    number_of,
    translated,
)
from answerable.indexes.postgres.transaction import PostgresTransaction
from answerable.indexes.shared import EngineStore, Parts, SharedStore

if TYPE_CHECKING:
    from answerable.indexes.build import IndexBuilder

_EMPTIED = "documents, editions, fields, passages, vectors, words, postings, passage_words, books"
"""Tables that a deletion leaves dead rows in."""


class EnclaveStore(EngineStore):
    """What a database holds of one enclave."""

    def __init__(self, database: Database, enclave: str, path: Path) -> None:
        self.path, self.enclave = path, enclave
        self._database, self._lock, self._own = database, RLock(), local()
        self._pool = database.pool(enclave)
        with self.connection() as connection, connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            check_counts(Translated(connection).execute, path)

    def close(self) -> None:
        """Close every connection. Closing twice does no harm."""
        self._pool.close()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection, in this enclave's role: within `write`, that of the transaction."""
        with explained(self._database.told):
            if writing := getattr(self._own, "connection", None):
                yield writing
            else:
                with self._pool.connection() as connection:
                    yield connection

    @contextmanager
    def claim(self, enclave: str, what: str, wait: bool = False) -> Iterator[bool]:
        """As `Store.claim`, by an advisory lock that goes with this process."""
        with self.connection() as connection, claimed(connection, f"{enclave}\0{what}", wait) as mine:
            yield mine

    @contextmanager
    def write(self, enclave: str | None = None) -> Iterator[Transaction]:
        """As `Store.write`; who writes to one enclave waits for who came first."""
        with self.connection() as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [number_of(f"{self.enclave}\0write")])
            transaction = PostgresTransaction(Translated(connection))
            self._own.connection = connection
            try:
                yield transaction
                transaction.settle()
            finally:
                self._own.connection = None

    def parts(self, encoder: Encoder) -> Parts:
        """As `EngineStore.parts`; a look at every vector is the database's too."""
        from answerable.indexes.postgres.search import PostgresVectors, PostgresWords

        names = (encoder.name, entity_side(encoder.name))
        vectors, pages = (partial(PostgresVectors, self, name, encoder.dimension) for name in names)
        return PostgresWords(self), vectors, pages

    def purge(self, *enclaves: str, seconds: float | None = None) -> None:
        """Give the room of deleted rows back, so that they cannot be read any more and others take their place."""
        self.tidy(_EMPTIED)
        self._all("DELETE FROM unpurged RETURNING 1")

    def tidy(self, tables: str = "words, postings, passages, vectors") -> None:
        """Have the database clear up, and count what it plans searches by."""
        with self.connection() as connection:
            connection.execute(f"VACUUM (ANALYZE) {tables}".encode())

    def blocks_without_vectors(self, encoder: str, size: int, first_only: bool) -> list[int]:
        """Numbers of blocks of so many keys in which passages lack a vector by `encoder`, in order."""
        sql = (
            "SELECT DISTINCT p.key / ?3 FROM passages p LEFT JOIN vectors v ON v.key = p.key AND v.encoder = ?1 "
            f"WHERE p.enclave = ?2 AND v.key IS NULL{f' AND {FIRST}' if first_only else ''} ORDER BY 1"
        )
        return [number for (number,) in self._all(sql, (encoder, self.enclave, size))]

    def vectors(
        self, enclave: str, encoder: str, dimension: int, after: int = 0
    ) -> tuple[Keys, list[str], HalfVectors]:
        """As `Store.vectors`."""
        rows = self._all(
            "SELECT p.key, p.id, v.vector FROM vectors v JOIN passages p ON p.key = v.key "
            "WHERE v.encoder = ? AND p.key > ? ORDER BY p.key",
            (encoder, after),
        )
        halves = [self._half(row[2], dimension) for row in rows]
        matrix = np.stack(halves) if halves else np.empty((0, dimension), np.float16)
        return np.array([row[0] for row in rows], np.int64), [row[1] for row in rows], matrix

    def vectors_at(self, enclave: str, encoder: str, dimension: int, keys: Sequence[int]) -> dict[int, HalfVectors]:
        """As `Store.vectors_at`."""
        rows = self._all("SELECT key, vector FROM vectors WHERE encoder = ? AND key = ANY(?)", (encoder, [*keys]))
        return {key: self._half(vector, dimension) for key, vector in rows}

    def vectors_of(self, enclave: str, encoder: str, dimension: int, ids: Sequence[str]) -> dict[str, HalfVectors]:
        """As `Store.vectors_of`."""
        sql = (
            "SELECT p.id, v.vector FROM passages p JOIN vectors v ON v.key = p.key AND v.encoder = ? "
            "WHERE p.enclave = ? AND p.id = ANY(?)"
        )
        rows = self._all(sql, (encoder, enclave, [*ids]))
        return {id: self._half(vector, dimension) for id, vector in rows}

    def _half(self, vector: HalfVector, dimension: int) -> HalfVectors:
        if vector.dimensions() != dimension:
            raise IndexMismatch(f"vectors of enclave {self.enclave!r} do not have {dimension} dimensions")
        return vector.to_numpy()

    def _all(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        with self.connection() as connection:
            return connection.execute(*translated(sql, values), binary="vector" in sql).fetchall()

    def _stream(self, sql: str, values: Sequence[Any]) -> Iterator[Any]:
        with self.connection() as connection, connection.transaction(), connection.cursor(name="rows") as cursor:
            cursor.itersize = AT_ONCE
            cursor.execute(*translated(sql, values))
            yield from cursor


class PostgresStore(SharedStore):
    """The enclaves of a database that its login may look into."""

    kind = "the database"

    def __init__(self, url: str, folder: Path) -> None:
        """Raises as `Database`."""
        self._database = Database(url)
        super().__init__(folder)

    def names(self) -> list[str]:
        """As `SharedStore.names`."""
        return self._database.schemas()

    def make(self, enclave: str) -> None:
        """As `SharedStore.make`: a role, a schema and its tables."""
        self._database.make(enclave)

    def open(self, enclave: str) -> EnclaveStore:
        """As `SharedStore.open`."""
        return EnclaveStore(self._database, enclave, self.path)

    def builder(self, *given: Any, **named: Any) -> IndexBuilder:
        """As `SharedStore.builder`."""
        from answerable.indexes.postgres.build import PostgresBuilder

        return PostgresBuilder(self, *given, **named)
