"""Fit what ranks the programs of a table: weights of features, and a small network beside them (`tables.network`).

Which program was meant is not known, only what the answer is: all programs that say it are right together (Pasupat and
Liang 2015, section 5). What makes them most likely is found with Adam. Of the features that each step sees some are
left out, so that none is relied on alone. A seed gives the same weights on one thread.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from answerable.encoders.encoder import Vectors

logger = logging.getLogger(__name__)
_EPOCHS, _BATCH = 3, 8
_RATE, _WIDE, _FEW = 1.5e-3, 3, 4e-4
"""Adam's rate, how many times that of the weights is, and how strongly they are drawn to 0 by their absolute size."""
_SIZE, _DROPPED, _LEFT_OUT = 32, 0.3, 0.2
"""Dimensions of vectors and of what is hidden; the shares of the hidden and of features that a step does without."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The programs of a question as rows of parts, and each part as features [begins[i], begins[i + 1]); what each
    program says, as a number, whether that is right, and the question's vector. `times`: how often it counts."""

    parts: NDArray[np.int16]
    features: NDArray[np.int32]
    begins: NDArray[np.int32]
    said: NDArray[np.int32]
    right: NDArray[np.bool_]
    question: Vectors
    times: int = 1


@dataclass(frozen=True, slots=True)
class Batch:
    """Several choices in one: features, by their places, which begin at each of all parts; programs as rows of these,
    with the number of their question and of what they say; for each answer the number of its question and whether it is
    right."""

    features: Tensor
    begins: Tensor
    programs: Tensor
    of: Tensor
    said: Tensor
    right: Tensor
    answered: Tensor
    questions: Tensor
    times: Tensor

    @staticmethod
    def of_choices(some: Sequence[Choice], places: NDArray[np.int64]) -> Batch:
        """`places`: of each feature among those that are weighed; their number for others."""
        begins, programs, said = [0], [], [0]
        for one in some:
            begins.append(begins[-1] + len(one.begins) - 1)
            said.append(said[-1] + len(one.right))
        widest, none = max(one.parts.shape[1] for one in some), begins[-1]
        for at, one in zip(begins, some, strict=False):
            rows = np.full((len(one.parts), widest), none, np.int64)
            own = one.parts.astype(np.int64)
            rows[:, : own.shape[1]] = np.where(own == len(one.begins) - 1, none, own + at)
            programs.append(rows)
        lengths = np.concatenate([np.diff(one.begins) for one in some])
        every = np.arange(len(some))
        made = (
            places[np.concatenate([one.features for one in some])],
            np.cumsum(lengths) - lengths,
            np.concatenate(programs),
            np.repeat(every, [len(one.parts) for one in some]),
            np.concatenate([one.said.astype(np.int64) + at for at, one in zip(said, some, strict=False)]),
            np.concatenate([one.right for one in some]),
            np.repeat(every, [len(one.right) for one in some]),
            np.stack([one.question for one in some]),
            np.array([one.times for one in some], np.float32),
        )
        return Batch(*map(torch.from_numpy, made))


class Ranker(nn.Module):
    """Scores programs by `features` that are weighed, of which the first `deep` have vectors too, and by the vector of
    a question of so many dimensions."""

    def __init__(self, features: int, deep: int, dimension: int) -> None:
        super().__init__()
        self.features, self.deep = features, deep
        self.weights = nn.EmbeddingBag(features + 1, 1, mode="sum", padding_idx=features)
        self.vectors = nn.EmbeddingBag(deep + 1, _SIZE, mode="sum", padding_idx=deep)
        self.bias = nn.Parameter(torch.zeros(_SIZE))
        self.gate = nn.Linear(dimension, _SIZE)
        self.hidden = nn.Linear(2 * _SIZE, _SIZE)
        self.out = nn.Linear(_SIZE, 1, bias=False)
        self.dropout = nn.Dropout(_DROPPED)
        nn.init.zeros_(self.weights.weight)
        nn.init.zeros_(self.out.weight)
        nn.init.normal_(self.vectors.weight, std=0.05)
        with torch.no_grad():
            self.vectors.weight[deep] = 0

    def forward(self, batch: Batch) -> Tensor:
        """(programs,) scores."""
        features = batch.features
        if self.training:
            features = features.masked_fill(torch.rand(features.shape) < _LEFT_OUT, self.features)
        wide = self._summed(self.weights, features, batch)
        deep = self._summed(self.vectors, features.clamp(max=self.deep), batch)
        each = torch.relu(deep + self.bias)
        through = torch.tanh(self.gate(batch.questions))[batch.of]
        hidden = torch.relu(self.hidden(torch.cat([each, each * through], 1)))
        scores: Tensor = wide[:, 0] + self.out(self.dropout(hidden))[:, 0]
        return scores

    def _summed(self, bag: nn.EmbeddingBag, features: Tensor, batch: Batch) -> Tensor:
        parts = bag(features, batch.begins)
        summed: Tensor = torch.cat([parts, parts.new_zeros(1, parts.shape[1])])[batch.programs].sum(1)
        return summed

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What `tables.network.Network` is made of, and the `weights` of features beside it."""
        vectors = self.vectors.weight[: self.deep]
        scale = vectors.abs().amax(0) / 127
        made = {
            "weights": self.weights.weight[: self.features, 0],
            "vectors": torch.round(vectors / scale).to(torch.int8),
            "scale": scale,
            "bias": self.bias,
            "gate": torch.cat([self.gate.bias[None], self.gate.weight.T]).half(),
            "hidden": torch.cat([self.hidden.bias[None], self.hidden.weight.T]),
            "out": self.out.weight[0],
        }
        return {name: value.detach().numpy() for name, value in made.items()}


def likelihoods(scores: Tensor, batch: Batch) -> Tensor:
    """(questions,) the logarithm of how likely the right answers of each are."""
    count, answers = len(batch.times), len(batch.right)
    top = torch.full((count,), -torch.inf).scatter_reduce(0, batch.of, scores.detach(), "amax")
    raised = torch.exp(scores - top[batch.of])
    each = torch.zeros(answers).index_add(0, batch.said, raised)
    total = torch.zeros(count).index_add(0, batch.answered, each)
    right = torch.zeros(count).index_add(0, batch.answered, each * batch.right)
    return torch.log(right.clamp_min(1e-10)) - torch.log(total)


def fit(choices: Sequence[Choice], places: NDArray[np.int64], deep: int, seed: int) -> dict[str, NDArray[Any]]:
    """The arrays of a ranker that makes right answers likely. `places`: of each feature among those that are weighed,
    of which the first `deep` have vectors; their number for others."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    model = Ranker(int(places.max()), deep, len(choices[0].question))
    wide = [*model.weights.parameters()]
    other = [one for name, one in model.named_parameters() if not name.startswith("weights")]
    optimizer = torch.optim.Adam([{"params": wide, "lr": _RATE * _WIDE}, {"params": other, "lr": _RATE}])
    steps = _EPOCHS * -(-len(choices) // _BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    order = [*choices]
    for epoch in range(_EPOCHS):
        rng.shuffle(order)
        told = 0.0
        for at in range(0, len(order), _BATCH):
            batch = Batch.of_choices(order[at : at + _BATCH], places)
            likely = likelihoods(model(batch), batch)
            size = model.weights.weight[torch.unique(batch.features)].abs().sum()
            optimizer.zero_grad()
            torch.autograd.backward(_FEW * size - (likely * batch.times).sum() / _BATCH)
            optimizer.step()
            schedule.step()
            told += float(likely.detach().sum())
        logger.info("pass %d: mean log likelihood %.4f", epoch + 1, told / len(order))
    return model.eval().arrays()
