"""How sure answers are, held against how right they are.

Risk against coverage: for a threshold on the confidence, coverage is the share of questions that reach it, and risk the
mean loss of these (0 for a right answer, 1 for a wrong one; or 1 − F1). A point for each confidence that occurs, surest
first; equal ones stand or fall together. area = sum over points of risk × (coverage − coverage of the point before):
without ties the mean of the risks at coverages 1/n, 2/n, ..., 1 (AURC). Lower is better. Every question counts, so give
one that got no answer the lowest confidence and the loss 1. El-Yaniv and Wiener 2010, section 2; Arora et al. 2022
(PAIR), section 5.2; Geifman, Uziel and El-Yaniv 2019, section 3 (the area).

Expected calibration error: confidences in bins (0, 1/B], (1/B, 2/B], ..., with 0 in the first,
ECE = sum over bins of n_b / n × |share right in b − mean confidence in b|. Naeini, Cooper and Hauskrecht 2015,
section 3; Guo et al. 2017, equation 3.

AUROC: the chance that a score of the first kind is above one of the second, ties counting half. Hanley and McNeil 1982,
section II; Hendrycks and Gimpel 2017, section 3.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from answerable.errors import UsageError

BINS = 10
"""Of confidences, of equal width."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Risk against coverage, by falling threshold; both tuples have one entry a point, and coverages rise to 1."""

    coverages: tuple[float, ...]
    risks: tuple[float, ...]


def risk_coverage(confidences: Sequence[float], losses: Sequence[float]) -> Curve:
    """The curve of questions with these confidences and losses (finite numbers, a pair a question).

    Raises `UsageError` when there are none, when there is not one of each, or when a number is not finite.
    """
    if not confidences or len(confidences) != len(losses):
        raise UsageError(
            f"{len(confidences)} confidences and {len(losses)} losses make no curve", hint="give one of each a question"
        )
    if not all(map(math.isfinite, [*confidences, *losses])):
        raise UsageError("a confidence or a loss is not a finite number", hint="give unanswered questions a low one")
    surest = sorted(zip(confidences, losses, strict=True), key=lambda pair: (-pair[0], pair[1]))
    coverages, risks = [], []
    count, lost = 0, 0.0
    for _, tied in groupby(surest, key=lambda pair: pair[0]):
        for _, loss in tied:
            count, lost = count + 1, lost + loss
        coverages.append(count / len(surest))
        risks.append(lost / count)
    return Curve(tuple(coverages), tuple(risks))


def area(curve: Curve) -> float:
    """Area under the curve: the mean risk over all coverages. Lower is better."""
    before = (0.0, *curve.coverages)
    return math.fsum(r * (c - b) for r, c, b in zip(curve.risks, curve.coverages, before, strict=False))


def coverage_at_risk(curve: Curve, risk: float) -> float:
    """The largest coverage at which the risk is at most `risk`; 0.0 when there is none."""
    return max((c for c, r in zip(curve.coverages, curve.risks, strict=True) if r <= risk), default=0.0)


def risk_at_coverage(curve: Curve, coverage: float) -> float:
    """The risk at the highest threshold that covers at least the share `coverage`.

    Raises `UsageError` unless `coverage` is above 0 and at most 1.
    """
    if not 0 < coverage <= 1:
        raise UsageError(f"there is no risk at a coverage of {coverage:g}", hint="coverage is above 0 and at most 1")
    return next(r for c, r in zip(curve.coverages, curve.risks, strict=True) if c >= coverage)


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


def expected_calibration_error(confidences: Sequence[float], correct: Sequence[float]) -> float:
    """ECE, 0 to 1, of confidences (0 to 1) in answers that are right (1, True), wrong (0, False) or in between.

    Raises `UsageError` as `reliability` does.
    """
    filled = reliability(confidences, correct)
    return math.fsum(b.count * abs(b.accuracy - b.confidence) for b in filled) / len(confidences)


def reliability(confidences: Sequence[float], correct: Sequence[float]) -> list[Bin]:
    """The bins that are not empty, lowest first: a reliability diagram.

    Raises `UsageError` without questions, unless there is one outcome for each confidence, and unless confidences and
    outcomes are 0 to 1.
    """
    if not confidences or len(confidences) != len(correct):
        raise UsageError(
            f"{len(confidences)} confidences and {len(correct)} outcomes do not go together", hint="give one of each"
        )
    if not all(0 <= value <= 1 for value in (*confidences, *correct)):
        raise UsageError("a confidence or an outcome is not between 0 and 1", hint="calibrate scores first")
    borders = [number / BINS for number in range(1, BINS + 1)]
    inside: list[list[tuple[float, float]]] = [[] for _ in borders]
    for pair in zip(confidences, correct, strict=True):
        inside[bisect_left(borders, pair[0])].append(pair)
    return [
        Bin(
            low=number / BINS,
            high=borders[number],
            count=len(pairs),
            confidence=math.fsum(confidence for confidence, _ in pairs) / len(pairs),
            accuracy=math.fsum(right for _, right in pairs) / len(pairs),
        )
        for number, pairs in enumerate(inside)
        if pairs
    ]


def auroc(scores: Sequence[float], marks: Sequence[bool]) -> float:
    """The area, 0 to 1, for scores (finite) of things that are of the first kind (True) or of the second.

    Raises `UsageError` unless there is one mark a score, a score is finite, and there are some of both kinds.
    """
    if len(scores) != len(marks):
        raise UsageError(f"{len(scores)} scores and {len(marks)} marks do not go together", hint="give one of each")
    if not all(map(math.isfinite, scores)):
        raise UsageError("a score is not a finite number")
    first = [score for score, mark in zip(scores, marks, strict=True) if mark]
    second = [score for score, mark in zip(scores, marks, strict=True) if not mark]
    if not first or not second:
        raise UsageError("scores of one kind alone tell nothing apart", hint="give some of both kinds")
    return float(_wins(first, second).sum()) / (2 * len(first) * len(second))


def above(ones: Sequence[float], others: Sequence[float]) -> float | None:
    """The chance that one of `ones` is above one of `others`, a tie counting half; None when either is empty.

    0.5: the groups lie over each other. 0 or 1: they do not meet. The statistic of Mann and Whitney 1947 as a share,
    which is the area under the curve of telling the groups apart by score.
    """
    if not len(ones) or not len(others):
        return None
    return float(_wins(ones, others).mean() / (2 * len(others)))


def _wins(ones: Sequence[float], others: Sequence[float]) -> NDArray[np.int64]:
    """Of each of `ones`, twice the number of `others` below it, and once those that are equal."""
    values, ranked = np.asarray(ones, np.float64), np.sort(np.asarray(others, np.float64))
    return np.searchsorted(ranked, values, "left") + np.searchsorted(ranked, values, "right")
