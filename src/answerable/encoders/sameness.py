"""Whether two questions ask the same, without torch: a cross-encoder that reads both, in either order.

Made by `answerable.training.same`; what it computes is `training.qapairs.model.MatchModel`, by an expert of its own.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from answerable.encoders.questions import QUESTION_TOKENS, side_by_side, together
from answerable.encoders.session import Expert
from answerable.encoders.shipped import Shipped, opening

SAME, GRAPH = "same", "same.onnx"
"""What the manifest says of it is under this key, in a folder that has the graph."""
_KEPT = 1 << 14


class QuestionTest(Expert):
    """Tells whether two questions ask the same.

    `least`: the probability from which on they are taken to, at which few near misses of development were.
    """

    key, lacking = SAME, "tests no questions"

    def __init__(self, shipped: Shipped, threads: int = 0) -> None:
        """Open the model as `Expert`."""
        super().__init__(shipped, threads)
        with opening(shipped):
            self.least, self._scale, self._shift = (float(self.about[name]) for name in ("least", "scale", "shift"))
        self._logit = lru_cache(maxsize=_KEPT)(self._read)

    def logit(self, one: str, other: str) -> float:
        """The mean of both orders, before calibration: a function of these two texts, whichever comes first."""
        return self._logit(*sorted((one, other)))

    def probability(self, one: str, other: str) -> float:
        """That both ask the same, 0 to 1, calibrated on development questions."""
        logit = self._scale * self.logit(one, other) + self._shift
        return 1.0 / (1.0 + math.exp(-min(60.0, max(-60.0, logit))))

    def _read(self, one: str, other: str) -> float:
        first, second = self._pieces.ids([one, other], QUESTION_TOKENS)
        both = side_by_side([together(first, second), together(second, first)])
        return float(np.mean(self._session.run(both)[0]))
