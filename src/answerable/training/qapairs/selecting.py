"""Train the passage selector from a recipe: `recipes/pair-selection.toml` is it.

The encoder is frozen. A positive's probability among its group is made as likely as can be (PAQ, section 3.1); then one
scale and one shift make probabilities of the scores, on the development pages.
"""

from __future__ import annotations

import json
import logging
import random
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from answerable.encoders.choose import encoder_folder
from answerable.encoders.shipped import Shipped
from answerable.encoders.skills import ModularEncoder
from answerable.qapairs.generation.heads import SELECTION, Floats, SelectionHead, passage_vectors, save_head
from answerable.training.fit import HeadRecipe, begun
from answerable.training.loop import Parts, fit
from answerable.training.qapairs.asked import Drawn, Group, drawn
from answerable.training.recipe import Kind, Made
from answerable.training.sets.tune import platt

logger = logging.getLogger(__name__)
TOPS = (0.25, 0.5)
"""Shares of a pool that are kept, for which recall is told."""
ASKED = 0.2
"""The share of passages of a pool that were asked about, for which recall is told and probabilities are calibrated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionRecipe(HeadRecipe):
    """A recipe of the kind `pair-selection`. `sources`: how many positives of each are learned from.

    `easy`: random passages of each pool, among which negatives are; `negatives`: of a positive in each of its groups.
    `dropout` is of the hidden layer too. `groups` are learned together.
    """

    groups: int = 64
    easy: int = 1500
    negatives: int = 4
    sources: Mapping[str, int] = field(default_factory=dict)

    ALLOWED: ClassVar[Collection[str]] = ("nq", "boolq")


class SelectionModel(nn.Module):
    """The head as it is trained; `SelectionHead` is the same in numpy."""

    def __init__(self, width: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.rise, self.out = nn.Linear(width, hidden), nn.Linear(hidden, 1, bias=False)
        self.before, self.between = nn.Dropout(dropout), nn.Dropout(dropout)
        self.scale = width**0.5

    def forward(self, vectors: Tensor) -> Tensor:
        """(..., width) unit rows to (...) scores."""
        out: Tensor = self.out(self.between(torch.relu(self.rise(self.before(vectors * self.scale))))).squeeze(-1)
        return out

    def weights(self) -> dict[str, Floats]:
        """As `SelectionHead` takes them."""
        with torch.no_grad():
            rise, bias, out = self.rise.weight.T * self.scale, self.rise.bias, self.out.weight[0]
            return {"rise": rise.numpy().copy(), "bias": bias.numpy().copy(), "out": out.numpy().copy()}


def train_selection(recipe: SelectionRecipe, data: Path, folder: Path) -> Shipped:
    """Train a selector as a recipe says; the head stands in `folder`/model. Raises `UsageError`, `FormatError`."""
    begun(recipe.threads, recipe.loop.seed)
    encoder = ModularEncoder(encoder_folder(recipe.start), recipe.threads)
    made = drawn(data, recipe.sources, recipe.easy, recipe.negatives, recipe.loop.seed)
    logger.info("%d passages, %d groups, %d held out", len(made.passages), len(made.learned), len(made.held))
    vectors = passage_vectors(encoder, made.passages)
    model = SelectionModel(encoder.dimension, recipe.hidden, recipe.dropout)
    learn(model, made, vectors, recipe, folder)
    scores = SelectionHead(model.weights()).scores(vectors)
    logger.info("held out: %s", json.dumps(recalls(made.held, scores)))
    scale, shift = calibrated(made.held, scores)
    about = {"encoder": encoder.name, "scale": scale, "shift": shift}
    return save_head(folder / "model", SELECTION, "selection", model.weights(), about)


def learn(model: SelectionModel, made: Drawn, vectors: Floats, recipe: SelectionRecipe, folder: Path) -> None:
    """The weights of the epoch with the highest recall at a quarter, on average over kinds of development groups."""
    rng, seen = random.Random(recipe.loop.seed), torch.from_numpy(vectors)
    batches: list[list[int]] = []
    for _ in range(recipe.epochs):
        order = rng.sample(range(len(made.learned)), len(made.learned))
        batches += [order[begin : begin + recipe.groups] for begin in range(0, len(order), recipe.groups)]

    def loss(numbers: list[int]) -> Tensor:
        return selection_loss(model, seen, [made.learned[i] for i in numbers])

    def judge() -> dict[str, float]:
        found = recalls(made.held, SelectionHead(model.weights()).scores(vectors))
        return {kind: shares[0] for kind, shares in found.items()}

    fit(recipe.looped(batches), Parts(model, batches, loss, judge=judge), folder)


def selection_loss(model: Callable[[Tensor], Tensor], vectors: Tensor, groups: Sequence[Group]) -> Tensor:
    """Minus the log probability of positives, each among its group, on average."""
    most = max(len(one.negatives) for one in groups)
    places = torch.tensor([[one.positive, *one.negatives] + [0] * (most - len(one.negatives)) for one in groups])
    there = torch.tensor([[True] * (1 + len(one.negatives)) + [False] * (most - len(one.negatives)) for one in groups])
    scores = model(vectors[places]).masked_fill(~there, -1e4)
    return -scores.log_softmax(1)[:, 0].mean()


def pools(groups: Sequence[Group]) -> dict[str, tuple[list[int], list[int]]]:
    """For each kind of group the numbers of its positives and of its negatives, each once."""
    found: defaultdict[str, tuple[dict[int, None], dict[int, None]]] = defaultdict(lambda: ({}, {}))
    for one in groups:
        found[one.kind][0][one.positive] = None
        found[one.kind][1].update(dict.fromkeys(one.negatives))
    return {kind: (list(right), [n for n in wrong if n not in right]) for kind, (right, wrong) in sorted(found.items())}


def recalls(groups: Sequence[Group], scores: Sequence[float] | Floats) -> dict[str, tuple[float, ...]]:
    """For each kind of group: shares of its positives (in per cent) in the best quarter and half of its pool."""
    return {kind: recall_at(right, wrong, scores) for kind, (right, wrong) in pools(groups).items()}


def recall_at(right: Sequence[int], wrong: Sequence[int], scores: Sequence[float] | Floats) -> tuple[float, ...]:
    """Shares of `right` (in per cent) in the best quarter and half of a pool; ties by number.

    Of the pool one passage in five is right, whatever the numbers here: each counts for as much as it takes.
    """
    ranking = sorted([*right, *wrong], key=lambda n: (-scores[n], n))
    wanted = set(right)
    taken = np.array([n in wanted for n in ranking])
    pool = np.cumsum(np.where(taken, ASKED / len(right), (1 - ASKED) / max(1, len(wrong))))
    return tuple(round(100 * float(taken[pool <= top + 1e-9].sum()) / len(right), 1) for top in TOPS)


def calibrated(groups: Sequence[Group], scores: Floats) -> tuple[float, float]:
    """Scale and shift that make a score the log-odds of having been asked about, in pools as `recall_at` has them."""
    every = list(pools(groups).values())
    right, wrong = ([n for pool in every for n in pool[part]] for part in (0, 1))
    weights = np.repeat([ASKED / len(right), (1 - ASKED) / len(wrong)], [len(right), len(wrong)])
    return platt(np.asarray(scores[[*right, *wrong]], np.float64), np.arange(len(weights)) < len(right), weights)


KINDS = {"pair-selection": Kind(SelectionRecipe, lambda recipe, data, out: Made.of(train_selection(recipe, data, out)))}
