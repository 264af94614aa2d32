"""Who uses the page: a session for each browser that signed in with a token, and what keeps other sites from using it.

A session is a cookie of 256 random bits that no script reads and no other site's request carries. It is kept in memory
as a digest, ends with its token, and counts for the page alone: `/v1` takes tokens. Every form brings a second secret
with it (`CSRF`) that only our own page can know.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from starlette.requests import Request
from starlette.responses import Response

from answerable.workspace.askers import Admitted, AskerFile

COOKIE, CSRF = "answerable", "csrf"
HOURS = 12
"""For which a session counts, unless its token ends before."""
MOST = 32
"""Sessions of one asker; the oldest ends where there are more."""


@dataclass(frozen=True, slots=True)
class _Session:
    asker: str
    token: str
    until: datetime


class Sessions:
    """The sessions of one server. Safe from several threads."""

    def __init__(self, askers: AskerFile) -> None:
        self._askers, self._secret = askers, secrets.token_bytes(32)
        self._open: OrderedDict[str, _Session] = OrderedDict()
        self._lock = threading.Lock()

    def sign_in(self, token: str, request: Request, response: Response) -> bool:
        """Open a session for whoever holds the token, by a cookie on the response; False where it does not count."""
        now = datetime.now(UTC)
        held = self._askers.holder(token.strip().encode("utf8", "replace"), now)
        if held is None:
            return False
        made = secrets.token_urlsafe(32)
        with self._lock:
            self._open = OrderedDict((key, one) for key, one in self._open.items() if now < one.until)
            own = [key for key, one in self._open.items() if one.asker == held.name]
            for key in own[: max(0, len(own) - MOST + 1)]:
                del self._open[key]
            self._open[_digest(made)] = _Session(held.name, held.digest, now + timedelta(hours=HOURS))
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, made, HOURS * 3600, path="/", secure=secure, httponly=True, samesite="strict")
        return True

    def sign_out(self, request: Request, response: Response) -> None:
        """End the session of a request."""
        with self._lock:
            self._open.pop(_digest(request.cookies.get(COOKIE, "")), None)
        response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")

    def holder(self, request: Request) -> Admitted | None:
        """Whose session a request is of, if it and its token still count."""
        with self._lock:
            found = self._open.get(_digest(request.cookies.get(COOKIE, "")))
        now = datetime.now(UTC)
        return self._askers.known(found.token, now) if found and now < found.until else None

    def secret(self, request: Request) -> str:
        """What a form of this browser has to bring with it."""
        return hmac.new(self._secret, request.cookies.get(COOKIE, "").encode(), "sha256").hexdigest()

    def is_ours(self, request: Request, brought: str) -> bool:
        """Whether a form is one that we gave to this browser."""
        return hmac.compare_digest(self.secret(request).encode(), brought.encode("utf8", "replace"))


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode("utf8", "replace")).hexdigest()
