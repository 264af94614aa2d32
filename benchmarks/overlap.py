"""Which test questions a training set has already: PAQ's table 7 (section 5.2.6), drawn by machine.

    question overlap      some training question asks the same, and has the same answer
    answer-only overlap   some training question has the same answer, and none of those asks the same
    no overlap            no training question has the answer

Answers are the same when their normalised texts are; questions ask the same when the cosine of their vectors is at
least `cut`. For the published splits people read the questions (Lewis et al. 2021), so that figures by these compare
systems here, and not with the paper's to the point.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from enum import StrEnum

import numpy as np

from answerable.datasets.examples import Example
from answerable.encoders.encoder import Vectors
from answerable.text import normalise_answer

Encode = Callable[[Sequence[str]], Vectors]
"""Questions to (n, dimension) float32 unit rows, in order; the same for both sides."""
CUT = 0.8


class Overlap(StrEnum):
    """The splits, by what they are called on the page."""

    QUESTION = "question overlap"
    ANSWER = "answer-only overlap"
    NONE = "no overlap"


def overlaps(tested: Sequence[Example], trained: Sequence[Example], encode: Encode, cut: float = CUT) -> list[Overlap]:
    """The split of each test question, in order. A question equal to another but for case and marks asks the same."""
    by_answer: dict[str, list[int]] = defaultdict(list)
    for number, example in enumerate(trained):
        for answer in _answers(example):
            by_answer[answer].append(number)
    sharing = [sorted({number for answer in _answers(one) for number in by_answer.get(answer, ())}) for one in tested]
    theirs = {number: row for row, number in enumerate(sorted({number for ones in sharing for number in ones}))}
    if not theirs:
        return [Overlap.NONE] * len(tested)
    ours = encode([one.question for one in tested])
    known = encode([trained[number].question for number in theirs])
    found = []
    for row, (one, numbers) in enumerate(zip(tested, sharing, strict=True)):
        if not numbers:
            found.append(Overlap.NONE)
            continue
        near = float(np.max(known[[theirs[number] for number in numbers]] @ ours[row]))
        same = any(normalise_answer(trained[number].question) == normalise_answer(one.question) for number in numbers)
        found.append(Overlap.QUESTION if same or near >= cut else Overlap.ANSWER)
    return found


def _answers(example: Example) -> set[str]:
    return {text for text in map(normalise_answer, example.answers) if text}
