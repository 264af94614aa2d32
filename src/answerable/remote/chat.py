"""A language model behind an OpenAI-compatible address: one prompt, one answer, and nobody else sees either.

Nothing is sent elsewhere, redirects are not followed, and proxies of the environment are not used, so that a text
reaches the host that was named or none. Errors name the host and never the text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from answerable.errors import SettingsError, UsageError, WorkspaceError
from answerable.remote.connection import Failed, Pool
from answerable.remote.place import Place

Messages = Sequence[Mapping[str, str]]
_REFUSALS = (400, 415, 422, 500, 501)
"""What servers answer to a wish that they do not know: to be held to a schema, say."""


def checked(address: str) -> str:
    """The address of a server's `/v1`. Raises `UsageError` for what is none; it is not quoted, as it may hold a
    password.
    """
    hint = "like http://localhost:8000/v1, without a name or password"
    try:
        _place(address)
    except (ValueError, SettingsError):
        raise UsageError("the endpoint is no address of a server", hint=hint) from None
    return address


def _place(address: str) -> Place:
    parts = urlsplit(address)
    return Place(f"{parts.scheme}://{parts.netloc}", plain=True)


def read_key(path: Path) -> str:
    """The key in a file: never from the command line, where others could read it.

    Raises `UsageError` where it cannot be read or is empty.
    """
    try:
        key = path.read_text("utf-8").strip()
    except (OSError, ValueError):
        raise UsageError(f"{path} cannot be read", hint="a file with the key and nothing else") from None
    if not key or not key.isascii() or any(c.isspace() for c in key):
        raise UsageError(f"{path} holds no key", hint="a file with the key and nothing else")
    return key


@dataclass(frozen=True, slots=True)
class Chat:
    """`model` behind the `/v1` at `address`. `key` is sent where it is given; `timeout`: seconds for a whole answer."""

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
        return self._said([{"temperature": 0}], [{"role": "user", "content": prompt}], hint)

    def reply(self, messages: Messages, schema: Mapping[str, Any], most: int) -> str:
        """The model's words to messages, of at most that many tokens, which the server is to hold to a JSON schema.

        One that refuses so is asked once more for the model's words alone. Raises `WorkspaceError` as `say` does.
        """
        held = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
        return self._said([{"temperature": 0, "max_tokens": most, "response_format": held}, {}], messages)

    def _said(self, wishes: Sequence[Mapping[str, Any]], messages: Messages, hint: str | None = None) -> str:
        """The answer under the first of the wishes that the server does not refuse."""
        parts = urlsplit(self.address)
        path = quote(parts.path.rstrip("/"), safe="/%") + "/chat/completions"
        try:
            with closing(Pool(_place(self.address), self.timeout, foreign=True)) as pool:
                for number, wish in enumerate(wishes, start=1):
                    body = json.dumps({"model": self.model, **wish, "messages": messages}).encode()
                    answer = pool.exchange("POST", path, body, self.key)
                    if answer.status not in _REFUSALS or number == len(wishes):
                        break
            if answer.status != 200:
                raise Failed(f"its server refuses to answer (status {answer.status})")
        except Failed as error:
            raise WorkspaceError(f"the model at {parts.netloc} cannot be asked: {error.reason}", hint=hint) from None
        try:
            said = json.loads(answer.body)["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError, RecursionError):
            said = None
        if not isinstance(said, str):
            raise WorkspaceError(f"the server at {parts.netloc} does not answer as OpenAI's does")
        return said
