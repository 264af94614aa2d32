"""Train what tells whether two questions ask the same: a cross-encoder by an expert of the encoder of skills.

`recipes/same-question.toml` is the recipe.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F

from answerable.encoders.choose import encoder_folder
from answerable.encoders.questions import GRAPH as MATCHED
from answerable.encoders.questions import MATCH, QUESTION_TOKENS, AskedRow, side_by_side, together
from answerable.encoders.sameness import GRAPH, SAME
from answerable.encoders.wordpieces import WordPieces
from answerable.training.experts import ExpertSpec, expert_kind, mean_kind, named, train_expert
from answerable.training.loop import Parts, UnjudgedRecipe, batches_by_length, halved, seen, tensors
from answerable.training.marked import INPUTS, second
from answerable.training.qapairs.model import MATCHING, MatchModel
from answerable.training.recipe import setting
from answerable.training.restore import begin_as
from answerable.training.same.changes import typed
from answerable.training.same.draw import SOURCES, slots
from answerable.training.same.lessons import Lesson, filled, grouped, read_cases, read_groups, within
from answerable.types import Skill

logger = logging.getLogger(__name__)
GROUPS, CASES, TEMPLATES = "groups", "cases", "templates"


SAMENESS = ExpertSpec(
    Skill.MATCH,
    "matching",
    MatchModel,
    "test of two questions",
    lambda model, _: {SAME: {"name": named("same", model), "scale": 1.0, "shift": 0.0, "least": 0.5}},
    graph=GRAPH,
    inputs=INPUTS,
    outputs=("logits",),
    part="same",
    runs=second,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SameRecipe(UnjudgedRecipe):
    """A recipe of the kind `same-question`.

    `groups`, `templates` and `cases`: files of what was written for this (`lessons`). `sources` says how often these
    are seen, and each source of `draw.SOURCES`; `most` bounds what those give each time. `missed`: near misses of a
    group beside ways of asking, and beside each other.
    """

    groups: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    most: int = 4000
    missed: int = 8

    ALLOWED = (GROUPS, CASES, TEMPLATES, *SOURCES)


def train_same(recipe: SameRecipe, data: Path, folder: Path) -> MatchModel:
    """Train a test of two questions, as `train_expert`; it goes on from the one that the encoder has, and else begins
    as the expert that reranks pairs."""

    def parts(model: MatchModel, tokenizer: Path, device: torch.device) -> Parts:
        begin_as(model, encoder_folder(recipe.start), MATCH, MATCHED, MATCHING.part)
        begin_as(model, encoder_folder(recipe.start), SAME, GRAPH, SAMENESS.part)
        pieces = WordPieces(tokenizer)
        lessons = drawn(recipe, data)
        rows = laid(pieces, lessons)
        logger.info("%d lessons, %d of them of the same", len(lessons), sum(one.same for one in lessons))

        def loss(numbers: list[int]) -> Tensor:
            out = run(model, [rows[n] for n in numbers], device)
            return F.binary_cross_entropy_with_logits(
                out, torch.tensor([float(lessons[n].same) for n in numbers]).to(device)
            )

        return Parts(model, batches_by_length([len(row.ids) for row in rows], recipe.loop), loss)

    return train_expert(SAMENESS, recipe, folder, parts)


def drawn(recipe: SameRecipe, data: Path) -> list[Lesson]:
    """All lessons, drawn anew for each time that a source is seen; either question first, each typed somehow."""
    made: list[Lesson] = []
    for name, epochs in recipe.sources.items():
        for number, share in seen(epochs):
            rng = random.Random(f"{recipe.loop.seed} {name} {number}")
            found = _lessons(recipe, name, data, rng)
            many = min(len(found), recipe.most) if name in SOURCES else len(found)
            found = found[:many] if name in SOURCES else rng.sample(found, len(found))
            made += [_either(one, rng) for one in found[: round(share * many)]]
            logger.info("%s: %d", name, round(share * many))
    return made


def _lessons(recipe: SameRecipe, name: str, data: Path, rng: random.Random) -> list[Lesson]:
    if name in SOURCES:
        return SOURCES[name](data, rng)
    if name == CASES:
        groups = [group for path in recipe.cases for group in grouped(read_cases(Path(path)))]
    else:
        files = recipe.groups if name == GROUPS else recipe.templates
        groups = [
            group for path in files for group in read_groups(Path(path)) if name == TEMPLATES or not group.development
        ]
    if name == TEMPLATES:
        names = slots(data)
        groups = [filled(group, names, rng) for group in groups]
    return [one for group in groups for one in within(group, recipe.missed, rng)]


def _either(one: Lesson, rng: random.Random) -> Lesson:
    first, second = (one.one, one.other) if rng.random() < 0.5 else (one.other, one.one)
    return Lesson(typed(first, rng), typed(second, rng), one.same, one.kind)


def laid(pieces: WordPieces, lessons: Sequence[Lesson]) -> list[AskedRow]:
    """The rows of lessons as they are read."""
    ones, others = (
        pieces.ids(texts, QUESTION_TOKENS) for texts in zip(*((one.one, one.other) for one in lessons), strict=True)
    )
    return [together(one, other, ()) for one, other in zip(ones, others, strict=True)]


def run(model: MatchModel, rows: Sequence[AskedRow], device: torch.device) -> Tensor:
    """(n,) float32 logits."""
    with halved(device):
        out: Tensor = model(*tensors(side_by_side(rows), device))[1]
    return out.float()


KINDS = {
    "same-question": expert_kind(SameRecipe, train_same, SAMENESS, setting("matcher")),
    "same-question-mean": mean_kind(SAMENESS, setting("matcher")),
}
