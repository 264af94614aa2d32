"""What a language model behind an OpenAI-compatible endpoint says, asked once and kept.

How it is asked is said in `chat`. Answers are kept beside the build: one that was stopped does not ask twice.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path

from answerable.remote.chat import Chat
from answerable_bench.stages import write_jsonl

KEPT = "answers.jsonl"


class Asking:
    """A model that is asked each prompt once. `key` is sent where it is given; answers are kept in `path`."""

    def __init__(self, model: str, key: str | None, path: Path) -> None:
        self._model, self._key, self._path = model, key, path
        self._known = _remembered(path)

    def __call__(self, address: str, prompt: str) -> str:
        """The model's words. Raises `WorkspaceError` where the server cannot be asked, naming it and never the text."""
        asked = hashlib.sha256(f"{self._model}\0{prompt}".encode()).hexdigest()
        if asked not in self._known:
            chat = Chat(address, self._model, self._key)
            self._known[asked] = said = chat.say(prompt, hint="run it again to go on")
            with self._path.open("a", encoding="utf-8") as file:
                self._path.chmod(0o600)
                file.write(json.dumps({"asked": asked, "said": said}) + "\n")
        return self._known[asked]


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
