from __future__ import annotations

import socket

import pytest

from tests.conftest import NetworkError


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
