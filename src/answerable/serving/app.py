"""The HTTP interface to one enclave, as a plain ASGI application; `remote/wire.py` says what travels.

Four routes need no framework: a request takes 155 µs of a processor, against 200 with Starlette and 430 with FastAPI,
which would also bring ten packages. An error names a code and a sentence of the table below, never what was
sent or found. Nothing is logged but codes, names of token holders and times.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from answerable.remote import wire
from answerable.serving.access import Names, Rates, ServeSettings, Tokens, same_origin
from answerable.serving.served import OtherEncoderError, Served

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Log = Callable[[str], None]

ERRORS: dict[int, tuple[str, str]] = {
    400: ("request", "the request is not one of this protocol"),
    401: ("token", "a token that this server knows is needed"),
    403: ("origin", "a page of another site may not ask"),
    404: ("route", "there is nothing here"),
    405: ("method", "this is asked in another way"),
    408: ("slow", "the request took too long to come"),
    409: ("encoder", "the vector was made by another encoder"),
    413: ("size", "the request is too large"),
    415: ("type", "a request is sent as application/json"),
    421: ("host", "this server is not known by that name"),
    429: ("rate", "too many requests"),
    500: ("internal", "the search failed"),
    503: ("busy", "too many searches at once"),
}
"""Every refusal: its code and its sentence."""
_METHODS = {wire.SEARCH: "POST", wire.PASSAGES: "POST", wire.ABOUT: "GET", wire.HEALTH: "GET"}
_HEADERS = [
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    (wire.API_HEADER.encode("ascii"), f"{wire.API[0]}.{wire.API[1]}".encode("ascii")),
]


class _Refused(Exception):
    """A request that gets one of the errors."""

    def __init__(self, status: int, wait: float = 0.0) -> None:
        super().__init__(status)
        self.status, self.wait = status, wait


class App:
    """The application. `log` gets a line for each request that was refused or failed."""

    def __init__(self, served: Served, tokens: Tokens, settings: ServeSettings, log: Log) -> None:
        self.answered = self.refused = 0
        self._served, self._tokens, self._settings, self._log = served, tokens, settings, log
        self._rates, self._names = Rates(settings.rate), Names(settings, tokens)
        self._threads = ThreadPoolExecutor(settings.concurrent, "search")
        self._busy = 0
        self._counting = threading.Lock()

    def close(self) -> None:
        """Wait for searches that are running, and begin no more."""
        self._threads.shutdown(cancel_futures=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            return
        began = time.monotonic()
        headers = dict(scope["headers"])
        holder: str | None = None
        try:
            path = self._routed(scope, headers)
            if path == wire.HEALTH:
                status, wait, answer = 200, 0.0, wire.dumped({"status": "ok"})
            else:
                holder = self._admitted(headers)
                body = await self._body(headers, receive) if _METHODS[path] == "POST" else b""
                status, wait, answer = 200, 0.0, await self._answer(path, body)
        except _Refused as error:
            status, wait = error.status, error.wait
            code, message = ERRORS[status]
            answer = wire.dumped({"error": {"code": code, "message": message}})
        except _Gone:
            return
        if status == 200:
            self.answered += 1
        else:
            self.refused += 1
            took = 1000 * (time.monotonic() - began)
            self._log(f"refused {status} {ERRORS[status][0]}, token {holder or 'none'}, {took:.0f} ms")
        await _respond(send, status, wait, answer)

    def _routed(self, scope: Scope, headers: dict[bytes, bytes]) -> str:
        """The path of a request that is asked in the right way, and not by a page in a browser that means another."""
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not self._names.admit(hosts[0], str((scope.get("server") or ("",))[0])):
            raise _Refused(421)
        if not same_origin(headers.get(b"origin"), hosts[0]):
            raise _Refused(403)
        path = str(scope["path"])
        if path not in _METHODS:
            raise _Refused(404)
        if scope["method"] != _METHODS[path]:
            raise _Refused(405)
        kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        if _METHODS[path] == "POST" and kind != b"application/json":
            raise _Refused(415)
        return path

    def _admitted(self, headers: dict[bytes, bytes]) -> str:
        """The name of who asks."""
        holder = self._tokens.holder(headers.get(b"authorization"))
        if holder is None:
            raise _Refused(401)
        if wait := self._rates.wait(holder):
            raise _Refused(429, wait)
        return holder

    async def _body(self, headers: dict[bytes, bytes], receive: Receive) -> bytes:
        """The whole body, in time and within bounds."""
        most = self._settings.max_request
        announced = headers.get(b"content-length", b"0")
        if not announced.isdigit() or len(announced) > 12 or int(announced) > most:
            raise _Refused(413)
        parts: list[bytes] = []
        size = 0
        while True:
            try:
                message = await asyncio.wait_for(receive(), self._settings.timeout)
            except TimeoutError:
                raise _Refused(408) from None
            if message["type"] == "http.disconnect":
                raise _Gone
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > most:
                raise _Refused(413)
            if not message.get("more_body"):
                return b"".join(parts)

    async def _answer(self, path: str, body: bytes) -> bytes:
        """The answer, worked out on a thread of its own; refused when too many wait, or when it takes too long."""
        with self._counting:
            if self._busy >= self._settings.concurrent + self._settings.waiting:
                raise _Refused(503, 1.0)
            self._busy += 1
        work = self._threads.submit(self._work, path, body)
        work.add_done_callback(self._done)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(work), self._settings.timeout)
        except TimeoutError:
            raise _Refused(503, 1.0) from None
        except wire.WireError:
            raise _Refused(400) from None
        except OtherEncoderError:
            raise _Refused(409) from None
        except Exception as error:  # whatever broke: its class alone, since a message may quote a document
            self._log(f"a search failed: {type(error).__name__}")
            raise _Refused(500) from None

    def _work(self, path: str, body: bytes) -> bytes:
        if path == wire.SEARCH:
            sent = wire.Search.from_bytes(body)
            hits = self._served.search(sent)
            vectors = self._served.vectors([passage.id for passage, _ in hits]) if sent.vectors else None
            return wire.hits_to_bytes(hits, body, vectors)
        if path == wire.PASSAGES:
            return wire.passages_to_bytes(self._served.passages(wire.ids_from_bytes(body)), body)
        return self._served.about().to_bytes()

    def _done(self, _: Future[bytes]) -> None:
        with self._counting:
            self._busy -= 1


class _Gone(Exception):
    """Whoever asked has hung up."""


async def _respond(send: Send, status: int, wait: float, answer: bytes) -> None:
    headers = [*_HEADERS, (b"content-length", str(len(answer)).encode("ascii"))]
    headers += [(b"retry-after", str(math.ceil(wait)).encode("ascii"))] if wait else []
    headers += [(b"connection", b"close")] if status in (401, 403, 408, 413, 415, 421) else []
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": answer})
