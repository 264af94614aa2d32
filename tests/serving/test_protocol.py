"""Connections that are held or crowded: each ends by itself, and nobody else waits for it."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from answerable.remote import wire
from answerable.remote.wire import Search
from answerable.serving.protocol import Crowd, _network
from tests.laws.worlds import MemoryEnclave, TinyEncoder
from tests.server.proxy import read_message
from tests.server.running import Stored, running

TLS = Path(__file__).parents[1] / "server" / "tls"
HEALTH = b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
LARGE = 8 << 20
SEARCH = Search("lexical", 1, "W1", None, None).to_bytes()
POST = b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
SOON = {"timeout": 0.4, "idle": 0.4}


def served() -> Stored:
    return Stored(MemoryEnclave("wiki", [], []), TinyEncoder())


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every search has a large answer."""
    monkeypatch.setattr(wire, "hits_to_bytes", lambda *_: b"y" * LARGE)


@contextmanager
def connected(port: int, own: str = "127.0.0.1", narrow: bool = False) -> Iterator[socket.socket]:
    """`narrow`: the system takes little of what nobody has read yet."""
    with socket.socket() as connection:
        if narrow:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.bind((own, 0))
        connection.settimeout(10)
        connection.connect(("127.0.0.1", port))
        yield connection


def hung_up(connection: socket.socket, drip: bytes = b"") -> bool:
    """Whether the other side closes within some seconds, though it is sent something now and then."""
    connection.settimeout(0.1)
    for _ in range(100):
        try:
            if drip:
                connection.sendall(drip)
                time.sleep(0.02)
            if connection.recv(1 << 16) == b"":
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


@pytest.mark.parametrize("drip", [b"", b"\r\n"])
def test_stray_lines_after_an_answer_hold_no_connection(drip: bytes) -> None:
    with running(served(), **SOON) as port, ExitStack() as stack:
        held = [stack.enter_context(connected(port)) for _ in range(8)]
        for one in held:
            one.sendall(HEALTH)
            assert read_message(one).startswith(b"HTTP/1.1 200")
            one.sendall(b"\r\n")
        assert all(hung_up(one, drip) for one in held)


def test_a_connection_in_use_is_kept() -> None:
    with running(served(), **SOON) as port, connected(port) as connection:
        for _ in range(6):
            connection.sendall(HEALTH)
            assert read_message(connection).startswith(b"HTTP/1.1 200")
            time.sleep(0.15)


@pytest.mark.parametrize(
    "start",
    [b"", b"\r\n", b"GET /v1/health HTTP/1.1\r\nx: ", POST + b"Content-Length: 99999\r\n\r\n", b"GET"],
    ids=["silence", "stray lines", "head", "body", "first line"],
)
@pytest.mark.parametrize("first", [b"", HEALTH], ids=["at once", "after an answer"])
def test_a_request_that_comes_byte_by_byte_is_hung_up_on(start: bytes, first: bytes) -> None:
    with running(served(), **SOON) as port, connected(port) as connection:
        if first:
            connection.sendall(first)
            read_message(connection)
        connection.sendall(start)
        assert hung_up(connection, start and (b"\r\n" if start == b"\r\n" else b"y"))


def test_whoever_does_not_read_the_answer_is_hung_up_on(large) -> None:
    with running(served(), timeout=1.0, idle=30.0) as port, ExitStack() as stack:
        held = [stack.enter_context(connected(port, narrow=True)) for _ in range(2)]
        for one, more in zip(held, (b"", b"Connection: close\r\n"), strict=True):
            one.sendall(POST + more + b"Content-Length: %d\r\n\r\n" % len(SEARCH) + SEARCH)
        time.sleep(2.0)
        for one in held:
            told = 0
            with suppress(ConnectionError):
                while part := one.recv(1 << 20):
                    told += len(part)
            assert 1000 < told < LARGE


def test_whoever_reads_it_is_given_all_of_it(large) -> None:
    with running(served(), **SOON | {"timeout": 10.0}) as port, connected(port) as connection:
        connection.sendall(POST + b"Content-Length: %d\r\n\r\n" % len(SEARCH) + SEARCH)
        assert len(read_message(connection)) > LARGE


def test_tls_that_is_never_begun_is_hung_up_on() -> None:
    with (
        running(served(), certificate=str(TLS / "certificate.pem"), key=str(TLS / "key.pem"), **SOON) as port,
        connected(port) as connection,
    ):
        assert hung_up(connection)


@pytest.mark.parametrize("bounds", [{"connections": 6}, {"connections_each": 6}], ids=["in all", "of one client"])
def test_too_many_connections_cost_whoever_holds_most_of_them(bounds: dict[str, int]) -> None:
    with running(served(), timeout=30.0, **bounds) as port, ExitStack() as stack:
        held = [stack.enter_context(connected(port)) for _ in range(12)]
        assert all(hung_up(one) for one in held[:6])
        try:
            other = stack.enter_context(connected(port, "127.0.0.2"))
        except OSError:
            pytest.skip("this machine has one loopback address")
        for _ in range(3):
            other.sendall(HEALTH)
            assert read_message(other).startswith(b"HTTP/1.1 200")
        held[-1].sendall(HEALTH)
        assert read_message(held[-1]).startswith(b"HTTP/1.1 200")


class Fake(SimpleNamespace):
    """A connection of a client, since when, doing what."""

    def __init__(self, network: str, since: float, doing: str) -> None:
        aborted = SimpleNamespace(abort=lambda: setattr(self, "gone", True))
        super().__init__(network=network, since=since, answering=doing == "answer", idle=doing == "idle", gone=False)
        self.transport = aborted

    def __eq__(self, other: object) -> bool:
        return self is other


def test_those_that_wait_longest_leave_first_and_those_that_are_answered_last() -> None:
    crowd = Crowd(4, 100)
    many = [Fake("a", 4, "answer"), Fake("a", 1, "read"), Fake("a", 3, "idle"), Fake("a", 2, "idle")]
    few = [Fake("b", at, "read") for at in range(3)]
    for one in many:
        crowd.enter(one)
    gone = []
    for one in few:
        crowd.enter(one)
        gone.append([held.gone for held in (*many, *few)])
    assert gone[0] == [False, False, False, True, False, False, False]
    assert gone[1] == [False, False, True, True, False, False, False]
    assert gone[2] == [False, False, True, True, True, False, False]
    for one in (*many, *few):
        crowd.leave(one)
        crowd.leave(one)
    assert not crowd._held


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("10.0.0.1", "10.0.0.2", False),
        ("10.0.0.1", "::ffff:10.0.0.1", True),
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2", True),
    ],
)
def test_a_client_is_an_address_or_a_network_of_ipv6(one: str, other: str, same: bool) -> None:
    assert (_network((one, 1)) == _network((other, 1))) is same
