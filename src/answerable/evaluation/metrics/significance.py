"""Whether two runs over the same questions differ by more than chance, by their differences d = b − a a question.

- Bootstrap: questions are drawn again with replacement, as many as there are, `rounds` times. The interval holds the
  middle 95% of the mean differences seen, and p is twice the smaller of the shares at most 0 and at least 0.
- Randomisation: p is the share of random swaps of a question's two scores that make a mean difference at least as
  large, whichever its sign.

In both, p = (1 + count) / (1 + rounds). The same seed gives the same result, whatever the order of the questions.
Efron and Tibshirani 1993, sections 13.3 and 16.4; Noreen 1989, chapter 2; Smucker, Allan and Carterette 2007.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from answerable.errors import UsageError

CELLS = 1 << 20  # numbers drawn at a time, so that memory does not grow with the rounds


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better the second run is than the first: the mean of b − a, its 95% interval, and p (two-sided)."""

    mean: float
    low: float
    high: float
    p: float


def paired_bootstrap(a: Sequence[float], b: Sequence[float], seed: int = 0, rounds: int = 10_000) -> Difference:
    """Mean of b − a with its interval, by drawing questions again.

    Raises `UsageError` when there are no scores, when there is not one of each run a question, when a score is not
    finite, or for fewer rounds than one.
    """
    gaps = np.sort(_gaps(a, b, rounds))
    draw = np.random.default_rng(seed)
    size = len(gaps)
    means = np.concatenate([gaps[draw.integers(0, size, (many, size))].mean(axis=1) for many in _blocks(rounds, size)])
    slack = _slack(gaps) / size
    beyond = min(int((means <= slack).sum()), int((means >= -slack).sum()))
    low, high = np.quantile(means, (0.025, 0.975))
    return Difference(_mean(gaps), float(low), float(high), min(1.0, 2 * (1 + beyond) / (1 + rounds)))


def interval(values: Sequence[float], rounds: int = 10_000) -> tuple[float, float]:
    """95% of a mean, by drawing the questions again. Raises as `paired_bootstrap`."""
    found = paired_bootstrap([0.0] * len(values), values, rounds=rounds)
    return found.low, found.high


def paired_randomisation(a: Sequence[float], b: Sequence[float], seed: int = 0, rounds: int = 10_000) -> float:
    """p, two-sided, that runs which are alike differ as much as these. Raises `UsageError` as `paired_bootstrap`."""
    gaps = _gaps(a, b, rounds)
    sizes = np.sort(np.abs(gaps))  # swapping a question's scores turns the sign of its difference
    seen = abs(math.fsum(gaps)) - _slack(gaps)
    draw = np.random.default_rng(seed)
    beyond = 0
    for many in _blocks(rounds, len(sizes)):
        signs = draw.integers(0, 2, (many, len(sizes)), dtype=np.int8) * 2.0 - 1.0
        beyond += int((np.abs(signs @ sizes) >= seen).sum())
    return (1 + beyond) / (1 + rounds)


def _gaps(a: Sequence[float], b: Sequence[float], rounds: int) -> NDArray[np.float64]:
    if not len(a) or len(a) != len(b):
        raise UsageError(
            f"{len(a)} scores cannot be paired with {len(b)}", hint="compare two runs over the same questions"
        )
    if rounds < 1:
        raise UsageError(f"{rounds} rounds tell nothing", hint="ask for some thousands")
    gaps = np.asarray(b, np.float64) - np.asarray(a, np.float64)
    if not np.isfinite(gaps).all():
        raise UsageError("a score is not a finite number", hint="score what has no answer as 0")
    return gaps


def _blocks(rounds: int, size: int) -> Iterator[int]:
    """The rounds, in blocks of at most `CELLS` numbers."""
    block = max(1, CELLS // size)
    for start in range(0, rounds, block):
        yield min(block, rounds - start)


def _mean(gaps: NDArray[np.float64]) -> float:
    return math.fsum(gaps) / len(gaps)


def _slack(gaps: NDArray[np.float64]) -> float:
    """What rounding may add to a sum of these: two sums this near are equal."""
    return 1e-12 * float(np.abs(gaps).sum())
