"""Pairs by the vectors of their questions while these are being learned: encoded anew every so many steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from answerable.encoders.questions import ANSWER_TOKENS, QUESTION_TOKENS, alone, side_by_side
from answerable.encoders.wordpieces import WordPieces
from answerable.training.loop import plan_batches
from answerable.training.qapairs.known import Known
from answerable.training.qapairs.model import MatchModel

_TOKENS = 4096
"""Tokens encoded at once."""


class Searched:
    """Pairs with their token ids, and what the model as it was last looked at finds among them."""

    def __init__(self, pieces: WordPieces, pairs: Sequence[Known]) -> None:
        self.pairs = pairs
        self.questions = pieces.ids([one.question for one in pairs], QUESTION_TOKENS)
        self.answers = pieces.ids([one.answers[0] for one in pairs], ANSWER_TOKENS)
        self._vectors: NDArray[np.float32] | None = None
        self.steps = 0
        """Steps since the last refresh: whoever trains counts them."""

    def refresh(self, model: MatchModel, device: torch.device) -> None:
        """Encode every question by the model as it is now."""
        self._vectors, self.steps = encode(model, self.questions, device), 0

    @property
    def ready(self) -> bool:
        """Whether anything was encoded yet."""
        return self._vectors is not None

    def best(self, vectors: NDArray[np.float32], k: int, without: Sequence[int | None]) -> NDArray[np.int64]:
        """(b, k) numbers of the pairs nearest to each of (b, d) rows, best first, one of them left out of each."""
        assert self._vectors is not None
        scores = vectors @ self._vectors.T
        for row, number in enumerate(without):
            if number is not None:
                scores[row, number] = -np.inf
        k = min(k, len(self.pairs) - 1)
        top = np.argpartition(-scores, k - 1, axis=1)[:, :k]
        order = np.argsort(-np.take_along_axis(scores, top, 1), axis=1, kind="stable")
        return np.take_along_axis(top, order, 1).astype(np.int64)


def encode(model: MatchModel, questions: Sequence[list[int]], device: torch.device) -> NDArray[np.float32]:
    """(n, width) float32: the vectors of questions given as token ids, without gradients."""
    was, out = model.training, np.zeros((len(questions), model.model.trunk.shape.width), np.float32)
    model.eval()
    plan = plan_batches([len(ids) for ids in questions], [0] * len(questions), _TOKENS, 0)
    with torch.no_grad(), torch.autocast(device.type, torch.bfloat16):
        for batch in plan:
            ids, segments = (
                torch.from_numpy(one).to(device) for one in side_by_side([alone(questions[i]) for i in batch])
            )
            out[batch] = model(ids, segments)[0].float().cpu().numpy()
    model.train(was)
    return out
