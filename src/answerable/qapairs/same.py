"""Whether a pair asks the same as a question, from what a model, rules and a reader of its passage say.

Matchers put questions close that share their words, so "Who beat her?" lies beside "Whom did she beat?". A model that
reads both questions with the pair's answer tells them apart (`encoders.questions.QuestionJudge`), and so do rules
over their words (`qapairs.equivalence`), which know barely changed questions where the model is unsure. The judge of
last resort is reading: a reader that is given the pair's passage and the question as asked should find the pair's
answer. Two logistic regressions weigh what these say, one for pairs whose passage can be read and one for others;
none of them decides alone.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from answerable.encoders.encoder import Vectors
from answerable.errors import ModelError
from answerable.qapairs.calibration import pair_of
from answerable.qapairs.equivalence.verify import verify
from answerable.readers.reader import Reader
from answerable.selective.features import squash
from answerable.text import normalise_answer, words
from answerable.types import Chain, Hit, QAPair

FILE = Path(__file__).parent / "same.json"
SURE = 20.0
"""The log-odds of two questions with the same words in the same order."""
WITHIN = 0.65
"""The least inner product of the matcher at which a pair is judged: 99 in 100 paraphrases of development lie nearer."""
PROMISING = -3.0
"""The least log-odds at which a passage is read: below, no reading was ever seen to help."""
UNREAD = ("together", "rules")
READ = (*UNREAD, "found", "first", "other")
"""The features, in order; without reading, the first two:
together: log-odds of the model that reads both questions, the mean of either way around.
rules: 1 where the rules find that both ask the same.
found: how sure the reader is of an answer that is the pair's, 0 to 1; 0 where it finds none.
first: 1 where that is its best answer.
other: how sure it is of its best other answer."""


@runtime_checkable
class Judge(Protocol):
    """Says whether questions ask the same."""

    name: str

    def alike(self, question: str, pairs: Sequence[tuple[str, str]]) -> Vectors:
        """(n,) float32: for each (question, answer) the log-odds that it asks the same as `question`."""
        ...


@dataclass(frozen=True, slots=True)
class Weighing:
    """Weights of what this judge says, alone (`unread`) and beside the reader's, each with its bias first.

    They are such that 0 is the border: above, both ask the same.
    """

    unread: tuple[float, ...] = (-2.0, 0.25, 5.0)
    read: tuple[float, ...] = (-2.0, 0.25, 5.0, 0.0, 0.0, 0.0)
    judge: str = ""
    reader: str = ""
    fitted_on: str = ""

    def __post_init__(self) -> None:
        if (len(self.unread), len(self.read)) != (1 + len(UNREAD), 1 + len(READ)) or not all(
            map(math.isfinite, self.unread + self.read)
        ):
            raise ModelError("what weighs two questions was fitted to something else", hint="fit it again")

    def odds(self, *features: float) -> float:
        """The log-odds by the features without reading, or by all of them."""
        bias, *weights = self.unread if len(features) == len(UNREAD) else self.read
        return bias + math.fsum(weight * value for weight, value in zip(weights, features, strict=True))


@dataclass(frozen=True, slots=True)
class SameTest:
    """Tells whether pairs ask the same as a question. `reader`: None where passages are not read."""

    judge: Judge
    reader: Reader | None = None
    weighing: Weighing = field(default_factory=Weighing)

    def odds(self, asked: str, hits: Sequence[Hit]) -> list[float]:
        """The log-odds of each, without reading; very low for those that lie far off, which are not judged.

        Depends on nothing but the hits of its own label.
        """
        found = [-SURE] * len(hits)
        near = [place for place, hit in enumerate(hits) if hit.score >= WITHIN]
        for label in {hits[place].label for place in near}:
            places = [place for place in near if hits[place].label == label]
            pairs = [pair_of(hits[place]) for place in places]
            told = sayings(self.judge, asked, pairs)
            for place, pair, said in zip(places, pairs, told, strict=True):
                equal = words(asked) == words(pair.question)
                found[place] = SURE if equal else self.weighing.odds(*said)
        return found

    def read(self, asked: str, hit: Hit, odds: float) -> float:
        """The log-odds of one once its passage is read; as they were where that cannot be done or is of no use."""
        if self.reader is None or not hit.passage.id or not PROMISING <= odds < SURE:
            return odds
        [said] = sayings(self.judge, asked, [pair_of(hit)])
        return self.weighing.odds(*said, *readings(self.reader, asked, hit))


def sayings(judge: Judge, asked: str, pairs: Sequence[QAPair]) -> list[tuple[float, float]]:
    """The features without reading."""
    told = [(pair.question, pair.answers[0]) for pair in pairs]
    return [
        (float(together), float(verify(asked, *pair).same))
        for together, pair in zip(judge.alike(asked, told), told, strict=True)
    ]


def readings(reader: Reader, asked: str, hit: Hit) -> tuple[float, float, float]:
    """The features of reading a pair's passage with a question."""
    meant = normalise_answer(pair_of(hit).answers[0])
    found = reader.read(asked, [Chain((hit,), hit.score, hit.label)])
    right = [gives(one.text, meant) for one in found]
    best = max((one.score for one, agrees in zip(found, right, strict=True) if agrees), default=-SURE)
    other = max((one.score for one, agrees in zip(found, right, strict=True) if not agrees), default=-SURE)
    return squash(best), float(bool(right) and right[0]), squash(other)


def gives(text: str, meant: str) -> bool:
    """Whether an answer holds the one that was meant, or is a part of it, as normalised words."""
    said = normalise_answer(text)
    return bool(said and meant) and (f" {said} " in f" {meant} " or f" {meant} " in f" {said} ")


def open_weighing(judge: str, path: Path = FILE) -> Weighing:
    """The one fitted to this judge, or one by which the rules decide.

    Raises `ModelError` where the file cannot be read.
    """
    return _read(path).get(judge, Weighing())


def write_weighing(one: Weighing, path: Path) -> None:
    """Put one into a file, in the place of that of the same judge."""
    held = _read(path) | {one.judge: one}
    path.write_text(json.dumps([asdict(held[name]) for name in sorted(held)], indent=1) + "\n", encoding="utf8")


def _read(path: Path) -> dict[str, Weighing]:
    try:
        rows = json.loads(path.read_text(encoding="utf8")) if path.exists() else []
        numbers = [{key: tuple(map(float, row[key])) for key in ("unread", "read")} for row in rows]
        made = [Weighing(**{**row, **own}) for row, own in zip(rows, numbers, strict=True)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{path.name} cannot be read", hint="reinstall answerable") from error
    return {one.judge: one for one in made}
