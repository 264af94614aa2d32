"""From features to a probability that the answer is right, and from a wanted risk to a threshold.

A logistic regression on the features of `selective.features` (after Platt 1999), fitted on questions the reader was
not trained on; the threshold is the lowest confidence at which the answers given keep to the wanted risk
(Geifman and El-Yaniv 2017, section 3).
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from answerable.errors import ModelError
from answerable.selective.features import NAMES, squash


@dataclass(frozen=True, slots=True)
class Calibration:
    """Weights of the regression, one a feature, and the threshold below which the engine abstains."""

    weights: tuple[float, ...]
    bias: float
    threshold: float
    fitted_on: str = ""

    def __post_init__(self) -> None:
        if len(self.weights) != len(NAMES):
            raise ModelError(f"a calibration needs {len(NAMES)} weights, not {len(self.weights)}")

    def confidence(self, features: Sequence[float]) -> float:
        """Probability, 0 to 1, that an answer with these features is right."""
        return squash(self.bias + sum(w * f for w, f in zip(self.weights, features, strict=True)))

    def save(self, path: Path) -> None:
        """Write as JSON."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf8")

    @staticmethod
    def load(path: Path) -> Calibration:
        """Read what `save` wrote. Raises `ModelError` when it is missing or not a calibration."""
        try:
            raw = json.loads(path.read_text(encoding="utf8"))
            return Calibration(
                tuple(map(float, raw["weights"])), float(raw["bias"]), float(raw["threshold"]), raw["fitted_on"]
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(f"the calibration {path.name} cannot be read", hint="reinstall answerable") from error


def fit(features: ArrayLike, right: ArrayLike, ridge: float = 1.0) -> tuple[tuple[float, ...], float]:
    """Logistic regression by Newton's method: (n, f) features and n outcomes to weights and bias.

    `ridge` shrinks the weights (not the bias), in units of one example's evidence.
    """
    x = np.asarray(features, np.float64)
    y = np.asarray(right, np.float64)
    design = np.hstack([x, np.ones((len(x), 1))])
    penalty = np.diag([ridge] * x.shape[1] + [1e-9])
    beta = np.zeros(design.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        gradient = design.T @ (y - p) - penalty @ beta
        curvature = design.T @ (design * (p * (1 - p))[:, None]) + penalty
        step = np.linalg.solve(curvature, gradient)
        beta += step
        if float(np.abs(step).max()) < 1e-9:
            break
    return tuple(float(b) for b in beta[:-1]), float(beta[-1])


def threshold_for_risk(confidences: Sequence[float], right: Sequence[bool], risk: float) -> float:
    """The lowest confidence whose answers, it and all above, err at most in a share `risk` (0 to 1).

    Ties stand or fall together. Above 1 (never answer) when no threshold keeps to it.
    """
    order = sorted(zip(confidences, right, strict=True), key=lambda pair: -pair[0])
    best, wrong = math.nextafter(1.0, 2.0), 0
    for count, (confidence, is_right) in enumerate(order, 1):
        wrong += not is_right
        tied = count < len(order) and order[count][0] == confidence
        if not tied and wrong <= risk * count:
            best = confidence
    return best
