"""Whether a question needs more than one passage: a logistic regression on the vector that its pairs are found by.

"Who wrote the book?" and "In which city was the author of the book born?" lie apart among questions, whatever they are
about. What needs several passages is better left to an engine that follows them.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path

from answerable.encoders.encoder import Vectors
from answerable.errors import ModelError
from answerable.selective.features import squash

FILE = Path(__file__).parent / "several.json"
LIKELY = 0.5
"""From this probability on a question is one of several hops."""


@dataclass(frozen=True, slots=True)
class Several:
    """One weight for each number of the vectors of the matcher of this name."""

    weights: tuple[float, ...]
    bias: float
    matcher: str = ""
    fitted_on: str = ""

    def __post_init__(self) -> None:
        if not self.weights or not all(map(math.isfinite, (*self.weights, self.bias))):
            raise ModelError("what tells questions of several hops holds no numbers", hint="fit it again")

    def probability(self, vector: Vectors) -> float:
        """That a question with this (dimension,) vector needs several passages, 0 to 1.

        Raises `ValueError` for one of another dimension.
        """
        return squash(self.bias + math.fsum(w * x for w, x in zip(self.weights, vector.tolist(), strict=True)))

    def likely(self, vector: Vectors) -> bool:
        """Whether it more likely does than not."""
        return self.probability(vector) >= LIKELY


def open_several(matcher: str, path: Path = FILE) -> Several | None:
    """The one fitted to the vectors of this matcher, if there is one. Raises `ModelError`."""
    return _read(path).get(matcher)


def write_several(one: Several, path: Path) -> None:
    """Put one into a file, in the place of that of the same matcher."""
    held = _read(path) | {one.matcher: one}
    path.write_text(json.dumps([asdict(held[name]) for name in sorted(held)]) + "\n", encoding="utf8")


def _read(path: Path) -> dict[str, Several]:
    try:
        rows = json.loads(path.read_text(encoding="utf8")) if path.exists() else []
        read = [
            Several(tuple(map(float, r["weights"])), float(r["bias"]), str(r["matcher"]), str(r["fitted_on"]))
            for r in rows
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"the file {path.name} cannot be read", hint="reinstall answerable") from error
    return {one.matcher: one for one in read}
