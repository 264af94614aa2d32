"""Which documents to give, when each has a probability: as many of the likeliest as make the expected F1 greatest.

There is no one probability from which on that is so: where the set is likely to be small and nothing is certain, less
likely documents are worth giving. The documents are taken as independent, so that the number of those that fit follows
the Poisson binomial distribution. The best set of each size is that of the likeliest, and its expected F1 is exact
(Jansche 2007; Ye et al. 2012, section 3.1, in time n²).

A document of probability 1/2 or more is in the best set whatever the others are: added to k documents of which t fit
and beside which r more fit, N = k + t + r, it gains 2(N + 1 - t) / ((N + 1)(N + 2)) where it fits and loses
2t / (N(N + 1)) where it does not, and since t <= k the first is never less. So it can be given at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CERTAIN = 0.5
"""The probability from which on a document belongs to the best set, whatever the others are."""
_EQUAL = 1e-12


def distribution(probabilities: Floats) -> Floats:
    """(n + 1,) float64: how likely it is that exactly 0, 1, ..., n of n documents fit. In any order."""
    found = np.zeros(len(probabilities) + 1)
    found[0] = 1.0
    for number, one in enumerate(probabilities, 1):
        found[1 : number + 1] = found[1 : number + 1] * (1.0 - one) + found[:number] * one
        found[0] *= 1.0 - one
    return found


def expected_f1(ordered: Floats) -> Floats:
    """(n + 1,) float64: the expected F1 of giving the first 0, 1, ..., n documents; `ordered` from likely to unlikely.

    To give none where none fits counts 1. Takes some milliseconds for 300 documents.
    """
    count = len(ordered)
    given = np.zeros((count + 1, count + 1))  # row k: how many of the first k fit
    given[0, 0] = 1.0
    for k in range(1, count + 1):
        given[k, : k + 1] = given[k - 1, : k + 1] * (1.0 - ordered[k - 1])
        given[k, 1 : k + 1] += given[k - 1, :k] * ordered[k - 1]
    expected = np.zeros(count + 1)
    expected[0] = given[count, 0]
    rest = 1.0 / np.arange(1, 2 * count + 2)  # at a - 1: the mean of 1 / (a + those of the others that fit)
    for k in range(count, 0, -1):
        hits = np.arange(1, k + 1)
        expected[k] = float(np.sum(2.0 * hits * given[k, 1 : k + 1] * rest[k - 1 + hits]))
        rest = np.append(ordered[k - 1] * rest[1:] + (1.0 - ordered[k - 1]) * rest[:-1], 0.0)
    return expected


def best_count(ordered: Floats) -> int:
    """How many of the likeliest to give, so that the expected F1 is greatest; the larger number of equal ones.

    At least one where there are any: that none fits is likely among these alone, and documents that were not judged
    may fit too. Whether the likeliest is likely enough to be given is for `FindSettings.least`.
    """
    if not len(ordered):
        return 0
    expected = expected_f1(ordered)[1:]
    return int(np.flatnonzero(expected >= expected.max() - _EQUAL)[-1]) + 1


def count_interval(probabilities: Floats, mass: float = 0.9) -> tuple[int, int]:
    """The least and the most documents that fit, with equal shares of what is outside `mass` (0 to 1) on each side."""
    sure = int((probabilities >= 1.0).sum())
    below = np.cumsum(distribution(probabilities[(probabilities > 0.0) & (probabilities < 1.0)]))
    tail = (1.0 - mass) / 2.0
    low, high = (sure + int(np.searchsorted(below, share - _EQUAL)) for share in (tail, 1.0 - tail))
    return low, min(high, len(probabilities))
