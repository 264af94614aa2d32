"""Train what asks questions of passages: `recipes/pair-questions.toml` is the recipe.

    learned  passage with its answer marked → the question that was asked
    loss     the mean of -log P over the tokens to be said (`writer.surprise`)
    judged   the probability for each token of development questions (geometric mean)

Source: Lewis et al. 2021, section 3.3, where a BART is trained so.
"""

from __future__ import annotations

import logging
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from answerable.encoders.asking import ASK, GRAPH, SAID, TOKENS, VOCABULARY, WRITE, AskLayout, AskRow, padded
from answerable.errors import UsageError
from answerable.text import is_polar
from answerable.training.experts import ExpertSpec, expert_kind, named, train_expert
from answerable.training.export import Heads, Run, plain, to_int8
from answerable.training.loop import Parts, SourcedRecipe, batches_by_length, halved, in_batches, seen, some, tensors
from answerable.training.qapairs.writer import LAYERS, AskerModel, surprise
from answerable.training.reading import SPAN, Reading, squad
from answerable.training.sources import SOURCES, load_source
from answerable.types import Skill

logger = logging.getLogger(__name__)
JUDGED = "squad1"
"""The source whose development part tells when a model is best."""
FILES = "files"
TYPED = frozenset(("nq",))
"""Sources of questions as people type them into a search box; the model is told which of the two to say."""


def _heads(model: AskerModel) -> Heads:
    """The graph that writes, and the tokens that it can say."""
    return {WRITE: partial(_write_graph, model=model), VOCABULARY: partial(_save_said, model=model)}


def _save_said(path: Path, model: AskerModel) -> None:
    np.savez(path, said=model.said.numpy().astype(np.int32))


def _write_graph(path: Path, model: AskerModel) -> None:
    made = plain(model)
    shape = made.model.trunk.shape
    rows, beams, read, said = 2, 3, 9, 4
    each = (shape.heads, read, shape.width // shape.heads)
    given = {
        "words": torch.zeros(rows, beams, shape.width),
        "place": torch.tensor([said]),
        "before": torch.zeros(LAYERS, 2, rows * beams, shape.heads, said, each[2]),
        "texts": torch.zeros(LAYERS, 2, rows, *each),
        "keys": torch.zeros(rows, read, shape.width),
        "mask": torch.ones(rows, read, dtype=torch.long),
    }
    axes = {
        "words": {0: "rows", 1: "beams"},
        "before": {2: "each", 4: "said"},
        "texts": {2: "rows", 4: "read"},
        "keys": {0: "rows", 1: "read"},
        "mask": {0: "rows", 1: "read"},
        "logits": {0: "rows", 1: "beams"},
        "copied": {0: "rows", 1: "beams", 2: "read"},
        "gate": {0: "rows", 1: "beams"},
        "grown": {2: "each", 4: "grown"},
    }
    step = Run("write", made, lambda model, *held: model.step(*held))
    to_int8(step, list(given), ("logits", "copied", "gate", "grown"), axes, path, list(given.values()))


ASKER = ExpertSpec(
    Skill.READ,
    "reading",
    AskerModel,
    "model that asks questions",
    lambda model, tokens: {ASK: {"name": named("ask", model), "tokens": tokens}},
    heads=_heads,
    graph=GRAPH,
    inputs=("ids", "segments"),
    outputs=("texts", "keys", "words"),
    axes={
        "texts": {2: "rows", 4: "tokens"},
        "keys": {0: "rows", 1: "tokens"},
        "words": {0: "rows", 1: "tokens"},
    },
    part="ask",
    runs=lambda model, ids, segments: model.read(ids, segments),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRecipe(SourcedRecipe):
    """A recipe of the kind `pair-questions`. `tokens` of a passage are read. `sources` as a reader's, and `files`,
    which it names: in the form of SQuAD, below the folder of data."""

    tokens: int = TOKENS
    files: tuple[str, ...] = ()

    ALLOWED = SOURCES | {FILES}

    def check(self) -> None:
        """As `Recipe.check`."""
        if bool(self.files) != (FILES in self.sources):
            raise UsageError("files of questions are named, or seen, but not both", hint="files = [...], and how often")


@dataclass(frozen=True, slots=True)
class Lesson:
    """A row to read, and the token ids to say, the first of which is how to say it."""

    row: AskRow
    said: list[int]


def train_questions(recipe: QuestionRecipe, data: Path, folder: Path) -> AskerModel:
    """Train as a recipe says, as `train_expert`. Raises `UsageError` for one that cannot be used."""

    def parts(model: AskerModel, tokenizer: Path, device: torch.device) -> Parts:
        layout, vocabulary = AskLayout(tokenizer), model.model.trunk.shape.vocabulary
        lessons = [one for reading in drawn(recipe, data) for one in laid(layout, reading, recipe.tokens)]
        judged = some(random.Random(7), usable(load_source(JUDGED, data, {}, "development")), recipe.judged)
        held = [one for reading in judged for one in laid(layout, reading, recipe.tokens)]
        if torch.equal(model.said.cpu(), torch.arange(len(model.said))):  # a new one
            model.say(torch.tensor(commonest(lessons, len(model.said), vocabulary)))
        numbers = torch.full((vocabulary,), -1, dtype=torch.long, device=device)
        numbers[model.said] = torch.arange(len(model.said), device=device)
        logger.info("%d lessons", len(lessons))

        def loss(chosen: list[int]) -> Tensor:
            summed, count = surprise_of(model, [lessons[n] for n in chosen], numbers, device)
            return summed / count

        def judge() -> dict[str, float]:
            model.eval()

            def run(chosen: list[int]) -> list[tuple[float, int]]:
                summed, count = surprise_of(model, [held[n] for n in chosen], numbers, device)
                return [(float(summed), int(count))] + [(0.0, 0)] * (len(chosen) - 1)

            with torch.inference_mode():
                found = in_batches([len(one.row.ids) for one in held], recipe.loop.tokens, run)
            return {"probability": math.exp(-sum(a for a, _ in found) / sum(b for _, b in found))}

        return Parts(model, batches_by_length([len(one.row.ids) for one in lessons], recipe.loop), loss, judge=judge)

    return train_expert(ASKER, recipe, folder, parts)


def drawn(recipe: QuestionRecipe, data: Path) -> Iterator[Reading]:
    """The readings of each source as often as it is seen."""
    for name, epochs in recipe.sources.items():
        readings = usable(_named(recipe, data) if name == FILES else load_source(name, data, {}, "train"))
        for number, share in seen(epochs):
            rng = random.Random(f"{recipe.loop.seed} {name} {number}")
            chosen = some(rng, readings, round(share * len(readings)))
            logger.info("%s: %d", name, len(chosen))
            yield from chosen


def _named(recipe: QuestionRecipe, data: Path) -> list[Reading]:
    return [reading for name in recipe.files for _, reading in squad(data / name, FILES)]


def usable(readings: Sequence[Reading]) -> list[Reading]:
    """Those of one passage that a span answers, whose questions are put as questions."""
    return [
        one
        for one in readings
        if one.kind == SPAN
        and one.answer
        and len(one.passages) == 1
        and not is_polar(one.question)
        and (one.source in TYPED or (one.question[:1].isupper() and one.question.endswith("?")))
    ]


def laid(layout: AskLayout, reading: Reading, most: int) -> list[Lesson]:
    """The lesson of a reading; none where its question is too long."""
    assert reading.answer is not None
    (title, text), (_, start, end) = reading.passages[0], reading.answer
    question = reading.question if reading.question.endswith("?") else f"{reading.question} ?"
    ids = layout.question(question, reading.source in TYPED)
    if len(ids) > SAID + 1:
        return []
    return [Lesson(row, ids) for row in layout.rows(title, text, [(start, end)], most)]


def commonest(lessons: Sequence[Lesson], most: int, vocabulary: int) -> list[int]:
    """The `most` tokens that are said most often; where fewer are said, those that are read, and then any others."""
    said = Counter(token for one in lessons for token in one.said[1:])
    read = Counter(token for one in lessons for token in one.row.ids)
    ordered = [*(token for token, _ in (*said.most_common(), *read.most_common())), *range(vocabulary)]
    return sorted([*dict.fromkeys(ordered)][:most])


def surprise_of(
    model: AskerModel, lessons: Sequence[Lesson], numbers: Tensor, device: torch.device
) -> tuple[Tensor, Tensor]:
    """As `writer.surprise` of lessons."""
    ids, segments = tensors(padded([one.row for one in lessons]), device)
    longest = max(len(one.said) for one in lessons)
    said = torch.tensor([one.said + [0] * (longest - len(one.said)) for one in lessons], device=device)
    with halved(device):
        written = model(ids, segments, said[:, :-1])
    return surprise(written, ids, said[:, 1:], numbers)


KINDS = {
    "pair-questions": expert_kind(
        QuestionRecipe, train_questions, ASKER, "To use it: answerable pairs build --enclave NAME --generator {}"
    ),
}
