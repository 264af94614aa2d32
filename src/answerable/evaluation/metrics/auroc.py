"""How well scores tell two kinds apart: the area under the receiver operating characteristic.

It is the chance that a score of the first kind is above one of the second, ties counting half: 1 when all are, 0.5 when
the scores tell nothing. Thresholds do not matter, nor how many there are of each kind.

Source: Hanley and McNeil 1982, section II; Hendrycks and Gimpel 2017, section 3, for confidences.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

import numpy as np

from answerable.errors import UsageError


def auroc(scores: Sequence[float], marks: Sequence[bool]) -> float:
    """The area, 0 to 1, for scores (finite) of things that are of the first kind (True) or of the second.

    Raises `UsageError` unless there is one mark a score, a score is finite, and there are some of both kinds.
    """
    if len(scores) != len(marks):
        raise UsageError(f"{len(scores)} scores and {len(marks)} marks do not go together", hint="give one of each")
    if not all(map(math.isfinite, scores)):
        raise UsageError("a score is not a finite number")
    first = sum(map(bool, marks))
    second = len(marks) - first
    if not first or not second:
        raise UsageError("scores of one kind alone tell nothing apart", hint="give some of both kinds")
    below, above = 0, 0.0
    for _, tied in groupby(sorted(zip(scores, marks, strict=True), key=lambda pair: pair[0]), key=lambda pair: pair[0]):
        kinds = [bool(mark) for _, mark in tied]
        here, others = sum(kinds), len(kinds) - sum(kinds)
        above += here * (below + others / 2)
        below += others
    return above / (first * second)


def above(ones: Sequence[float], others: Sequence[float]) -> float | None:
    """The chance that one of `ones` is above one of `others`, a tie counting half; None when either is empty.

    0.5: the groups lie over each other. 0 or 1: they do not meet. The statistic of Mann and Whitney 1947 as a share,
    which is the area under the curve of telling the groups apart by score.
    """
    if not len(ones) or not len(others):
        return None
    values, ranked = np.asarray(ones, np.float64), np.sort(np.asarray(others, np.float64))
    below, reached = np.searchsorted(ranked, values, "left"), np.searchsorted(ranked, values, "right")
    return float((below + reached).mean() / (2 * len(ranked)))
