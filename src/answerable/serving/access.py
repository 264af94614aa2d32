"""Who may ask a server, how much and how often."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from answerable.records import setting
from answerable.remote.place import PORT, is_loopback

ANYONE = "anyone"
"""Who asks where no token is needed."""


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """How an enclave is served: where, to whom, and how much at once."""

    host: str = setting("127.0.0.1", "address that `answerable serve` answers at; other than loopback only with tokens")
    port: int = setting(PORT, "its port; 0: any that is free", 0, 65_535)
    token_file: str | None = setting(None, "file of the tokens that may ask, lines NAME: TOKEN")
    certificate: str | None = setting(None, "file of the certificate for TLS, with those it rests on")
    key: str | None = setting(None, "file of the certificate's key")
    rate: float = setting(100.0, "requests a second for each token; 0: any number", 0, 1_000_000)
    max_request: int = setting(1 << 18, "bytes of one request", 1_024, 2**30)
    concurrent: int = setting(4, "searches at once", 1, 1_024)
    waiting: int = setting(128, "requests that wait for their turn; more are refused", 0, 100_000)
    connections: int = setting(512, "connections open at once", 1, 65_536)
    connections_each: int = setting(256, "those of one client, at most", 1, 65_536)
    timeout: float = setting(
        10.0, "seconds for a request to come, to answer it, and for the answer to be taken", 0.05, 600
    )
    answer: float = setting(300.0, "seconds that the work for one request of a workspace may take", 0.05, 86_400)
    max_upload: int = setting(1 << 26, "bytes of one upload to a workspace", 1_024, 2**33)
    idle: float = setting(75.0, "seconds for which a connection is kept from one request to the next", 0.05, 3_600)
    hosts: str | None = setting(
        None, "names that it may be asked by, with spaces between, beside its address and localhost"
    )


class Names:
    """By which names a server may be asked: the given ones, its addresses, and those that mean this machine alone.

    A page in a browser whose name was made to lead here (DNS rebinding) comes with its own. It has no token, so that
    where tokens are needed and no names are given, any will do.
    """

    def __init__(self, settings: ServeSettings, tokens: bool) -> None:
        """`tokens`: whether they are needed."""
        given = (settings.hosts or "").replace(",", " ").split()
        self._any = tokens and not given
        self._known = {_plain(name) for name in (settings.host, *given)}

    def admit(self, host: bytes, reached: str) -> bool:
        """Whether the `Host` of a request to the address `reached` is one of them."""
        try:
            name = _plain(urlsplit(f"//{host.decode('ascii')}").hostname or "")
        except ValueError:
            return False
        return bool(name) and (self._any or is_loopback(name) or name in self._known or name == _plain(reached))


def _plain(host: str) -> str:
    """A name or an address as all its spellings are compared."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host.lower().removesuffix(".")
    return str(getattr(address, "ipv4_mapped", None) or address)


def same_origin(origin: bytes | None, host: bytes) -> bool:
    """Whether what asks is no web page, or one that came from here itself, as its `Origin` says."""
    return origin is None or origin.partition(b"://")[2].lower() == host.lower()


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
