"""Train the reranker of what a table may say, a cross-encoder by an expert of the encoder of skills.

`recipes/table-reranking.toml` is the recipe. The ranking that ships gives the likeliest answers of each table; which
program was meant is not known, only what the answer is, so that all that say it are right together.
"""

from __future__ import annotations

import json
import logging
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from answerable.encoders.choose import encoder_folder
from answerable.encoders.questions import AskedRow, side_by_side
from answerable.encoders.reranking import GRAPH, PROGRAM, rows
from answerable.encoders.sameness import GRAPH as TESTED
from answerable.encoders.sameness import SAME
from answerable.encoders.wordpieces import WordPieces
from answerable.tables.ranking import READ, Ranking, shipped
from answerable.tables.wording import in_words
from answerable.training.experts import expert_kind, mean_kind, named, train_expert
from answerable.training.loop import ExpertRecipe, Parts, batches_by_length, some, tensors
from answerable.training.qapairs.model import MatchModel
from answerable.training.recipe import Kind, setting
from answerable.training.restore import begin_as
from answerable.training.same.train import SAMENESS
from answerable.training.tables import LESSONS, Lesson, lessons, right

logger = logging.getLogger(__name__)
_FIRST, _FURTHER, _RIGHT = 3, 2, 2
"""Of the wrong ones so many of the likeliest and so many others are learned from, of the right ones so many."""

RERANKING = replace(
    SAMENESS,
    called="reranker of what tables say",
    joins=lambda model, _: {PROGRAM: {"name": named("program", model)}},
    graph=GRAPH,
    part="program",
)
"""An expert of the same kind and shape as the test of two questions, as which it begins."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A question with what its table may say in words, how likely each is by the ranking (logarithms), and which are
    right."""

    question: str
    said: tuple[str, ...]
    likely: tuple[float, ...]
    right: tuple[bool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRerankingRecipe(ExpertRecipe):
    """A recipe of the kind `table-reranking`. `most`: so many questions are drawn of those that the ranking learned
    from; `trust`: how much the ranking's logarithms count; `written`: the file of tables as people keep them."""

    most: int = 24_000
    trust: float = 0.5
    written: str = str(LESSONS)


def offers(taught: Iterable[Lesson], ranking: Ranking) -> Iterator[Offer]:
    """Of each question what is likeliest; none where all or nothing of it is right."""
    for lesson in taught:
        said = ranking.rank(lesson.question, lesson.table, READ)
        fits = tuple(right(one.program.values, lesson.answers) for one in said)
        if any(fits) and not all(fits):
            told = tuple(in_words(one, lesson.table) for one in said)
            yield Offer(lesson.question, told, tuple(math.log(one.probability + 1e-9) for one in said), fits)


def drawn(offer: Offer, rng: random.Random) -> Offer:
    """A few of what is right and of what is wrong."""
    fitting = [at for at, one in enumerate(offer.right) if one]
    wrong = [at for at, one in enumerate(offer.right) if not one]
    rest = wrong[_FIRST:]
    kept = fitting[:_RIGHT] + wrong[:_FIRST] + rng.sample(rest, min(_FURTHER, len(rest)))
    said, likely, fits = offer.said, offer.likely, offer.right
    chosen = (tuple(said[at] for at in kept), tuple(likely[at] for at in kept), tuple(fits[at] for at in kept))
    return Offer(offer.question, *chosen)


def train_reranking(recipe: TableRerankingRecipe, data: Path, folder: Path) -> MatchModel:
    """Train it as `train_expert`; it begins as the test of two questions."""

    def parts(model: MatchModel, tokenizer: Path, device: torch.device) -> Parts:
        begin_as(model, encoder_folder(recipe.start), SAME, TESTED, SAMENESS.part)
        pieces, rng = WordPieces(tokenizer), random.Random(recipe.loop.seed)
        every = _kept(folder / "offers.jsonl", recipe, data)
        seen = [drawn(one, rng) for one in rng.sample(every, len(every))]
        laid = [rows(pieces, one.question, one.said) for one in seen]
        logger.info("%d questions, %d answers to tell apart", len(every), sum(map(len, laid)))

        def loss(numbers: list[int]) -> Tensor:
            return lost(model, [laid[n] for n in numbers], [seen[n] for n in numbers], recipe.trust, device)

        lengths = [len(one) * max(len(row.ids) for row in one) for one in laid]
        return Parts(model, batches_by_length(lengths, recipe.loop), loss)

    return train_expert(RERANKING, recipe, folder, parts)


def _kept(path: Path, recipe: TableRerankingRecipe, data: Path) -> list[Offer]:
    """The offers in a file, which are worked out where it is not there yet."""
    if not path.is_file():
        taught = some(random.Random(recipe.loop.seed), [*lessons(data, Path(recipe.written))], recipe.most)
        found = offers(taught, shipped())
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.with_suffix(".part").open("w", encoding="utf8") as file:
            for one in found:
                file.write(json.dumps([one.question, one.said, one.likely, one.right], ensure_ascii=False) + "\n")
        path.with_suffix(".part").replace(path)
    with path.open(encoding="utf8") as file:
        return [Offer(question, *map(tuple, rest)) for question, *rest in map(json.loads, file)]


def lost(
    model: MatchModel, laid: Sequence[Sequence[AskedRow]], asked: Sequence[Offer], trust: float, device: torch.device
) -> Tensor:
    """The mean negative logarithm of how likely what is right of each question is."""
    logits: Tensor = model(*tensors(side_by_side([row for one in laid for row in one]), device))[1]
    logits = logits + trust * torch.tensor([value for one in asked for value in one.likely], device=device)
    told = []
    for scores, one in zip(torch.split(logits, [len(one) for one in laid]), asked, strict=True):
        fits = torch.tensor(one.right, device=device)
        told.append(torch.logsumexp(scores, 0) - torch.logsumexp(scores[fits], 0))
    return torch.stack(told).mean()


KINDS: Mapping[str, Kind[Any]] = {
    "table-reranking": expert_kind(TableRerankingRecipe, train_reranking, RERANKING, setting("encoder")),
    "table-reranking-mean": mean_kind(RERANKING, setting("encoder")),
}
