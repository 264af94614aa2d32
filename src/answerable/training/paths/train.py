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

from answerable.encoders.modular import SkillModel
from answerable.errors import UsageError
from answerable.readers.layout import MAX_TOKENS
from answerable.readers.path_layout import PathLayout
from answerable.training.experts import begin_expert, expert_kind
from answerable.training.fit import Parts, SourcedRecipe, begun, fit, seen, some
from answerable.training.loop import plan_batches
from answerable.training.paths.draw import DrawSettings, EncodedPath, draw, encode
from answerable.training.paths.judge import candidates, judge
from answerable.training.paths.model import PATHS, PathModel, PathWeights, collate, path_loss
from answerable.training.paths.sources import SOURCES, Pool, load
from answerable.training.reading import load_pool
from answerable.training.recipe import setting
from answerable.training.start import keep

logger = logging.getLogger(__name__)
SHORTEST = 128
"""The fewest tokens of a sequence: a question and titles take more than half of these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathRecipe(SourcedRecipe):
    """A recipe of the kind `paths`. Of each source a path is drawn anew each time it is seen.

    With `joint` the encoder learns as well, and vectors made before are of another model. `tokens` is the longest
    sequence. In an evaluation `judged` development questions of each source are looked at, with `candidates` paths for
    each.
    """

    start: str = "minilm"
    joint: bool = False
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
    """Train a path reader as a recipe says, resuming from `folder` when it holds a checkpoint.

    The model, its shape and its tokenizer stand in `folder`. Raises `UsageError` for a recipe that cannot be used.
    """
    device = begun(recipe.threads, recipe.loop.seed)
    model, tokenizer = begin_expert(PATHS, recipe.start, recipe.dropout, not recipe.joint)
    check_length(model.encoder, recipe.tokens)
    keep(model.encoder, tokenizer, folder)
    layout = PathLayout(Tokenizer.from_file(str(tokenizer)), recipe.tokens)
    pool = load_pool(data / "multihop/passages.jsonl.gz")
    examples = build(recipe, data, pool, layout)
    lengths = [len(one.ids) for one in examples]
    batches = plan_batches(lengths, [0] * len(examples), recipe.loop.tokens, recipe.loop.seed)
    logger.info(
        "%d paths of %.0f tokens in %d batches", len(examples), sum(lengths) / max(1, len(lengths)), len(batches)
    )
    model = model.to(device)

    def loss(numbers: list[int]) -> Tensor:
        return _loss(model, [examples[i] for i in numbers], recipe.loss, device)

    judging = _judging(recipe, data, pool, model, layout) if recipe.loop.evaluate_steps else None
    fit(recipe.loop, Parts(model, batches, loss, judge=judging), folder)
    return model.cpu().eval()


def check_length(model: SkillModel, tokens: int) -> None:
    """Raise `UsageError` where a model reads less than a recipe wants."""
    if tokens > (positions := model.trunk.shape.positions):
        raise UsageError(f"the model to start from reads {positions} tokens, not as many as the recipe's {tokens}")


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


KINDS = {"paths": expert_kind(PathRecipe, train_paths, lambda _: PATHS, setting("reader"))}
