"""`navigating`: questions of long documents, whose evidence is known, asked of one system."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from answerable.corpora.paragraphs import Span
from answerable.datasets.examples import Example
from answerable.documents.encoded import Book
from answerable.encoders.deciding import DECISIONS
from answerable.evaluation.long.asked import LongDocument, LongQuestion, asked_of, pieces
from answerable.evaluation.long.systems import Answered, Opened, System
from answerable.evaluation.metrics.answers import exact, f1
from answerable.evaluation.runs import Record
from answerable.evaluation.tasks.long import Shelves
from answerable.evaluation.tasks.task import Scores, Task

TWICE = frozenset({"2wikimultihopqa", "hotpotqa", "musique"})
"""Data sets whose questions are all asked for two pieces of evidence: the paper sets the hops of a data set too."""
TOLD = 10
"""So many sentences of evidence are kept of a question."""
_READ = ("extractive", "abstractive", "yes", "no")


def wanted(question: LongQuestion) -> bool:
    """Whether a question is one of this task: of no conversation about a rule, with evidence or an answer to find."""
    answered = bool(question.answers) and question.kind in _READ
    return question.kind not in DECISIONS and bool(answered or (question.hops and question.hops[-1]))


class Navigating(Task):
    """A system over questions of long documents, each document opened before it is timed.

    EM and F1 are SQuAD's, over questions that have an answer, whether or not it stands there word for word. Over those
    with known evidence: hits@1, whether the best sentence shares characters with the last piece of it; paragraph
    hits@1, the same of the paragraph that the sentence is in. Over those with two pieces: both, whether the best two
    sentences are one of each; support EM and F1, of these two as a set against all sentences of evidence (HotpotQA).
    """

    name = "navigating"

    def __init__(self, system: System, shelves: Shelves, count: int, models: Mapping[str, str]) -> None:
        """`count`: the pieces of evidence to ask for, 0 to let the system decide."""
        self._system, self._shelves, self._count = system, shelves, count
        self._opened: tuple[LongDocument, Opened] | None = None
        self.settings = {"system": system.name, "pieces": count}
        self.models = models

    def record(self, example: Example) -> Record:
        """The answer, characters of the best sentences, the best pair and the best paragraph; seconds, without opening.

        With the first question of a document, what opening it took and what is kept of it.
        """
        document: LongDocument = example.meta["document"]
        opened, first = self._open(document)
        asked = asked_of(example.meta["asked"])[0]
        began = time.perf_counter()
        answered = self._system.answer(opened, asked, self._count)
        seconds = round(time.perf_counter() - began, 6)
        record = {"answer": " ".join(answered.candidates[0].text.split()) if answered.candidates else None}
        record |= told(opened.book, answered) | {"seconds": seconds}
        return record | ({"document": {"seconds": round(opened.seconds, 6), "bytes": opened.size}} if first else {})

    def _open(self, document: LongDocument) -> tuple[Opened, bool]:
        first = self._opened is None or self._opened[0] is not document
        if self._opened is None or self._opened[0] is not document:
            self._opened = document, self._system.open(*self._shelves.open(document))
        return self._opened[1], first

    @staticmethod
    def scores(example: Example, record: Mapping[str, Any], at: Sequence[int] = ()) -> Scores:
        """See the class."""
        document: LongDocument = example.meta["document"]
        question: LongQuestion = example.meta["asked"]
        found: Scores = {}
        if question.answers and question.kind in _READ:
            said = record["answer"] or ""
            found |= {"EM": exact(said, question.answers), "F1": f1(said, question.answers)}
        if not question.hops or not question.hops[-1]:
            return found
        gold = pieces(document, question)
        found["hits@1"] = float(bool(record["evidence"]) and meets(record["evidence"][0], gold[-1]))
        found["paragraph hits@1"] = float(bool(record["paragraph"]) and meets(record["paragraph"], gold[-1]))
        if len(gold) == 2:
            pair = record["pair"] or []
            one, other = (pair[0], pair[1]) if len(pair) == 2 else ((0, 0), (0, 0))
            straight = meets(one, gold[0]) and meets(other, gold[-1])
            found["both"] = float(straight or (meets(other, gold[0]) and meets(one, gold[-1])))
            found |= support(pair, question.hops)
        return found


def told(book: Book, answered: Answered) -> Record:
    """For a record: `evidence`, `pair` and `paragraph`, as characters of the document."""
    evidence = [list(book.span(row)) for row, _ in answered.ranked[:TOLD]]
    pair = [list(book.span(row)) for row in answered.together] if answered.together else None
    paragraph = book.paragraphs[book.paragraph(answered.ranked[0][0])] if answered.ranked else None
    return {"evidence": evidence, "pair": pair, "paragraph": paragraph and [paragraph.start, paragraph.end]}


def support(pair: Sequence[Sequence[int]], hops: Sequence[Sequence[Span]]) -> dict[str, float]:
    """EM and F1 of two sentences against all sentences of evidence, one a hop, as HotpotQA scores supporting facts."""
    right = sum(any(meets(one, hop) for hop in hops) for one in pair)
    met = sum(any(meets(one, hop) for one in pair) for hop in hops)
    precision, recall = right / len(pair) if pair else 0.0, met / len(hops)
    both = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {"support EM": float(precision == recall == 1.0), "support F1": both}


def meets(one: Sequence[int], spans: Sequence[Span]) -> bool:
    """Whether characters [start, end) share any with one of the spans."""
    return any(one[0] < end and start < one[1] for start, end in spans)
