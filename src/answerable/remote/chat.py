"""A language model behind an OpenAI-compatible address: one prompt, one answer, and nobody else sees either.

Nothing is retried elsewhere, redirects are refused, and proxies of the environment are not used, so that a text reaches
the host that was named or none. Errors name the host and never the text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from answerable.errors import UsageError, WorkspaceError

_LONGEST = 1_000_000  # bytes of an answer


def checked(address: str) -> str:
    """The address of a server's `/v1`. Raises `UsageError` for what is none."""
    if urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).netloc:
        raise UsageError(f"{address!r} is no address of a server", hint="like http://localhost:8000/v1")
    return address


def read_key(path: Path) -> str:
    """The key in a file: never from the command line, where others could read it.

    Raises `UsageError` where it cannot be read or is empty.
    """
    try:
        key = path.read_text("utf-8").strip()
    except (OSError, ValueError):
        raise UsageError(f"{path} cannot be read", hint="a file with the key and nothing else") from None
    if not key or any(c.isspace() for c in key):
        raise UsageError(f"{path} holds no key", hint="a file with the key and nothing else")
    return key


@dataclass(frozen=True, slots=True)
class Chat:
    """`model` behind the `/v1` at `address`. `key` is sent where it is given; `timeout` is in seconds."""

    address: str
    model: str
    key: str | None = None
    timeout: float = 120.0

    def __post_init__(self) -> None:
        checked(self.address)
        if not self.model:
            raise UsageError("an endpoint needs the name of a model", hint="--model NAME")

    def say(self, prompt: str, hint: str | None = None) -> str:
        """The model's words. Raises `WorkspaceError` with a hint where the server cannot be asked or answers badly."""
        body = {"model": self.model, "temperature": 0, "messages": [{"role": "user", "content": prompt}]}
        headers = {"Content-Type": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        host = urlsplit(self.address).netloc
        request = Request(f"{self.address.rstrip('/')}/chat/completions", json.dumps(body).encode(), headers)
        try:
            with _opener().open(request, timeout=self.timeout) as answer:
                return str(json.loads(answer.read(_LONGEST))["choices"][0]["message"]["content"])
        except (OSError, HTTPException) as error:
            if isinstance(error, HTTPError):
                error.close()
            reason = getattr(error, "reason", None) or type(error).__name__
            raise WorkspaceError(f"the model at {host} cannot be asked: {reason}", hint=hint) from None
        except (ValueError, LookupError, TypeError):
            raise WorkspaceError(f"the server at {host} does not answer as OpenAI's does") from None


class _Stay(HTTPRedirectHandler):
    """Follows no redirect: the text was for the host that was named."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        return None


def _opener() -> OpenerDirector:
    return build_opener(ProxyHandler({}), _Stay())
