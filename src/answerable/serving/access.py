"""Who may ask a server, how much and how often."""

from __future__ import annotations

import hashlib
import hmac
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from answerable.remote.place import PORT

ANYONE = "anyone"
"""Who asks where no token is needed."""


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """How an enclave is served. `rate`: requests a second for each token; 0: any number.

    `max_request`: bytes of one request. `concurrent`: searches at once; `waiting`: requests that wait for their turn,
    more are refused. `connections`: open at once. `timeout`: seconds to send a request, and seconds to answer it.
    `token_file`: who may ask; `certificate` and `key`: files for TLS.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    token_file: str | None = None
    certificate: str | None = None
    key: str | None = None
    rate: float = 100.0
    max_request: int = 1 << 18
    concurrent: int = 4
    waiting: int = 128
    connections: int = 512
    timeout: float = 10.0


class Tokens:
    """The tokens of a server, kept as digests. With none, everybody may ask."""

    def __init__(self, tokens: Mapping[str, str]) -> None:
        self._digests = {name: _digest(token.encode("ascii")) for name, token in tokens.items()}

    def __len__(self) -> int:
        """How many there are."""
        return len(self._digests)

    def holder(self, header: bytes | None) -> str | None:
        """The name of who holds the token of an `Authorization` header, or None for one that is not known.

        Takes as long whichever token is given: all are compared, in constant time.
        """
        if not self._digests:
            return ANYONE
        kind, _, given = (header or b"").partition(b" ")
        digest = _digest(given.strip())
        held = None
        for name, known in self._digests.items():
            if hmac.compare_digest(digest, known):
                held = name
        return held if kind.lower() == b"bearer" else None


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


class Rates:
    """A bucket of requests for each holder of a token, filled at `rate` a second and holding two seconds' worth.

    A rate of 0 bounds nothing.
    """

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._full = max(1.0, 2 * rate)
        self._buckets: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def wait(self, holder: str) -> float:
        """0 when the holder may ask now, which counts, else the seconds until they may."""
        if not self._rate:
            return 0.0
        with self._lock:
            now = self._clock()
            left, since = self._buckets.get(holder, (self._full, now))
            left = min(self._full, left + (now - since) * self._rate)
            allowed = left >= 1.0
            self._buckets[holder] = (left - 1.0 if allowed else left, now)
            return 0.0 if allowed else (1.0 - left) / self._rate
