"""Train what decides questions for yes or no, a cross-encoder, from a recipe: `recipes/deciding.toml`.

Learned from are a question, what was told, a passage, and what follows. `recipes/lessons/deciding.jsonl.gz` was written
for this by language models and checked by none: a line a passage, with its `title`, its `text` and `cases`, each a
`question`, a `scenario`, a `history` of questions asked in return and what was answered, and a `decision`: `yes`, `no`,
`more`, or `none` where the passage does not say. The others are data sets.
"""

from __future__ import annotations

import logging
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from answerable.datasets.parts import share
from answerable.encoders.choose import encoder_folder
from answerable.encoders.constraints import FIT
from answerable.encoders.constraints import GRAPH as JUDGED
from answerable.encoders.deciding import DECIDE, DECISIONS, GRAPH, rows, told
from answerable.encoders.questions import AskedRow, side_by_side
from answerable.encoders.wordpieces import WordPieces
from answerable.errors import UsageError
from answerable.evaluation.long.asked import LongDocument
from answerable.evaluation.long.load import load
from answerable.evaluation.long.rules import unpaged
from answerable.text import is_polar
from answerable.training.experts import ExpertSpec, expert_kind, named, open_expert, train_expert
from answerable.training.loop import Parts, UnjudgedRecipe, batches_by_length, halved, in_batches, seen, tensors
from answerable.training.marked import INPUTS, MarkedModel, second
from answerable.training.reading import NO, NONE, YES, Reading, lines_of
from answerable.training.recipe import Kind, setting
from answerable.training.restore import begin_as
from answerable.training.sets.model import JUDGING
from answerable.training.sources import load_source
from answerable.training.start import TOKENIZER, WEIGHTS, write_mean
from answerable.types import Skill

logger = logging.getLogger(__name__)
WRITTEN = Path(__file__).resolve().parents[3] / "recipes/lessons/deciding.jsonl.gz"
HELD = 0.08
"""The share of written passages that is for development."""
_NAMES = {"yes": "Yes", "no": "No", "none": "Irrelevant", "more": "More"}
_KINDS = {YES: "Yes", NO: "No", NONE: "Irrelevant"}
_OTHER = 0.25
"""How often a turn of ShARC is also asked of another snippet, which says nothing about it."""
_TOKENS = 4096


@dataclass(frozen=True, slots=True)
class Lesson:
    """A question, what was told ("" for nothing), a passage with its headings, and which of `DECISIONS` follows."""

    question: str
    told: str
    passage: tuple[str, str]
    decision: str

    @property
    def number(self) -> int:
        """The place of the decision among `DECISIONS`."""
        return DECISIONS.index(self.decision)


def written(part: str, path: Path = WRITTEN) -> Iterator[Lesson]:
    """The lessons that were written, of `train` or `development`, which share no passage.

    Raises as `lines_of`.
    """
    for row in lines_of(path):
        if (share(row["text"]) < HELD) == (part == "development"):
            for one in row["cases"]:
                said = told(one["scenario"], tuple((asked, reply) for asked, reply in one["history"]))
                yield Lesson(one["question"], said, (row["title"], row["text"]), _NAMES[one["decision"]])


def conversations(data: Path, part: str) -> Iterator[Lesson]:
    """ShARC's turns, each over its snippet, and some over another one of its document."""
    rng = random.Random(part)
    for document in load(data, "sharc", part):
        for one in document.questions:
            own = next(n for n, each in enumerate(document.paragraphs) if each.start <= one.hops[0][0][0] < each.end)
            said = told(one.scenario, one.history)
            yield Lesson(one.text, said, _passage(document, own), one.kind)
            others = [n for n in range(len(document.paragraphs)) if n != own]
            if others and rng.random() < _OTHER:
                yield Lesson(one.text, said, _passage(document, rng.choice(others)), "Irrelevant")


def _passage(document: LongDocument, number: int) -> tuple[str, str]:
    one = document.paragraphs[number]
    return " > ".join(one.path), document.document.text[one.start : one.end]


def situations(data: Path, part: str) -> Iterator[Lesson]:
    """ConditionalQA's questions for yes or no that are to be learned from, each over its evidence."""
    for example, evidence in unpaged(data) if part == "train" else ():
        if example.kind == "yesno" and is_polar(example.question) and evidence:
            plain = {answer for answer, conditions in example.meta["conditions"] if not conditions}
            decision = plain.pop().capitalize() if plain in ({"yes"}, {"no"}) and len(example.answers) == 1 else "More"
            yield Lesson(example.question, example.meta["scenario"], ("", evidence), decision)


def readings(name: str, data: Path, part: str) -> Iterator[Lesson]:
    """The questions for yes or no of a source of the reader's, over one passage."""
    rows: list[Reading] = load_source(name, data, {}, part)
    for one in rows:
        if one.kind in _KINDS and len(one.passages) == 1 and (is_polar(one.question) or name in ("boolq", "fever")):
            yield Lesson(one.question, "", one.passages[0], _KINDS[one.kind])


SOURCES: Mapping[str, Callable[[Path, str], Iterator[Lesson]]] = {
    "deciding": lambda _, part: written(part),
    "sharc": conversations,
    "conditionalqa": situations,
    **{name: partial(readings, name) for name in ("boolq", "fever", "written", "polar", "nearby")},
}
"""What there is to learn from, by the names of recipes."""


DECIDING: ExpertSpec[MarkedModel] = ExpertSpec(
    Skill.FIT,
    "fitting",
    lambda model: MarkedModel(model, Skill.FIT, len(DECISIONS)),
    "model of decisions",
    lambda model, _: {DECIDE: {"name": named("decide", model)}},
    graph=GRAPH,
    inputs=INPUTS,
    outputs=("logits",),
    part="decider",
    runs=second,
)
"""What decides: `decide.onnx`; its expert begins as the judge of constraints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRecipe(UnjudgedRecipe):
    """A recipe of the kind `deciding`: `sources` says how often the lessons of each source of `SOURCES` are seen.

    `most` bounds what a source gives each time.
    """

    most: int = 20_000

    ALLOWED = tuple(SOURCES)


def train_deciding(recipe: DecisionRecipe, data: Path, folder: Path) -> MarkedModel:
    """Train what decides, as `train_expert`."""

    def parts(model: MarkedModel, tokenizer: Path, device: torch.device) -> Parts:
        begin_as(model, encoder_folder(recipe.start), FIT, JUDGED, JUDGING.part)
        lessons = drawn(recipe, data)
        given = laid(WordPieces(tokenizer), lessons)

        def loss(numbers: list[int]) -> Tensor:
            with halved(device):
                logits = model(*tensors(side_by_side([given[n] for n in numbers]), device))[1]
            return F.cross_entropy(logits.float(), torch.tensor([lessons[n].number for n in numbers]).to(device))

        return Parts(model, batches_by_length([len(row.ids) for row in given], recipe.loop), loss)

    return train_expert(DECIDING, recipe, folder, parts)


def laid(pieces: WordPieces, lessons: Sequence[Lesson]) -> list[AskedRow]:
    """The rows of lessons as they are read. Raises `UsageError` where there is none."""
    if not lessons:
        raise UsageError("the recipe's sources gave no lesson", hint="name others, or see them more often")
    questions, said, passages = zip(*((one.question, one.told, one.passage) for one in lessons), strict=True)
    return rows(pieces, questions, said, passages)


def drawn(recipe: DecisionRecipe, data: Path) -> list[Lesson]:
    """All lessons, those of a source in another order each time that it is seen."""
    made: list[Lesson] = []
    for name, epochs in recipe.sources.items():
        found = list(SOURCES[name](data, "train"))
        for number, much in seen(epochs):
            many = min(len(found), recipe.most)
            made += random.Random(f"{recipe.loop.seed} {name} {number}").sample(found, round(much * many))
        logger.info("%s: %d, %s", name, len(found), dict(Counter(one.decision for one in found)))
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanRecipe(DecisionRecipe):
    """A recipe of the kind `deciding-mean`: the mean of the weights of several `runs` beside the encoder `start`
    (Wortsman et al. 2022), calibrated on the development lessons of `sources`."""

    runs: tuple[str, ...]


def mean(recipe: MeanRecipe, data: Path, folder: Path) -> MarkedModel:
    """Write that model to `folder`, a run like the others. Raises `UsageError` for folders that hold no such models."""
    write_mean(folder, *((Path(one), 1.0 / len(recipe.runs)) for one in recipe.runs))
    model = open_expert(DECIDING, folder).eval()
    held = [lesson for name in recipe.sources for lesson in list(SOURCES[name](data, "development"))[: recipe.most]]
    calibrate(model, WordPieces(folder / TOKENIZER), held)
    torch.save({"model": model.state_dict()}, folder / WEIGHTS[0])
    return model


@torch.no_grad()
def calibrate(model: MarkedModel, pieces: WordPieces, lessons: Sequence[Lesson]) -> None:
    """Multiply the head by the number with the least log loss (temperature scaling, Guo et al. 2017), if any helps."""
    given = laid(pieces, lessons)
    device = model.head.weight.device
    every = in_batches(
        [len(row.ids) for row in given],
        _TOKENS,
        lambda batch: model(*tensors(side_by_side([given[n] for n in batch]), device))[1].float().cpu(),
    )
    found = torch.stack(every)
    right = torch.tensor([one.number for one in lessons])
    scale = min((n / 20 for n in range(4, 41)), key=lambda one: float(F.cross_entropy(one * found, right)))
    logger.info(
        "calibrated by %.2f: %.3f, before %.3f",
        scale,
        F.cross_entropy(scale * found, right),
        F.cross_entropy(found, right),
    )
    model.head.weight.mul_(scale)
    model.head.bias.mul_(scale)


KINDS: Mapping[str, Kind[Any]] = {
    "deciding": expert_kind(DecisionRecipe, train_deciding, DECIDING, setting("navigator")),
    "deciding-mean": expert_kind(MeanRecipe, mean, DECIDING, setting("navigator")),
}
