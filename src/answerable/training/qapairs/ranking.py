"""Learn how probable it is that people ask for a span, and that they put it so: two logistic regressions.

Of paragraphs with questions that people asked, spans that the extractors find are right where somebody asked for them.
Of the questions that can be made for the answers asked for, those are right that share enough words with what was
asked. A fifth of the articles is held out, by a hash of the title. Some minutes on one core.
"""

from __future__ import annotations

import json
import random
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from answerable.evaluation.metrics.answers import f1
from answerable.qapairs.generation.names import NamesExtractor, PhrasesExtractor
from answerable.qapairs.generation.parsing import Parsed, Parser
from answerable.qapairs.generation.parts import Extracted
from answerable.qapairs.generation.ranking import Features, Ranker, question_features, span_features
from answerable.qapairs.generation.syntactic.asking import Asked
from answerable.qapairs.generation.syntactic.generator import candidates, seen
from answerable.selective.calibrate import fit
from answerable.training.reading import squad
from answerable.training.recipe import Kind, Made, Recipe
from answerable.types import Passage

SOURCES = ("squad/squad-train-part.json.gz", "nq/nq-train.json.gz")
CLOSE = 0.5
"""Least F1 of the words of a question with those that somebody asked, for it to be right."""
HELD = 0.2
_RARE = 30
"""Features met less often are left out."""
_MOST = 80_000
"""Examples that a regression is fitted on; drawn where there are more."""
_RIDGE = 3.0
_PRIOR = 10.0
"""How strongly the weights that order questions are shrunk, in squares of a feature."""
_SCALE = 10.0
"""Keeps the one weight of the order from being shrunk."""


class Paragraph(NamedTuple):
    """A paragraph, and for each answer that was asked for, its characters and the questions."""

    passage: Passage
    asked: Mapping[tuple[int, int], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Example:
    """Features, what they should say (0 or 1), how close that is (0 to 1), and which answer they are of.

    `span`: of a question, the features of its answer.
    """

    features: Features
    right: bool
    close: float
    owner: int
    span: Features = field(default_factory=dict)


def paragraphs(path: Path, source: str) -> list[Paragraph]:
    """The paragraphs of a file in the format of SQuAD that have questions with answers, in order."""
    found: dict[tuple[str, str], dict[tuple[int, int], list[str]]] = {}
    for _, reading in squad(path, source):
        if reading.answer is not None:
            _, start, end = reading.answer
            asked = found.setdefault(reading.passages[0], {})
            asked.setdefault((start, end), []).append(reading.question)
    return [
        Paragraph(
            Passage(f"{source}-{number}", title, source, title, text, 0, len(text)),
            {place: tuple(questions) for place, questions in asked.items()},
        )
        for number, ((title, text), asked) in enumerate(found.items())
    ]


def held_out(paragraph: Paragraph) -> bool:
    """Whether a paragraph's article is kept for the report."""
    return zlib.crc32(paragraph.passage.title.encode()) % 1000 < HELD * 1000


def span_examples(one: Paragraph, parsed: Parsed, found: Sequence[Extracted]) -> Iterator[Example]:
    """The spans that extractors find: right are those that overlap an answer asked for and say much the same."""
    for number, (span, about) in enumerate(zip(found, seen(parsed, found), strict=True)):
        near = max((_near(span, place, one.passage.text) for place in one.asked), default=0.0)
        yield Example(span_features(about), near >= 0.6, near, number)


def _near(span: Extracted, place: tuple[int, int], text: str) -> float:
    if span.end <= place[0] or place[1] <= span.start:
        return 0.0
    return f1(span.text, (text[place[0] : place[1]],))


def question_examples(one: Paragraph, parsed: Parsed, first: int) -> Iterator[Example]:
    """The questions that can be made for the answers asked for. `first`: the number of the first answer."""
    places = sorted(one.asked)
    spans = [Extracted(start, end, one.passage.text[start:end], "", 1.0, "gold") for start, end in places]
    for number, (about, made) in enumerate(candidates(parsed, spans)):
        questions = one.asked[places[number]]
        span = span_features(about)
        for asked in made:
            close = closeness(asked, questions)
            yield Example(question_features(asked, about), close >= CLOSE, close, first + number, span)


def closeness(asked: Asked, questions: Sequence[str]) -> float:
    """F1 of a question's words with those of the nearest question that was asked."""
    return max(f1(asked.question, (question,)) for question in questions)


def fitted(examples: Sequence[Example]) -> dict[str, float]:
    """Weights by the names of features, and "bias": a logistic regression."""
    drawn = list(examples)
    random.Random(1).shuffle(drawn)
    drawn = drawn[:_MOST]
    names = _names(drawn)
    weights, bias = fit(_matrix(drawn, names), [one.right for one in drawn], _RIDGE)
    return _shown(names, weights, bias)


def ordering(examples: Sequence[Example]) -> dict[str, float]:
    """Weights that order the questions of each answer by closeness: least squares on what differs within an answer."""
    names = _names(examples)
    features = _matrix(examples, names)
    close = np.array([one.close for one in examples])
    _, owners, counts = np.unique([one.owner for one in examples], return_inverse=True, return_counts=True)
    means = np.zeros((len(counts), len(names)))
    np.add.at(means, owners, features)
    features -= (means / counts[:, None])[owners]
    close -= (np.bincount(owners, close) / counts)[owners]
    weights = np.linalg.solve(features.T @ features + _PRIOR * np.eye(len(names)), features.T @ close)
    return {name: float(weight) for name, weight in zip(names, weights, strict=True)}


def worded(examples: Sequence[Example]) -> dict[str, float]:
    """Weights of the features of questions and of their answers, and "bias".

    Questions of one answer are ordered as `ordering` says; how much that counts, and what their answer says of all of
    them, is a logistic regression.
    """
    order = ordering(examples)
    spans = [replace(one, features=one.span) for one in examples]
    named = _names(spans)
    said = [sum(order.get(name, 0.0) * value for name, value in one.features.items()) for one in examples]
    matrix = np.hstack([np.array(said)[:, None] * _SCALE, _matrix(spans, named)])
    weights, bias = fit(matrix, [one.right for one in examples], _RIDGE)
    names = list(order)
    return _shown([*names, *named], [*(order[name] * weights[0] * _SCALE for name in names), *weights[1:]], bias)


def _names(examples: Sequence[Example]) -> list[str]:
    met = Counter(name for one in examples for name, value in one.features.items() if value)
    return sorted(name for name, count in met.items() if count >= _RARE)


def _shown(names: Sequence[str], weights: Sequence[float], bias: float) -> dict[str, float]:
    made = {name: round(weight, 3) for name, weight in zip(names, weights, strict=True) if abs(weight) >= 0.005}
    return {"bias": round(bias, 3)} | made


def _matrix(examples: Sequence[Example], names: Sequence[str]) -> NDArray[np.float64]:
    column = {name: at for at, name in enumerate(names)}
    made = np.zeros((len(examples), len(names)))
    for row, one in enumerate(examples):
        for name, value in one.features.items():
            if name in column:
                made[row, column[name]] = value
    return made


def gathered(
    given: Iterable[tuple[Paragraph, Parsed, Sequence[Extracted]]],
) -> tuple[list[Example], list[Example]]:
    """Examples of spans and of questions, from parsed paragraphs and the spans found in them."""
    spans: list[Example] = []
    questions: list[Example] = []
    answers = 0
    for one, parsed, found in given:
        spans += span_examples(one, parsed, found)
        questions += question_examples(one, parsed, answers)
        answers += len(one.asked)
    return spans, questions


def prepared(given: Sequence[Paragraph], parser: Parser) -> Iterator[tuple[Paragraph, Parsed, list[Extracted]]]:
    """Paragraphs parsed, with what the extractors find in them."""
    names, phrases = NamesExtractor(parser), PhrasesExtractor(parser)
    for start in range(0, len(given), 64):
        block = given[start : start + 64]
        passages = [one.passage for one in block]
        found = zip(names.extract(passages), phrases.extract(passages), strict=True)
        for one, parsed, (some, more) in zip(block, parser.parse(passages), found, strict=True):
            places = {(span.start, span.end) for span in some}
            yield one, parsed, [*some, *(span for span in more if (span.start, span.end) not in places)]


def train(every: Mapping[str, Sequence[tuple[Paragraph, Parsed, Sequence[Extracted]]]], out: Path) -> Ranker:
    """Fit on all sources together, and write the weights to `out`."""
    spans, questions = gathered(item for items in every.values() for item in items if not held_out(item[0]))
    ranker = Ranker(fitted(spans), worded(questions))
    text = json.dumps({"spans": ranker.spans, "questions": ranker.questions}, indent=1, ensure_ascii=False)
    out.write_text(text + "\n", encoding="utf8")
    return ranker


def _make(_: Recipe, data: Path, out: Path) -> Made:
    parser = Parser()
    every = {source: list(prepared(paragraphs(data / source, source), parser)) for source in SOURCES}
    train(every, out / "ranking.json")
    return Made({"ranking": str(out / "ranking.json")}, (f"The weights are in {out / 'ranking.json'}.",))


KINDS = {"pair-ranking": Kind(Recipe, _make, labelled=False)}
