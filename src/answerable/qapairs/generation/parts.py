"""What the four stages of making pairs are made of, and what each of their parts promises (PAQ, section 3).

Every part is pure: equal passages give equal results, whatever is beside them, so that a block that is made again
after a kill, elsewhere or in another order is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from answerable.types import Passage


@dataclass(frozen=True, slots=True)
class Extracted:
    """Characters [start, end) of a passage that may be an answer.

    `score` (0 to 1): how probable an answer it is. `extractor`: the name of what found it.
    """

    start: int
    end: int
    text: str
    score: float
    extractor: str


@dataclass(frozen=True, slots=True)
class Generated:
    """A question made of a passage for one of its answers.

    `score` (0 to 1): how probable it is, of this passage, that it is asked, its answer's probability included.
    """

    question: str
    answer: Extracted
    score: float
    generator: str


class Selector(Protocol):
    """How likely people are to ask about a passage (section 3.1)."""

    name: str

    def score(self, passages: Sequence[Passage]) -> list[float]:
        """For each passage a score from 0 to 1, higher for what is likelier to be asked about."""
        ...


class Extractor(Protocol):
    """Spans of a passage that may be answers (section 3.2)."""

    name: str

    def extract(self, passages: Sequence[Passage]) -> list[list[Extracted]]:
        """For each passage its likely answers, by place; none where there are none."""
        ...


@runtime_checkable
class Generator(Protocol):
    """Questions of a passage whose answers are known (section 3.3)."""

    name: str

    def generate(self, passages: Sequence[Passage], answers: Sequence[Sequence[Extracted]]) -> list[list[Generated]]:
        """For each passage its questions, several for an answer or none, the likeliest of an answer first."""
        ...


class Filter(Protocol):
    """Whether a question finds the answer it was made from (section 3.4)."""

    name: str

    def consistent(self, passages: Sequence[Passage], made: Sequence[Sequence[Generated]]) -> list[list[float]]:
        """For each passage, for each question made of it, how probable it is (0 to 1) that the pair is right; 0 where
        the answer found does not agree with its own, and for what is not to be kept."""
        ...
