"""Train a reader of many passages from a recipe: questions, their passages, the loop. `recipes/fusion.toml` is it."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import ClassVar

import torch
from tokenizers import Tokenizer
from torch import Tensor

from answerable.encoders.wordpieces import PASSAGE_TOKENS
from answerable.errors import UsageError
from answerable.readers.path_layout import PathLayout
from answerable.training import distributed
from answerable.training.corpora import Corpora
from answerable.training.experts import expert_kind
from answerable.training.fit import Parts, SourcedRecipe, begun, fit, seen, some
from answerable.training.fusion.batch import collate, plan
from answerable.training.fusion.draw import CORPORA, DrawSettings, Row, draw, encode, with_near
from answerable.training.fusion.judge import given, judge
from answerable.training.fusion.model import FUSION, FusedModel, begin_fused, fused_loss
from answerable.training.paths.draw import Asked
from answerable.training.paths.sources import load
from answerable.training.paths.train import SHORTEST, check_length
from answerable.training.reading import load_pool
from answerable.training.recipe import setting
from answerable.training.skills.mine import LexicalSearches
from answerable.training.skills.supervised import MULTI_HOP
from answerable.training.start import keep

logger = logging.getLogger(__name__)
SOURCES = (*MULTI_HOP, *CORPORA)


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionRecipe(SourcedRecipe):
    """A recipe of the kind `fusion`. Of each source passages are drawn anew each time it is seen.

    `tokens` is the longest sequence: a question and one passage. In an evaluation `judged` development questions of
    each source are read, with as many passages as `draw.most`.
    """

    tokens: int = PASSAGE_TOKENS
    judged: int = 40
    draw: DrawSettings = field(default_factory=DrawSettings)

    ALLOWED: ClassVar[Collection[str]] = SOURCES

    def check(self) -> None:
        """As `Recipe.check`."""
        fewest, most = self.draw.fewest, self.draw.most
        if self.tokens < SHORTEST:
            raise UsageError(f"tokens is {self.tokens}", hint=f"give at least {SHORTEST}")
        if not 1 <= fewest <= most:
            raise UsageError(f"fewest is {fewest} and most {most}", hint="give 1 or more, in order")


def train_fusion(recipe: FusionRecipe, data: Path, folder: Path) -> FusedModel:
    """Train a reader as a recipe says, resuming from `folder` when it holds a checkpoint.

    The model, its shape and its tokenizer stand in `folder`, and in `work` what was found for its questions. Raises
    `UsageError` for a recipe that cannot be used.
    """
    device = begun(recipe.threads, recipe.loop.seed)
    model, tokenizer = begin_fused(recipe.start, recipe.dropout)
    check_length(model.model, recipe.tokens)
    keep(model.model, tokenizer, folder)
    layout = PathLayout(Tokenizer.from_file(str(tokenizer)), recipe.tokens)
    questions = Questions(recipe, data, folder / "work")
    distributed.once(partial(questions.load, "train"))
    examples = questions.build(layout)
    batches = plan(examples, recipe.loop.tokens, recipe.loop.seed)
    passages = sum(map(len, examples))
    logger.info("%d questions with %d passages in %d batches", len(examples), passages, len(batches))
    model = model.to(device)
    judging = None
    if recipe.loop.evaluate_steps:
        distributed.once(partial(questions.load, "development"))
        judging = questions.judging(model, layout)

    def loss(numbers: list[int]) -> Tensor:
        return _loss(model, [examples[i] for i in numbers], device)

    fit(recipe.loop, Parts(model, batches, loss, judge=judging), folder)
    return model.cpu().eval()


def _loss(model: FusedModel, questions: Sequence[Sequence[Row]], device: torch.device) -> Tensor:
    batch = collate(questions, device)
    with torch.autocast(device.type, torch.bfloat16):
        scores, none = model(batch.ids, batch.mask, batch.pointable)
    return fused_loss(scores, none, batch.right)


class Questions:
    """The questions of a recipe, each with the passages it may be read with."""

    def __init__(self, recipe: FusionRecipe, data: Path, work: Path) -> None:
        """`work` keeps what was found for them, and the indexes it was found in."""
        self._recipe, self._data, self._work = recipe, data, work
        self._pool = load_pool(data / "multihop/passages.jsonl.gz")
        self._corpora = Corpora(data)
        self._held: dict[str, list[tuple[str, list[Asked]]]] = {}

    def load(self, part: str) -> None:
        """Draw the questions of `train`, or of `development`, and look for their passages."""
        recipe, found = self._recipe, []
        for source, epochs in recipe.sources.items():
            asked = load(source, self._data, self._pool, part)
            if part == "development":
                found.append((source, some(random.Random(f"{recipe.loop.seed} {source}"), asked, recipe.judged)))
                continue
            for number, share in seen(epochs):
                seed = f"{recipe.loop.seed} {source} {number}"
                found.append((seed, random.Random(seed).sample(asked, int(len(asked) * share))))
            logger.info("%s: %d questions", source, len(asked))
        searches = LexicalSearches(self._corpora, self._work)
        file = self._work / "near.jsonl"
        self._held[part] = [
            (seed, with_near(asked, self._corpora, file, searches, recipe.draw.most)) for seed, asked in found
        ]

    def build(self, layout: PathLayout) -> list[tuple[Row, ...]]:
        """What to learn from."""
        made: list[tuple[Row, ...]] = []
        for seed, asked in self._held["train"]:
            rng = random.Random(f"{seed} draw")
            made += encode(layout, [draw(one, self._recipe.draw, rng) for one in asked], seed)
        return made

    def judging(self, model: FusedModel, layout: PathLayout) -> Callable[[], dict[str, float]]:
        """The evaluation on development questions, the same ones with the same passages each time."""
        rng = random.Random(self._recipe.loop.seed)
        asked = [one for _, held in self._held["development"] for one in held]
        questions = [(one, given(one, self._recipe.draw.most, rng)) for one in asked]
        return lambda: judge(model, layout, questions)


KINDS = {"fusion": expert_kind(FusionRecipe, train_fusion, lambda _: FUSION, setting("reader"))}
