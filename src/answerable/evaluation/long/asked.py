"""A long document, what is asked of it, where in it the evidence stands, and what a walk is asked to come there."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from answerable.corpora.paragraphs import Paragraph, Span
from answerable.encoders.deciding import DECISIONS
from answerable.types import Document


@dataclass(frozen=True, slots=True)
class LongQuestion:
    """One question of a long document, with its gold.

    `hops` has an entry for each step, in order: the characters [start, end) of the document of pieces of evidence, any
    of which is right; none at all where the evidence is not known. `kind` is `extractive`, `abstractive`, `yes`, `no`,
    `unanswerable`, or the decision of a conversation: `Yes`, `No`, `Irrelevant`, `More`. `answers` are alternatives,
    but of ConditionalQA all are wanted together, each under its `conditions` (answer, conditions). `history` are
    (question, answer) pairs before this one, oldest first.
    """

    id: str
    text: str
    answers: tuple[str, ...]
    hops: tuple[tuple[Span, ...], ...]
    kind: str = "extractive"
    scenario: str = ""
    history: tuple[tuple[str, str], ...] = ()
    conditions: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class LongDocument:
    """A document, the questions asked of it, and its paragraphs in order, as the data set says what they are."""

    document: Document
    questions: tuple[LongQuestion, ...]
    paragraphs: tuple[Paragraph, ...]


def asked_of(question: LongQuestion) -> tuple[str, ...]:
    """The sentences of a conversation's turn: the question, the scenario, what was asked and answered, oldest first
    (equation 1). Any other question is one, with its scenario and the turn before it."""
    turns = [f"{asked} {answer}" for asked, answer in question.history]
    if question.kind in DECISIONS:
        return tuple(part for part in (question.text, question.scenario, *turns) if part.strip())
    return (" ".join(part for part in (question.text, question.scenario, *turns[-1:]) if part.strip()),)


def pieces(document: LongDocument, question: LongQuestion) -> tuple[tuple[Span, ...], ...]:
    """The evidence of each pair of steps, of two at most; of a conversation, of each step.

    Evidence that a walk can reach through one paragraph is one piece: of what follows one another in the same
    paragraphs, only the last, such as the sentence of a table's row.
    """
    if question.kind in DECISIONS:
        return question.hops
    kept: list[tuple[Span, ...]] = []
    before: set[int] = set()
    for hop in question.hops:
        here = {p for p, _ in held_by(document, hop)}
        if kept and here and here <= before:
            kept[-1] = hop
        else:
            kept.append(hop)
        before = here or before
    return (kept[0], kept[-1]) if len(kept) > 1 else tuple(kept)


def held_by(document: LongDocument, spans: Sequence[Span]) -> list[tuple[int, int]]:
    """The (paragraph, sentence)s that share characters with one of the spans."""
    if not spans:
        return []
    low, high = min(a for a, _ in spans), max(b for _, b in spans)
    first = bisect_right([one.end for one in document.paragraphs], low)
    last = bisect_left([one.start for one in document.paragraphs], high)
    return [
        (p, s)
        for p, paragraph in enumerate(document.paragraphs[first:last], first)
        if any(a < paragraph.end and b > paragraph.start for a, b in spans)
        for s, (start, end) in enumerate(paragraph.sentences)
        if any(a < end and b > start for a, b in spans)
    ]
