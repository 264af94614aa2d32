"""A long document, what is asked of it, and where in it the evidence stands."""

from __future__ import annotations

from dataclasses import dataclass

from answerable.corpora.paragraphs import Paragraph, Span
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
