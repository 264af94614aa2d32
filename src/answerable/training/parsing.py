"""Learn to rank the readings of a query: conditional likelihood of the right trees, with numpy alone.

A chart gives readings of each query; those that agree with its tree are right, together. The weights that make them
most likely are found with Adam over all queries at once and a Gaussian prior; charts are then made anew with these.
Queries none of whose readings is right are left out. It takes some minutes on one core; a seed gives the same weights.
Source: the log-linear model of Zettlemoyer and Collins 2005, without its learned lexicon.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answerable.evaluation.metrics.trees import agree, closeness
from answerable.sets.parsing.chart import Chart, Item
from answerable.sets.parsing.lines import taken_apart
from answerable.sets.parsing.parser import expression
from answerable.sets.parsing.words import asked, tokens
from answerable.training.recipe import Kind, Made, Recipe
from answerable.training.trees import Said, drawn, marks, pools, written

logger = logging.getLogger(__name__)

ROUNDS = (2000, 4000, 8000)
"""Queries drawn in each round; the charts of a round are made with the weights of the one before."""
WIDTHS = (10, 8, 8)
_PRIOR = 0.25
_STEPS = 250
_RARE = 4
"""A feature met in fewer queries is left out."""
_NEAR = 0.6
"""How near the reading of a marked query must be to its tree to be taken for right, where none agrees."""
_MARKED = 2.0
"""What a query that a person wrote weighs."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The readings of a query: the features of each, how often, and which are right."""

    features: tuple[Mapping[str, int], ...]
    right: tuple[bool, ...]
    weight: float


def choices(said: Said, weights: Mapping[str, float], width: int) -> Choices | None:
    """The readings of a query with the right ones marked; None where none is right or all are."""
    items = readings(said.query, weights, width)
    right = [agree(expression(item.node), said.tree) for item in items]
    if said.marked and not any(right):
        right = _nearest(items, said)
    if not any(right) or all(right):
        return None
    return Choices(tuple(Counter(item.features()) for item in items), tuple(right), _MARKED if said.marked else 1.0)


def readings(query: str, weights: Mapping[str, float], width: int = 8) -> list[Item]:
    """All readings of a query that its chart keeps."""
    line = taken_apart(asked(tokens(query)))
    return Chart(line, weights, width).readings() if len(line.joints) <= 9 else []


def _nearest(items: Sequence[Item], said: Said) -> list[bool]:
    """The readings nearest to a tree of other words, where they are near enough."""
    near = [closeness(said.tree, expression(item.node)) for item in items]
    best = max(near, default=0.0)
    return [best >= _NEAR and one > best - 0.01 for one in near]


def fit(examples: Sequence[Choices], start: Mapping[str, float]) -> dict[str, float]:
    """The weights that make the right readings most likely, from `start`."""
    met = Counter(name for one in examples for name in {key for row in one.features for key in row})
    names = sorted(name for name, count in met.items() if count >= _RARE)
    number = {name: at for at, name in enumerate(names)}
    rows = [
        (owner, counted, fits)
        for owner, one in enumerate(examples)
        for counted, fits in zip(one.features, one.right, strict=True)
    ]
    met_in = [
        (number[name], row, count)
        for row, (_, counted, _) in enumerate(rows)
        for name, count in counted.items()
        if name in number
    ]
    problem = _Problem(
        np.array([column for column, _, _ in met_in], np.int32),
        np.array([row for _, row, _ in met_in], np.int32),
        np.array([count for _, _, count in met_in], np.float32),
        np.array([owner for owner, _, _ in rows], np.int32),
        np.array([fits for _, _, fits in rows], bool),
        np.array([one.weight for one in examples], np.float64),
        len(names),
    )
    found = problem.solved(np.array([start.get(name, 0.0) for name in names]))
    return {name: round(float(value), 2) for name, value in zip(names, found, strict=True) if abs(value) >= 0.02}


@dataclass(frozen=True, slots=True)
class _Problem:
    """Readings as rows of features; `owners` tells each row's query."""

    columns: NDArray[np.int32]
    rows: NDArray[np.int32]
    values: NDArray[np.float32]
    owners: NDArray[np.int32]
    right: NDArray[np.bool_]
    weights: NDArray[np.float64]
    count: int

    def solved(self, start: NDArray[np.float64]) -> NDArray[np.float64]:
        """Adam over all rows, its steps getting smaller."""
        at, first, second = start.copy(), np.zeros(self.count), np.zeros(self.count)
        for step in range(1, _STEPS + 1):
            loss, slope = self.slope(at)
            first += 0.1 * (slope - first)
            second += 0.01 * (slope**2 - second)
            size = 0.1 * (1 - (step - 1) / _STEPS)
            at -= size * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
            if step % 50 == 0:
                logger.info("step %d: loss %.4f", step, loss)
        return at

    def slope(self, at: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """The mean of minus the log likelihood with the prior, and how it changes with each weight."""
        height, queries = len(self.owners), len(self.weights)
        scores = np.bincount(self.rows, self.values * at[self.columns], height).astype(np.float64)
        every, whole = self._shares(scores, np.ones(height, bool))
        some, part = self._shares(scores, self.right)
        loss = float(np.sum(self.weights * (whole - part)) / queries)
        change = (every - some) * self.weights[self.owners] / queries
        slope = np.bincount(self.columns, self.values * change[self.rows], self.count)
        prior = _PRIOR / queries
        return loss + prior * float(at @ at) / 2, slope + prior * at

    def _shares(
        self, scores: NDArray[np.float64], among: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The probability of each row among those of its query that count, and the log of their sum."""
        top = np.full(len(self.weights), -np.inf)
        np.maximum.at(top, self.owners[among], scores[among])
        raised = np.where(among, np.exp(np.minimum(scores - top[self.owners], 0.0)), 0.0)
        sums = np.bincount(self.owners, raised, len(self.weights))
        return raised / sums[self.owners], top + np.log(sums)


def train(data: Path, seed: int = 7) -> tuple[dict[str, float], list[dict[str, int]]]:
    """Weights from drawn and marked queries, and what each round saw."""
    taught = pools(data, held=False)
    marked = [*marks(data / "quest/train.jsonl"), *written()]
    weights: dict[str, float] = {}
    log = []
    for number, (count, width) in enumerate(zip(ROUNDS, WIDTHS, strict=True)):
        queries: Iterable[Said] = [*drawn(taught, count, seed + number), *marked]
        queries = list(queries)
        made = [choices(said, weights, width) for said in queries]
        examples = [one for one in made if one]
        weights = fit(examples, weights)
        log.append({"queries": len(queries), "with readings": len(examples), "weights": len(weights)})
        logger.info("round %d: %s", number + 1, log[-1])
    return weights, log


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsingRecipe(Recipe):
    """A recipe of the kind `parsing`."""

    seed: int = 7


def _make(recipe: ParsingRecipe, data: Path, out: Path) -> Made:
    weights, log = train(data, recipe.seed)
    text = json.dumps({"seed": recipe.seed, "rounds": log, "weights": weights}, indent=0, sort_keys=True)
    (out / "weights.json").write_text(text + "\n", encoding="utf8")
    return Made({"weights": str(out / "weights.json")}, (f"The weights are in {out / 'weights.json'}.",))


KINDS = {"parsing": Kind(ParsingRecipe, _make, labelled=False)}
