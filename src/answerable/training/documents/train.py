"""Train a walk through documents from a recipe: lessons of the data sets as tensors, the loop.

`recipes/navigation.toml` is it. A walk is punished for attending elsewhere (DocHopper, 3.4), deciding wrongly (4.3),
going on or stopping.
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
from torch.nn.utils.rnn import pad_sequence

from answerable.encoders.sentences import Laid, SentenceLayout, feeding
from answerable.evaluation.long.load import LOADERS
from answerable.training.documents.draw import DrawSettings, Lesson, lessons
from answerable.training.documents.model import (
    WALKING,
    Attention,
    GlobalEncoder,
    Level,
    Table,
    Taken,
    Walker,
    read_together,
)
from answerable.training.experts import expert_kind, train_expert
from answerable.training.loop import Parts, UnjudgedRecipe, halved, in_batches, seen, tensors
from answerable.training.recipe import setting

logger = logging.getLogger(__name__)
TOKENS = 1024
"""Of rows encoded together, about: those of like length, so that little is padding."""
STOPPING = 0.2
"""What learning to stop weighs beside learning to attend."""
_NEVER = -1e9


@dataclass(frozen=True, slots=True)
class Batch:
    """A lesson laid out: the rows of its document and of its questions, each with its global tokens.

    The vectors of all rows' global tokens stand one after another. `places` (p, l) int64 says which of them is whose
    sentence, -1 for none, and `wholes` (p, w) which are the null sentences of a paragraph's windows. `paragraphs`
    (steps, b, p) and `sentences` (steps, b, p, l) bool: what is right. `decisions` and `over` (b,), -1 for none.
    """

    document: tuple[Laid, ...]
    places: Tensor
    wholes: Tensor
    questions: tuple[Laid, ...]
    levels: tuple[Level, ...]
    paragraphs: Tensor
    sentences: Tensor
    decisions: Tensor
    over: Tensor


def collate(layout: SentenceLayout, lesson: Lesson) -> Batch:
    """Lay a lesson out. All its tasks have equally many steps, of the same levels."""
    windows = layout.paragraphs(lesson.paragraphs)
    places, wholes = numbered(windows)
    levels, count = lesson.tasks[0].levels, len(lesson.tasks)
    paragraphs = torch.zeros(len(levels), count, len(windows), dtype=torch.bool)
    sentences = torch.zeros(len(levels), count, *places.shape, dtype=torch.bool)
    for number, task in enumerate(lesson.tasks):
        for step, (of_paragraphs, of_sentences) in enumerate(task.right):
            paragraphs[step, number, list(of_paragraphs)] = True
            for p, s in of_sentences:
                sentences[step, number, p, s] = True
    return Batch(
        document=tuple(row for paragraph in windows for row in paragraph),
        places=places,
        wholes=wholes,
        questions=tuple(layout.asked([(task.sentences, task.nulls) for task in lesson.tasks])),
        levels=levels,
        paragraphs=paragraphs,
        sentences=sentences,
        decisions=torch.tensor([-1 if task.decision is None else task.decision for task in lesson.tasks]),
        over=torch.tensor([-1.0 if task.over is None else float(task.over) for task in lesson.tasks]),
    )


def numbered(windows: Sequence[Sequence[Laid]]) -> tuple[Tensor, Tensor]:
    """The numbers of each paragraph's sentences (p, l) and null sentences (p, w) among all globals, -1 for none."""
    sentences, wholes, done = [], [], 0
    for paragraph in windows:
        mine: list[int] = []
        null: list[int] = []
        for one in paragraph:
            mine += range(done, done + len(one.roles) - 1)
            done += len(one.roles)
            null.append(done - 1)
        sentences.append(mine)
        wholes.append(null)
    return _padded(sentences), _padded(wholes)


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    return pad_sequence([torch.tensor(row, dtype=torch.long) for row in rows], batch_first=True, padding_value=-1)


def encode(encoder: GlobalEncoder, rows: Sequence[Laid], device: torch.device) -> list[Tensor]:
    """(global tokens, width) float32 of each row."""

    def run(some: list[int]) -> list[Tensor]:
        with halved(device):
            vectors = encoder(*tensors(feeding([rows[i] for i in some]), device)).float()
        return [vectors[place, : len(rows[i].roles)] for place, i in enumerate(some)]

    return in_batches([len(row.ids) for row in rows], TOKENS, run)


def table(encoder: GlobalEncoder, batch: Batch, device: torch.device) -> Table:
    """The vectors of a lesson's document. A paragraph's whole is the mean of its windows'."""
    flat = torch.cat(encode(encoder, batch.document, device))
    places, wholes = batch.places.to(device), batch.wholes.to(device)
    some = flat[wholes.clamp(min=0)] * (wholes >= 0).unsqueeze(-1)
    mean = torch.nn.functional.normalize(some.sum(1), dim=-1)
    return Table(flat[places.clamp(min=0)], places >= 0, mean)


def asked(encoder: GlobalEncoder, batch: Batch, device: torch.device) -> Tensor:
    """(b, hops, width): the vectors of a lesson's questions."""
    return torch.stack(encode(encoder, batch.questions, device))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class NavigationRecipe(UnjudgedRecipe):
    """A recipe of the kind `navigation`. `sources` says how often each data set's questions are asked.

    `attention`: how queries attend while they learn.
    """

    attention: Attention = Attention.SOFT
    draw: DrawSettings = field(default_factory=DrawSettings)

    ALLOWED: ClassVar[Collection[str]] = LOADERS


def train_navigation(recipe: NavigationRecipe, data: Path, folder: Path) -> Walker:
    """Train a walk, as `train_expert`."""

    def parts(model: Walker, tokenizer: Path, device: torch.device) -> Parts:
        layout = SentenceLayout(tokenizer, read_together(model))
        made = drawn(recipe, data)
        logger.info("%d lessons with %d questions", len(made), sum(len(one.tasks) for one in made))

        def loss(numbers: list[int]) -> Tensor:
            batch = collate(layout, made[numbers[0]])
            held = table(model.encoder, batch, device)
            queries = asked(model.encoder, batch, device)
            taken = model.walk(held, queries, batch.levels, recipe.attention)
            attended = attention_loss(batch, held, taken)
            if batch.levels[0] is Level.EITHER:
                return attended + decision_loss(model.decide(taken), batch.decisions)
            return attended + STOPPING * stop_loss(model.enough(queries, taken), batch.over)

        batches = [[number] for number in range(len(made))]
        return Parts(model, batches, loss, [one.source for one in made], quick=model.quick())

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


KINDS = {"navigation": expert_kind(NavigationRecipe, train_navigation, WALKING, setting("navigator"))}
