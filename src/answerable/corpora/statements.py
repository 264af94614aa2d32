"""Reading by SQL over one connection, safe from several threads."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import RLock
from typing import Any

from answerable.corpora.database import explained

AT_ONCE = 500
"""Values in one SQL statement, rows in one fetch."""


class Statements:
    """One connection to the file at `path`, one thread at a time."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._lock = RLock()
        self._reader = connection

    def _all(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock, explained(self.path):
            return self._reader.execute(sql, values).fetchall()

    def _stream(self, sql: str, values: Sequence[Any]) -> Iterator[Any]:
        """Rows in parts, so that a long scan neither fills memory nor keeps the lock."""
        with self._lock, explained(self.path):
            cursor = self._reader.execute(sql, values)
        while True:
            with self._lock, explained(self.path):
                part = cursor.fetchmany(AT_ONCE)
            if not part:
                return
            yield from part


def marks(values: Sequence[Any]) -> str:
    """A question mark for each value, for `IN (...)`."""
    return ",".join("?" * len(values))
