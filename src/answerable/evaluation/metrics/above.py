"""How far two groups of scores stand apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


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
