from __future__ import annotations

import gc
import os
import socket
from collections.abc import Iterable

import pytest

from tests.conftest import NetworkError, take_a_share


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


def test_what_was_imported_is_not_looked_through_for_garbage() -> None:
    assert gc.isenabled() and gc.get_freeze_count() > 10_000
