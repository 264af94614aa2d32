"""Train what tells whether two questions ask the same: one more expert of the encoder. `recipes/same.toml` is it."""

from __future__ import annotations

import json
import logging
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from answerable.encoders.questions import (
    ANSWER_TOKENS,
    QUESTION_TOKENS,
    SAME,
    SAME_GRAPH,
    AskedRow,
    side_by_side,
    together,
)
from answerable.encoders.wordpieces import WordPieces
from answerable.errors import FormatError, UsageError
from answerable.training.experts import ExpertSpec, expert_kind, named, train_expert
from answerable.training.fit import ExpertRecipe, Parts, batches_by_length
from answerable.training.qapairs.alike import Twins
from answerable.training.qapairs.model import INPUTS, MatchModel
from answerable.training.reading import opened
from answerable.training.recipe import setting
from answerable.types import Skill

logger = logging.getLogger(__name__)
LET_THROUGH = 0.02
"""The share of near misses at which an evaluation counts the paraphrases that are kept."""


class SameModel(MatchModel):
    """A question read with a pair, to the log-odds that both ask the same. Its expert begins as that of reading."""

    skill = Skill.FIT


SAMENESS = ExpertSpec(
    Skill.FIT,
    "fitting",
    SameModel,
    "judge of questions",
    lambda model, _: {SAME: {"name": named("same", model)}},
    graph=SAME_GRAPH,
    inputs=INPUTS,
    outputs=("logits",),
    axes={**{name: {0: "rows", 1: "tokens"} for name in INPUTS}, "logits": {0: "rows"}},
    part="same",
    runs=lambda model, *given: model(*given)[1],
)
"""`same.onnx`: log-odds alone, of the rows of `encoders.questions.together`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SameRecipe(ExpertRecipe):
    """`twins`: files that `training.qapairs.alike` wrote. `often`: how many times those of a kind are seen, else once.

    `development`: files of cases in the form of `benchmarks/polarity`. Of the pair's answers the share `unanswered` is
    left out, and that share of twins is learned the other way around.
    """

    twins: tuple[str, ...] = ()
    development: tuple[str, ...] = ()
    often: Mapping[str, float] = field(default_factory=dict)
    epochs: float = 1.0
    unanswered: float = 0.4

    def check(self) -> None:
        """As `Recipe.check`."""
        if not self.twins:
            raise UsageError("the recipe names no twins", hint="make them: python -m answerable.training.qapairs.alike")


def train_same(recipe: SameRecipe, data: Path, folder: Path) -> SameModel:
    """Train a judge of questions, as `train_expert`."""
    return train_expert(SAMENESS, recipe, folder, lambda *made: _parts(recipe, *made))


def _parts(recipe: SameRecipe, model: SameModel, tokenizer: Path, device: torch.device) -> Parts:
    rng, pieces = random.Random(recipe.loop.seed), WordPieces(tokenizer)
    known = [one for path in recipe.twins for one in read_twins(Path(path))]
    held = [one for path in recipe.development for one in read_twins(Path(path))]
    learned: list[Twins] = []
    for one in known:
        times = recipe.epochs * recipe.often.get(one.kind, 1.0)
        for _ in range(int(times) + (rng.random() < times % 1)):
            learned.append(_shown(one, recipe.unanswered, rng))
    rng.shuffle(learned)
    rows, labels = rows_of(pieces, learned), torch.tensor([float(one.same) for one in learned])
    batches = batches_by_length([len(row.ids) for row in rows], recipe.loop)
    logger.info("%d twins in %d batches, %d for development", len(learned), len(batches), len(held))

    def loss(numbers: list[int]) -> Tensor:
        logits = _logits(model, [rows[i] for i in numbers], device)
        return F.binary_cross_entropy_with_logits(logits, labels[numbers].to(device))

    return Parts(model, batches, loss, judge=_judging(model, pieces, held, device) if held else None)


def _shown(one: Twins, unanswered: float, rng: random.Random) -> Twins:
    if rng.random() < unanswered / 2:
        return Twins(one.question, one.asked, "", one.same, one.kind)
    return one if rng.random() >= unanswered else Twins(one.asked, one.question, "", one.same, one.kind)


def read_twins(path: Path) -> list[Twins]:
    """The twins of a file, a line of JSON each. Raises `FormatError` where it holds something else."""
    try:
        rows = [json.loads(line) for line in opened(path)]
        return [Twins(row["asked"], row["question"], row["answer"], bool(row["same"]), row["kind"]) for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{path} holds no twins: {type(error).__name__}") from error


def rows_of(pieces: WordPieces, twins: Sequence[Twins]) -> list[AskedRow]:
    """Each as a row of tokens."""
    asked = pieces.ids([one.asked for one in twins], QUESTION_TOKENS)
    theirs = pieces.ids([one.question for one in twins], QUESTION_TOKENS)
    answers = pieces.ids([one.answer for one in twins], ANSWER_TOKENS)
    return [together(*three) for three in zip(asked, theirs, answers, strict=True)]


def _logits(model: SameModel, rows: Sequence[AskedRow], device: torch.device) -> Tensor:
    ids, segments = (torch.from_numpy(one).to(device) for one in side_by_side(rows))
    with torch.autocast(device.type, torch.bfloat16):
        logits: Tensor = model(ids, segments)[1]
    return logits.float()


def _judging(
    model: SameModel, pieces: WordPieces, held: Sequence[Twins], device: torch.device
) -> Callable[[], Mapping[str, float]]:
    rows, same = rows_of(pieces, held), np.array([one.same for one in held])

    def judge() -> dict[str, float]:
        model.eval()
        with torch.no_grad():
            found = [_logits(model, rows[i : i + 64], device).cpu().numpy() for i in range(0, len(rows), 64)]
        scores = np.concatenate(found)
        return {"kept": kept(scores[same], scores[~same]), "ordered": ordered(scores[same], scores[~same])}

    return judge


def kept(
    right: np.typing.NDArray[np.float32], wrong: np.typing.NDArray[np.float32], share: float = LET_THROUGH
) -> float:
    """The share of `right` above all but a share of `wrong`."""
    least = np.sort(wrong)[::-1][int(share * len(wrong))]
    return float((right > least).mean())


def ordered(right: np.typing.NDArray[np.float32], wrong: np.typing.NDArray[np.float32]) -> float:
    """How likely one of `right` is above one of `wrong`: the area under the ROC curve."""
    return float((right[:, None] > wrong[None]).mean() + (right[:, None] == wrong[None]).mean() / 2)


KINDS = {"same": expert_kind(SameRecipe, train_same, SAMENESS, setting("matcher"))}
