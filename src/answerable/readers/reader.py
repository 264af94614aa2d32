"""What a reader promises."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from answerable.languages import ENGLISH, language
from answerable.types import Candidate, Chain


@runtime_checkable
class Reader(Protocol):
    """Proposes answers from chains of passages."""

    name: str
    """Identifies the weights: what was fitted to a reader is found by it."""

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        """Candidates of every chain, best first, ties by text. None when nothing can be read: an ordinary outcome."""
        ...


def best_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Candidates by score, ties by text."""
    return sorted(candidates, key=lambda one: (-one.score, one.text, one.chain.key))


def foreign(reader: Reader, question: str, answer: Candidate | None) -> tuple[str, ...]:
    """A sentence where a reader that learned from English alone (it has an `english` that is true) read a question, or
    the passage of its answer, in another language."""
    if answer is None:
        return ()
    passage = answer.chain.hits[answer.hit].passage.text
    read = {what: language(text) for what, text in (("question", question), ("passage", passage))}
    other = [what for what, own in read.items() if own != ENGLISH]
    if not (other and getattr(reader, "english", False)):
        return ()
    which = "the question and the passage are" if len(other) == 2 else f"the {other[0]} is"
    return (f"{which} not in English, and the reader has learned from English alone",)
