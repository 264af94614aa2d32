"""Fit what tells whether a missing answer lies behind a refused search, on questions of which the hops are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from answerable.errors import FormatError
from answerable.selective.calibrate import fit
from answerable.selective.missing import Predictor, Regression

FOLDS = 5
_FREE = "free"  # as in `hop_order`: either passage is found from the question alone


@dataclass(frozen=True, slots=True)
class Shown:
    """What an ask shows (`selective.missing_features`), whether the question itself was kept back, and whether that
    mattered.

    `needed`: whether its evidence lies behind what was refused; None where that is not known.
    """

    signs: tuple[float, ...]
    whole: bool
    needed: bool | None


def needed(slice: str, order: str, whole: bool) -> bool | None:
    """Whether a question of this slice (as "PG") has evidence behind what privacy refuses; None: it is not known.

    With `whole`, when the question goes to no public enclave: any public passage is. Else a public passage is that
    comes after a private one (PAIR, section 5); a slice such as "G+P" says that the order is open.
    """
    if not slice:
        return None
    if whole:
        return "G" in slice
    if "+" in slice:
        return False if order == _FREE else None
    return "P" in slice and "G" in slice[slice.index("P") :]


def fit_predictor(shown: Sequence[tuple[float, Shown]], threshold: float, fitted_on: str) -> Predictor:
    """A regression for asks whose question was sent, and one for those where it was not.

    `shown` gives each ask's calibrated confidence too. What is likely enough to be said is chosen among asks below the
    confidence `threshold`, where it would be. Raises `FormatError` where either has not both outcomes.
    """
    step, question = (
        _regression([pair for pair in shown if pair[1].whole is whole], threshold) for whole in (False, True)
    )
    return Predictor(step, question, fitted_on)


def _regression(shown: Sequence[tuple[float, Shown]], threshold: float) -> Regression:
    """Fitted on all asks; likely from where it tells best, on asks below the threshold each judged without itself."""
    ones = [(sure, one) for sure, one in shown if one.needed is not None]
    if len({one.needed for _, one in ones}) < 2:
        raise FormatError(
            "a predictor needs, under each privacy, questions that lack what it refuses and questions that do not",
            hint='a set with private = 0.5 and privacy = ["document", "query"]',
        )
    rows, marks = [(sure, *one.signs) for sure, one in ones], [one.needed is True for _, one in ones]
    x, y = np.asarray(rows, np.float64), np.asarray(marks)
    judged = np.empty(len(y))
    for fold in range(FOLDS):
        here = np.arange(len(y)) % FOLDS == fold
        weights, bias = fit(x[~here], y[~here])
        judged[here] = 1 / (1 + np.exp(-(x[here] @ np.asarray(weights) + bias)))
    unsure = x[:, 0] < threshold
    told = unsure if y[unsure].any() else np.full(len(y), True)
    return Regression(*fit(x, y), likely_from(judged[told].tolist(), y[told].tolist()))


def likely_from(probabilities: Sequence[float], marks: Sequence[bool]) -> float:
    """The probability from which it is said of most that need it, less the share of the others it is said of.

    (Youden 1950: F1 would say it always where most need it.) The highest where several are best; 1.0 when none is
    better than to say nothing.
    """
    needing = sum(marks)
    others = len(marks) - needing
    best, chosen, hit, false = 0.0, 1.0, 0, 0
    order = sorted(zip(probabilities, marks, strict=True), key=lambda pair: -pair[0])
    for said, (probability, mark) in enumerate(order, 1):
        hit, false = hit + mark, false + (not mark)
        tied = said < len(order) and order[said][0] == probability
        gain = hit * others - false * needing  # the difference of the shares, times both numbers
        if not tied and gain > best:
            best, chosen = gain, probability
    return chosen
