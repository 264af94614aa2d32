"""`conversing`: turns of conversations about rules, decided by one system."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from answerable.datasets.examples import Example
from answerable.encoders.deciding import DECISIONS
from answerable.evaluation.long.asked import LongDocument, LongQuestion
from answerable.evaluation.long.conversations import Conversing as System
from answerable.evaluation.long.conversations import follow_up
from answerable.evaluation.metrics import sharc
from answerable.evaluation.runs import Record
from answerable.evaluation.tasks.long import Shelves
from answerable.evaluation.tasks.navigating import meets
from answerable.evaluation.tasks.task import Scores, Task

_MORE = "More"


def wanted(question: LongQuestion) -> bool:
    """Whether a question is a turn of a conversation about a rule."""
    return question.kind in DECISIONS


class Conversing(Task):
    """A system over turns of ShARC's conversations, each document opened before it is timed.

    Easy: the decision is right. Evidence: the first step attends to the paragraph of the rule, and every sentence that
    is needed, one for each question asked before and one that the scenario answers, is the best sentence of some step.
    Strict: both. Macro accuracy and the BLEU of follow-up questions are of all turns together.
    """

    name = "conversing"

    def __init__(self, system: System, shelves: Shelves, models: Mapping[str, str]) -> None:
        """Raises `MissingExtraError` without what follow-up questions are measured with."""
        sharc.tokenizer()
        self._system, self._shelves = system, shelves
        self._last: LongDocument | None = None
        self.settings = {"system": system.name}
        self.models = models

    def record(self, example: Example) -> Record:
        """The reply; characters of the paragraph and the sentence of each step; seconds, without opening or asking."""
        document: LongDocument = example.meta["document"]
        turn: LongQuestion = example.meta["asked"]
        shelf, took = self._shelves.open(document)
        began = time.perf_counter()
        replied = self._system.reply(shelf, document, turn)
        seconds = round(time.perf_counter() - began, 6)
        book = shelf.book
        said = replied.decision
        if said == _MORE:
            said = follow_up(book, replied, turn) or _MORE
        paragraphs = [[book.paragraphs[p].start, book.paragraphs[p].end] for p, _ in replied.steps]
        sentences = [list(book.span(row)) for _, row in replied.steps]
        record = {"answer": said, "paragraphs": paragraphs, "evidence": sentences, "seconds": seconds}
        if self._last is document:
            return record
        self._last = document
        size = book.sentences.nbytes + book.wholes.nbytes
        return record | {"document": {"seconds": round(took, 6), "bytes": size}}

    def scores(self, example: Example, record: Mapping[str, Any], at: Sequence[int]) -> Scores:
        """Easy, Evidence, Strict; and Easy of each decision, whose mean is the macro accuracy."""
        turn: LongQuestion = example.meta["asked"]
        easy = sharc.easy(record["answer"], gold(turn))
        found = {"Easy": easy}
        if turn.hops:
            paragraphs, sentences = record["paragraphs"], record["evidence"]
            there = bool(paragraphs) and meets(paragraphs[0], turn.hops[0])
            there = there and all(any(meets(one, hop) for one in sentences) for hop in turn.hops[1:])
            found |= {"evidence": float(there), "Strict": float(there) * easy}
        return found

    def whole(self, pairs: Iterable[tuple[Example, Mapping[str, Any]]]) -> Scores:
        """Macro accuracy, and BLEU of the follow-up questions."""
        said, right = [], []
        for example, record in pairs:
            said.append(record["answer"])
            right.append(gold(example.meta["asked"]))
        return {
            "macro accuracy": sharc.macro_accuracy(said, right),
            "BLEU 1": sharc.follow_up_bleu(said, right, 1),
            "BLEU 4": sharc.follow_up_bleu(said, right, 4),
        }


def gold(turn: LongQuestion) -> str:
    """The right reply: a decision, or what was asked next."""
    return turn.answers[0] if turn.answers else turn.kind
