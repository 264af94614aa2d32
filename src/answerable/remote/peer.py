"""One server, asked until an answer can be read."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TypeVar

from answerable.errors import SettingsError
from answerable.remote import wire
from answerable.remote.connection import Failed, Pool, Reply
from answerable.remote.place import Place, RemoteSettings
from answerable.remote.wire import About, WireError

Read = TypeVar("Read")

_LONGEST_WAIT = 2.0
"""Seconds between tries, at most, whatever the server asks for."""


class OtherEncoderError(Exception):
    """The server does not know the encoder of the vector that was sent."""


class Peer:
    """A server and what it said of itself. Safe to use from several threads. Nothing is asked before it is needed.

    Every method raises `Failed` when there is no answer that can be used. `until`: the moment (`time.monotonic`) after
    which none is waited for.
    """

    def __init__(self, place: Place, settings: RemoteSettings) -> None:
        self.place = place
        self.pool = Pool(place, settings.timeout)
        self._tries = settings.tries
        self._met: About | None = None
        self._token: str | None = None

    def forget(self) -> None:
        """Have the next `about` ask again."""
        self._met = None

    def about(self, again: bool = False, until: float = math.inf) -> About:
        """What the server says it serves; asked once, after it changed, and when it is to be asked `again`."""
        met = self._met
        if met is None or again:
            try:
                self._token = self.place.token()
            except SettingsError as error:
                raise Failed(error.args[0], again=False, hint=error.hint) from None
            self._met = met = self.ask(wire.ABOUT, None, About.from_bytes, until)
        return met

    def ask(self, path: str, body: bytes | None, read: Callable[[bytes], Read], until: float = math.inf) -> Read:
        """Send a request until an answer can be read, at most `tries` times: every request may be sent twice.

        Raises `OtherEncoderError` too, for a search.
        """
        failed = Failed("its server did not answer in time")
        for number in range(self._tries):
            left = until - time.monotonic()
            if left <= 0:
                break
            try:
                method = "GET" if body is None else "POST"
                return read(_accepted(self.pool.exchange(method, path, body or b"", self._token, left), path))
            except OtherEncoderError:
                if path in (wire.SEARCH, wire.WEIGH):
                    raise
                failed = Failed("its server refuses to answer (status 409)", again=False)
            except WireError:
                failed = Failed("its answer is not one that can be used")
            except Failed as error:
                failed = error
            if not failed.again:
                break
            if number + 1 < self._tries:
                wait = max(0.1 * 4**number, min(failed.wait, _LONGEST_WAIT))
                time.sleep(max(0.0, min(wait, until - time.monotonic())))
        raise failed


def _accepted(reply: Reply, path: str) -> bytes:
    """The body of a reply that is an answer. Raises `Failed` for every other one."""
    spoken = (reply.api or "").split(".")[0]
    if spoken != str(wire.API[0]):
        if spoken.isdigit() and len(spoken) < 6:
            raise Failed(f"its server speaks version {spoken} of the protocol, this program {wire.API[0]}", again=False)
        unlike = "what answers is not a server of this program"
        raise Failed(unlike, again=reply.status >= 500 or reply.status == 200)  # a proxy may speak for it
    if reply.status == 200:
        return reply.body
    if reply.status == 404 and path in (wire.WORDS, wire.WEIGH):
        raise Failed("its server is too old to serve a part of an enclave", again=False)
    if reply.status == 409:
        raise OtherEncoderError
    if reply.status == 401:
        raise Failed("its server refuses the token, or wants one", again=False)
    if reply.status == 413:
        raise Failed("the query is longer than its server accepts", again=False)
    if reply.status == 429:
        raise Failed("its server was asked too often", wait=reply.retry_after)
    if reply.status == 503:
        raise Failed("its server is busy", wait=reply.retry_after)
    again = reply.status >= 500 or reply.status == 408
    raise Failed(f"its server refuses to answer (status {reply.status})", again=again)
