"""For all tests: no network beyond this machine, and no deadline that a busy machine would miss.

And a small workspace, for those that need one.
"""

from __future__ import annotations

import gc
import os
import socket
import sys
import tempfile
import typing
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

if TYPE_CHECKING:
    from answerable.workspace.workspace import Workspace

hypothesis.settings.register_profile("answerable", deadline=None, max_examples=40)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=400)
hypothesis.settings.load_profile("answerable")


def take_a_share() -> None:
    """Where several workers run the tests, each keeps to its share of the processors.

    Models take all processors that they may; with those of every worker on all of them, threads wait for one another
    at work, which costs a third of what is computed. Numpy counts them on import: nothing is imported before.
    """
    worker, of = os.environ.get("PYTEST_XDIST_WORKER"), os.environ.get("PYTEST_XDIST_WORKER_COUNT")
    if worker and of and hasattr(os, "sched_setaffinity"):
        there = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, there[int(worker.removeprefix("gw")) % len(there) :: int(of)])


MEMORY = Path("/dev/shm")
ROOM = 4 << 30
"""What lies there at once, and what the tests allocate beside it, several times over."""


def write_to_memory() -> None:
    """Temporary files lie in memory where there is room: else each of thousands of stores waits for the disk.

    Not where the user says otherwise, nor where programs may not be run from: the database is.
    """
    if "TMPDIR" in os.environ or not MEMORY.is_dir():
        return
    there = os.statvfs(MEMORY)
    if there.f_bavail * there.f_frsize > ROOM and not there.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


def find_out_once() -> None:
    """What a protocol asks for, as Python does itself from 3.12 on: each `isinstance` takes 47 µs of them."""
    if sys.version_info < (3, 12):
        typing._get_protocol_attrs = cache(typing._get_protocol_attrs)  # type: ignore[attr-defined]


take_a_share()
write_to_memory()
find_out_once()

import answerable  # noqa: E402, F401 - before a test imports onnxruntime, which would else tell its maker


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """What the tests import stays to the end: to look through it for garbage again and again would take seconds.

    Nor is what they make looked through as often: most of it goes by itself.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)


LOOPBACK = ("127.", "::1", "localhost")


class NetworkError(AssertionError):
    """A test tried to reach another machine."""


def _local(host: Any) -> bool:
    text = host.decode() if isinstance(host, bytes) else host
    return text in (None, "", "0.0.0.0", "::") or str(text).startswith(LOOPBACK)


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """Connections and look-ups of names fail unless they stay on this machine."""
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def local_connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _local(address[0]):
            raise NetworkError(f"a test tried to connect to {address[0]}")
        connect(self, address)

    def local_look_up(host: Any, *rest: Any, **named: Any) -> Any:
        if not _local(host):
            raise NetworkError(f"a test tried to look up {host}")
        return look_up(host, *rest, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", local_connect)
        patch.setattr(socket, "getaddrinfo", local_look_up)
        yield


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is kept in the user's cache is made once for all processes that test, and theirs alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp().parent / "cache"))
        yield


@pytest.fixture(autouse=True, scope="session")
def no_trust(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the user trusts is neither read nor written: it is kept outside of workspaces."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOCALAPPDATA" if os.name == "nt" else "XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(autouse=True, scope="session")
def checked_once() -> Iterator[None]:
    """The weights that ship, which no test changes, are checked once, and not whenever one opens them."""
    from answerable.encoders import shipped
    from answerable.encoders.choose import SHIPPED

    plain = shipped.sha256
    once = cache(plain)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shipped, "sha256", lambda path: (once if path.is_relative_to(SHIPPED) else plain)(path))
        yield


FILES = {
    "wiki/kopu.md": "# Kõpu Lighthouse\n\nIt stands on Hiiumaa. Kõpu Lighthouse had its tower completed in 1531.\n",
    "wiki/hook.md": "# Hook Lighthouse\n\nIt stands in Ireland. William Marshal built it.\n",
    "mail/birds.txt": "From today the job at Kõpu Lighthouse is called KESTREL on all sheets.\n",
}


@pytest.fixture
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """An encoder and a reader without weights."""
    monkeypatch.setenv("ANSWERABLE_MODELS_ENCODER", "hashed")
    monkeypatch.setenv("ANSWERABLE_MODELS_READER", "overlap")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder of two articles and a mail."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf8")
    return tmp_path


@pytest.fixture
def workspace(stand_ins: None, files: Path) -> Iterator[Workspace]:
    """`wiki`, a mirror here, and `mail`, private."""
    from answerable.workspace.opening import open_workspace

    with open_workspace(files / "work", create=True) as opened:
        opened.index([files / "wiki"], "wiki", "mirror")
        opened.index([files / "mail"], "mail")
        yield opened


@pytest.fixture(scope="session")
def postgres() -> Iterator[Path]:
    """A PostgreSQL server: the folder of its socket."""
    from tests.postgres import server

    with server() as running:
        yield running


@pytest.fixture
def database(postgres: Path) -> str:
    """The address of an empty database."""
    from tests.postgres import address, new_database

    return address(postgres, new_database(postgres))
