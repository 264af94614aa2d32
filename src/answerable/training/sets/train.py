"""Train a judge of constraints from a recipe: constraint sets, lessons, the loop. `recipes/constraints.toml` is it."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F

from answerable.encoders.constraints import Laid
from answerable.encoders.wordpieces import WordPieces
from answerable.training.experts import begin_expert, expert_kind
from answerable.training.fit import Parts, SourcedRecipe, begun, fit, seen
from answerable.training.loop import plan_batches
from answerable.training.recipe import setting
from answerable.training.sets.batch import collate, laid
from answerable.training.sets.constraint_sets import ConstraintSet, benchmark, quest
from answerable.training.sets.draw import Alike, FitDraw, Lesson, lessons, looking_alike
from answerable.training.sets.judge import examined, judge
from answerable.training.sets.model import TOGETHER, FitModel, judging
from answerable.training.start import keep

logger = logging.getLogger(__name__)
QUEST = "quest"
_ALIKE = 300
"""How far down BM25's ranking documents are taken from; the paper: 1,000, of a corpus ten times as large."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitRecipe(SourcedRecipe):
    """A recipe of the kind `constraints`.

    `sources` says how often each set's constraints are seen; `benchmarks` where those lie that are not QUEST: folders
    that `answerable-bench sets build` wrote. `heads` are nouns for a set's modifiers. In an evaluation `judged`
    constraints of each set are looked at. `tokens`: the most read of a text.
    """

    judged: int = 16
    tokens: int = 192
    draw: FitDraw = field(default_factory=FitDraw)
    benchmarks: Mapping[str, str] = field(default_factory=dict)
    heads: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def allowed(self) -> Collection[str]:
        """QUEST, and what has its folder in `benchmarks`."""
        return (QUEST, *self.benchmarks)


def train_constraints(recipe: FitRecipe, data: Path, folder: Path) -> FitModel:
    """Train a judge as a recipe says, resuming from `folder` when it holds a checkpoint.

    The model, its shape and its tokenizer stand in `folder`. Raises `UsageError` for a recipe that cannot be used.
    """
    device = begun(recipe.threads, recipe.loop.seed)
    model, tokenizer = begin_expert(judging(recipe.draw.together), recipe.start, recipe.dropout)
    keep(model.model, tokenizer, folder)
    if recipe.draw.together:
        (folder / TOGETHER).write_text("{}\n", encoding="utf8")
    pieces = WordPieces(tokenizer)
    made = _lessons(recipe, data, folder / "work")
    rows = laid(pieces, made, recipe.tokens)
    logger.info("%d lessons with %d answers", len(made), sum(len(one.asked) for one in made))
    model = model.to(device)

    def loss(numbers: list[int]) -> Tensor:
        return _loss(model, [rows[i] for i in numbers], [made[i] for i in numbers], device)

    batches = plan_batches([len(row.ids) for row in rows], [0] * len(rows), recipe.loop.tokens, recipe.loop.seed)
    judged = _evaluation(model, pieces, recipe, data, folder / "work") if recipe.loop.evaluate_steps else None
    fit(recipe.loop, Parts(model, batches, loss, judge=judged), folder)
    return model.cpu().eval()


def _loss(model: FitModel, rows: Sequence[Laid], asked: Sequence[Lesson], device: torch.device) -> Tensor:
    """Binary cross-entropy over all answers of a batch (section 4.3)."""
    batch = collate(rows, [[label for _, label in one.asked] for one in asked]).to(device)
    with torch.autocast(device.type, torch.bfloat16):
        out = model(*batch.inputs)
    return F.binary_cross_entropy_with_logits(out[batch.there], batch.labels[batch.there])


def constraint_sets(recipe: FitRecipe, source: str, data: Path, part: str) -> list[ConstraintSet]:
    """The constraint sets of one source and part."""
    if source == QUEST:
        return quest(data, part)
    return [benchmark(Path(recipe.benchmarks[source]), part, recipe.heads.get(source, ()))]


def _lessons(recipe: FitRecipe, data: Path, work: Path) -> list[Lesson]:
    """All lessons, each over the constraints that are seen this time."""
    made: list[Lesson] = []
    for source, epochs in recipe.sources.items():
        for held in constraint_sets(recipe, source, data, "train"):
            alike = _alike(held, work, "train")
            before = len(made)
            for number, share in seen(epochs):
                rng = random.Random(f"{recipe.loop.seed} {held.name} {number}")
                much = rng.sample(held.constraints, round(share * len(held.constraints)))
                made += lessons(held, much, alike, recipe.draw, rng)
            counts = len(held.constraints), len(made) - before
            logger.info("%s: %d constraints, %d lessons", held.name, *counts)
    return made


def _alike(held: ConstraintSet, work: Path, part: str) -> Alike:
    whole = any(one.whole for one in held.constraints)
    return looking_alike(held, work / part, _ALIKE) if whole else {}


def _evaluation(
    model: FitModel, pieces: WordPieces, recipe: FitRecipe, data: Path, work: Path
) -> Callable[[], Mapping[str, float]]:
    found = []
    for source in recipe.sources:
        for held in constraint_sets(recipe, source, data, "development"):
            found += examined(held, _alike(held, work, "development"), recipe.judged, recipe.loop.seed)
    return lambda: judge(model, pieces, found, recipe.tokens)


KINDS = {
    "constraints": expert_kind(
        FitRecipe, train_constraints, lambda recipe: judging(recipe.draw.together), setting("judge")
    )
}
