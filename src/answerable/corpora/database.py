"""The SQLite file under a store: its tables, how it is opened and read, and what its errors mean to a person."""

from __future__ import annotations

import errno
import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Lock, RLock
from typing import Any

from answerable.errors import AnswerableError, BusyError, WorkspaceError

SCHEMA_VERSION = 5
BUSY_SECONDS = 30.0
MEMORY = Path(":memory:")
_DAMAGED = "restore it from a copy, or remove it and index again"

_rewriting = Lock()
"""Where SQLite puts what does not fit in memory is said for the whole process."""
_TABLES = ("documents", "vectors", "fields", "books", "pairs", "pair_owners", "sealed")
"""The files of the folder `schema`."""


def tables(name: str) -> str:
    """The statements that make some tables, as they stand in the folder `schema`."""
    return (Path(__file__).parent / "schema" / f"{name}.sql").read_text("utf8")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system raise about `path` into one sentence with a way out."""
    try:
        yield
    except UnicodeDecodeError:  # of a column, or of SQLite's own words for what it found
        raise WorkspaceError(f"the store {path} is damaged", hint=_DAMAGED) from None
    except sqlite3.OperationalError as error:
        raise _operational(error, path) from error
    except sqlite3.ProgrammingError as error:
        raise WorkspaceError(f"the store {path} was closed", hint="open the workspace again") from error
    except sqlite3.DatabaseError as error:
        raise WorkspaceError(f"the store {path} is damaged ({error})", hint=_DAMAGED) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise disk_full(path) from error
        raise WorkspaceError(
            f"{path} cannot be used: {error.strerror or error}", hint="check the folder's permissions"
        ) from error


def disk_full(path: Path) -> AnswerableError:
    """The error for a disk without room, whoever noticed it."""
    return WorkspaceError(
        f"the disk that holds {path} is full",
        hint="free some space and run the same command again; everything committed so far is kept",
    )


def close_to_others(path: Path) -> None:
    """Let nobody but its owner read a file or a folder; what is somebody else's stays as it is."""
    with suppress(PermissionError):
        path.chmod(0o700 if path.is_dir() else 0o600)


def own_folder(path: Path) -> None:
    """Make a folder for its owner alone, also where it is there already."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    close_to_others(path)


def _operational(error: sqlite3.OperationalError, path: Path) -> AnswerableError:
    primary = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if primary == sqlite3.SQLITE_FULL:
        return disk_full(path)
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return BusyError(f"the store {path} is in use by another process", hint="wait until it is done, then try again")
    if "decode" in str(error):  # it quotes what it could not decode
        return WorkspaceError(f"the store {path} is damaged", hint=_DAMAGED)
    return WorkspaceError(
        f"the store {path} cannot be used ({error})", hint="check that the folder is there and can be written"
    )


def connect(path: Path) -> sqlite3.Connection:
    """A connection to the store at `path`, made with its tables when new. Raises `WorkspaceError`.

    A store that cannot be written, on a read-only disk say, can be read; one at `MEMORY` lies in no file.
    """
    fixed = read_only(path)
    where = f"{path.absolute().as_uri()}?immutable=1" if fixed else str(path)
    with explained(path):
        if not fixed and path != MEMORY:
            # Closing a file gives up all locks that this process has on it: only one that is new may be opened so.
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            close_to_others(path)  # its log gets the same permissions
        try:
            return _opened(path, where, fixed)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_IOERR_SHMSIZE:
                raise
            return _opened(path, where, fixed, alone=True)  # a full disk has no room for what processes share


def _opened(path: Path, where: str, fixed: bool, alone: bool = False) -> sqlite3.Connection:
    """A connection to a store, or `alone`: with no other process, and nothing beside the file and its log."""
    connection = sqlite3.connect(where, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=fixed)
    try:
        if alone:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        if not fixed:
            _journal(connection)
        _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def read_only(path: Path) -> bool:
    """Whether a store is there, whole in its one file, and nothing can be written beside it."""
    log = path.with_name(f"{path.name}-wal")
    return path.is_file() and not os.access(path.parent, os.W_OK) and not (log.is_file() and log.stat().st_size)


def rewrite(path: Path, seconds: float | None = None) -> bool:
    """Write a store anew, so that neither it nor its log has a byte of what was deleted; False while others read it.

    What is deleted is overwritten, but not what SQLite moved before: copies of cells stay in the unused part of pages.
    Takes as much room again as the store has, twice for the time; what was free before is given back first. Waits
    `seconds` for readers. Killed at any moment, the store is as it was. Raises `BusyError`, `WorkspaceError`.
    """
    with _rewriting, explained(path), closing(connect(path)) as connection:
        if seconds is not None:
            connection.execute(f"PRAGMA busy_timeout = {int(1000 * seconds)}")
        # The copy is made beside the store, never on a disk that may be guarded less; SQLite unlinks it at once.
        beside = str(path.absolute().parent).replace("'", "''")
        connection.execute(f"PRAGMA temp_store_directory = '{beside}'")
        connection.execute("PRAGMA temp_store = FILE")
        connection.executescript("PRAGMA incremental_vacuum")
        if not _emptied(connection):
            return False
        connection.execute("VACUUM")
        return _emptied(connection)


def _emptied(connection: sqlite3.Connection) -> bool:
    """Whether all of the log is in the file now, and nothing in the log."""
    return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]


def _journal(connection: sqlite3.Connection) -> None:
    if not connection.execute("PRAGMA page_count").fetchone()[0]:
        # Freed pages go back to the file system at a purge; this must be said before the first table exists.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")  # what was committed outlives a power cut, not only a kill
    connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten with zeros


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA temp_store = MEMORY")  # no text in temporary files
    connection.execute("PRAGMA cache_size = -65536")  # KiB
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == SCHEMA_VERSION:
        return
    if version:
        raise WorkspaceError(
            f"the store {path} has format {version}, this program reads format {SCHEMA_VERSION}",
            hint="use the version of answerable that made it, or remove it and index again",
        )
    # two processes may make the same store at once
    made = re.sub("CREATE (TABLE|INDEX)", r"CREATE \1 IF NOT EXISTS", "".join(map(tables, _TABLES)))
    connection.executescript(f"BEGIN IMMEDIATE; {made} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")


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

    def _in_parts(self, sql: str, values: Sequence[Any], before: Sequence[Any] = ()) -> Iterator[Any]:
        """The rows for all these values, asked for by as many at once as a statement holds, in place of `{}` in it."""
        for i in range(0, len(values), AT_ONCE):
            part = values[i : i + AT_ONCE]
            yield from self._all(sql.format(marks(part)), (*before, *part))

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
