"""Which passages are worth asking about: a learned selector (PAQ, section 3.1 and appendix A.2).

The paper scores a passage's vector with an MLP; here that vector is the one by which the encoder of skills lets the
passage be found, as it ships, and a probability is made of the score.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from answerable.encoders.skills import ModularEncoder
from answerable.encoders.wordpieces import passage_text
from answerable.errors import ModelError
from answerable.qapairs.generation.heads import PAIRS, Floats, open_head
from answerable.types import Passage, Skill

SELECTION = "selection.npz"


class PassageSelector:
    """How likely people are to ask about a passage, by the head in `folder` on an open encoder."""

    def __init__(self, encoder: ModularEncoder, folder: Path = PAIRS / "selection") -> None:
        """Raises `ModelError` as `open_head` does."""
        shipped, weights = open_head(folder, SELECTION, encoder.name)
        self.name = shipped.name
        self._encoder = encoder
        try:
            self._head = SelectionHead(weights)
            self._scale, self._shift = float(shipped.about["scale"]), float(shipped.about["shift"])
        except (KeyError, ValueError) as error:
            raise ModelError(f"the model in {folder} is no selector of passages", hint="train it again") from error

    def score(self, passages: Sequence[Passage]) -> list[float]:
        """A probability (0 to 1) for each passage, of its heading and its first 256 tokens; each is read alone.

        It is calibrated for pools of which one passage in five was asked about: what matters is the order.
        """
        if not passages:
            return []
        scores = self._head.scores(passage_vectors(self._encoder, [(one.heading, one.text) for one in passages]))
        logits = np.clip(self._scale * scores.astype(np.float64) + self._shift, -30, 30)
        return [float(value) for value in 1 / (1 + np.exp(-logits))]


def passage_vectors(encoder: ModularEncoder, texts: Sequence[tuple[str, str]]) -> Floats:
    """(n, width) float32: the vector of each (title, text) alone, so that it does not depend on its neighbours."""
    return encoder.encode_queries([(passage_text(*one), Skill.PASSAGE, ()) for one in texts])


class SelectionHead:
    """The MLP: `rise` (width, h) and `bias` (h,), a rectifier, and `out` (h,)."""

    def __init__(self, weights: dict[str, Floats]) -> None:
        """Raises `KeyError` where weights are missing."""
        self.rise, self.bias, self.out = weights["rise"], weights["bias"], weights["out"]

    def scores(self, vectors: Floats) -> Floats:
        """(n, width) to (n,) float32; higher is better. Row by row: a row's score is the same in any company."""
        return np.array([np.maximum(one @ self.rise + self.bias, 0) @ self.out for one in vectors], np.float32)
