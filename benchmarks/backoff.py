"""The threshold of a back-off, chosen on other questions than it is measured on (`evaluation.qapairs.outcomes`)."""

from __future__ import annotations

from itertools import groupby

from answerable.evaluation.qapairs.outcomes import Outcomes, backed_off, together

NEVER = 2.0
"""A threshold that no confidence reaches: every question goes to the second system."""


def tuned(first: Outcomes, second: Outcomes) -> float:
    """The threshold at which both together are most accurate, and of equal ones that which asks the second least.

    Raises `UsageError` for other questions.
    """
    together(first, second)
    gains = zip(first.confidences, (a - b for a, b in zip(first.right, second.right, strict=True)), strict=True)
    surest = sorted(gains, key=lambda one: -one[0])
    steps, total = [(NEVER, 0.0)], 0.0
    for confidence, tied in groupby(surest, key=lambda one: one[0]):
        total += sum(gain for _, gain in tied)
        steps.append((confidence, total))
    most = max(total for _, total in steps)
    return min(threshold for threshold, total in steps if total >= most - 1e-9)


def as_accurate(first: Outcomes, second: Outcomes) -> float:
    """The lowest threshold at which both together are not less accurate than the second alone."""
    together(first, second)
    thresholds = sorted({*first.confidences, NEVER})
    alone = sum(second.right) - 1e-9
    return next(one for one in thresholds if sum(backed_off(first, second, one).right) >= alone)
