"""Train a judge of constraints from a recipe: constraint sets, lessons, the loop. `recipes/constraints.toml` is it."""

from __future__ import annotations

import logging
import random
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from answerable.encoders.choose import encoder_folder
from answerable.encoders.constraints import Laid, feeding
from answerable.encoders.wordpieces import WordPieces
from answerable.evaluation.metrics.ranking import average_precision
from answerable.training.experts import expert_kind, mean_kind, train_expert
from answerable.training.loop import Parts, SourcedRecipe, batches_by_length, halved, in_batches, seen, tensors
from answerable.training.recipe import Kind, setting
from answerable.training.sets.draw import (
    Alike,
    ConstraintSet,
    FitDraw,
    Lesson,
    benchmark,
    lessons,
    looking_alike,
    quest,
    read_lessons,
)
from answerable.training.sets.model import JUDGING, FitModel, collate, laid, restore_judge

logger = logging.getLogger(__name__)
QUEST = "quest"
_ALIKE = 300
"""How far down BM25's ranking documents are taken from; the paper: 1,000, of a corpus ten times as large."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitRecipe(SourcedRecipe):
    """A recipe of the kind `constraints`.

    `sources` says how often each set's constraints are seen; `benchmarks` where those lie that are not QUEST: folders
    that `answerable-bench sets build` wrote. `heads` are nouns for a set's modifiers. `written`: files of lessons for
    sources that are no sets (`draw.read_lessons`). In an evaluation `judged` constraints of each set are looked at.
    `tokens`: the most read of a text. `again`: go on from the judge that was exported beside the encoder `start`.
    """

    again: bool = False
    judged: int = 16
    tokens: int = 192
    draw: FitDraw = field(default_factory=FitDraw)
    benchmarks: Mapping[str, str] = field(default_factory=dict)
    heads: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    written: Mapping[str, str] = field(default_factory=dict)

    def allowed(self) -> Collection[str]:
        """QUEST, what has its folder in `benchmarks`, and what is `written`."""
        return (QUEST, *self.benchmarks, *self.written)


def train_constraints(recipe: FitRecipe, data: Path, folder: Path) -> FitModel:
    """Train a judge, as `train_expert`; in `work` stands what was found for its constraints."""

    def parts(model: FitModel, tokenizer: Path, device: torch.device) -> Parts:
        if recipe.again:
            restore_judge(model, encoder_folder(recipe.start))
        pieces = WordPieces(tokenizer)
        made = _lessons(recipe, data, folder / "work")
        rows = laid(pieces, made, recipe.tokens)
        logger.info("%d lessons with %d answers", len(made), sum(len(one.asked) for one in made))

        def loss(numbers: list[int]) -> Tensor:
            return _loss(model, [rows[i] for i in numbers], [made[i] for i in numbers], device)

        batches = batches_by_length([len(row.ids) for row in rows], recipe.loop)
        judged = _evaluation(model, pieces, recipe, data, folder / "work") if recipe.loop.evaluate_steps else None
        return Parts(model, batches, loss, judge=judged)

    return train_expert(JUDGING, recipe, folder, parts)


def _loss(model: FitModel, rows: Sequence[Laid], asked: Sequence[Lesson], device: torch.device) -> Tensor:
    """Binary cross-entropy over all answers of a batch (section 4.3)."""
    inputs, labels, there = collate(rows, [[label for _, label in one.asked] for one in asked], device)
    with halved(device):
        out = model(*inputs)
    return F.binary_cross_entropy_with_logits(out[there], labels[there])


def constraint_sets(recipe: FitRecipe, source: str, data: Path, part: str) -> list[ConstraintSet]:
    """The constraint sets of one source and part."""
    if source == QUEST:
        return quest(data, part)
    return [benchmark(Path(recipe.benchmarks[source]), part, recipe.heads.get(source, ()))]


def _lessons(recipe: FitRecipe, data: Path, work: Path) -> list[Lesson]:
    """All lessons, each over the constraints that are seen this time."""
    made: list[Lesson] = []
    for source, epochs in recipe.sources.items():
        if source in recipe.written:
            found = read_lessons(Path(recipe.written[source]), source)
            for number, share in seen(epochs):
                made += random.Random(f"{recipe.loop.seed} {source} {number}").sample(found, round(share * len(found)))
            continue
        for held in constraint_sets(recipe, source, data, "train"):
            alike = looking_alike(held, work / "train", _ALIKE)
            before = len(made)
            for number, share in seen(epochs):
                rng = random.Random(f"{recipe.loop.seed} {held.name} {number}")
                much = rng.sample(held.constraints, round(share * len(held.constraints)))
                made += lessons(held, much, alike, recipe.draw, rng)
            counts = len(held.constraints), len(made) - before
            logger.info("%s: %d constraints, %d lessons", held.name, *counts)
    return made


def _evaluation(
    model: FitModel, pieces: WordPieces, recipe: FitRecipe, data: Path, work: Path
) -> Callable[[], Mapping[str, float]]:
    found = []
    for source in recipe.sources:
        if source in recipe.written:
            continue
        for held in constraint_sets(recipe, source, data, "development"):
            alike = looking_alike(held, work / "development", _ALIKE)
            found += examined(held, alike, recipe.judged, recipe.loop.seed)
    return lambda: judge(model, pieces, found, recipe.tokens)


KINDS: Mapping[str, Kind[Any]] = {
    "constraints": expert_kind(FitRecipe, train_constraints, JUDGING, setting("judge")),
    "constraints-mean": mean_kind(JUDGING, setting("judge")),
}


_TOKENS = 8192
FITS, ALIKE, OTHERS = 15, 40, 10
"""The most documents a constraint is judged on in an evaluation: of those that fit, of BM25's others, and of all."""


def examined(held: ConstraintSet, alike: Alike, most: int, seed: int) -> list[tuple[str, list[Lesson]]]:
    """Up to `most` constraints of a set, each with the documents that are judged by it, one lesson a document."""
    rng = random.Random(f"{seed} {held.name}")
    chosen = [one for one in held.constraints if one.fits and one.whole]
    found = []
    for one in rng.sample(chosen, min(most, len(chosen))):
        fits = set(one.fits)
        near = [document for document in alike.get(one.text, ()) if document not in fits][:ALIKE]
        any_ = [n for n in (rng.randrange(len(held.documents)) for _ in range(OTHERS)) if n not in fits]
        asked = [(n, 1.0) for n in rng.sample(one.fits, min(FITS, len(one.fits)))] + [(n, 0.0) for n in near + any_]
        found.append((held.name, [Lesson(held.name, held.documents[n], ((one.text, y),)) for n, y in asked]))
    return found


def judge(
    model: FitModel, pieces: WordPieces, held: Sequence[tuple[str, Sequence[Lesson]]], tokens: int
) -> dict[str, float]:
    """Average precision (0 to 1) of the ranking of each constraint's documents, its mean for each set."""
    model.eval()
    values: defaultdict[str, list[float]] = defaultdict(list)
    for name, asked in held:
        scores = logits(model, laid(pieces, asked, tokens))
        ranking = sorted(range(len(asked)), key=lambda number: (-scores[number], number))
        fits = {str(number): 1 for number, one in enumerate(asked) if one.asked[0][1] > 0}
        values[name].append(average_precision([str(number) for number in ranking], fits))
    return {name: sum(each) / len(each) for name, each in sorted(values.items())}


@torch.no_grad()
def logits(model: FitModel, rows: Sequence[Laid]) -> list[float]:
    """The logit of each row's first constraint, in bf16."""
    device = model.head.weight.device

    def run(batch: list[int]) -> list[float]:
        with halved(device):
            out: Tensor = model(*tensors(feeding([rows[i] for i in batch]), device))[:, 0]
        return out.float().cpu().tolist()

    return in_batches([len(row.ids) for row in rows], _TOKENS, run)
