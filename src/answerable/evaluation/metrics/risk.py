"""How often one errs when answering only what one is surest of: risk against coverage.

For a threshold on the confidence, coverage is the share of questions that reach it, and risk the mean loss of these (0
for a right answer, 1 for a wrong one; or 1 − F1). The curve has one point for each confidence that occurs, surest
first: equal confidences stand or fall together, so that the order of the questions does not matter.

    area = sum over points of risk × (coverage − coverage of the point before)

Without ties that is the mean of the risks at coverages 1/n, 2/n, ..., 1 (AURC). Lower is better; 0 only when nothing
is wrong. Every question counts, so give one that got no answer the lowest confidence and the loss 1.

Sources: El-Yaniv and Wiener 2010, section 2; Arora et al. 2022 (PAIR), section 5.2 and figures 3 and 4; Geifman,
Uziel and El-Yaniv 2019, section 3 (the area).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from answerable.errors import UsageError


@dataclass(frozen=True, slots=True)
class Curve:
    """Risk against coverage, by falling threshold; the three tuples have one entry a point.

    Coverages rise to 1; a question is answered at a point when its confidence is at least the point's threshold.
    """

    thresholds: tuple[float, ...]
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
    thresholds, coverages, risks = [], [], []
    count, lost = 0, 0.0
    for confidence, tied in groupby(surest, key=lambda pair: pair[0]):
        for _, loss in tied:
            count, lost = count + 1, lost + loss
        thresholds.append(confidence)
        coverages.append(count / len(surest))
        risks.append(lost / count)
    return Curve(tuple(thresholds), tuple(coverages), tuple(risks))


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
