"""What a sequence-to-sequence model learns from: a text to read, and the text to write.

pair questions   passage with its answer marked → the question people asked   (files in the form of SQuAD)
closed book      question → its answer                                        (any form of questions, and pairs)
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from answerable.datasets.load import load
from answerable.datasets.parts import question_part
from answerable.errors import FormatError, UsageError
from answerable.qapairs.closed_book import closed_text
from answerable.qapairs.exchange import read_lines
from answerable.qapairs.generation.seq2seq import Marks, fitted
from answerable.training.fit import LoopRecipe
from answerable.training.reading import SPAN, squad

PAIR_QUESTIONS, CLOSED_BOOK = "pair-questions", "closed-book"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seq2SeqRecipe(LoopRecipe):
    """A recipe of the kind `pair-questions`, and what one of `closed-book` shares with it.

    `start`: the folder of a BART or T5, or `bart:` or `t5:` and its name on the Hugging Face Hub. `tokens` are read and
    `said` written. A step learns from `batch` examples, in pieces of at most `loop.tokens` tokens. `training` are the
    files of questions, below the folder of data, which are learned `epochs` times; `development`: files that tell when
    to stop; without any, a fixed twentieth of the training questions, which is then not learned. At an evaluation
    `judged` of them are looked at.
    """

    start: str = ""
    epochs: int | tuple[int, int] = 1
    tokens: int = 512
    said: int = 40
    batch: int = 64
    judged: int = 1000
    training: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    development: tuple[str, ...] = ()

    def stages(self) -> tuple[int, int]:
        """How often the first and the second stage see their examples."""
        return (self.epochs, self.epochs) if isinstance(self.epochs, int) else self.epochs

    def check(self) -> None:
        """As `Recipe.check`."""
        for needed, hint in (("start", 'start = "bart:facebook/bart-base"'), ("training", 'training = ["asked.json"]')):
            if not getattr(self, needed):
                raise UsageError(f"the recipe names no {needed}", hint=hint)
        if self.pairs and self.kind == PAIR_QUESTIONS:
            raise UsageError("no pairs are learned before questions are asked", hint="leave out `pairs`")
        if min(self.tokens, self.said, self.batch, self.judged) < 2 or min(self.stages()) < 0 or not any(self.stages()):
            raise UsageError("tokens, said, batch and judged are at least 2, and epochs not below 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedBookRecipe(Seq2SeqRecipe):
    """A recipe of the kind `closed-book`.

    `pairs` are files of them, which are learned first, together with the training questions, `epochs[0]` times. Then
    come the training questions alone, `epochs[1]` times.
    """

    tokens: int = 64
    said: int = 24
    batch: int = 512


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
