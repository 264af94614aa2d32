"""HTTP/1.1 with a deadline over connections that are kept: what the standard library parses, timed as a whole.

`http.client` alone would wait anew for every byte, so that a server which sends one now and then is waited for without
end; and it follows neither redirects nor proxies, which is just what is wanted here.
"""

from __future__ import annotations

import http.client
import io
import math
import select
import socket
import ssl
import time
import weakref
from contextlib import closing
from dataclasses import dataclass

from answerable.remote.place import Place
from answerable.remote.wire import API, API_HEADER

LARGEST_ANSWER = 1 << 24  # bytes
_MOST_HEARD = LARGEST_ANSWER + (1 << 20)  # with its head, and the sizes of its parts
IDLE = 30.0
"""Seconds after which a kept connection is not used again: servers close theirs after a minute or so."""
_MOST_IDLE = 64
_BUFFER = 1 << 16


class Failed(Exception):
    """An exchange that gave no answer, and why, in words that quote nothing. `again`: whether trying again may help."""

    def __init__(self, reason: str, again: bool = True, wait: float = 0.0, hint: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.again, self.wait, self.hint = reason, again, wait, hint


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: `api` is the version that the server says it speaks, `retry_after` is in seconds."""

    status: int
    api: str | None
    retry_after: float
    body: bytes


class Pool:
    """Connections to one server. Safe to use from several threads: each exchange has a connection to itself.

    `foreign`: it is not of this program, is told nothing of it, and may end an answer by closing the connection.
    """

    def __init__(self, place: Place, timeout: float, foreign: bool = False) -> None:
        self._place, self._timeout, self._foreign = place, timeout, foreign
        self._idle: list[tuple[socket.socket, float]] = []
        self._context: ssl.SSLContext | None = None
        self._closing = weakref.finalize(self, _close, self._idle)

    def close(self) -> None:
        """Close what is idle. A pool that nobody holds any more does so by itself."""
        self._closing()
        self._closing = weakref.finalize(self, _close, self._idle)

    def exchange(self, method: str, path: str, body: bytes, token: str | None, most: float = math.inf) -> Reply:
        """One request, sent once, and its whole answer, in `timeout` seconds from start to end, or in `most` where that
        is less. Raises `Failed`."""
        seconds = min(self._timeout, most)
        deadline = time.monotonic() + seconds
        request = self._request(method, path, body, token)
        try:
            return self._over(self._kept() or self._connect(deadline), method, request, deadline)
        except TimeoutError:
            raise Failed(f"its server did not answer within {round(seconds, 1):g} s") from None

    def _request(self, method: str, path: str, body: bytes, token: str | None) -> bytes:
        """The bytes of a request: they depend on nothing but the arguments and the place."""
        name = f"[{self._place.host}]" if ":" in self._place.host else self._place.host
        lines = [f"{method} {path} HTTP/1.1", f"Host: {name}:{self._place.port}"]
        lines += [f"Authorization: Bearer {token}"] if token else []
        lines += [] if self._foreign else [f"{API_HEADER}: {API[0]}.{API[1]}"]
        lines += ["Accept-Encoding: identity"]
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"] if method == "POST" else []
        return "\r\n".join([*lines, "", ""]).encode("ascii") + body

    def _kept(self) -> socket.socket | None:
        """A connection that was used before and on which nothing has come since."""
        while True:
            try:
                connection, since = self._idle.pop()
            except IndexError:
                return None
            waiting = isinstance(connection, ssl.SSLSocket) and connection.pending()
            if time.monotonic() - since < IDLE and not waiting and not _readable(connection):
                return connection
            connection.close()

    def _connect(self, deadline: float) -> socket.socket:
        place = self._place
        try:
            raw = socket.create_connection((place.host, place.port), timeout=_left(deadline))
        except TimeoutError:
            raise
        except socket.gaierror:
            raise Failed(f"no machine is known as {place.host}") from None
        except OSError:
            raise Failed(f"nothing answers at {place.host}:{place.port}") from None
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not place.secure:
            return raw
        try:
            raw.settimeout(_left(deadline))
            return self._trusting().wrap_socket(raw, server_hostname=place.host)
        except ssl.SSLCertVerificationError:
            raw.close()
            raise Failed("the certificate of its server is not one that is trusted", again=False) from None
        except TimeoutError:
            raw.close()
            raise
        except (OSError, ValueError):
            raw.close()
            raise Failed("its server does not speak TLS as it should") from None

    def _trusting(self) -> ssl.SSLContext:
        if self._context is None:
            try:
                self._context = ssl.create_default_context(cafile=self._place.ca_file)
            except (OSError, ValueError):
                raise Failed(f"{self._place.ca_file} holds no certificates that can be read", again=False) from None
        return self._context

    def _over(self, connection: socket.socket, method: str, request: bytes, deadline: float) -> Reply:
        """The exchange over one connection, which is kept when all went well."""
        raw = _Timed(connection, deadline)
        whole = False
        try:
            connection.settimeout(_left(deadline))
            connection.sendall(request)
            reply, whole = _read(raw, method, self._foreign)
        except TimeoutError:
            raise
        except (OSError, http.client.HTTPException, ValueError):
            how = "broke off, or sent what is no answer" if raw.heard else "closed the connection without an answer"
            raise Failed(f"its server {how}") from None
        finally:
            if whole and len(self._idle) < _MOST_IDLE:
                self._idle.append((connection, time.monotonic()))
            else:
                connection.close()
        return reply


def _close(idle: list[tuple[socket.socket, float]]) -> None:
    while idle:
        idle.pop()[0].close()


class _Timed(io.RawIOBase):
    """Reads a socket until a deadline, however many reads that takes. Raises `TimeoutError` after it, and `Failed` when
    more comes than an answer may have, whatever it says of its length."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self._connection, self._deadline = connection, deadline
        self.heard = 0

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """What has come, 0 at the end."""
        self._connection.settimeout(_left(self._deadline))
        count = self._connection.recv_into(buffer)
        self.heard += count
        if self.heard > _MOST_HEARD:
            raise Failed("its answer is too large")
        return count

    def makefile(self, *_: object) -> io.BufferedReader:
        """Itself, buffered: all that `http.client` asks of a socket."""
        return io.BufferedReader(self, _BUFFER)


def _read(raw: _Timed, method: str, open_ended: bool) -> tuple[Reply, bool]:
    """The answer, and whether its connection can be used again. Raises `Failed`, `HTTPException` or `OSError`."""
    with closing(http.client.HTTPResponse(raw, method=method)) as response:  # type: ignore[arg-type]
        response.begin()
        if response.length is None and not response.chunked and not open_ended:
            raise http.client.HTTPException("no end is given")
        body = response.read(LARGEST_ANSWER + 1)
        if len(body) > LARGEST_ANSWER:
            raise Failed("its answer is too large")
        if response.length:
            raise http.client.IncompleteRead(b"")
        if response.getheader("content-encoding", "identity") != "identity":
            raise Failed("its answer is packed, which was not asked for")
        after = response.getheader("retry-after", "")
        seconds = float(after) if after.isascii() and after.isdigit() and len(after) < 6 else 0.0
        return Reply(response.status, response.getheader(API_HEADER), seconds, body), not response.will_close


def _readable(connection: socket.socket) -> bool:
    """Whether something has come, or the other side has closed."""
    try:
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(connection, select.POLLIN)
            return bool(poll.poll(0))
        return bool(select.select([connection], [], [], 0)[0])
    except (OSError, ValueError):
        return True


def _left(deadline: float) -> float:
    """Seconds until the deadline. Raises `TimeoutError` after it."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
