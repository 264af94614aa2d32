"""The clients of `hold.py` that misbehave: light to import, since they run in a process of their own."""

from __future__ import annotations

import asyncio
import random
import socket
import time
from collections import defaultdict
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any

HOST = b"Host: localhost\r\n"
HEALTH = b"GET /v1/health HTTP/1.1\r\n" + HOST + b"\r\n"
POST = b"POST /v1/search HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"
SEARCH = b'{"mode":"lexical","k":1000,"text":"the light of the lamp"}'
ASKED = POST + b"Content-Length: %d\r\n\r\n" % len(SEARCH) + SEARCH
KINDS: dict[str, tuple[bytes, bytes, float]] = {
    "silence": (b"", b"", 1.0),
    "head": (b"GET /v1/health HTTP/1.1\r\nx: ", b"y", 0.5),
    "body": (POST + b"Content-Length: 9999\r\n\r\n", b" ", 0.5),
    "stray lines": (HEALTH, b"\r\n", 1.0),
    "unread": (ASKED, ASKED, 10.0),
    "half-closed": (HEALTH, b"", 1.0),
    "garbage": (b"", b"?", 0.2),
    "headers": (b"GET /v1/health HTTP/1.1\r\n" + HOST, b"x: " + b"y" * 4000 + b"\r\n", 0.02),
}
"""What each kind sends at first, what it sends again and again, and after how many seconds."""
UNREAD = ("unread", "half-closed")
"""Those that never read, and so cannot tell when they are hung up on."""
PATIENCE = 60.0
"""Seconds after which these begin anew."""


async def hold(kind: str, port: int, own: str, chance: random.Random, until: float) -> float:
    """Hold one connection as long as it can be; seconds."""
    first, again, pause = KINDS[kind]
    loop = asyncio.get_running_loop()

    def in_time(sent: Awaitable[None]) -> Awaitable[None]:
        return asyncio.wait_for(sent, max(0.0, min(5, until - time.monotonic())))

    with socket.socket() as connection:
        connection.setblocking(False)
        if kind in UNREAD:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        with suppress(OSError):
            connection.bind((own, 0))
        began = time.monotonic()
        with suppress(OSError):
            await in_time(loop.sock_connect(connection, ("127.0.0.1", port)))
            await in_time(loop.sock_sendall(connection, first))
            if kind == "half-closed":
                connection.shutdown(socket.SHUT_WR)
            while time.monotonic() < (min(until, began + PATIENCE) if kind in UNREAD else until):
                if kind not in UNREAD and _ended(connection):
                    break
                drawn = chance.uniform(0, 2 * pause)  # not all of them at the same moment
                await asyncio.sleep(max(0.0, min(drawn, until - time.monotonic())))
                more = chance.randbytes(20) if kind == "garbage" else again
                if more:
                    await in_time(loop.sock_sendall(connection, more))
        return time.monotonic() - began


def _ended(connection: socket.socket) -> bool:
    with suppress(BlockingIOError):
        return connection.recv(1 << 16) == b""
    return False


async def _misbehaving(port: int, clients: int, each: int, seconds: float) -> dict[str, list[float]]:
    held: defaultdict[str, list[float]] = defaultdict(list)
    until = time.monotonic() + seconds

    async def one(number: int) -> None:
        client = number // each
        chance, kind = random.Random(number), list(KINDS)[client % len(KINDS)]
        own = f"127.0.0.{1 + client // len(KINDS) % 2}"
        await asyncio.sleep(chance.uniform(0, min(10, seconds / 2)))
        while time.monotonic() < until:
            held[kind].append(await hold(kind, port, own, chance, until))
            await asyncio.sleep(min(1.0, max(0.0, until - time.monotonic())))

    await asyncio.gather(*(one(number) for number in range(clients * each)))
    return held


def misbehave(port: int, clients: int, each: int, seconds: float, told: Any) -> None:
    """All of those clients; puts how long every connection was held, by kind, into `told`."""
    told.put(dict(asyncio.run(_misbehaving(port, clients, each, seconds))))
