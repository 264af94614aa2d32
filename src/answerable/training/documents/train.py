"""Train a walk through documents from a recipe: lessons of the data sets, the loop. `recipes/navigation.toml` is it.

A walk is punished for attending elsewhere (DocHopper, 3.4), deciding wrongly (4.3), going on or stopping.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn import functional as F

from answerable.encoders.sentences import SentenceLayout
from answerable.evaluation.long.load import LOADERS
from answerable.training.documents.batch import Batch, asked, collate, table
from answerable.training.documents.draw import DrawSettings, Lesson, lessons
from answerable.training.documents.model import WALKING, Attention, Level, Table, Taken, Walker, read_together
from answerable.training.experts import expert_kind, train_expert
from answerable.training.fit import UnjudgedRecipe, seen
from answerable.training.loop import Parts
from answerable.training.recipe import setting

_NEVER = -1e9


def attention_loss(batch: Batch, table: Table, taken: Sequence[Taken]) -> Tensor:
    """The negative log-likelihood of everything right together, a mean over questions and steps.

    A step to a paragraph is a softmax over paragraphs and one to a sentence over sentences, not over the combined
    table: a paragraph's vector is a weighted mean of its sentences' (equation 3), so that its product with the query
    can never exceed that of its best sentence, and no paragraph could win. Null sentences are free of this, and there
    the softmax is over both.
    """
    losses = []
    for number, step in enumerate(taken):
        device = step.query.device
        rights = {Level.PARAGRAPH: batch.paragraphs[number], Level.SENTENCE: batch.sentences[number].flatten(1)}
        scores = {
            Level.PARAGRAPH: step.paragraphs,
            Level.SENTENCE: step.sentences.masked_fill(~table.there, _NEVER).flatten(1),
        }
        level = batch.levels[number]
        which = (Level.PARAGRAPH, Level.SENTENCE) if level is Level.EITHER else (level,)
        right = torch.cat([rights[one] for one in which], dim=1).to(device)
        every = torch.cat([scores[one] for one in which], dim=1)
        losses.append(torch.logsumexp(every, 1) - torch.logsumexp(every.masked_fill(~right, _NEVER), 1))
    return torch.stack(losses).mean()


def decision_loss(logits: Tensor, decisions: Tensor) -> Tensor:
    """Cross entropy over the classes of a conversation."""
    return F.cross_entropy(logits, decisions.to(logits.device))


def stop_loss(logits: Tensor, over: Tensor) -> Tensor:
    """Binary cross entropy of whether two steps are enough; questions of which nobody knows (-1) do not count."""
    known = over >= 0
    if not known.any():
        return logits.sum() * 0.0
    return F.binary_cross_entropy_with_logits(logits[known.to(logits.device)], over[known].to(logits.device))


logger = logging.getLogger(__name__)
STOPPING = 0.2
"""What learning to stop weighs beside learning to attend."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NavigationRecipe(UnjudgedRecipe):
    """A recipe of the kind `navigation`. `sources` says how often each data set's questions are asked.

    `attention`: how queries attend while they learn. `update`: whether they are updated; without is an ablation of the
    paper.
    """

    attention: Attention = Attention.SOFT
    update: bool = True
    draw: DrawSettings = field(default_factory=DrawSettings)

    ALLOWED: ClassVar[Collection[str]] = LOADERS


def train_navigation(recipe: NavigationRecipe, data: Path, folder: Path) -> Walker:
    """Train a walk, as `train_expert`."""

    def parts(model: Walker, tokenizer: Path, device: torch.device) -> Parts:
        layout = SentenceLayout(tokenizer, read_together(model))
        made = drawn(recipe, data)
        logger.info("%d lessons with %d questions", len(made), sum(len(one.tasks) for one in made))
        return Parts(
            model,
            [[number] for number in range(len(made))],
            lambda numbers: _loss(model, layout, made[numbers[0]], recipe, device),
            [one.source for one in made],
            quick=model.quick(),
        )

    return train_expert(WALKING, recipe, folder, parts)


def drawn(recipe: NavigationRecipe, data: Path) -> list[Lesson]:
    """All lessons in the order in which they are learned: shuffled."""
    made: list[Lesson] = []
    for source, epochs in recipe.sources.items():
        documents = list(LOADERS[source](data, "train"))
        for number, share in seen(epochs):
            rng = random.Random(f"{recipe.loop.seed} {source} {number}")
            found = list(lessons(source, documents, recipe.draw, rng))
            made += found[: int(len(found) * share)]
        logger.info("%s: %d documents", source, len(documents))
    random.Random(recipe.loop.seed).shuffle(made)
    return made


def _loss(
    model: Walker, layout: SentenceLayout, lesson: Lesson, recipe: NavigationRecipe, device: torch.device
) -> Tensor:
    batch = collate(layout, lesson)
    held = table(model.encoder, batch, device)
    queries = asked(model.encoder, batch, device)
    taken = model.walk(held, queries, batch.levels, recipe.attention, recipe.update)
    loss = attention_loss(batch, held, taken)
    if batch.levels[0] is Level.EITHER:
        return loss + decision_loss(model.decide(taken), batch.decisions)
    return loss + STOPPING * stop_loss(model.enough(queries, taken, recipe.update), batch.over)


KINDS = {"navigation": expert_kind(NavigationRecipe, train_navigation, WALKING, setting("navigator"))}
