"""Parts without models, for the tests of the stages: each does the plainest thing that its contract allows."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence

from answerable.errors import MissingExtraError
from answerable.qapairs.generation.filtering import agrees
from answerable.qapairs.generation.parts import Extracted, Generated
from answerable.qapairs.generation.stages import Parts
from answerable.types import Passage


class ByLength:
    """The more letters, the likelier."""

    name = "by length"

    def score(self, passages: Sequence[Passage]) -> list[float]:
        return [min(1.0, len(one.text) / 200) for one in passages]


class Numbers:
    """Every number is an answer."""

    name = "numbers"

    def extract(self, passages: Sequence[Passage]) -> list[list[Extracted]]:
        return [
            [Extracted(*match.span(), match.group(), 0.5, self.name) for match in re.finditer(r"\d+", one.text)]
            for one in passages
        ]


class LongWords:
    """Words of six letters and more are answers, the longer the likelier."""

    name = "words"

    def extract(self, passages: Sequence[Passage]) -> list[list[Extracted]]:
        return [
            [
                Extracted(*match.span(), match.group(), min(1.0, len(match.group()) / 10), self.name)
                for match in re.finditer(r"\b\w{6,}\b", one.text)
            ]
            for one in passages
        ]


class BeforeIt:
    """Asks for what follows the two words before an answer, in two ways."""

    name = "before it"

    def __init__(self, seconds: float = 0.0) -> None:
        self._seconds = seconds

    def generate(self, passages: Sequence[Passage], answers: Sequence[Sequence[Extracted]]) -> list[list[Generated]]:
        made = []
        for passage, ones in zip(passages, answers, strict=True):
            time.sleep(self._seconds)
            row = []
            for one in ones:
                before = " ".join(passage.text[: one.start].split()[-2:])
                row.append(Generated(f"What follows {before} of {passage.title}?", one, 0.8, self.name))
                row.append(Generated(f"After {before}, what comes?", one, 0.4, self.name))
            made.append(row)
        return made


class Even:
    """Keeps answers of an even number of letters, the shorter the surer."""

    name = "even"

    def consistent(self, passages: Sequence[Passage], made: Sequence[Sequence[Generated]]) -> list[list[float]]:
        lengths = [[len(one.answer.text) for one in row] for row in made]
        return [[0.0 if length % 2 else 1 / length for length in row] for row in lengths]


def extractors() -> list[Numbers | LongWords]:
    return [Numbers(), LongWords()]


def slow_generator() -> BeforeIt:
    return BeforeIt(0.002)


def missing() -> BeforeIt:
    raise MissingExtraError("a graph of pairs", "pairs")


def failing() -> BeforeIt:
    raise ValueError("the secret text of a passage")


PLAIN = Parts(ByLength, extractors, BeforeIt, Even, per_answer=2)


def by_asking(
    ask: Callable[[str], Sequence[tuple[str, float]]],
) -> Callable[[Sequence[tuple[str, str]]], list[bool]]:
    """Judge by what `ask` answers to each question, best first: its first answer must agree."""

    def finds(asked: Sequence[tuple[str, str]]) -> list[bool]:
        found = [(ask(question), answer) for question, answer in asked]
        return [agrees(answers[0][0] if answers else None, answer) for answers, answer in found]

    return finds
