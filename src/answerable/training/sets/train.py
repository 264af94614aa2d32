"""Train a judge of constraints from a recipe: grounds, lessons, the loop. `recipes/constraints.toml` is it."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from answerable.encoders.constraint_layout import Laid
from answerable.encoders.wordpieces import WordPieces
from answerable.errors import UsageError
from answerable.training.loop import LoopSettings, plan_batches, train
from answerable.training.sets.batch import collate, laid
from answerable.training.sets.draw import Alike, FitDraw, Lesson, lessons
from answerable.training.sets.grounds import Ground, benchmark, quest
from answerable.training.sets.judge import examined, judge
from answerable.training.sets.mine import looking_alike
from answerable.training.sets.model import FitModel
from answerable.training.sets.start import TOGETHER, begin_judge
from answerable.training.skills import many
from answerable.training.skills.start import keep

logger = logging.getLogger(__name__)
QUEST = "quest"
_ALIKE = 300
"""How far down BM25's ranking documents are taken from; the paper: 1,000, of a corpus ten times as large."""


@dataclass(frozen=True, slots=True)
class FitRecipe:
    """A recipe of the kind `constraints`, checked.

    `sources` says how often each ground's constraints are seen; `benchmarks` where those lie that are not QUEST:
    folders that `answerable-bench sets build` wrote. `heads` are nouns for a ground's modifiers. In an evaluation
    `judged` constraints of each ground are looked at. `tokens`: the most read of a text.
    """

    start: str
    dropout: float
    threads: int
    judged: int
    tokens: int
    draw: FitDraw
    loop: LoopSettings
    sources: Mapping[str, float]
    benchmarks: Mapping[str, str]
    heads: Mapping[str, Sequence[str]]


def read(recipe: Mapping[str, Any]) -> FitRecipe:
    """Check a recipe. Raises `UsageError` for a key, a setting or a source that is not known or cannot be used."""
    known = {"kind", *FitRecipe.__dataclass_fields__}
    if unknown := set(recipe) - known:
        raise UsageError(f"the recipe has a key that is not known: {min(unknown)}", hint=f"keys: {sorted(known)}")
    try:
        found = FitRecipe(
            start=str(recipe.get("start", "skills")),
            dropout=float(recipe.get("dropout", 0.1)),
            threads=int(recipe.get("threads", 2)),
            judged=int(recipe.get("judged", 16)),
            tokens=int(recipe.get("tokens", 192)),
            draw=FitDraw(**recipe.get("draw", {})),
            loop=LoopSettings(**recipe.get("loop", {})),
            sources={str(name): float(epochs) for name, epochs in recipe.get("sources", {}).items()},
            benchmarks={str(name): str(path) for name, path in recipe.get("benchmarks", {}).items()},
            heads={str(name): tuple(map(str, heads)) for name, heads in recipe.get("heads", {}).items()},
        )
    except (TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"the recipe has a setting that cannot be used: {error}") from error
    if not found.sources:
        raise UsageError("the recipe names no sources", hint="[sources] says how many times each is seen")
    for name in found.sources:
        if name not in (QUEST, *found.benchmarks):
            raise UsageError(f"there is no source {name!r}", hint=f"{QUEST}, or name its folder in [benchmarks]")
    return found


def train_constraints(given: Mapping[str, Any], data: Path, folder: Path) -> FitModel:
    """Train a judge as a recipe says, resuming from `folder` when it holds a checkpoint.

    The model, its shape and its tokenizer stand in `folder`. Raises `UsageError` for a recipe that cannot be used.
    """
    recipe = read(given)
    torch.set_num_threads(recipe.threads)
    torch.manual_seed(recipe.loop.seed)
    device = many.join()
    model, tokenizer = begin_judge(recipe.start, recipe.dropout, recipe.draw.together)
    keep(model.model, tokenizer, folder)
    if recipe.draw.together:
        (folder / TOGETHER).write_text("{}\n", encoding="utf8")
    pieces = WordPieces(tokenizer)
    made = _lessons(recipe, data, folder / "work")
    if not made:
        raise UsageError("the recipe's sources gave nothing to learn from", hint="see them more often")
    rows = laid(pieces, made, recipe.tokens)
    logger.info("%d lessons with %d answers", len(made), sum(len(one.asked) for one in made))
    model = model.to(device)

    def step(numbers: list[int]) -> Tensor:
        loss = _loss(model, [rows[i] for i in numbers], [made[i] for i in numbers], device)
        loss.backward()  # type: ignore[no-untyped-call]
        many.average(model)
        return loss.detach()

    batches = plan_batches([len(row.ids) for row in rows], [0] * len(rows), recipe.loop.tokens, recipe.loop.seed)
    train(
        model,
        many.share(batches),
        step,
        folder,
        recipe.loop,
        evaluate=_evaluation(model, pieces, recipe, data, folder / "work") if recipe.loop.evaluate_steps else None,
        writes=many.first(),
    )
    return model.cpu().eval()


def _loss(model: FitModel, rows: Sequence[Laid], asked: Sequence[Lesson], device: torch.device) -> Tensor:
    """Binary cross-entropy over all answers of a batch (section 4.3)."""
    batch = collate(rows, [[label for _, label in one.asked] for one in asked]).to(device)
    with torch.autocast(device.type, torch.bfloat16):
        out = model(*batch.inputs)
    return F.binary_cross_entropy_with_logits(out[batch.there], batch.labels[batch.there])


def grounds(recipe: FitRecipe, source: str, data: Path, part: str) -> list[Ground]:
    """The grounds of one source and part."""
    if source == QUEST:
        return quest(data, part)
    return [benchmark(Path(recipe.benchmarks[source]), part, recipe.heads.get(source, ()))]


def _lessons(recipe: FitRecipe, data: Path, work: Path) -> list[Lesson]:
    """All lessons. A source seen 2.5 times has all its constraints twice, and half of them the third time."""
    made: list[Lesson] = []
    for source, epochs in recipe.sources.items():
        for ground in grounds(recipe, source, data, "train"):
            alike = _alike(ground, work, "train")
            before = len(made)
            for number in range(int(-(-epochs // 1))):
                rng = random.Random(f"{recipe.loop.seed} {ground.name} {number}")
                share = min(1.0, epochs - number)
                some = rng.sample(ground.constraints, round(share * len(ground.constraints)))
                made += lessons(ground, some, alike, recipe.draw, rng)
            counts = len(ground.constraints), len(made) - before
            logger.info("%s: %d constraints, %d lessons", ground.name, *counts)
    return made


def _alike(ground: Ground, work: Path, part: str) -> Alike:
    whole = any(one.whole for one in ground.constraints)
    return looking_alike(ground, work / part, _ALIKE) if whole else {}


def _evaluation(
    model: FitModel, pieces: WordPieces, recipe: FitRecipe, data: Path, work: Path
) -> Callable[[], Mapping[str, float]]:
    held = []
    for source in recipe.sources:
        for ground in grounds(recipe, source, data, "development"):
            held += examined(ground, _alike(ground, work, "development"), recipe.judged, recipe.loop.seed)
    return lambda: judge(model, pieces, held, recipe.tokens)
