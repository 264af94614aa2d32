"""Whether a question finds the answer it was made from: in its own passage, or anywhere (PAQ, section 3.4).

A local filter cannot see that a question is ambiguous, since it is handed the passage; a global one is handed the
question alone. Answers agree when they are equal as `text.normalise_answer` has them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from answerable.qapairs.generation.parts import Generated
from answerable.readers.reader import Reader
from answerable.text import normalise_answer
from answerable.types import PUBLIC, Chain, Hit, Passage, Skill

Answers = Sequence[tuple[str, float]]
"""Answers with their confidences (0 to 1), best first."""
Finds = Callable[[Sequence[tuple[str, str]]], list[bool]]
"""For each (question, answer), whether that answer is the best one found by the question alone."""


class LocalFilter:
    """Keeps the questions whose answer a reader finds in their own passage."""

    name = "local"

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def consistent(self, passages: Sequence[Passage], made: Sequence[Sequence[Generated]]) -> list[list[bool]]:
        """For each passage, for each question made of it, whether the reader's best answer is its own."""
        return [
            [agrees(self._best(passage, one.question), one.answer.text) for one in row]
            for passage, row in zip(passages, made, strict=True)
        ]

    def _best(self, passage: Passage, question: str) -> str | None:
        alone = Chain((Hit(passage, 0.0, PUBLIC, Skill.SINGLE),), 0.0, PUBLIC)
        found = self._reader.read(question, [alone])
        return found[0].text if found else None


class GlobalFilter:
    """Keeps the questions whose answer is found by the question alone. The source passage is never handed over."""

    name = "global"

    def __init__(self, finds: Finds) -> None:
        """`finds`: `own_corpus.OwnCorpus.finds`, or `by_asking` of anything that answers."""
        self._finds = finds

    def consistent(self, passages: Sequence[Passage], made: Sequence[Sequence[Generated]]) -> list[list[bool]]:
        """For each passage, for each question made of it, whether asking it finds its answer."""
        asked = [(one.question, one.answer.text) for row in made for one in row]
        verdicts = iter(self._finds(asked))
        return [[next(verdicts) for _ in row] for row in made]


def by_asking(ask: Callable[[str], Answers]) -> Finds:
    """Judge by what `ask` answers to each question: its first answer must agree."""

    def finds(asked: Sequence[tuple[str, str]]) -> list[bool]:
        found = [(ask(question), answer) for question, answer in asked]
        return [agrees(answers[0][0] if answers else None, answer) for answers, answer in found]

    return finds


def agrees(found: str | None, answer: str) -> bool:
    """Whether an answer that was found is the one that was meant. Nothing agrees with one that has no words."""
    meant = normalise_answer(answer)
    return bool(meant) and found is not None and normalise_answer(found) == meant
