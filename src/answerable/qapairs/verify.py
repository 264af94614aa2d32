"""Whether a pair's question asks the same as the one that was asked: the contract of what tells, and its stand-in.

Matchers put questions close that share their words, so "Who beat her?" lies beside "Whom did she beat?". What tells
them apart is learned (`encoders.sameness`). It sees the two questions alone, so that it tells of nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from answerable.text import words

if TYPE_CHECKING:
    from answerable.encoders.sameness import QuestionTest

LIKELY = 0.5
"""From this probability on two questions are taken for the same where nothing else is said."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How probable it is, 0 to 1, that two questions ask the same; from `least` on they are taken to."""

    probability: float
    least: float = LIKELY

    @property
    def same(self) -> bool:
        """Whether they are taken to."""
        return self.probability >= self.least


Verifier = Callable[[str, str], Verdict]
"""The question asked and a pair's question; whichever comes first makes no difference."""


def learned(test: QuestionTest) -> Verifier:
    """A verifier by what was learned; a question is always the same as itself."""

    def verify(asked: str, question: str) -> Verdict:
        alike = words(asked) == words(question)
        return Verdict(1.0 if alike else test.probability(asked, question), test.least)

    return verify


_SURE = 0.99
"""Of the same words in another order."""
_SMALL = frozenset("a an the of s is are was were do does did".split())
_TURNING = frozenset("not no never without n't before after".split())


def by_words(asked: str, question: str) -> Verdict:
    """The stand-in, which needs no weights: the share of their words that both have, and none where one says "not"."""
    one, other = words(asked), words(question)
    if one == other:
        return Verdict(1.0)
    mine, theirs = {*one} - _SMALL, {*other} - _SMALL
    if mine & _TURNING != theirs & _TURNING:
        return Verdict(0.0)
    return Verdict(_SURE * len(mine & theirs) / max(1, len(mine | theirs)))
