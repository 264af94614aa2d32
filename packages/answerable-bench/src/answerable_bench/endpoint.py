"""Questions written by a language model behind an OpenAI-compatible endpoint; off unless an address is given.

What is sent where follows from the slice of a pair. Public passages go to `public`, private ones, and any pair with
one, to `private` alone: an address that was given for private text by name (`asking`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answerable.errors import UsageError
from answerable.remote.chat import checked
from answerable.types import Passage
from answerable_bench.asking import KEPT, Asking
from answerable_bench.grammar import sentences
from answerable_bench.pairs import BRIDGE, Pair
from answerable_bench.proposal import Proposal, of_pair
from answerable_bench.propose import Proposer

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
        return _Asked(self, folder / KEPT)


class _Asked:
    """A proposer that remembers what it was told."""

    def __init__(self, endpoints: Endpoints, path: Path) -> None:
        self._endpoints, self._ask = endpoints, Asking(endpoints.model, endpoints.key, path)

    def __call__(self, pair: Pair, passages: tuple[Passage, Passage]) -> Iterator[Proposal]:
        address = self._endpoints.address(pair)
        if address is None:
            return
        said = self._ask(address, _prompt(pair, passages))
        if proposal := _understood(pair, said, self._endpoints.model):
            yield proposal


def _prompt(pair: Pair, passages: tuple[Passage, Passage]) -> str:
    how, where = (_BRIDGE, " of passage 2") if pair.kind == BRIDGE else (_COMPARE, ", yes, no, or one of the two names")
    parts = [_TASK.format(how=how.format(name=pair.names[0], other=pair.names[1]), where=where)]
    for number, passage in enumerate(passages, start=1):
        lines = [f"[{one.number}] {one.text}" for one in sentences(passage.text)]
        parts.append("\n".join([f"Passage {number}: {passage.title}", *lines]))
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
    return of_pair(pair, question, answer.strip(), (first, second), about="written", by=model)
