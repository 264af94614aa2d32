"""Train a path reader from a recipe: questions, paths drawn from them, the loop. `recipes/paths.toml` is the one."""

from __future__ import annotations

import logging
import random
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import torch
from tokenizers import Tokenizer
from torch import Tensor

from answerable.encoders.wordpieces import pad
from answerable.errors import UsageError
from answerable.evaluation.metrics.answers import f1
from answerable.evaluation.metrics.found import path_recall
from answerable.evaluation.metrics.hotpot import answer_scores, set_scores
from answerable.readers.layout import MAX_TOKENS
from answerable.readers.paths import Floats, Heads, PathLayout, PathReader, ReadPath, Span
from answerable.training.experts import expert_kind, train_expert
from answerable.training.loop import Parts, SourcedRecipe, batches_by_length, halved, in_batches, seen, some
from answerable.training.paths.draw import (
    SOURCES,
    Asked,
    DrawSettings,
    EncodedPath,
    Part,
    Pool,
    draw,
    encode,
    load,
    split,
)
from answerable.training.paths.model import PATHS, PathModel, PathWeights, collate, path_loss
from answerable.training.reading import MULTI_HOP, load_pool
from answerable.types import PUBLIC, Chain, Hit, Passage, Skill

logger = logging.getLogger(__name__)
SHORTEST = 128
"""The fewest tokens of a sequence: a question and titles take more than half of these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathRecipe(SourcedRecipe):
    """A recipe of the kind `paths`. Of each source a path is drawn anew each time it is seen.

    `tokens` is the longest sequence. In an evaluation `judged` development questions of each source are looked at, with
    `candidates` paths for each.
    """

    start: str = "minilm"
    tokens: int = MAX_TOKENS
    candidates: int = 10
    draw: DrawSettings = field(default_factory=DrawSettings)
    loss: PathWeights = field(default_factory=PathWeights)

    ALLOWED: ClassVar[Collection[str]] = SOURCES

    def check(self) -> None:
        """As `Recipe.check`."""
        if self.tokens < SHORTEST or self.draw.longest < 1:
            raise UsageError(f"tokens is {self.tokens} and longest {self.draw.longest}", hint=f"give {SHORTEST} and 1")


def train_paths(recipe: PathRecipe, data: Path, folder: Path) -> PathModel:
    """Train a path reader, as `train_expert`."""

    def parts(model: PathModel, tokenizer: Path, device: torch.device) -> Parts:
        if recipe.tokens > (most := model.encoder.trunk.shape.positions):
            what = f"the model to start from reads {most} tokens, not as many as the recipe's {recipe.tokens}"
            raise UsageError(what)
        layout = PathLayout(Tokenizer.from_file(str(tokenizer)), recipe.tokens)
        pool = load_pool(data / "multihop/passages.jsonl.gz")
        examples = build(recipe, data, pool, layout)
        batches = batches_by_length([len(one.ids) for one in examples], recipe.loop)
        logger.info("%d paths in %d batches", len(examples), len(batches))
        judging = _judging(recipe, data, pool, model, layout) if recipe.loop.evaluate_steps else None

        def loss(numbers: list[int]) -> Tensor:
            batch = collate([examples[i] for i in numbers], device)
            with halved(device):
                scores = model(batch)
            return path_loss(scores, batch, recipe.loss)

        return Parts(model, batches, loss, judge=judging)

    return train_expert(PATHS, recipe, folder, parts)


def build(recipe: PathRecipe, data: Path, pool: Pool, layout: PathLayout) -> list[EncodedPath]:
    """The paths of all sources, as often as each is seen: one seen 2.5 times is whole twice and half the third time."""
    made: list[EncodedPath] = []
    for source, epochs in recipe.sources.items():
        asked = load(source, data, pool, "train")
        before = len(made)
        for number, share in seen(epochs):
            seed = f"{recipe.loop.seed} {source} {number}"
            rng = random.Random(seed)
            chosen = asked if share == 1.0 else rng.sample(asked, int(len(asked) * share))
            made += encode(layout, [draw(one, recipe.draw, rng) for one in chosen], seed)
        logger.info("%s: %d questions, %d paths", source, len(asked), len(made) - before)
    return made


def _judging(
    recipe: PathRecipe, data: Path, pool: Pool, model: PathModel, layout: PathLayout
) -> Callable[[], dict[str, float]]:
    """The evaluation on development questions, the same ones each time."""
    questions = []
    for source in recipe.sources:
        rng = random.Random(f"{recipe.loop.seed} {source}")
        chosen = some(rng, load(source, data, pool, "development"), recipe.judged)
        questions += [candidates(one, recipe.candidates, rng) for one in chosen]
    return lambda: judge(model, layout, questions)


KINDS = {
    "paths": expert_kind(
        PathRecipe, train_paths, PATHS, "It ranks pairs of evidence where {} is in the place of the encoder that ships."
    )
}


_TOKENS = 8192
"""Tokens encoded at once."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with paths to choose among, the gold one first; the id of a passage is its number in `parts`."""

    asked: Asked
    parts: tuple[Part, ...]
    chains: tuple[Chain, ...]


def candidates(asked: Asked, most: int, rng: random.Random) -> Judged:
    """The gold path and `most - 1` others of the same length, drawn from the question's passages.

    A question with fewer than two right passages is only asked over the one it came with.
    """
    parts = (*asked.right, *asked.wrong)
    gold = tuple(range(max(1, len(asked.right))))
    paths = {gold: None}
    for _ in range(4 * most if len(asked.right) > 1 and asked.wrong else 0):
        if len(paths) < most:
            paths[tuple(sorted(rng.sample(range(len(parts)), len(gold))))] = None
    return Judged(asked, parts, tuple(_chain(parts, path) for path in paths))


def _chain(parts: Sequence[Part], path: Sequence[int]) -> Chain:
    hits = []
    for number in path:
        part = parts[number]
        passage = Passage(str(number), str(number), "given", part.title, part.text, 0, len(part.text))
        hits.append(Hit(passage, 1.0, PUBLIC, Skill.READ))
    return Chain(tuple(hits), 1.0, PUBLIC)


def reader_of(model: PathModel, layout: PathLayout, spans: Mapping[str, Sequence[Span]]) -> PathReader:
    """The reader that a model in training is, as it would be exported, in bf16. `spans` are texts' sentences."""
    weights = (model.passages.weight[0], model.sentences.weight[0], model.span.weight, model.span.bias)
    heads = Heads(*(weight.detach().cpu().float().numpy() for weight in weights))

    def run(rows: Sequence[Sequence[int]]) -> list[Floats]:
        device = model.span.weight.device

        def some(batch: list[int]) -> list[Floats]:
            ids, mask = (torch.from_numpy(array).to(device) for array in pad([rows[i] for i in batch]))
            with torch.no_grad(), halved(device):
                hidden = model.encoder.trunk(ids, mask, Skill.READ).float().cpu().numpy()
            return [hidden[row, : len(rows[i])] for row, i in enumerate(batch)]

        return in_batches([len(row) for row in rows], _TOKENS, some)

    return PathReader(layout, heads, run, lambda text: spans[text] if text in spans else split(text))


def judge(model: PathModel, layout: PathLayout, questions: Sequence[Judged]) -> dict[str, float]:
    """Means over the questions of each source, each 0 to 1.

    `passages`: whether the path ranked first is the gold one (of questions with several right passages). `sentences`:
    F1 of those found in the gold path, where they are known. `answer`: F1 of the best answer of the path ranked first;
    over one passage, where perhaps nothing answers, none is given unless it scores above 0.
    """
    model.eval()
    spans = {part.text: part.sentences for one in questions for part in one.parts if part.sentences}
    reader = reader_of(model, layout, spans)
    values: dict[str, list[float]] = defaultdict(list)
    for one in questions:
        source = one.asked.source
        found = reader.look(one.asked.question, one.chains)
        best = min(found, key=lambda path: (-path.score, path.chain.key))
        if len(one.chains) > 1:
            values[f"{source} passages"].append(path_recall([best.chain.key], found[0].chain.key, 1))
        said = max(best.candidates, key=lambda c: (c.score, c.text), default=None)
        if source in MULTI_HOP:
            values[f"{source} answer"].append(answer_scores(said.text if said else "", one.asked.answers).f1)
        else:
            gold = one.asked.answers if one.asked.right else ()
            values[f"{source} answer"].append(f1(said.text if said and said.score > 0 else "", gold))
        if one.asked.right and all(part.supporting is not None for part in one.asked.right):
            values[f"{source} sentences"].append(_sentences(one, found[0]))
    return {name: sum(each) / len(each) for name, each in sorted(values.items())}


def _sentences(one: Judged, gold: ReadPath) -> float:
    """F1 of the sentences said to support the answer, in the gold path."""
    said = [(str(support.hit), support.start) for support in gold.supporting]
    wanted = [
        (str(number), part.sentences[i][0])
        for number, part in enumerate(one.asked.right)
        for i in part.supporting or ()
    ]
    return set_scores(said, wanted).f1
