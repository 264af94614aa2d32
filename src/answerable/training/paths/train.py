"""Train a path reader from a recipe: questions, paths drawn from them, the loop. `recipes/paths.toml` is the one."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor

from answerable.errors import UsageError
from answerable.readers.layout import MAX_TOKENS
from answerable.readers.path_layout import PathLayout
from answerable.training.loop import LoopSettings, plan_batches, train
from answerable.training.paths.draw import Asked, DrawSettings, EncodedPath, draw, encode
from answerable.training.paths.judge import candidates, judge
from answerable.training.paths.losses import PathWeights
from answerable.training.paths.model import PathModel, collate, path_loss
from answerable.training.paths.sources import SOURCES, Pool, load
from answerable.training.paths.start import begin_paths
from answerable.training.reading import load_pool
from answerable.training.skills import many
from answerable.training.skills.start import keep

logger = logging.getLogger(__name__)
SHORTEST = 128
"""The fewest tokens of a sequence: a question and titles take more than half of these."""


@dataclass(frozen=True, slots=True)
class PathRecipe:
    """A recipe of the kind `paths`, checked. `sources` says how often each is seen, a path drawn anew each time.

    `tokens` is the longest sequence. In an evaluation `judged` development questions of each source are looked at, with
    `candidates` paths for each.
    """

    start: str
    joint: bool
    dropout: float
    threads: int
    tokens: int
    judged: int
    candidates: int
    draw: DrawSettings
    loss: PathWeights
    loop: LoopSettings
    sources: Mapping[str, float]


def read(recipe: Mapping[str, Any]) -> PathRecipe:
    """Check a recipe. Raises `UsageError` for a key, a setting or a source that is not known or cannot be used."""
    known = {"kind", *PathRecipe.__dataclass_fields__}
    if unknown := set(recipe) - known:
        raise UsageError(f"the recipe has a key that is not known: {min(unknown)}", hint=f"keys: {sorted(known)}")
    try:
        sources = {str(name): float(epochs) for name, epochs in recipe.get("sources", {}).items()}
        found = PathRecipe(
            start=str(recipe.get("start", "minilm")),
            joint=bool(recipe.get("joint", False)),
            dropout=float(recipe.get("dropout", 0.1)),
            threads=int(recipe.get("threads", 2)),
            tokens=int(recipe.get("tokens", MAX_TOKENS)),
            judged=int(recipe.get("judged", 64)),
            candidates=int(recipe.get("candidates", 10)),
            draw=DrawSettings(**recipe.get("draw", {})),
            loss=PathWeights(**recipe.get("loss", {})),
            loop=LoopSettings(**recipe.get("loop", {})),
            sources=sources,
        )
    except (TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"the recipe has a setting that cannot be used: {error}") from error
    if not sources:
        raise UsageError("the recipe names no sources", hint="[sources] says how many times each is seen")
    for name in sources:
        if name not in SOURCES:
            raise UsageError(f"there is no source {name!r}", hint=f"sources: {', '.join(sorted(SOURCES))}")
    if found.tokens < SHORTEST or found.draw.longest < 1:
        raise UsageError(f"tokens is {found.tokens} and longest {found.draw.longest}", hint=f"give {SHORTEST} and 1")
    return found


def train_paths(given: Mapping[str, Any], data: Path, folder: Path) -> PathModel:
    """Train a path reader as a recipe says, resuming from `folder` when it holds a checkpoint.

    The model, its shape and its tokenizer stand in `folder`. Raises `UsageError` for a recipe that cannot be used.
    """
    recipe = read(given)
    torch.set_num_threads(recipe.threads)
    torch.manual_seed(recipe.loop.seed)
    device = many.join()
    model, tokenizer = begin_paths(recipe.start, recipe.joint, recipe.dropout)
    if recipe.tokens > model.encoder.trunk.shape.positions:
        raise UsageError(
            f"the model to start from reads {model.encoder.trunk.shape.positions} tokens, not as many as"
            f" the recipe's {recipe.tokens}"
        )
    keep(model.encoder, tokenizer, folder)
    layout = PathLayout(Tokenizer.from_file(str(tokenizer)), recipe.tokens)
    pool = load_pool(data / "multihop/passages.jsonl.gz")
    examples = build(recipe, data, pool, layout)
    batches = plan_batches(
        [len(one.ids) for one in examples], [0] * len(examples), recipe.loop.tokens, recipe.loop.seed
    )
    if not batches:
        raise UsageError("the recipe's sources gave nothing to learn from", hint="see them more often")
    tokens = sum(len(one.ids) for one in examples) / len(examples)
    logger.info("%d paths of %.0f tokens in %d batches", len(examples), tokens, len(batches))
    model = model.to(device)

    def step(numbers: list[int]) -> Tensor:
        loss = _loss(model, [examples[i] for i in numbers], recipe.loss, device)
        loss.backward()  # type: ignore[no-untyped-call]
        many.average(model)
        return loss.detach()

    judging = _judging(recipe, data, pool, model, layout) if recipe.loop.evaluate_steps else None
    train(model, many.share(batches), step, folder, recipe.loop, evaluate=judging, writes=many.first())
    return model.cpu().eval()


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
        for number in range(int(-(-epochs // 1))):
            seed = f"{recipe.loop.seed} {source} {number}"
            rng = random.Random(seed)
            chosen = asked if epochs - number >= 1 else rng.sample(asked, int(len(asked) * (epochs - number)))
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
        held: list[Asked] = load(source, data, pool, "development")
        chosen = rng.sample(held, min(recipe.judged, len(held)))
        questions += [candidates(one, recipe.candidates, rng) for one in chosen]
    return lambda: judge(model, layout, questions)
