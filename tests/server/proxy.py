"""A proxy on loopback that writes down every byte it is sent, and does to answers what a fault says."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

Fault = Literal["delay", "drop", "garbage", "shape", "truncated", "oversized", "500", "version", "twice", "stale"]
FAULTS: tuple[Fault, ...] = ("delay", "drop", "garbage", "shape", "truncated", "500", "twice", "stale")
"""Those that pass when the request is tried again. "oversized" and "version" do not, if they come every time."""

Chooser = Callable[[int, bytes], Fault | None]
"""From the number of a request, counted from 0, and its bytes, to what happens to its answer."""

JSON = b"content-type: application/json\r\nanswerable-api: 1.0\r\n"


class Proxy:
    """Passes requests on to a server. `seen` holds them as they came, byte for byte, in order, if they are kept."""

    def __init__(
        self, port: int, choose: Chooser = lambda number, request: None, delay: float = 0.3, keep: bool = True
    ) -> None:
        self.seen: list[bytes] = []
        self.count = 0
        self.choose = choose
        self._keep = keep
        self._upstream, self._delay = port, delay
        self._lock = threading.Lock()
        self._stale = b""
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=256)
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def close(self) -> None:
        """Stop listening and hang up."""
        _hang_up(self._listening)
        with self._lock:
            for one in self._open:
                _hang_up(one)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._open.add(client)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        """Requests of one connection, until it is closed or a fault closes it."""
        upstream: socket.socket | None = None
        try:
            while request := read_message(client):
                with self._lock:
                    number = self.count
                    self.count += 1
                    if self._keep:
                        self.seen.append(request)
                fault = self.choose(number, request)
                if fault == "drop":
                    return
                if upstream is None:
                    upstream = socket.create_connection(("127.0.0.1", self._upstream))
                    upstream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                upstream.sendall(request)
                answer = read_message(upstream)
                if not answer or not self._answer(client, fault, answer):
                    return
        except OSError:
            return
        finally:
            _hang_up(client)
            if upstream is not None:
                _hang_up(upstream)
            with self._lock:
                self._open.discard(client)

    def _answer(self, client: socket.socket, fault: Fault | None, answer: bytes) -> bool:
        """Send an answer, or what a fault makes of it; whether the connection goes on."""
        if fault == "delay":
            time.sleep(self._delay)
        if fault == "stale":  # the answer to an earlier request, whole and valid
            with self._lock:
                answer, self._stale = self._stale or answer, answer
        elif fault is None:
            self._stale = self._stale or answer
        client.sendall(_faulty(fault, answer))
        return fault != "truncated"


def _faulty(fault: Fault | None, answer: bytes) -> bytes:
    body = answer.partition(b"\r\n\r\n")[2]
    match fault:
        case "garbage":
            return _reply(b"200 OK", JSON, b"\x00\xff<html>" + body[::-1])
        case "shape":
            return _reply(b"200 OK", JSON, b'{"to":"0000000000000000","hits":[{"id":1,"score":NaN}]}')
        case "truncated":
            return answer[: len(answer) - max(1, len(body) // 2)]
        case "oversized":
            return _reply(b"200 OK", JSON, b" " * (1 << 24) + body)
        case "500":
            return _reply(b"500 Internal Server Error", JSON, b'{"error":{}}')
        case "version":
            return _reply(b"404 Not Found", b"answerable-api: 2.1\r\n", b"{}")
        case "twice":
            return answer + answer
        case _:
            return answer


def read_message(connection: socket.socket) -> bytes:
    """One request or answer with a Content-Length, or without a body; empty when the other side closes."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(1 << 16)
        if not more:
            return b""
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    missing = sum(lengths) - len(body)
    while missing > 0:
        more = connection.recv(missing)
        if not more:
            return b""
        data, missing = data + more, missing - len(more)
    return data


def _reply(status: bytes, headers: bytes, body: bytes) -> bytes:
    return b"HTTP/1.1 %s\r\n%scontent-length: %d\r\n\r\n%s" % (status, headers, len(body), body)


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
