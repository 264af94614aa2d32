"""Train a path reader from a recipe: questions, paths drawn from them, the loop. `recipes/paths.toml` is the one."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import torch
from tokenizers import Tokenizer
from torch import Tensor

from answerable.errors import UsageError
from answerable.readers.layout import MAX_TOKENS
from answerable.readers.path_layout import PathLayout
from answerable.training.experts import expert_kind, train_expert
from answerable.training.fit import Parts, SourcedRecipe, batches_by_length, seen, some
from answerable.training.paths.draw import DrawSettings, EncodedPath, draw, encode
from answerable.training.paths.judge import candidates, judge
from answerable.training.paths.model import PATHS, PathModel, PathWeights, collate, path_loss
from answerable.training.paths.sources import SOURCES, Pool, load
from answerable.training.reading import load_pool
from answerable.training.recipe import setting

logger = logging.getLogger(__name__)
SHORTEST = 128
"""The fewest tokens of a sequence: a question and titles take more than half of these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathRecipe(SourcedRecipe):
    """A recipe of the kind `paths`. Of each source a path is drawn anew each time it is seen.

    `tokens` is the longest sequence. In an evaluation `judged` development questions of each source are looked at, with
    `candidates` paths for each.
    """

    start: str = "minilm"
    tokens: int = MAX_TOKENS
    candidates: int = 10
    draw: DrawSettings = field(default_factory=DrawSettings)
    loss: PathWeights = field(default_factory=PathWeights)

    ALLOWED: ClassVar[Collection[str]] = SOURCES

    def check(self) -> None:
        """As `Recipe.check`."""
        if self.tokens < SHORTEST or self.draw.longest < 1:
            raise UsageError(f"tokens is {self.tokens} and longest {self.draw.longest}", hint=f"give {SHORTEST} and 1")


def train_paths(recipe: PathRecipe, data: Path, folder: Path) -> PathModel:
    """Train a path reader, as `train_expert`."""

    def parts(model: PathModel, tokenizer: Path, device: torch.device) -> Parts:
        if recipe.tokens > (most := model.encoder.trunk.shape.positions):
            what = f"the model to start from reads {most} tokens, not as many as the recipe's {recipe.tokens}"
            raise UsageError(what)
        layout = PathLayout(Tokenizer.from_file(str(tokenizer)), recipe.tokens)
        pool = load_pool(data / "multihop/passages.jsonl.gz")
        examples = build(recipe, data, pool, layout)
        batches = batches_by_length([len(one.ids) for one in examples], recipe.loop)
        logger.info("%d paths in %d batches", len(examples), len(batches))
        judging = _judging(recipe, data, pool, model, layout) if recipe.loop.evaluate_steps else None
        return Parts(
            model, batches, lambda some: _loss(model, [examples[i] for i in some], recipe.loss, device), judge=judging
        )

    return train_expert(PATHS, recipe, folder, parts)


def _loss(model: PathModel, paths: list[EncodedPath], weights: PathWeights, device: torch.device) -> Tensor:
    batch = collate(paths, device)
    with torch.autocast(device.type, torch.bfloat16):
        scores = model(batch)
    return path_loss(scores, batch, weights)


def build(recipe: PathRecipe, data: Path, pool: Pool, layout: PathLayout) -> list[EncodedPath]:
    """The paths of all sources, as often as each is seen: one seen 2.5 times is whole twice and half the third time."""
    made: list[EncodedPath] = []
    for source, epochs in recipe.sources.items():
        asked = load(source, data, pool, "train")
        before = len(made)
        for number, share in seen(epochs):
            seed = f"{recipe.loop.seed} {source} {number}"
            rng = random.Random(seed)
            chosen = asked if share == 1.0 else rng.sample(asked, int(len(asked) * share))
            made += encode(layout, [draw(one, recipe.draw, rng) for one in chosen], seed)
        logger.info("%s: %d questions, %d paths", source, len(asked), len(made) - before)
    return made


def _judging(
    recipe: PathRecipe, data: Path, pool: Pool, model: PathModel, layout: PathLayout
) -> Callable[[], dict[str, float]]:
    """The evaluation on development questions, the same ones each time."""
    questions = []
    for source in recipe.sources:
        rng = random.Random(f"{recipe.loop.seed} {source}")
        chosen = some(rng, load(source, data, pool, "development"), recipe.judged)
        questions += [candidates(one, recipe.candidates, rng) for one in chosen]
    return lambda: judge(model, layout, questions)


KINDS = {"paths": expert_kind(PathRecipe, train_paths, PATHS, setting("reader"))}
