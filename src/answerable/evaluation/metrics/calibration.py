"""Expected calibration error: how far confidences are from the share that is right.

Confidences are put into bins of equal width, (0, 1/B], (1/B, 2/B], ..., with 0 in the first. Then

    ECE = sum over bins of n_b / n × |share right in b − mean confidence in b|

0 when every bin is right as often as it says, 1 when all is surely wrong.

Source: Naeini, Cooper and Hauskrecht 2015, section 3; Guo et al. 2017, equation 3, whose borders of bins these are.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from answerable.errors import UsageError


@dataclass(frozen=True, slots=True)
class Bin:
    """Questions whose confidence is above `low` and at most `high` (and 0, for the first)."""

    low: float
    high: float
    count: int
    confidence: float
    """Mean confidence of the bin."""
    accuracy: float
    """Share of the bin that is right; partly right answers count in part."""


def expected_calibration_error(confidences: Sequence[float], correct: Sequence[float], bins: int = 10) -> float:
    """ECE, 0 to 1, of confidences (0 to 1) in answers that are right (1, True), wrong (0, False) or in between.

    Raises `UsageError` as `reliability` does.
    """
    filled = reliability(confidences, correct, bins)
    return math.fsum(b.count * abs(b.accuracy - b.confidence) for b in filled) / len(confidences)


def reliability(confidences: Sequence[float], correct: Sequence[float], bins: int = 10) -> list[Bin]:
    """The bins that are not empty, lowest first: a reliability diagram.

    Raises `UsageError` without questions, without a bin, unless there is one outcome for each confidence, and unless
    confidences and outcomes are 0 to 1.
    """
    if bins < 1:
        raise UsageError(f"{bins} bins cannot hold anything", hint="ask for at least 1")
    if not confidences or len(confidences) != len(correct):
        raise UsageError(
            f"{len(confidences)} confidences and {len(correct)} outcomes do not go together", hint="give one of each"
        )
    if not all(0 <= value <= 1 for value in (*confidences, *correct)):
        raise UsageError("a confidence or an outcome is not between 0 and 1", hint="calibrate scores first")
    borders = [number / bins for number in range(1, bins + 1)]
    inside: list[list[tuple[float, float]]] = [[] for _ in borders]
    for pair in zip(confidences, correct, strict=True):
        inside[bisect_left(borders, pair[0])].append(pair)
    return [
        Bin(
            low=number / bins,
            high=borders[number],
            count=len(pairs),
            confidence=math.fsum(confidence for confidence, _ in pairs) / len(pairs),
            accuracy=math.fsum(right for _, right in pairs) / len(pairs),
        )
        for number, pairs in enumerate(inside)
        if pairs
    ]
