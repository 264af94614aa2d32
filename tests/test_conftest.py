from __future__ import annotations

import gc
import os
import socket
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import conftest
from tests.conftest import NetworkError, take_a_share, write_to_memory

NOEXEC = getattr(os, "ST_NOEXEC", 0)


def test_other_machines_cannot_be_reached() -> None:
    with socket.socket() as plug, pytest.raises(NetworkError, match=r"192\.0\.2\.1"):
        plug.connect(("192.0.2.1", 80))
    with pytest.raises(NetworkError, match=r"example\.org"):
        socket.create_connection(("example.org", 80), timeout=1)


def test_this_machine_can_be_reached() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname(), timeout=5) as plug,
    ):
        connection, caller = server.accept()
        with connection:
            connection.sendall(b"here")
            assert caller == plug.getsockname() and plug.recv(4) == b"here"


def test_each_worker_takes_its_share_of_the_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[list[int]] = []

    def take(_: int, processors: Iterable[int]) -> None:
        taken.append(list(processors))

    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 5}, raising=False)
    monkeypatch.setattr(os, "sched_setaffinity", take, raising=False)
    for worker, of in (("gw0", "2"), ("gw1", "2"), ("gw0", "1"), ("gw5", "6")):
        monkeypatch.setenv("PYTEST_XDIST_WORKER", worker)
        monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", of)
        take_a_share()
    monkeypatch.delenv("PYTEST_XDIST_WORKER")
    take_a_share()  # the only one: all are its own
    assert taken == [[0, 2], [1, 5], [0, 1, 2, 5], [1]]


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="this system has no folder in memory")
@pytest.mark.parametrize(
    ("blocks", "flag", "said", "taken"),
    [(2**21, 0, None, True), (2**20, 0, None, False), (2**21, NOEXEC, None, False), (2**21, 0, "/tmp", False)],
)
def test_temporary_files_lie_in_memory_where_they_may(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, blocks: int, flag: int, said: str | None, taken: bool
) -> None:
    monkeypatch.setattr(conftest, "MEMORY", tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", said)
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=blocks, f_frsize=4096, f_flag=flag))
    monkeypatch.setenv("TMPDIR", said) if said else monkeypatch.delenv("TMPDIR", raising=False)
    write_to_memory()
    there = str(tmp_path) if taken else said
    assert (os.environ.get("TMPDIR"), tempfile.tempdir) == (there, there)


def test_what_was_imported_is_not_looked_through_for_garbage() -> None:
    assert gc.isenabled() and gc.get_freeze_count() > 10_000
