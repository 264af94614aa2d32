"""Whether two questions ask the same, without torch: a cross-encoder that reads both, in either order.

Made by `answerable.training.same`; what it computes is `training.qapairs.model.MatchModel`, by an expert of its own.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from answerable.encoders.questions import QUESTION_TOKENS, side_by_side, together
from answerable.encoders.session import Session
from answerable.encoders.shipped import Shipped, opening
from answerable.encoders.wordpieces import WordPieces
from answerable.errors import ModelError

SAME, GRAPH = "same", "same.onnx"
"""What the manifest says of it is under this key, in a folder that has the graph."""
_KEPT = 1 << 14


class QuestionTest:
    """Tells whether two questions ask the same. `name` identifies the weights.

    `least`: the probability from which on they are taken to, at which few near misses of development were.
    """

    def __init__(self, shipped: Shipped, threads: int = 0) -> None:
        """Open the model on `threads` processors (0: all). Raises `ModelError` when it is damaged or tests nothing."""
        if not tells(shipped):
            raise ModelError(f"the model in {shipped.folder} tests no questions", hint="use skills, which ships")
        with opening(shipped):
            told = shipped.about[SAME]
            self.name = str(told["name"])
            self.least = float(told["least"])
            self._scale, self._shift = float(told["scale"]), float(told["shift"])
            self._pieces = WordPieces(shipped.file("tokenizer.json"))
            self._session = Session(shipped.file(GRAPH), threads)
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


def tells(shipped: Shipped) -> bool:
    """Whether a folder of weights can tell whether two questions ask the same."""
    return GRAPH in shipped.about["files"] and SAME in shipped.about
