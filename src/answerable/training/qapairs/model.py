"""What matches questions as it is trained: an expert of the encoder of skills, a head that judges pairs, an index.

One expert does both, as one serves expanded queries and reranking in Chain-of-Skills: the vector of a question (PAQ,
section 4.2.1: one embedding of both sides) and the logit of a question read with a pair (section 4.2.2).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from answerable.encoders.modular import SkillModel
from answerable.encoders.questions import ANSWER_TOKENS, GRAPH, MATCH, QUESTION_TOKENS, alone, side_by_side
from answerable.encoders.wordpieces import WordPieces
from answerable.training.experts import ExpertSpec, named
from answerable.training.loop import LoopSettings, batches_by_length, halved, tensors
from answerable.training.marked import INPUTS, MarkedModel
from answerable.training.qapairs.known import Known
from answerable.types import Skill

_TOKENS = 4096
"""Tokens encoded at once."""


class MatchModel(MarkedModel):
    """Rows of questions, alone or with a pair and its answer, to a vector and a logit for each."""

    def __init__(self, model: SkillModel) -> None:
        """The layers are those of `model`, not a copy."""
        super().__init__(model, Skill.MATCH, 1)

    def forward(self, ids: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        """As of `MarkedModel`, to (b, width) float32 of length 1, and (b,) float32 logits."""
        mean, logits = super().forward(ids, segments)
        return F.normalize(mean, dim=-1), logits.squeeze(-1)


MATCHING = ExpertSpec(
    Skill.MATCH,
    "matching",
    MatchModel,
    "matcher of questions",
    lambda matcher, _: {MATCH: {"name": named("match", matcher)}},
    graph=GRAPH,
    inputs=INPUTS,
    outputs=("vectors", "logits"),
    part="matcher",
)
"""A matcher of questions: `match.onnx`, which gives vectors and logits; its expert begins as that of questions."""


class Searched:
    """Pairs with their token ids, and what the model as it was last looked at finds among them.

    They are encoded anew every so many steps while the vectors of their questions are being learned.
    """

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
    plan = batches_by_length([len(ids) for ids in questions], LoopSettings(tokens=_TOKENS, seed=0))
    with torch.no_grad(), halved(device):
        for batch in plan:
            fed = tensors(side_by_side([alone(questions[i]) for i in batch]), device)
            out[batch] = model(*fed)[0].float().cpu().numpy()
    model.train(was)
    return out
