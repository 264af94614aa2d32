"""What decisions are learned from: a question, what was told, a passage, and what follows.

`recipes/lessons/deciding.jsonl.gz` was written for this by language models and checked by none: a line a passage, with
its `title`, its `text` and `cases`, each a `question`, a `scenario`, a `history` of questions asked in return and what
was answered, and a `decision`: `yes`, `no`, `more`, or `none` where the passage does not say. The others are data sets.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from answerable.datasets.parts import share
from answerable.encoders.deciding import DECISIONS, told
from answerable.evaluation.long.asked import LongDocument
from answerable.evaluation.long.load import load
from answerable.evaluation.long.rules import unpaged
from answerable.text import is_polar
from answerable.training.reading import NO, NONE, YES, Reading, lines_of
from answerable.training.sources import load_source

WRITTEN = Path(__file__).resolve().parents[4] / "recipes/lessons/deciding.jsonl.gz"
HELD = 0.08
"""The share of written passages that is for development."""
_NAMES = {"yes": "Yes", "no": "No", "none": "Irrelevant", "more": "More"}
_KINDS = {YES: "Yes", NO: "No", NONE: "Irrelevant"}
_OTHER = 0.25
"""How often a turn of ShARC is also asked of another snippet, which says nothing about it."""


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

    Raises `FormatError` for a file that is missing or broken.
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


def readings(data: Path, name: str, part: str) -> Iterator[Lesson]:
    """The questions for yes or no of a source of the reader's, over one passage."""
    rows: list[Reading] = load_source(name, data, {}, part)
    for one in rows:
        if one.kind in _KINDS and len(one.passages) == 1 and (is_polar(one.question) or name in ("boolq", "fever")):
            yield Lesson(one.question, "", one.passages[0], _KINDS[one.kind])


def _of(name: str) -> Callable[[Path, str], Iterator[Lesson]]:
    return lambda data, part: readings(data, name, part)


SOURCES: Mapping[str, Callable[[Path, str], Iterator[Lesson]]] = {
    "deciding": lambda _, part: written(part),
    "sharc": conversations,
    "conditionalqa": situations,
    **{name: _of(name) for name in ("boolq", "fever", "written", "polar", "nearby")},
}
"""What there is to learn from, by the names of recipes."""
