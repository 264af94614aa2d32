"""What a text answers a question with that it asks itself, as help pages do: surer than what is read anywhere."""

from __future__ import annotations

from dataclasses import dataclass, replace

from answerable.corpora.citations import cite
from answerable.corpora.faq import NO_PAGES, STATED, Same, answered
from answerable.selective.beside import Case, Decided
from answerable.selective.decide import Decision
from answerable.text import MARKS, asks_to_be_told
from answerable.types import Candidate, Chain, Hit


@dataclass(frozen=True, slots=True)
class StatedReader:
    """Looks among passages for one that asks the same itself."""

    same: Same

    def weigh(self, case: Case, settled: Decided) -> Decided:
        """What one of the passages states, with its citations, where that is surer than what is settled.

        Passages that state different answers are each as much less sure.
        """
        question, decision = case.question, settled.decision
        if asks_to_be_told(question):
            return settled
        hits = dict.fromkeys((hit, chain) for chain in case.chains for hit in chain.hits)
        every = (self._stated(case, hit, chain) for hit, chain in hits)
        found = {" ".join(one.text.split()): one for one in every if one is not None and case.allowed(one)}
        sure = STATED / max(len(found), 1)
        if not found or sure < max(case.least(None), decision.confidence):
            return settled
        text, best = next(iter(found.items()))
        others = tuple((one, sure) for one in [*found][1:])
        if decision.text is not None:
            others = (*others, (decision.text, decision.confidence))
        others = (*others, *decision.others)[:5]
        cited = cite(question, best.text, best, case.find)
        decided = Decision(text, None, sure, best, others, read=(best, *decision.read))
        return Decided(decided, cited, settled.notes) if cited else settled

    def _stated(self, case: Case, hit: Hit, chain: Chain) -> Candidate | None:
        passage = hit.passage
        document = case.find(passage) if any(mark in passage.text for mark in MARKS) else None
        if document is None or document.kind in NO_PAGES:
            return None
        base = passage.start - document.offset
        within = [one for one in document.sections if base <= one.start < base + len(passage.text)]
        sections = [replace(one, start=one.start - base, end=one.end - base) for one in within]
        span = answered(case.question, passage.text, sections, self.same)
        if span is None:
            return None
        alone = Chain((hit,), hit.score, chain.label)
        return Candidate(passage.text[slice(*span)], 0.0, alone, 0, passage.start + span[0], passage.start + span[1])
