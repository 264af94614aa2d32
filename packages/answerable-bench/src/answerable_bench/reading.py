"""Whether the reader answers a question from its own two passages, and needs both (section 4.3: who validated, here).

A question of which the reader does not have the answer among its guesses is mostly one that nobody could answer from
those passages; not so where a person wrote it, who had read both. One that it is as sure of from one of them alone is
mostly one that the other adds nothing to.
"""

from __future__ import annotations

from answerable.evaluation.metrics.answers import f1
from answerable.readers.reader import Reader
from answerable.text import is_polar, normalise_answer
from answerable.types import PUBLIC, Chain, Hit, Passage, Skill
from answerable.workspace.models import open_reader
from answerable_bench.pairs import BRIDGE, COMPARISON, WRITER, Proposal

UNREAD = {
    "not read": "the reader does not find the answer in the two passages",
    "read alone": "the reader is as sure of the answer from one passage alone",
}
"""What it objects, and in words."""
ALIKE = 0.5
"""The F1 above which two answers are the same: "28 September 2001" and "Friday, 28 September 2001"."""


class Reads:
    """Reads questions with their passages."""

    def __init__(self, reader: Reader | None = None) -> None:
        self._reader = reader or open_reader("span")[0]

    def objection(self, one: Proposal, passages: tuple[Passage, Passage]) -> tuple[str, str] | None:
        """(name, reason) why the reader would not have a question; None where it would."""
        both = self._best(one, passages)
        if one.kind == COMPARISON and is_polar(one.question):
            return None  # yes and no stand nowhere, and this reader guesses them
        if both is None:
            return None if one.by == WRITER else _told("not read")
        alone = [self._best(one, (passage,)) for passage in passages] if one.kind == BRIDGE else []
        return _told("read alone") if any(score is not None and score >= both for score in alone) else None

    def _best(self, one: Proposal, passages: tuple[Passage, ...]) -> float | None:
        """How sure the reader is of the answer, among all that it finds in these passages; None where it is not."""
        hits = tuple(Hit(passage, 1.0, PUBLIC, Skill.SINGLE) for passage in passages)
        found = self._reader.read(one.question, [Chain(hits, 1.0, PUBLIC)])
        return max((it.score for it in found if _alike(it.text, one.answer)), default=None)


def _alike(guess: str, answer: str) -> bool:
    """Whether a guess is the answer or stands for it: guesses do not overlap, so "rigging" hides the longer one."""
    one, other = f" {normalise_answer(guess)} ", f" {normalise_answer(answer)} "
    return f1(guess, (answer,)) > ALIKE or one in other or other in one


def _told(name: str) -> tuple[str, str]:
    return name, UNREAD[name]
