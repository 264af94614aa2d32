"""Fit what tells questions of several hops (`pairs.several`), on questions of which it is known."""

from __future__ import annotations

from answerable.encoders.encoder import Vectors
from answerable.errors import FormatError
from answerable.pairs.several import Several
from answerable.selective.calibrate import fit

RIDGE = 3.0
"""How much the weights are shrunk: there are hundreds, beside a few thousand questions."""
DIGITS = 4
"""Decimals kept of a weight; probabilities change in the fourth."""


def fitted_several(several: Vectors, single: Vectors, matcher: str, on: str = "") -> Several:
    """From the vectors (n, d) of questions of several hops and (m, d) of one. Raises `FormatError` without either."""
    if not len(several) or not len(single):
        raise FormatError("questions of several hops and questions of one are needed")
    rows = [*several, *single]
    weights, bias = fit(rows, [True] * len(several) + [False] * len(single), RIDGE)
    return Several(tuple(round(weight, DIGITS) for weight in weights), round(bias, DIGITS), matcher, on)


def shares(one: Several, vectors: Vectors) -> float:
    """The share of these questions that it takes for such of several hops."""
    return sum(one.likely(row) for row in vectors) / max(1, len(vectors))
