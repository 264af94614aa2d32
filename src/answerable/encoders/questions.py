"""What matches questions among pairs, without torch: vectors that compare, and pairs judged beside a question.

Made by `answerable.training.experts`; what it computes is `training.qapairs.model.MatchModel`, of rows laid out the
same way: `[CLS] question [SEP]`, and read with a pair `its question [SEP] its answer [SEP]` after it (PAQ, section
4.2.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from answerable.encoders.encoder import Passages, Vectors
from answerable.encoders.session import Expert, Feed
from answerable.encoders.shipped import Shipped, opening

ASKED, QUESTION, ANSWER = 1, 2, 3
"""In `segments`: 0 is padding, the question asked is 1, that of the pair 2, and the pair's answer 3."""
QUESTION_TOKENS, ANSWER_TOKENS = 64, 24
"""The most tokens read of each, [CLS] and [SEP] counted."""


@dataclass(frozen=True, slots=True)
class AskedRow:
    """A row of n tokens, and what each is of."""

    ids: list[int]
    segments: list[int]


def alone(question: Sequence[int]) -> AskedRow:
    """The row of one question, given as token ids, [CLS] and [SEP] included."""
    return AskedRow(list(question), [ASKED] * len(question))


def together(asked: Sequence[int], question: Sequence[int], answer: Sequence[int] = ()) -> AskedRow:
    """The row of a question and a pair, each given as token ids, [CLS] and [SEP] included, or without its answer."""
    rest = [*question[1:], *answer[1:]]
    of_rest = [QUESTION] * (len(question) - 1) + [ANSWER] * (len(rest) + 1 - len(question))
    return AskedRow([*asked, *rest], [ASKED] * len(asked) + of_rest)


def side_by_side(rows: Sequence[AskedRow]) -> Feed:
    """`ids` and `segments` of rows, each (n, longest) int64, padded with zeros."""
    ids, segments = (np.zeros((len(rows), max(len(row.ids) for row in rows)), np.int64) for _ in range(2))
    for number, row in enumerate(rows):
        ids[number, : len(row.ids)], segments[number, : len(row.ids)] = row.ids, row.segments
    return {"ids": ids, "segments": segments}


MATCH, GRAPH = "match", "match.onnx"
"""What the manifest says of it is under this key, in a folder that has the graph."""
BATCH_TOKENS = 1024
"""As for passages: what fits a processor's cache."""
SLICE = 8192
"""Questions tokenised at once: it bounds memory, and is part of how batches are made."""


class QuestionMatcher(Expert):
    """A matcher and a reranker (`qapairs.lookup`) from a folder that `training.experts.export_expert` wrote."""

    key, lacking = MATCH, "matches no questions"

    def __init__(self, shipped: Shipped, threads: int = 0) -> None:
        """Open the model as `Expert`."""
        super().__init__(shipped, threads)
        with opening(shipped):
            self.dimension = int(shipped.about["dimension"])

    def encode_questions(self, questions: Sequence[str]) -> Vectors:
        """(n, dimension) float32 unit rows of the first 64 tokens of each, in order.

        With int8 arithmetic a row depends a little on its batch: for questions of one label at a time.
        """
        out = np.empty((len(questions), self.dimension), np.float32)
        for begin in range(0, len(questions), SLICE):
            rows = [alone(ids) for ids in self._pieces.ids(questions[begin : begin + SLICE], QUESTION_TOKENS)]
            out[begin : begin + len(rows)] = self._outputs(rows, side_by_side, BATCH_TOKENS, self.dimension)
        return out

    def rerank(self, question: str, pairs: Passages) -> Vectors:
        """(n,) float32: for each (question, answer) how well it answers `question`; higher is better.

        A score depends a little on the pairs it is given with: for pairs of one label at a time.
        """
        [asked] = self._pieces.ids([question], QUESTION_TOKENS)
        theirs = self._pieces.ids([one for one, _ in pairs], QUESTION_TOKENS)
        answers = self._pieces.ids([one for _, one in pairs], ANSWER_TOKENS)
        rows = [together(asked, *pair) for pair in zip(theirs, answers, strict=True)]
        scores: Vectors = self._outputs(rows, side_by_side, BATCH_TOKENS, 1, 1)[:, 0]
        return scores
