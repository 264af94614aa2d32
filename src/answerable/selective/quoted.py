"""How sure an answer is that a language model wrote: by what can be measured of it, never by what it says of itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from answerable.selective.calibrate import Calibration
from answerable.selective.decide import Decision, below
from answerable.selective.features import Choice, choices
from answerable.text import agree
from answerable.types import Candidate, Chain

QUOTED = Calibration(
    (5.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0),
    -3.5,
    0.5,
    "nothing: the share of its words that are quoted, mostly",
)
"""For a model that nothing was fitted to, set by hand. Weights of `features.NAMES` with the share of the answer's words
that its quotes hold in the place of the score."""
_UNLIKE = 4.0
"""By how much less than the least of the reader's answers one scores which none of them is like."""


def measured(
    question: str, answer: Candidate, quoted: float, others: Sequence[Candidate], chains: Sequence[Chain]
) -> Choice:
    """The answer with the features of a reader's; those that compare it with others are of the reader's own answers.

    Its first feature is `quoted` (0 to 1). The reader's answers agree with it where one says the other's words; its
    score is that of the best of these. `others` were read from `chains`, which are in the order of retrieval.
    """
    alike = [replace(one, text=answer.text) if agree(one.text, answer.text) else one for one in others]
    own = [one.score for one in alike if one.text == answer.text]
    score = max(own) if own else min((one.score for one in others), default=0.0) - _UNLIKE
    placed = replace(answer, score=score)
    ranked = sorted([placed, *alike], key=lambda one: -one.score)
    choice = next(one for one in choices(question, ranked, chains) if one.candidate == placed)
    return replace(choice, features=(quoted, *choice.features[1:]))


def surer(
    question: str,
    said: tuple[Candidate, float],
    read: Sequence[Candidate],
    chains: Sequence[Chain],
    decision: Decision,
    by: Calibration,
    least: float,
) -> tuple[Decision, bool]:
    """The surer of what a language model `said`, with the share that is quoted, and of what was decided without it.

    And whether it is the model's. `read`: all answers of the reader, over `chains`. `by`: how sure the model's is, and
    `least`: what that must reach.
    """
    choice = measured(question, *said, read, chains)
    sure = by.sure(choice)
    if decision.text is not None and (decision.confidence >= sure or sure < least):
        return decision, False
    others = decision.others if decision.text is None else ((decision.text, decision.confidence), *decision.others)
    standing = (said[0], *decision.read)
    if sure >= least:
        return Decision(choice.text, None, sure, said[0], others, choice, standing), True
    reason = below("answer found", sure, least)
    return Decision(None, reason, sure, said[0], ((choice.text, sure), *others), choice, standing), False
