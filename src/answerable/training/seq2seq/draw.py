"""What a sequence-to-sequence model learns from: a text to read, and the text to write.

pair questions   passage with its answer marked → the question people asked   (files in the form of SQuAD)
closed book      question → its answer                                        (any form of questions, and pairs)
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from answerable.errors import FormatError, UsageError
from answerable.evaluation.datasets.load import load
from answerable.evaluation.parts import question_part
from answerable.pairs.closed_book import closed_text
from answerable.pairs.formats import read_lines
from answerable.pairs.generation.seq2seq import Marks, fitted
from answerable.training.reading import SPAN, squad
from answerable.training.seq2seq.recipe import PAIR_QUESTIONS, Seq2SeqRecipe


@dataclass(frozen=True, slots=True)
class Lesson:
    """A text to read and the one to write; `answers` are all that would be right."""

    read: str
    write: str
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lessons:
    """What is learned first, what is learned then, and what tells when to stop."""

    pairs: tuple[Lesson, ...]
    training: tuple[Lesson, ...]
    development: tuple[Lesson, ...]


def draw(recipe: Seq2SeqRecipe, data: Path, marks: Marks, count: Callable[[str], int]) -> Lessons:
    """The lessons of a recipe from the folder `data`; `count` tells the tokens of a text, for passages that are long.

    Raises `UsageError` for a file that is not there and for files without questions, `FormatError` for broken ones.
    """

    def of(names: Sequence[str]) -> Iterator[Lesson]:
        for path in _there(data, names):
            if recipe.kind == PAIR_QUESTIONS:
                yield from _asked(path, marks, recipe.tokens, count)
            else:
                yield from _answered((one.question, one.answers) for one in load(path))

    training, development = list(of(recipe.training)), list(of(recipe.development))
    if not recipe.development:
        training, development = _apart(training, recipe.kind)
    if not training or not development:
        raise UsageError("the files of the recipe hold too few questions to learn from and to tell when to stop")
    judged = random.Random(recipe.loop.seed).sample(development, min(recipe.judged, len(development)))
    pairs = (pair for path in _there(data, recipe.pairs) for pair in read_lines(path))
    learned = tuple(_answered((pair.question, pair.answers) for pair in pairs))
    return Lessons(learned, tuple(training), tuple(judged))


def _there(data: Path, names: Sequence[str]) -> Iterator[Path]:
    for path in (data / name for name in names):
        if not path.is_file():
            raise UsageError(f"there is no {path}", hint="files of a recipe lie below the folder of --data")
        yield path


def _apart(lessons: Iterable[Lesson], kind: str) -> tuple[list[Lesson], list[Lesson]]:
    """Those to learn, and those to judge by, by the question: however often one comes, it is on one side."""
    sides: tuple[list[Lesson], list[Lesson]] = ([], [])
    for one in lessons:
        question = one.write if kind == PAIR_QUESTIONS else one.read
        sides[question_part(question.casefold()) == "development"].append(one)
    return sides


def _asked(path: Path, marks: Marks, most: int, count: Callable[[str], int]) -> Iterator[Lesson]:
    try:
        readings = [reading for _, reading in squad(path, "squad")]
    except (LookupError, TypeError, AttributeError):
        raise FormatError(f"{path} is not in the form of SQuAD") from None
    for reading in readings:
        if reading.kind == SPAN and reading.answer:
            (title, text), (_, start, end) = reading.passages[0], reading.answer
            yield Lesson(fitted(title, text, start, end, marks, most, count), reading.question)


def _answered(asked: Iterable[tuple[str, tuple[str, ...]]]) -> Iterator[Lesson]:
    for question, answers in asked:
        if answers and question.strip():
            yield Lesson(closed_text(question), answers[0], answers)
