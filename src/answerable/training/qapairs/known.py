"""What a matcher of questions learns from: questions people asked, and the pairs that are searched for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from answerable.datasets.parts import share
from answerable.datasets.records import lines
from answerable.errors import UsageError
from answerable.text import normalise_answer
from answerable.training.reading import NONE, squad

SOURCES = {"nq": "nq/nq-train.json.gz", "squad": "squad/squad-train-part.json.gz"}
"""Questions to learn from, by name; no paragraph or article of what is reported on is among them."""
HELD_OUT = 0.1
"""The share of each source's articles whose questions are for development."""


@dataclass(frozen=True, slots=True)
class Known:
    """A pair that can be found: its question and its answers."""

    question: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that people asked, with its answers; `development`: not learned from."""

    question: str
    answers: tuple[str, ...]
    development: bool


def asked(data: Path, sources: Sequence[str]) -> list[Asked]:
    """The answerable questions of the sources (`SOURCES`), each once."""
    found: dict[str, Asked] = {}
    for name in sources:
        for article, reading in squad(data / SOURCES[name], name):
            if reading.kind != NONE and reading.answers:
                held = share(article) < HELD_OUT
                found.setdefault(reading.question.lower(), Asked(reading.question, reading.answers, held))
    return list(found.values())


def read_pairs(path: Path) -> Iterator[Known]:
    """The pairs of a file in PAQ's form: a line of `question` and `answer`, a list, for each.

    Raises `FormatError`, with the record, where it is not.
    """
    if not path.exists():
        raise UsageError(f"there are no pairs in {path}", hint="make them: answerable pairs build, then export")
    for row in lines(path):
        answers = row.texts("answer")
        if not answers:
            raise row.broken("answer", "is an empty list")
        yield Known(row.text("question"), answers)


def agrees(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two lists of answers have one in common, as exact match compares them."""
    return not {normalise_answer(text) for text in one}.isdisjoint(normalise_answer(text) for text in other)
