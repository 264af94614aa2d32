"""What can be asked of a server; `remote/wire.py` says what travels."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.routing import Route

from answerable.remote import wire
from answerable.serving.problems import Reply, refused
from answerable.serving.served import Served

if TYPE_CHECKING:
    from answerable.serving.app import App

Work = Callable[[Served, bytes], bytes]
"""From the body of a request to that of its answer."""


def _search(served: Served, body: bytes) -> bytes:
    sent = wire.Search.from_bytes(body)
    hits = served.search(sent)
    vectors = served.vectors([passage.id for passage, _ in hits]) if sent.vectors else None
    return wire.hits_to_bytes(hits, body, vectors)


def _words(served: Served, body: bytes) -> bytes:
    return wire.statistics_to_bytes(*served.statistics(wire.words_from_bytes(body)), body)


def _weigh(served: Served, body: bytes) -> bytes:
    sent = wire.Search.from_bytes(body)
    passages, weights, state = served.weigh(sent)
    vectors = served.vectors([one.id for one in passages]) if sent.vectors else {}
    return wire.weights_to_bytes(passages, weights, state, body, vectors)


def _passages(served: Served, body: bytes) -> bytes:
    return wire.passages_to_bytes(served.passages(wire.ids_from_bytes(body)), body)


def _about(served: Served, _: bytes) -> bytes:
    return served.about().to_bytes()


def _worked(work: Work) -> Callable[[Request], Awaitable[Reply]]:
    """An endpoint for whoever has a token, worked out on a thread."""

    async def endpoint(request: Request) -> Reply:
        app: App = request.app
        sends, kind = request.method == "POST", request.headers.get("content-type", "").partition(";")[0]
        if sends and kind.strip().lower() != "application/json":
            raise refused(415)
        request.state.holder = app.holder(request.headers.get("authorization", ""))
        body = await body_of(request, app.settings.max_request, app.settings.timeout) if sends else b""
        return Reply(await app.searched(work, body))

    return endpoint


async def _health(_: Request) -> Reply:
    return Reply(wire.dumped({"status": "ok"}))


async def body_of(request: Request, most: int, seconds: float) -> bytes:
    """The whole body, in time and within bounds. Raises `HTTPException`."""
    announced = request.headers.get("content-length", "0")
    if not announced.isdigit() or len(announced) > 12 or int(announced) > most:
        raise refused(413)
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                body += part
                if len(body) > most:
                    raise refused(413)
    except TimeoutError:
        raise refused(408) from None
    return bytes(body)


ROUTES = (
    Route(wire.SEARCH, _worked(_search), methods=["POST"]),
    Route(wire.WORDS, _worked(_words), methods=["POST"]),
    Route(wire.WEIGH, _worked(_weigh), methods=["POST"]),
    Route(wire.PASSAGES, _worked(_passages), methods=["POST"]),
    Route(wire.ABOUT, _worked(_about)),
    Route(wire.HEALTH, _health),
)
