"""Train a walk through documents from a recipe: lessons of the data sets, the loop. `recipes/navigation.toml` is it."""

from __future__ import annotations

import logging
import random
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import torch
from tokenizers import Tokenizer
from torch import Tensor

from answerable.documents.walk import WalkSettings
from answerable.encoders.sentences import SentenceLayout
from answerable.errors import UsageError
from answerable.evaluation.long.asked import LongDocument
from answerable.evaluation.long.load import LOADERS
from answerable.training.documents.batch import asked, collate, table
from answerable.training.documents.draw import BOTH, SINGLE, STEPS, DrawSettings, Lesson, lessons
from answerable.training.documents.judge import judge
from answerable.training.documents.losses import attention_loss, decision_loss, guessing_loss, stop_loss
from answerable.training.documents.model import ONCE, WALKING, Attention, Level, Walker, read_together
from answerable.training.experts import begin_expert, expert_kind
from answerable.training.fit import Parts, SourcedRecipe, begun, fit, seen, some
from answerable.training.recipe import setting
from answerable.training.start import keep

logger = logging.getLogger(__name__)
_DOCUMENTS = 8
STOPPING = 0.2
"""What learning to stop weighs beside learning to attend."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NavigationRecipe(SourcedRecipe):
    """A recipe of the kind `navigation`. `sources` says how often each data set's questions are asked.

    `attention`: how queries attend while they learn. `update`: whether they are updated; without is an ablation of the
    paper. `guessed`: lessons of contrastive predictive coding before the others. In an evaluation `judged` development
    questions of each source are asked.
    """

    judged: int = 60
    attention: Attention = Attention.SOFT
    update: bool = True
    guessed: int = 0
    draw: DrawSettings = field(default_factory=DrawSettings)

    ALLOWED: ClassVar[Collection[str]] = LOADERS

    def check(self) -> None:
        """As `Recipe.check`."""
        if self.draw.steps not in STEPS:
            raise UsageError(f"there are no steps {self.draw.steps!r}", hint=f"steps: {', '.join(STEPS)}")


def train_navigation(recipe: NavigationRecipe, data: Path, folder: Path) -> Walker:
    """Train a walk as a recipe says, resuming from `folder` when it holds a checkpoint.

    The model, its shape and its tokenizer stand in `folder`. Raises `UsageError` for a recipe that cannot be used.
    """
    device = begun(recipe.threads, recipe.loop.seed)
    model, tokenizer = begin_expert(WALKING, recipe.start, recipe.dropout)
    keep(model.model, tokenizer, folder)
    layout = SentenceLayout(Tokenizer.from_file(str(tokenizer)), read_together(model))
    made = _lessons(recipe, data)
    logger.info("%d lessons with %d questions", len(made), sum(len(one.tasks) for one in made))
    model = model.to(device)
    held = _development(recipe, data) if recipe.loop.evaluate_steps else []
    parts = Parts(
        model,
        [[number] for number in range(len(made))] if any(one.tasks for one in made) else [],
        lambda numbers: _loss(model, layout, made[numbers[0]], recipe, device),
        [one.source for one in made],
        (lambda: judge(model, layout, held, walking(recipe))) if held else None,
        model.quick(),
    )
    fit(recipe.loop, parts, folder)
    return model.cpu().eval()


def walking(recipe: NavigationRecipe) -> WalkSettings:
    """How a walk goes that was trained by a recipe."""
    steps = recipe.draw.steps
    return WalkSettings(update=recipe.update, paragraphs=steps == BOTH, single=steps == SINGLE)


def _lessons(recipe: NavigationRecipe, data: Path) -> list[Lesson]:
    """All lessons in the order in which they are learned: first those that only guess, then the others, shuffled."""
    made: list[Lesson] = []
    plain: list[Lesson] = []
    for source, epochs in recipe.sources.items():
        documents = list(LOADERS[source](data, "train"))
        for number, share in seen(epochs):
            rng = random.Random(f"{recipe.loop.seed} {source} {number}")
            found = list(lessons(source, documents, recipe.draw, rng))
            made += found[: int(len(found) * share)]
            plain += [replace(one, tasks=()) for one in found]
        logger.info("%s: %d documents", source, len(documents))
    rng = random.Random(recipe.loop.seed)
    rng.shuffle(made)
    return [*some(rng, plain, recipe.guessed), *made]


def _development(recipe: NavigationRecipe, data: Path) -> list[tuple[str, list[LongDocument]]]:
    """About `judged` development questions of each source, of a few documents: what is long takes long to encode."""
    found = []
    for source in recipe.sources:
        documents = list(LOADERS[source](data, "development"))
        rng = random.Random(f"{recipe.loop.seed} {source}")
        rng.shuffle(documents)
        kept = documents[:_DOCUMENTS]
        each = -(-recipe.judged // max(1, len(kept)))
        found.append((source, [replace(one, questions=tuple(some(rng, one.questions, each))) for one in kept]))
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


KINDS = {"navigation": expert_kind(NavigationRecipe, train_navigation, lambda _: WALKING, setting("navigator"))}
