"""One connection: uvicorn's protocol with what it lacks, bounds on how long, how large and how many.

At every moment a connection has one deadline: for a whole request from its first byte (of a new connection, from its
beginning), for the answer, for the client to take it, then until the next request begins. What is no request, such as a
stray line, moves none of them. Where connections are too many, whoever holds most of them gives one up.
"""

from __future__ import annotations

import ipaddress
import time
from asyncio import TimerHandle
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from answerable.serving.access import ServeSettings

_HEAD = 1 << 14  # bytes of a request's first lines


@dataclass(frozen=True, slots=True)
class Room:
    """What one kind of application needs: seconds to answer, and where larger bodies are sent, of so many bytes."""

    answer: float
    body: int = 0
    paths: frozenset[bytes] = frozenset()


class Bounded(HttpToolsProtocol):
    """Closes a connection whose request does not come or end in time, or whose answer is not taken."""

    settings: ServeSettings
    room: Room
    crowd: Crowd
    since = 0.0
    """When it last began or ended a request."""
    network: object = None
    """Whose it is."""
    _timer: TimerHandle | None = None
    _coming = 0  # bytes since the last request ended
    _reading = True
    _most = 0  # bytes that a request may have

    @property
    def answering(self) -> bool:
        """Whether a request was read that is not answered."""
        return not self._reading and self.cycle is not None and not self.cycle.response_complete

    @property
    def idle(self) -> bool:
        """Whether it waits for another request."""
        return not self._reading and not self.answering

    def connection_made(self, transport: Any) -> None:
        """A new one, which another may have to leave for."""
        super().connection_made(transport)
        self._most = self.settings.max_request + _HEAD
        self.network = _network(transport.get_extra_info("peername"))
        self._within(self.settings.timeout)
        self.crowd.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """The end of it."""
        self.crowd.leave(self)
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Bytes, of which one request may have so many."""
        self._coming += len(data)
        if self._coming > self._most:
            self.transport.abort()
            return
        super().data_received(data)

    def on_message_begin(self) -> None:
        """A request has begun."""
        self._reading = True
        self._within(self.settings.timeout)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Its head has been read: where a large body is said to come, it has more time, and more room."""
        large = self.url.partition(b"?")[0] in self.room.paths
        said = next((value for name, value in self.headers if name == b"content-length"), b"0")
        if large and said.isdigit() and len(said) < 16 and self.settings.max_request < int(said) <= self.room.body:
            self._most = self.room.body + _HEAD
            self._within(self.room.answer)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """It has been read."""
        self._reading, self._coming, self._most = False, 0, self.settings.max_request + _HEAD
        self._settle()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """It has been answered, perhaps before it was read."""
        super().on_response_complete()
        self._settle()

    def shutdown(self) -> None:
        """Close an idle connection at once: by TLS, its other side would first be waited for."""
        done = self.cycle is None or self.cycle.response_complete
        if done and not self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            super().shutdown()

    def _settle(self) -> None:
        if not self._reading:
            self._within(self.settings.timeout + (self.room.answer if self.answering else 0))  # found, and then taken

    def _within(self, seconds: float) -> None:
        """From now on, the deadline is in so many seconds."""
        if self._timer is not None:
            self._timer.cancel()
        self.since = time.monotonic()
        self._timer = self.loop.call_later(seconds, self._late)

    def _late(self) -> None:
        left = self.since + self.settings.idle - time.monotonic()
        taken = not self.transport.is_closing() and not self.transport.get_write_buffer_size()
        if self.idle and taken and left > 0:
            self._timer = self.loop.call_later(left, self.transport.abort)
        else:
            self.transport.abort()


class Crowd:
    """The connections of a server: at most `most`, and `each` of one client."""

    def __init__(self, most: int, each: int) -> None:
        self._most, self._each = most, each
        self._held: defaultdict[object, list[Bounded]] = defaultdict(list)

    def enter(self, one: Bounded) -> None:
        """Take one in. If it is one too many, the client with most connections loses the one it needs least."""
        own = self._held[one.network]
        own.append(one)
        if len(own) > self._each:
            self._thin(own)
        elif sum(map(len, self._held.values())) > self._most:
            self._thin(max(self._held.values(), key=len))

    def leave(self, one: Bounded) -> None:
        """Forget one, if it is there."""
        own = self._held[one.network]
        if one in own:
            own.remove(one)
        if not own:
            del self._held[one.network]

    def _thin(self, crowd: list[Bounded]) -> None:
        """Those that wait longest go first, and none for which a search is made, unless all are such."""
        least = min(crowd, key=lambda one: (one.answering, not one.idle, one.since))
        self.leave(least)
        least.transport.abort()


def bounded(given: ServeSettings, needed: Room) -> type[Bounded]:
    """The protocol of one server."""

    class Own(Bounded):
        """With its settings."""

        settings = given
        room = needed
        crowd = Crowd(given.connections, given.connections_each)

    return Own


def _network(peer: Any) -> object:
    """The client at an address: of IPv6 the network, since whoever has one address there has all of its last half."""
    try:
        address = ipaddress.ip_address(str(peer[0]).partition("%")[0])
    except (TypeError, IndexError, ValueError):
        return None
    if isinstance(address, ipaddress.IPv4Address):
        return address
    return address.ipv4_mapped or int(address) >> 64
