"""Connections to the PostgreSQL of a workspace, and what stands in it: a schema and a role of its own for each enclave.

An enclave's tables belong to its role, and everything of an enclave is done in that role: the database itself refuses
what strays into another. A login is let into an enclave by membership in its role; one without sees no such enclave.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import psycopg
from pgvector.psycopg import register_vector
from psycopg import errors, sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Format
from psycopg.types.string import StrDumperUnknown, TextLoader
from psycopg_pool import ConnectionPool

from answerable.errors import AnswerableError, EnclaveError, SettingsError, WorkspaceError

PREFIX = "answerable_"
"""How the name of every enclave's schema begins."""
MIGRATIONS = tuple(
    path.read_text("utf-8")
    for path in sorted(Path(__file__).with_name("migrations").glob("*.sql"), key=lambda one: int(one.stem))
)
"""What makes the tables of an enclave, and brings those of an earlier version up to date: all of them in order."""
_EXTENSIONS = ("vector", "fuzzystrmatch")
_LONGEST = 63
"""Bytes of a name in PostgreSQL."""
_MOST = 8
"""Connections of one process to one enclave."""
_BREADTH = 200
"""Nodes of a graph that are held while it is searched; where that leaves too few hits, the search goes on."""
_WAIT = 0.1
"""Seconds between looks at whether what another process does is free. Whoever waited in the database itself would keep
it from building an index beside other work."""
NUL = "\U0010ffff"
"""Stands for the null character, which texts may have and PostgreSQL does not store."""

Connection = psycopg.Connection[tuple[Any, ...]]


class _Dumped(StrDumperUnknown):
    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace("\0", NUL))


class _Loaded(TextLoader):
    def load(self, data: Any) -> Any:
        text = super().load(data)
        return text.replace(NUL, "\0") if isinstance(text, str) else text


class _LoadedBinary(_Loaded):
    format = Format.BINARY


class Translated:
    """A connection that takes SQLite's marks for values."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> psycopg.Cursor[tuple[Any, ...]]:
        """Run a statement."""
        return self.connection.execute(*translated(statement, values))

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Run one for each row of values."""
        with self.connection.cursor() as cursor:
            cursor.executemany(_marked(statement), [translated(statement, row)[1] for row in rows])


def translated(statement: str, values: Sequence[Any]) -> tuple[Any, Sequence[Any] | Mapping[str, Any]]:
    """A statement with marks of SQLite, and its values, as psycopg takes them."""
    if "?1" in statement:
        return _marked(statement), {str(number): value for number, value in enumerate(values, start=1)}
    return _marked(statement), values


@lru_cache
def _marked(statement: str) -> Any:
    return re.sub(r"\?(\d*)", lambda mark: f"%({mark[1]})s" if mark[1] else "%s", statement.replace("%", "%%"))


class Database:
    """One database, which holds one workspace. Close it."""

    def __init__(self, url: str) -> None:
        """Raises `SettingsError` for what is no address or holds a password, `WorkspaceError` for one out of reach."""
        try:
            parts = conninfo_to_dict(url)
        except psycopg.ProgrammingError:
            raise SettingsError("store.url is not the address of a PostgreSQL database", hint=_FORM) from None
        if parts.get("password"):
            raise SettingsError("store.url holds a password", hint="keep it in ~/.pgpass, or in PGPASSWORD")
        self.url = url
        self.told = f"{parts.get('host', 'localhost')}/{parts.get('dbname', '')}"
        with explained(self.told), self.alone() as connection:
            self.name = connection.info.dbname

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """A connection as the login itself, in one transaction."""
        with psycopg.connect(self.url, connect_timeout=10) as connection:
            yield connection

    def schemas(self) -> list[str]:
        """The enclaves that the login may look into, by name."""
        found = "SELECT nspname FROM pg_namespace WHERE nspname LIKE %s AND has_schema_privilege(oid, 'USAGE')"
        with explained(self.told), self.alone() as connection:
            rows = connection.execute(found, [PREFIX.replace("_", r"\_") + "%"]).fetchall()
        return sorted(name.removeprefix(PREFIX) for (name,) in rows)

    def role(self, enclave: str) -> str:
        """The role that an enclave belongs to. Roles are of all databases of a server, so it names this one."""
        return f"answerable/{self.name}/{enclave}"

    def make(self, enclave: str) -> None:
        """Make the role, the schema and the tables of an enclave, as far as they are not there."""
        role, schema = self.role(enclave), PREFIX + enclave
        if max(len(role.encode()), len(schema.encode())) > _LONGEST:
            raise EnclaveError(f"the name of enclave {enclave!r} is too long for the database", hint="take a shorter")
        named = {"role": sql.Identifier(role), "schema": sql.Identifier(schema)}
        with explained(self.told), self.alone() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [number_of("make")])
            for extension in _EXTENSIONS:
                connection.execute(sql.SQL("CREATE EXTENSION IF NOT EXISTS {}").format(sql.Identifier(extension)))
            if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone():
                connection.execute(sql.SQL("CREATE ROLE {role} NOLOGIN").format(**named))
                connection.execute(sql.SQL("GRANT {role} TO CURRENT_USER").format(**named))
            if not connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [schema]).fetchone():
                connection.execute(sql.SQL("CREATE SCHEMA {schema} AUTHORIZATION {role}").format(**named))
            settle_in(connection, enclave, role)
            connection.execute("CREATE TABLE IF NOT EXISTS format (version integer NOT NULL)")
            version = version_of(connection, enclave)
            for number, script in enumerate(MIGRATIONS[version:], start=version + 1):
                connection.execute(script.encode())
                connection.execute("INSERT INTO format VALUES (%s)", [number])

    def pool(self, enclave: str) -> ConnectionPool[Connection]:
        """Connections to one enclave, in its role. Raises `WorkspaceError` for tables of a later version."""

        def configure(connection: Connection) -> None:
            settle_in(connection, enclave, self.role(enclave))
            register_vector(connection)
            connection.execute(f"SET hnsw.ef_search = {_BREADTH}; SET hnsw.iterative_scan = 'strict_order'".encode())
            connection.adapters.register_dumper(str, _Dumped)
            for loader in (_Loaded, _LoadedBinary):
                connection.adapters.register_loader("text", loader)

        with explained(self.told), self.alone() as connection:
            version = version_of(connection, enclave)
        if version > len(MIGRATIONS):
            what = f"enclave {enclave} in the database {self.told} has format {version}"
            raise WorkspaceError(f"{what}, this program reads format {len(MIGRATIONS)}", hint="update answerable")
        if version < len(MIGRATIONS):
            self.make(enclave)
        how = {"autocommit": True, "connect_timeout": 10}
        check = ConnectionPool.check_connection
        return ConnectionPool(
            self.url, kwargs=how, min_size=0, max_size=_MOST, configure=configure, check=check, num_workers=1, open=True
        )


_FORM = "write postgresql://USER@HOST/DATABASE"


def version_of(connection: Connection, enclave: str) -> int:
    """Up to which migration the tables of an enclave are; 0 where there are none."""
    there = (  # foreign tables too: those of another server
        "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = %s AND c.relname = 'format' AND c.relkind IN ('r', 'f', 'p')"
    )
    if not connection.execute(there, [PREFIX + enclave]).fetchone():
        return 0
    last = sql.SQL("SELECT COALESCE(max(version), 0) FROM {}.format").format(sql.Identifier(PREFIX + enclave))
    return int((connection.execute(last).fetchone() or (0,))[0])


def settle_in(connection: Connection, enclave: str, role: str) -> None:
    """Work in an enclave's schema, and in its role where the login is a member."""
    of = "SELECT pg_has_role(oid, 'MEMBER') FROM pg_roles WHERE rolname = %s"
    if connection.execute(of, [role]).fetchone() == (True,):
        connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))
    where = "SELECT nspname FROM pg_namespace n JOIN pg_extension e ON e.extnamespace = n.oid WHERE extname = ANY(%s)"
    also = [name for (name,) in connection.execute(where, [[*_EXTENSIONS]])]
    path = sql.SQL(", ").join(map(sql.Identifier, dict.fromkeys((PREFIX + enclave, *also))))
    connection.execute(sql.SQL("SET search_path = {}").format(path))
    connection.execute("SET jit = off")  # takes longer than the statements


def number_of(what: str) -> int:
    """The number of an advisory lock."""
    return int.from_bytes(blake2b(what.encode(), digest_size=8).digest(), "little", signed=True)


@contextmanager
def claimed(connection: Connection, what: str, wait: bool) -> Iterator[bool]:
    """Whether this connection has a lock that no other has, for the length of the block; it goes with the process."""
    number = [number_of(what)]
    while not (mine := connection.execute("SELECT pg_try_advisory_lock(%s)", number).fetchone() == (True,)) and wait:
        time.sleep(_WAIT)
    try:
        yield mine
    finally:
        if mine and not connection.closed:
            connection.execute("SELECT pg_advisory_unlock(%s)", number)


@contextmanager
def explained(told: str) -> Iterator[None]:
    """Turn what psycopg raises into one sentence with a way out. Its own words may quote texts, so none are given."""
    try:
        yield
    except AnswerableError:
        raise
    except errors.InsufficientPrivilege as error:
        raise WorkspaceError(
            f"the database {told} does not let this login do that",
            hint="see docs/stores.md for the rights that indexing needs",
        ) from error
    except (errors.DiskFull, errors.OutOfMemory) as error:
        raise WorkspaceError(f"the database {told} has no room left", hint="free some and run it again") from error
    except psycopg.OperationalError as error:
        hint = "check [store] url, that the server runs, and that it lets you in"
        raise WorkspaceError(f"the database {told} cannot be reached", hint=hint) from error
    except psycopg.Error as error:
        what = error.sqlstate or type(error).__name__
        raise WorkspaceError(f"the database {told} cannot be used ({what})", hint="ask whoever runs it") from error
