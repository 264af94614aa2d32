"""From features to a probability that the answer is right, and from a wanted risk to a threshold.

A logistic regression on the features of `selective.features` (after Platt 1999), fitted on questions the reader was
not trained on; the threshold is the lowest confidence at which the answers given keep to the wanted risk
(Geifman and El-Yaniv 2017, section 3).

What the weights leave to say of a chain's way through the lattice of labels (`features.path_of`) is an offset a path,
fitted last and shrunk towards 0, so that a path seldom met changes little.

A yes or a no is as sure as the reader's score makes it, and nothing else: there is always one of the two, in whatever
passage, and neither how many chains agree on it nor the words that they share with the question tells whether the
passage speaks of what is asked.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from answerable.errors import ModelError
from answerable.records import of_record
from answerable.selective.features import NAMES, PATHS, Choice, is_polar, reader_log_odds, squash

METHODS = ("softmax", "grouped", "learned", "paths")
"""Ways to be sure of an answer, side by side:
softmax: over the k chains' scores, the answer's own (PAIR, section 6.1).
grouped: the same, summed over the chains that give this answer (appendix E).
learned: the regression on all features.
paths: the regression with the offset of the chain's path; what the engine decides by."""

OFFSETS = 10.0
"""How strongly offsets are shrunk: that of a path met forty times with even odds is half of what it would be.

Chosen by cross-validation among 1, 4 and 10, and before weights fitted together with the paths (`docs/models.md`)."""


RISKS = tuple(percent / 100 for percent in range(5, 100, 5))
"""Shares of wrong answers for which a threshold is kept."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Weights of the regression, and the threshold below which the engine abstains.

    Weights are in the order of `features.NAMES`; features without one, as those that came after a fit, count nothing.

    `paths`: what is added to the log-odds by `features.PATHS`; one that is not there adds nothing. `risks`: pairs of a
    share of wrong answers and the threshold that keeps to it, by rising share; empty where none were fitted. `polar`:
    of a yes or a no, the weight of the reader's log-odds and the bias, in place of all weights; empty where not fitted.
    """

    weights: tuple[float, ...]
    bias: float
    threshold: float
    fitted_on: str = ""
    paths: Mapping[str, float] = field(default_factory=dict)
    risks: tuple[tuple[float, float], ...] = ()
    polar: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not 0 < len(self.weights) <= len(NAMES):
            raise ModelError(f"a calibration has {len(NAMES)} weights at most, not {len(self.weights)}")
        for name in sorted({*self.paths} - {*PATHS}):
            raise ModelError(f"a calibration has no path {name!r}", hint=f"paths are {', '.join(PATHS)}")
        if len(self.polar) not in (0, 2):
            raise ModelError(f"a calibration has a weight and a bias for yes and no, not {len(self.polar)} numbers")
        numbers = (*self.weights, self.bias, self.threshold, *self.paths.values(), *chain(*self.risks), *self.polar)
        if not all(map(math.isfinite, numbers)):
            raise ModelError("a calibration holds a number that is not finite", hint="fit it again")

    def confidence(self, features: Sequence[float], path: str | None = None) -> float:
        """Probability, 0 to 1, that an answer with these features, from a chain of this path, is right."""
        offset = 0.0 if self._by_score(features) else self.paths.get(path or "", 0.0)
        return squash(self.log_odds(features) + offset)

    def least(self, risk: float | None) -> float:
        """The confidence from which answers are given where a share `risk` of them may be wrong; None: the threshold.

        The greatest fitted share that is no greater decides. Where there is none, each answer by itself must be right
        with probability 1 - `risk`, which keeps to it where confidences are what they say.
        """
        if risk is None:
            return self.threshold
        return next((least for share, least in reversed(self.risks) if share <= risk), 1 - risk)

    def log_odds(self, features: Sequence[float]) -> float:
        """What the regression says by the features alone."""
        if self._by_score(features):
            return self.polar[0] * reader_log_odds(features) + self.polar[1]
        return self.bias + sum(w * f for w, f in zip(self.weights, features, strict=False))

    def _by_score(self, features: Sequence[float]) -> bool:
        return bool(self.polar) and is_polar(features)

    def confidences(self, choice: Choice) -> dict[str, float]:
        """Each of `METHODS`, 0 to 1; without offsets there is no "paths"."""
        own = dict(zip(NAMES, choice.features, strict=True))
        learned = self.confidence(choice.features)
        found = {"softmax": own["softmax"], "grouped": own["grouped"], "learned": learned}
        return found | ({"paths": self.sure(choice)} if self.paths else {})

    def sure(self, choice: Choice) -> float:
        """Probability, 0 to 1, that a choice is right, by all that is known of it."""
        return self.confidence(choice.features, choice.path)

    def save(self, path: Path) -> None:
        """Write as JSON."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf8")

    @staticmethod
    def load(path: Path) -> Calibration:
        """Read what `save` wrote. Raises `ModelError` when it is missing or not a calibration."""
        try:
            raw = json.loads(path.read_text(encoding="utf8"))
            known = {one.name: raw[one.name] for one in fields(Calibration) if one.name in raw}
            made: Calibration = of_record(Calibration, known)
            return made
        except (OSError, ValueError, TypeError) as error:
            raise ModelError(f"the calibration {path.name} cannot be read", hint="reinstall answerable") from error


def fit(
    features: ArrayLike, right: ArrayLike, ridge: float = 1.0, each: ArrayLike = 1.0
) -> tuple[tuple[float, ...], float]:
    """Logistic regression by Newton's method: (n, f) features and n outcomes to weights and bias.

    `ridge` shrinks the weights (not the bias), in units of one example's evidence. `each`: what an example counts for,
    all of them or (n,).
    """
    x = np.asarray(features, np.float64)
    y = np.asarray(right, np.float64)
    times = np.asarray(each, np.float64)
    design = np.hstack([x, np.ones((len(x), 1))])
    penalty = np.diag([ridge] * x.shape[1] + [1e-9])
    beta = np.zeros(design.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        gradient = design.T @ (times * (y - p)) - penalty @ beta
        curvature = design.T @ (design * (times * (p * (1 - p)))[:, None]) + penalty
        step = np.linalg.solve(curvature, gradient)
        beta += step
        if float(np.abs(step).max()) < 1e-9:
            break
    return tuple(float(b) for b in beta[:-1]), float(beta[-1])


def fit_offsets(
    log_odds: ArrayLike, paths: Sequence[str], right: ArrayLike, ridge: float = OFFSETS
) -> dict[str, float]:
    """For each path that occurs, what to add to its (n,) log-odds, given n outcomes: likeliest, and shrunk by `ridge`.

    By Newton's method; `ridge` is in units of one example's evidence, as in `fit`.
    """
    z, y, of = np.asarray(log_odds, np.float64), np.asarray(right, np.float64), np.asarray(paths)
    found = {}
    for name in sorted({*paths}):
        here, offset = of == name, 0.0
        for _ in range(50):
            p = 1 / (1 + np.exp(-np.clip(z[here] + offset, -30, 30)))
            step = (float((y[here] - p).sum()) - ridge * offset) / (float((p * (1 - p)).sum()) + ridge)
            offset += step
            if abs(step) < 1e-9:
                break
        found[name] = offset
    return found


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


def thresholds_by_risk(confidences: Sequence[float], right: Sequence[bool]) -> tuple[tuple[float, float], ...]:
    """What `Calibration.risks` holds: each share of `RISKS` that some threshold keeps to, with the lowest that does.

    A greater share never has the higher threshold.
    """
    found = ((share, threshold_for_risk(confidences, right, share)) for share in RISKS)
    return tuple((share, least) for share, least in found if least <= 1.0)
