"""Questions a second, and how long the slow ones take.

    questions a second = questions / seconds by the clock
    p-th percentile    = the shortest of the times measured in which at least p% of the questions were done

The percentile is always a time that was measured (the nearest-rank definition, NIST/SEMATECH e-Handbook of Statistical
Methods, section 7.2.6.2), so that asking everything twice at the same pace changes none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from answerable.errors import UsageError

USUAL = (50, 90, 95, 99)


def questions_per_second(questions: int, seconds: float) -> float:
    """Rate of a number of questions done in so many seconds by the clock (not summed over workers).

    Raises `UsageError` unless seconds are above 0.
    """
    if not (seconds > 0 and math.isfinite(seconds)):
        raise UsageError(f"{questions} questions in {seconds:g} seconds have no rate", hint="time the whole run")
    return questions / seconds


def percentiles(seconds: Sequence[float], wanted: Sequence[int] = USUAL) -> dict[int, float]:
    """Each wanted percentile (1 to 100) of the times of questions, in seconds.

    Raises `UsageError` when there are no times, or for a percentile out of range.
    """
    if not seconds:
        raise UsageError("no question was timed, so there are no percentiles", hint="evaluate at least one question")
    if bad := [p for p in wanted if not 1 <= p <= 100]:
        raise UsageError(f"there is no percentile {bad[0]}", hint="percentiles are 1 to 100")
    ordered = sorted(seconds)
    return {p: ordered[-(-p * len(ordered) // 100) - 1] for p in wanted}  # rank ⌈p·n/100⌉, in whole numbers
