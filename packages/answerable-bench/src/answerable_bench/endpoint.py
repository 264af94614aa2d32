"""Questions written by a language model behind an OpenAI-compatible endpoint; off unless an address is given.

What is sent where follows from the slice of a pair. Public passages go to `public`, private ones, and any pair with
one, to `private` alone: an address that was given for private text by name. What a model says is asked for once and
kept beside the build, so that one that was stopped does not ask twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answerable.errors import UsageError
from answerable.remote.chat import Chat, checked
from answerable.types import Passage
from answerable_bench.grammar import numbered
from answerable_bench.pairs import BRIDGE, Pair, Proposal, of_pair
from answerable_bench.propose import Proposer
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
    for line in path.read_text("utf-8", errors="replace").split("\n"):
        with suppress(ValueError, LookupError, TypeError):
            row = json.loads(line)
            known[str(row["asked"])] = str(row["said"])
    write_jsonl(path, ({"asked": asked, "said": said} for asked, said in known.items()))
    return known


_TASK = """Write one question that can only be answered when both passages are read, and its answer. {how}
Do not write "the passage". The answer is a span of at most ten words{where}. Give enough detail that only these
passages fit. Reply with one JSON object and nothing else:
{{"question": "...", "answer": "...", "sentences_1": [numbers], "sentences_2": [numbers]}}
where the numbers are those of the sentences needed. Reply {{}} if no good question can be asked."""
_BRIDGE = (
    "Both passages speak of {name}: describe it by what passage 1 says and do not name it; ask what passage 2 says."
)
_COMPARE = "Compare {name} with {other}, naming both."


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Addresses of `/v1` of an OpenAI-compatible server, and the model to name. `key` is sent where it is given."""

    model: str
    public: str | None = None
    private: str | None = None
    key: str | None = None

    def __post_init__(self) -> None:
        for address in (self.public, self.private):
            if address is not None:
                checked(address)
        if not self.model:
            raise UsageError("an endpoint needs the name of a model", hint="--model NAME")

    @property
    def told(self) -> dict[str, str | None]:
        """What a build depends on: all but the key."""
        return {"model": self.model, "public": self.public, "private": self.private}

    def address(self, pair: Pair) -> str | None:
        """Where the passages of a pair may go; None for nowhere."""
        return self.public if pair.slice == "GG" else self.private

    def proposer(self, folder: Path) -> Proposer:
        """Asks for a question of each pair that may be sent somewhere, once."""
        ask = Asking(self.model, self.key, folder / KEPT)

        def proposed(pair: Pair, passages: tuple[Passage, Passage]) -> Iterator[Proposal]:
            address = self.address(pair)
            if address is not None:
                said = ask(address, _prompt(pair, passages))
                if proposal := _understood(pair, said, self.model):
                    yield proposal

        return proposed


def _prompt(pair: Pair, passages: tuple[Passage, Passage]) -> str:
    how, where = (_BRIDGE, " of passage 2") if pair.kind == BRIDGE else (_COMPARE, ", yes, no, or one of the two names")
    parts = [_TASK.format(how=how.format(name=pair.names[0], other=pair.names[1]), where=where)]
    for number, passage in enumerate(passages, start=1):
        parts.append(f"Passage {number}: {passage.title}\n{numbered(passage.text)}")
    return "\n\n".join(parts)


def _understood(pair: Pair, said: str, model: str) -> Proposal | None:
    """What the model proposes; None where it is not of the form asked for, which the rules would not better."""
    start, end = said.find("{"), said.rfind("}")
    try:
        told: Any = json.loads(said[start : end + 1])
        question, answer = told["question"], told["answer"]
        first, second = (tuple(told[f"sentences_{number}"]) for number in (1, 2))
    except (ValueError, LookupError, TypeError):
        return None
    if not (isinstance(question, str) and isinstance(answer, str)):
        return None
    if not all(isinstance(number, int) and not isinstance(number, bool) for number in (*first, *second)):
        return None
    return of_pair(pair, question, answer.strip(), (first, second), by=model)
