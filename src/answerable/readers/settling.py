"""Between what a language model says and what the reader beside it reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from answerable.readers.asked import AskedReader, Heard
from answerable.retriever import Retriever
from answerable.selective.decide import Decision
from answerable.selective.quoted import QUOTED, measured
from answerable.types import Candidate, Chain, Citation, Query

Settled = tuple[Decision, tuple[Citation, ...], tuple[str, ...]]
"""What is answered; the citations of a language model's answer, if it is that; and what to say of the model."""


@dataclass(frozen=True, slots=True)
class Settling:
    """What a language model said, and how the reader's answers are decided on. `least`: confidence of what it gives."""

    asked: AskedReader
    heard: Heard
    least: float
    decided: Callable[[Sequence[Candidate]], Decision]

    def settle(
        self, query: Query, door: Retriever, candidates: Sequence[Candidate], chains: Sequence[Chain]
    ) -> Settled:
        """What is answered, of the model's answer and the `candidates` that were read in `chains`.

        What the model was sent is its own to answer from: the reader's answers count where they are from other
        passages, and all of them where the model could not be asked. Of two answers the surer one is given.
        """
        heard = self.heard
        if heard.silent:
            return self.decided(candidates), (), (f"{heard.notes[0]}; the reader beside it was used instead",)
        unsent = {label for label in {one.label for one in chains} if not self.asked.admits(query, label, door)}
        notes = (*heard.notes, *self.asked.left_out(query, door, unsent))
        decision = self.decided([one for one in candidates if one.chain.label in unsent])
        if heard.candidate is None:
            return decision, (), notes
        choice = measured(query.text, heard.candidate, heard.quoted, candidates, chains)
        sure = QUOTED.sure(choice)
        if decision.text is not None and (decision.confidence >= sure or sure < self.least):
            return decision, (), notes
        others = decision.others if decision.text is None else ((decision.text, decision.confidence), *decision.others)
        if sure >= self.least:
            return Decision(choice.text, None, sure, heard.candidate, others, choice), heard.citations, notes
        reason = f"the best answer found has confidence {sure:.2f}, below the threshold {self.least:.2f}"
        return Decision(None, reason, sure, heard.candidate, ((choice.text, sure), *others), choice), (), notes
