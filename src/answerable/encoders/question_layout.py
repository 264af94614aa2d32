"""How questions become rows of token ids: one alone, to be compared by its vector, or one read with a pair.

A row is `[CLS] question [SEP]`, and read with a pair it goes on with `its question [SEP] its answer [SEP]` (PAQ,
section 4.2.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from answerable.encoders.wordpieces import Ids

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


def together(asked: Sequence[int], question: Sequence[int], answer: Sequence[int]) -> AskedRow:
    """The row of a question and a pair, each given as token ids, [CLS] and [SEP] included."""
    rest = [*question[1:], *answer[1:]]
    of_rest = [QUESTION] * (len(question) - 1) + [ANSWER] * (len(answer) - 1)
    return AskedRow([*asked, *rest], [ASKED] * len(asked) + of_rest)


def side_by_side(rows: Sequence[AskedRow]) -> tuple[Ids, Ids]:
    """Ids and segments of rows, each (n, longest) int64, padded with zeros."""
    ids, segments = (np.zeros((len(rows), max(len(row.ids) for row in rows)), np.int64) for _ in range(2))
    for number, row in enumerate(rows):
        ids[number, : len(row.ids)], segments[number, : len(row.ids)] = row.ids, row.segments
    return ids, segments
