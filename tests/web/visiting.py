"""A browser without a browser: the forms of the page, sent as one would send them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import urlencode

from tests.web.conftest import Got, Web

FORM = "application/x-www-form-urlencoded"


@dataclass
class Visitor:
    """Somebody with a browser: keeps the cookie, and sends with each form what the page gave."""

    web: Web
    cookie: str = ""
    secret: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def get(self, path: str) -> Got:
        """A page."""
        got = self.web.ask("GET", path, **self._own())
        if found := re.search(r'name="csrf" value="(\w+)"', got.body.decode()):
            self.secret = found[1]
        return got

    def post(self, path: str, fields: dict[str, Any] | None = None, **headers: str) -> Got:
        """A form."""
        body = urlencode({"csrf": self.secret, **(fields or {})}, doseq=True).encode()
        return self.web.ask("POST", path, body, **{"Content_Type": FORM, **self._own(), **headers})

    def signed_in(self, token: str) -> Got:
        """With a token; the cookie is kept."""
        self.get("/sign-in")
        got = self.post("/sign-in", {"token": token})
        self.cookie = got.headers.get("set-cookie", "").partition(";")[0]
        self.get("/")
        return got

    def _own(self) -> dict[str, str]:
        return {"Accept": "text/html", **({"Cookie": self.cookie} if self.cookie else {}), **self.headers}


def text_of(got: Got) -> str:
    """The words of a page, without its tags."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", got.body.decode())).split())
