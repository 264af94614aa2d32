"""Train a walk through documents from a recipe: lessons of the data sets, the loop. `recipes/navigation.toml` is it."""

from __future__ import annotations

import logging
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor

from answerable.encoders.sentence_layout import SentenceLayout
from answerable.errors import UsageError
from answerable.evaluation.long.asked import LongDocument
from answerable.evaluation.long.load import LOADERS
from answerable.navigation.walk import WalkSettings
from answerable.training.loop import LoopSettings, train
from answerable.training.navigation.batch import asked, collate, table
from answerable.training.navigation.draw import BOTH, SINGLE, STEPS, DrawSettings, Lesson, lessons
from answerable.training.navigation.guess import guessing_loss
from answerable.training.navigation.judge import judge
from answerable.training.navigation.losses import attention_loss, decision_loss, stop_loss
from answerable.training.navigation.model import ONCE, Attention, Level, Walker
from answerable.training.navigation.start import begin_walker, read_together
from answerable.training.skills import many
from answerable.training.skills.start import keep

logger = logging.getLogger(__name__)
_DOCUMENTS = 8
STOPPING = 0.2
"""What learning to stop weighs beside learning to attend."""


@dataclass(frozen=True, slots=True)
class NavigationRecipe:
    """A recipe of the kind `navigation`, checked. `sources` says how often each data set's questions are asked.

    `attention`: how queries attend while they learn. `update`: whether they are updated; without is an ablation of the
    paper. `guessed`: lessons of contrastive predictive coding before the others. In an evaluation `judged` development
    questions of each source are asked.
    """

    start: str
    dropout: float
    threads: int
    judged: int
    attention: Attention
    update: bool
    guessed: int
    draw: DrawSettings
    loop: LoopSettings
    sources: Mapping[str, float]


def read(recipe: Mapping[str, Any]) -> NavigationRecipe:
    """Check a recipe. Raises `UsageError` for a key, a setting or a source that is not known or cannot be used."""
    known = {"kind", *NavigationRecipe.__dataclass_fields__}
    if unknown := set(recipe) - known:
        raise UsageError(f"the recipe has a key that is not known: {min(unknown)}", hint=f"keys: {sorted(known)}")
    try:
        found = NavigationRecipe(
            start=str(recipe.get("start", "skills")),
            dropout=float(recipe.get("dropout", 0.1)),
            threads=int(recipe.get("threads", 2)),
            judged=int(recipe.get("judged", 60)),
            attention=Attention(recipe.get("attention", "soft")),
            update=bool(recipe.get("update", True)),
            guessed=int(recipe.get("guessed", 0)),
            draw=_draw_settings(recipe.get("draw", {})),
            loop=LoopSettings(**recipe.get("loop", {})),
            sources={str(name): float(epochs) for name, epochs in recipe.get("sources", {}).items()},
        )
    except (TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"the recipe has a setting that cannot be used: {error}") from error
    if not found.sources:
        raise UsageError("the recipe names no sources", hint="[sources] says how many times each is seen")
    if found.draw.steps not in STEPS:
        raise UsageError(f"there are no steps {found.draw.steps!r}", hint=f"steps: {', '.join(STEPS)}")
    for name in found.sources:
        if name not in LOADERS:
            raise UsageError(f"there is no source {name!r}", hint=f"sources: {', '.join(sorted(LOADERS))}")
    return found


def _draw_settings(given: Mapping[str, Any]) -> DrawSettings:
    return DrawSettings(**{**given, "whole": tuple(given.get("whole", ()))})


def train_navigation(given: Mapping[str, Any], data: Path, folder: Path) -> Walker:
    """Train a walk as a recipe says, resuming from `folder` when it holds a checkpoint.

    The model, its shape and its tokenizer stand in `folder`. Raises `UsageError` for a recipe that cannot be used.
    """
    recipe = read(given)
    torch.set_num_threads(recipe.threads)
    torch.manual_seed(recipe.loop.seed)
    device = many.join()
    model, tokenizer = begin_walker(recipe.start, recipe.dropout)
    keep(model.model, tokenizer, folder)
    layout = SentenceLayout(Tokenizer.from_file(str(tokenizer)), read_together(model))
    made = _lessons(recipe, data)
    if not any(one.tasks for one in made):
        raise UsageError("the recipe's sources gave nothing to learn from", hint="see them more often")
    logger.info("%d lessons with %d questions", len(made), sum(len(one.tasks) for one in made))
    model = model.to(device)

    def step(numbers: list[int]) -> Tensor:
        loss = _loss(model, layout, made[numbers[0]], recipe, device)
        loss.backward()  # type: ignore[no-untyped-call]
        many.average(model)
        return loss.detach()

    held = _development(recipe, data) if recipe.loop.evaluate_steps else []
    names = [one.source for one in made]
    batches = [[number] for number in range(len(made))]
    train(
        model,
        many.share(batches),
        step,
        folder,
        recipe.loop,
        names=many.share(names),
        evaluate=(lambda: judge(model, layout, held, walking(recipe))) if held else None,
        writes=many.first(),
        quick=model.quick(),
    )
    return model.cpu().eval()


def walking(recipe: NavigationRecipe) -> WalkSettings:
    """How a walk goes that was trained by a recipe."""
    steps = recipe.draw.steps
    return WalkSettings(update=recipe.update, paragraphs=steps == BOTH, single=steps == SINGLE)


def _lessons(recipe: NavigationRecipe, data: Path) -> list[Lesson]:
    """All lessons in the order in which they are learned: first those that only guess, then the others, shuffled.

    One source seen 2.5 times is there whole twice, and half the third time.
    """
    made: list[Lesson] = []
    plain: list[Lesson] = []
    for source, epochs in recipe.sources.items():
        documents = list(LOADERS[source](data, "train"))
        for number in range(int(-(-epochs // 1))):
            rng = random.Random(f"{recipe.loop.seed} {source} {number}")
            found = list(lessons(source, documents, recipe.draw, rng))
            made += found[: int(len(found) * min(1.0, epochs - number))]
            plain += [replace(one, tasks=()) for one in found]
        logger.info("%s: %d documents", source, len(documents))
    rng = random.Random(recipe.loop.seed)
    rng.shuffle(made)
    return [*rng.sample(plain, min(recipe.guessed, len(plain))), *made]


def _development(recipe: NavigationRecipe, data: Path) -> list[tuple[str, list[LongDocument]]]:
    """About `judged` development questions of each source, of a few documents: what is long takes long to encode."""
    found = []
    for source in recipe.sources:
        documents = list(LOADERS[source](data, "development"))
        rng = random.Random(f"{recipe.loop.seed} {source}")
        rng.shuffle(documents)
        kept = documents[:_DOCUMENTS]
        share = -(-recipe.judged // max(1, len(kept)))
        asked = (rng.sample(one.questions, min(share, len(one.questions))) for one in kept)
        found.append((source, [replace(one, questions=tuple(some)) for one, some in zip(kept, asked, strict=True)]))
    return found


def _loss(
    model: Walker, layout: SentenceLayout, lesson: Lesson, recipe: NavigationRecipe, device: torch.device
) -> Tensor:
    if not lesson.tasks:
        return guessing_loss(model, layout, lesson, device)
    batch = collate(layout, lesson)
    held = table(model.encoder, batch, device)
    queries = asked(model.encoder, batch, device)
    taken = model.walk(held, queries, batch.levels, recipe.attention, recipe.update)
    loss = attention_loss(batch, held, taken)
    if batch.levels[0] is Level.EITHER:
        return loss + decision_loss(model.decide(taken), batch.decisions)
    if len(taken) < len(ONCE):
        return loss
    return loss + STOPPING * stop_loss(model.enough(queries, taken), batch.over)
