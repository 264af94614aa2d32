"""What a language model behind an OpenAI-compatible endpoint says, asked once and kept.

Nothing is retried elsewhere, redirects are refused, and proxies of the environment are not used, so that a text reaches
the host that was named or none. Answers are kept beside the build, so that a build that was stopped does not ask twice.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from answerable.errors import WorkspaceError
from answerable.evaluation.construction.stages import write_jsonl

KEPT = "answers.jsonl"
_TIMEOUT = 120.0  # seconds
_LONGEST = 1_000_000  # bytes of an answer


class Asking:
    """A model that is asked each prompt once. `key` is sent where it is given; answers are kept in `path`."""

    def __init__(self, model: str, key: str | None, path: Path) -> None:
        self._model, self._key, self._path = model, key, path
        self._opener: OpenerDirector = build_opener(ProxyHandler({}), _Stay())
        self._known = _remembered(path)

    def __call__(self, address: str, prompt: str) -> str:
        """The model's words. Raises `WorkspaceError` where the server cannot be asked, naming it and never the text."""
        asked = hashlib.sha256(f"{self._model}\0{prompt}".encode()).hexdigest()
        if asked not in self._known:
            self._known[asked] = said = self._ask(address, prompt)
            with self._path.open("a", encoding="utf-8") as file:
                self._path.chmod(0o600)
                file.write(json.dumps({"asked": asked, "said": said}) + "\n")
        return self._known[asked]

    def _ask(self, address: str, prompt: str) -> str:
        """Send a prompt and read the answer."""
        body = {"model": self._model, "temperature": 0, "messages": [{"role": "user", "content": prompt}]}
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = Request(f"{address.rstrip('/')}/chat/completions", json.dumps(body).encode(), headers)
        try:
            with self._opener.open(request, timeout=_TIMEOUT) as answer:
                return str(json.loads(answer.read(_LONGEST))["choices"][0]["message"]["content"])
        except (OSError, HTTPException) as error:
            if isinstance(error, HTTPError):
                error.close()
            host, reason = urlsplit(address).netloc, getattr(error, "reason", None) or type(error).__name__
            raise WorkspaceError(
                f"the model at {host} cannot be asked: {reason}", hint="run it again to go on"
            ) from None
        except (ValueError, LookupError, TypeError):
            raise WorkspaceError(f"the server at {urlsplit(address).netloc} does not answer as OpenAI's does") from None


class _Stay(HTTPRedirectHandler):
    """Follows no redirect: the text was for the host that was named."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        return None


def _remembered(path: Path) -> dict[str, str]:
    """The answers kept so far. A line that was cut off when a build was killed is dropped, and asked for again."""
    if not path.is_file():
        return {}
    known: dict[str, str] = {}
    for line in path.read_text("utf-8", errors="replace").splitlines():
        with suppress(ValueError, LookupError, TypeError):
            row = json.loads(line)
            known[str(row["asked"])] = str(row["said"])
    write_jsonl(path, ({"asked": asked, "said": said} for asked, said in known.items()))
    return known
