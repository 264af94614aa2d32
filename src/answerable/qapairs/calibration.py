"""From the features of a match to the probability that its answer is right, and when to give it (PAQ, section 5.2.4).

A logistic regression as in `selective.calibrate`, one for each matcher and reranker, since scores of different weights
mean different things.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from answerable.errors import ModelError
from answerable.qapairs.features import NAMES
from answerable.selective.features import squash

FILE = Path(__file__).parent / "calibrations.json"


@dataclass(frozen=True, slots=True)
class PairCalibration:
    """Weights, one for each feature in `weighed`, and the least confidence of an answer that is given.

    `matcher`, `reranker` ("" for none): the names of the weights whose scores these are; of `early`, the reader's name
    stands in the place of the reranker's.
    """

    weights: tuple[float, ...]
    bias: float
    threshold: float
    matcher: str = ""
    reranker: str = ""
    fitted_on: str = ""
    weighed: tuple[str, ...] = NAMES

    def __post_init__(self) -> None:
        if len(self.weights) != len(self.weighed):
            raise ModelError(f"a calibration of pairs needs {len(self.weighed)} weights, not {len(self.weights)}")
        if not all(map(math.isfinite, (*self.weights, self.bias, self.threshold))):
            raise ModelError("a calibration of pairs holds a number that is not finite", hint="fit it again")

    def confidence(self, found: Sequence[float]) -> float:
        """Probability, 0 to 1, that a pair with these features answers rightly."""
        return squash(self.bias + sum(w * f for w, f in zip(self.weights, found, strict=True)))


def _plain() -> PairCalibration:
    """Two questions that share all their words are as good as one; three quarters of them are not enough."""
    weights = dict.fromkeys(NAMES, 0.0) | {"score": 20.0, "covered": 8.0, "added": -8.0}
    return PairCalibration(tuple(weights[name] for name in NAMES), -22.0, 0.8, fitted_on="nothing: shared words")


PLAIN = _plain()
"""For matchers that nothing was fitted to: it hardly answers but where the words are nearly the same."""


def open_calibration(matcher: str, reranker: str = "", path: Path = FILE) -> PairCalibration:
    """The one fitted to these weights, or `PLAIN`. Raises `ModelError` where the file cannot be read."""
    return read_calibrations(path).get((matcher, reranker), PLAIN)


def read_calibrations(path: Path, weighed: tuple[str, ...] = NAMES) -> dict[tuple[str, str], PairCalibration]:
    """All in a file, by matcher and reranker; none where there is no file. Raises `ModelError`."""
    try:
        rows = json.loads(path.read_text(encoding="utf8")) if path.exists() else []
        read = [_read(row, weighed) for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"the calibration {path.name} cannot be read", hint="reinstall answerable") from error
    return {(one.matcher, one.reranker): one for one in read}


def write_calibration(one: PairCalibration, path: Path) -> None:
    """Put one into a file in the place of that of the same weights."""
    held = read_calibrations(path, one.weighed) | {(one.matcher, one.reranker): one}
    rows = [asdict(held[key]) for key in sorted(held)]
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf8")


def _read(row: Mapping[str, Any], weighed: tuple[str, ...]) -> PairCalibration:
    if tuple(row["weighed"]) != weighed:
        raise ModelError(f"a calibration for {row['matcher']} was fitted on other features", hint="fit it again")
    numbers = (tuple(map(float, row["weights"])), float(row["bias"]), float(row["threshold"]))
    return PairCalibration(*numbers, str(row["matcher"]), str(row["reranker"]), str(row["fitted_on"]), weighed)
