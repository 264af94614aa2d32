"""Train a reader of many passages from a recipe: questions, their passages, the loop. `recipes/fusion.toml` is it."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor

from answerable.encoders.wordpieces import PASSAGE_TOKENS
from answerable.errors import UsageError
from answerable.readers.path_layout import PathLayout
from answerable.training.fusion.batch import collate, plan
from answerable.training.fusion.draw import CORPORA, DrawSettings, Row, draw, encode, with_near
from answerable.training.fusion.judge import given, judge
from answerable.training.fusion.model import FusedModel, fused_loss
from answerable.training.fusion.start import begin_fused
from answerable.training.loop import LoopSettings, train
from answerable.training.paths.draw import Asked
from answerable.training.paths.sources import load
from answerable.training.paths.train import SHORTEST
from answerable.training.reading import load_pool
from answerable.training.skills import many
from answerable.training.skills.mine import LexicalSearches
from answerable.training.skills.shelf import Shelf
from answerable.training.skills.start import keep
from answerable.training.skills.supervised import MULTI_HOP

logger = logging.getLogger(__name__)
SOURCES = (*MULTI_HOP, *CORPORA)


@dataclass(frozen=True, slots=True)
class FusionRecipe:
    """A recipe of the kind `fusion`, checked. `sources` says how often each is seen, drawn anew each time.

    `tokens` is the longest sequence: a question and one passage. In an evaluation `judged` development questions of
    each source are read, with as many passages as `draw.most`.
    """

    start: str
    dropout: float
    threads: int
    tokens: int
    judged: int
    draw: DrawSettings
    loop: LoopSettings
    sources: Mapping[str, float]


def read(recipe: Mapping[str, Any]) -> FusionRecipe:
    """Check a recipe. Raises `UsageError` for a key, a setting or a source that is not known or cannot be used."""
    known = {"kind", *FusionRecipe.__dataclass_fields__}
    if unknown := set(recipe) - known:
        raise UsageError(f"the recipe has a key that is not known: {min(unknown)}", hint=f"keys: {sorted(known)}")
    try:
        found = FusionRecipe(
            start=str(recipe.get("start", "skills")),
            dropout=float(recipe.get("dropout", 0.1)),
            threads=int(recipe.get("threads", 2)),
            tokens=int(recipe.get("tokens", PASSAGE_TOKENS)),
            judged=int(recipe.get("judged", 40)),
            draw=DrawSettings(**recipe.get("draw", {})),
            loop=LoopSettings(**recipe.get("loop", {})),
            sources={str(name): float(epochs) for name, epochs in recipe.get("sources", {}).items()},
        )
    except (TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"the recipe has a setting that cannot be used: {error}") from error
    if not found.sources:
        raise UsageError("the recipe names no sources", hint="[sources] says how many times each is seen")
    for name in found.sources:
        if name not in SOURCES:
            raise UsageError(f"there is no source {name!r}", hint=f"sources: {', '.join(sorted(SOURCES))}")
    if found.tokens < SHORTEST:
        raise UsageError(f"tokens is {found.tokens}", hint=f"give at least {SHORTEST}")
    if not 1 <= found.draw.fewest <= found.draw.most:
        raise UsageError(f"fewest is {found.draw.fewest} and most {found.draw.most}", hint="give 1 or more, in order")
    return found


def train_fusion(given: Mapping[str, Any], data: Path, folder: Path) -> FusedModel:
    """Train a reader as a recipe says, resuming from `folder` when it holds a checkpoint.

    The model, its shape and its tokenizer stand in `folder`, and in `work` what was found for its questions. Raises
    `UsageError` for a recipe that cannot be used.
    """
    recipe = read(given)
    torch.set_num_threads(recipe.threads)
    torch.manual_seed(recipe.loop.seed)
    device = many.join()
    model, tokenizer = begin_fused(recipe.start, recipe.dropout)
    if recipe.tokens > model.model.trunk.shape.positions:
        raise UsageError(
            f"the model to start from reads {model.model.trunk.shape.positions} tokens, not as many as"
            f" the recipe's {recipe.tokens}"
        )
    keep(model.model, tokenizer, folder)
    layout = PathLayout(Tokenizer.from_file(str(tokenizer)), recipe.tokens)
    questions = Questions(recipe, data, folder / "work")
    many.once(partial(questions.load, "train"))
    examples = questions.build(layout)
    batches = plan(examples, recipe.loop.tokens, recipe.loop.seed)
    if not batches:
        raise UsageError("the recipe's sources gave nothing to learn from", hint="see them more often")
    passages = sum(map(len, examples))
    logger.info("%d questions with %d passages in %d batches", len(examples), passages, len(batches))
    model = model.to(device)

    def step(numbers: list[int]) -> Tensor:
        loss = _loss(model, [examples[i] for i in numbers], device)
        loss.backward()  # type: ignore[no-untyped-call]
        many.average(model)
        return loss.detach()

    judging = None
    if recipe.loop.evaluate_steps:
        many.once(partial(questions.load, "development"))
        judging = questions.judging(model, layout)
    train(model, many.share(batches), step, folder, recipe.loop, evaluate=judging, writes=many.first())
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
        self._shelf = Shelf(data)
        self._held: dict[str, list[tuple[str, list[Asked]]]] = {}

    def load(self, part: str) -> None:
        """Draw the questions of `train`, or of `development`, and look for their passages.

        One source seen 2.5 times is there whole twice, and half the third time.
        """
        recipe, found = self._recipe, []
        for source, epochs in recipe.sources.items():
            asked = load(source, self._data, self._pool, part)
            if part == "development":
                rng = random.Random(f"{recipe.loop.seed} {source}")
                found.append((source, rng.sample(asked, min(recipe.judged, len(asked)))))
                continue
            for number in range(int(-(-epochs // 1))):
                seed = f"{recipe.loop.seed} {source} {number}"
                share = min(1.0, epochs - number)
                found.append((seed, random.Random(seed).sample(asked, int(len(asked) * share))))
            logger.info("%s: %d questions", source, len(asked))
        searches = LexicalSearches(self._shelf, self._work)
        file = self._work / "near.jsonl"
        self._held[part] = [
            (seed, with_near(asked, self._shelf, file, searches, recipe.draw.most)) for seed, asked in found
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
        asked = [one for _, some in self._held["development"] for one in some]
        questions = [(one, given(one, self._recipe.draw.most, rng)) for one in asked]
        return lambda: judge(model, layout, questions)
