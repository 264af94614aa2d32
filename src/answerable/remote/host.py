"""A language model as a host: where it lies, and so what it may be sent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from answerable.errors import UsageError
from answerable.records import setting
from answerable.remote.place import is_loopback
from answerable.types import EVERYTHING, PUBLIC, Enclave

if TYPE_CHECKING:
    from answerable.remote.chat import Chat

LLM = "llm"
"""The name of the host in grants, in dry runs and in the journal; and, under `[models]`, of the reader that asks it."""


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """Which language model is asked, by whatever asks one: from passages where `models.reader` is `LLM`.

    `host`: "auto" goes by the address: an address of this machine is here. A model that is here may be sent everything,
    one elsewhere public text alone, and no private question. `context`: tokens of question, passages and answer.
    """

    endpoint: str | None = setting(None, "where the language model is, at .../v1; empty: none")
    model: str | None = setting(None, "the model's name there")
    host: Literal["auto", "here", "elsewhere"] = setting(
        "auto", "here: it may be sent everything; elsewhere: public text alone; auto: here if at this machine's address"
    )
    key_file: str | None = setting(None, "file of the key for it")
    context: int = setting(8192, "tokens that it reads and writes at once", 1024, 2_000_000)
    seconds: float = setting(120.0, "seconds for one answer, from connecting to the last byte", 0.05, 3600)
    beside: str = setting("span", "the reader that is weighed with it, and answers where it cannot be asked")

    def chat(self, wanted: str) -> Chat:
        """The model, to be asked. Raises `UsageError` where none is named, and for a bad address or key."""
        from answerable.remote.chat import Chat, read_key

        if not self.endpoint or not self.model:
            raise UsageError(f"{wanted}, but no model is named", hint="endpoint and model under [llm]")
        key = read_key(Path(self.key_file)) if self.key_file else None
        return Chat(self.endpoint, self.model, key, self.seconds)

    @property
    def endpoint_private(self) -> bool:
        """Whether it may be sent everything."""
        where = urlsplit(self.endpoint or "").hostname or ""
        return self.host == "here" or (self.host == "auto" and is_loopback(where))

    @property
    def enclave(self) -> Enclave:
        """The host, for the rule of sending: it holds no text, and admits what it may be sent."""
        admits = EVERYTHING if self.endpoint_private else PUBLIC
        return Enclave(LLM, PUBLIC, admits, remote=not self.endpoint_private, answers=True)

    @property
    def where(self) -> str:
        """The model in a sentence: by its machine."""
        return f"the language model at {urlsplit(self.endpoint or '').netloc}"
