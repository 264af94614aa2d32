"""Learn to rank the programs of a table from questions and their answers (`table_ranking` says how).

Questions that no program answers are left out.
"""

from __future__ import annotations

import json
import logging
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answerable.corpora.tables import split_header, table_document
from answerable.corpora.values import number
from answerable.datasets.parts import share
from answerable.tables.asked import Asked
from answerable.tables.cells import Table
from answerable.tables.features import Part, grams
from answerable.tables.nearness import Nearness
from answerable.tables.programs import programs
from answerable.tables.ranking import nearness, taken_apart
from answerable.training.reading import lines_of
from answerable.training.recipe import Kind, Made, Recipe
from answerable.training.table_ranking import Choice, fit

logger = logging.getLogger(__name__)

LESSONS = Path(__file__).resolve().parents[3] / "recipes/lessons/tables.jsonl.gz"
TAUGHT = ("train", "seen")
"""The splits of WikiTableQuestions that are learned from; the tables of the third are in neither."""
_PARTS = ("taught", "taught", "taught", "taught", "sure", "held")
_DRAWN = "value"
"""How questions for the highest and lowest value are marked, which were written by patterns."""
_OWN = 3
"""How often a question of a table as people keep them counts."""
_SAID, _SAID_OF = 6, 4
"""In how many questions a word must be met to stand in a feature, and of how many tables."""
_WEIGHED, _DEEP = (25, 6), (200, 10)
"""The same of features that have a weight, and of those that have a vector as well."""
_LEAST = 5
"""Weights of so many hundredths are left out, of features without a vector."""
_TRAILING = re.compile(r"((?<!^)\[[^\]]*\]|\[\d+\]|[•♦†‡*#+])*$")
_PARENTHESES = re.compile(r"(?<!^)(\s*\([^)]*\))*$")
_UNITS = re.compile(r" (years?|months?|days?|hours?|points?|games?|seasons?|times?|people|yrs)$")


@dataclass(frozen=True, slots=True)
class Lesson:
    """A question of a table with its answers; `source` names the table. `times`: how often it counts."""

    question: str
    answers: tuple[str, ...]
    table: Table
    source: str
    times: int = 1


def lessons(data: Path, written: Path = LESSONS) -> Iterator[Lesson]:
    """Questions of Wikipedia's tables, of statistical reports, and of tables as people keep them, which count more.

    None of the tables that are kept to tell how sure answers are, or to measure."""
    for lesson in wiki_lessons(data, TAUGHT):
        if not kept(lesson.source):
            yield lesson
    tables = _tables(data / "hitab/tables.jsonl.gz", headed=False)
    for record in lines_of(data / "hitab/questions.jsonl.gz"):
        if record["split"] == "train" and (table := tables.get(record["table"])):
            yield Lesson(record["question"], tuple(map(str, record["answers"])), table, record["table"])
    yield from own_lessons(written, "taught")


def kept(source: str) -> bool:
    """Whether a table of WikiTableQuestions is kept to tell how sure answers are: one in seven."""
    return share(source) < 1 / 7


def wiki_lessons(data: Path, splits: Sequence[str]) -> Iterator[Lesson]:
    """Questions of WikiTableQuestions."""
    tables = _tables(data / "wikitablequestions/tables.jsonl.gz")
    for record in lines_of(data / "wikitablequestions/questions.jsonl.gz"):
        if record["split"] in splits and (table := tables.get(record["table"])):
            yield Lesson(record["question"], tuple(record["answers"]), table, record["table"])


def own_lessons(path: Path, part: str) -> Iterator[Lesson]:
    """Questions of tables that were written for this: of four tables in six that are "taught", of one to tell how
    "sure" answers are, and of one to be "held" for measuring; of that none that a pattern wrote."""
    for at, record in enumerate(lines_of(path)):
        if _PARTS[at % len(_PARTS)] == part and (table := _table(record)):
            for asked in record["questions"]:
                if part == "held" and asked.get("how") == _DRAWN:
                    continue
                yield Lesson(asked["question"], tuple(asked["answers"]), table, f"written/{at}", _OWN)


def _tables(path: Path, headed: bool = True) -> dict[str, Table]:
    found = {}
    for record in lines_of(path):
        if not headed:
            header, rows = split_header(record["rows"])
            record = {**record, "header": header, "rows": rows}
        if table := _table(record):
            found[record["_id"]] = table
    return found


def _table(record: dict[str, Any]) -> Table | None:
    """The table of a record as it is when its document is asked."""
    document = table_document(record, "table", "", "", 0)
    return Table.of(document) if document else None


def right(values: tuple[str, ...] | float, answers: Sequence[str]) -> bool:
    """Whether what a program says is the answer: the same set of cells, without notes and parentheses behind them, or
    the same number."""
    if isinstance(values, float):
        return len(answers) == 1 and _near(_number(answers[0]), values)
    said, wanted = {_plain(value) for value in values}, {_plain(answer) for answer in answers}
    if said == wanted or len(said) != 1 or len(wanted) != 1:
        return said == wanted
    one, other = said.pop(), wanted.pop()
    return len(one) < 12 and _near(_number(other), number(one))


def _near(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and abs(one - other) < 6e-3


def _number(text: str) -> float | None:
    try:
        return float(_UNITS.sub("", text).replace(",", "").strip("$€£% "))
    except ValueError:
        return None


def _plain(text: str) -> str:
    text = _PARENTHESES.sub("", _TRAILING.sub("", text.strip()).strip())
    return " ".join(text.strip("\"'“”‘’ ").casefold().split()).rstrip(".")


class Learner:
    """Numbers for the names of features, as they are met in lessons."""

    def __init__(self, vocabulary: frozenset[str], near: Nearness) -> None:
        self.vocabulary, self._near = vocabulary, near
        self.names: dict[str, int] = {}

    def choice(self, lesson: Lesson) -> Choice | None:
        """The programs of a lesson; None where they do not say both right and wrong."""
        asked, known, parts = taken_apart(lesson.question, lesson.table, self.vocabulary, self._near)
        numbers: dict[Part, int] = {}
        answers: dict[tuple[str, ...] | float, int] = {}
        rows, said, fits = [], [], []
        for program in programs(asked, lesson.table, known):
            rows.append([numbers.setdefault(part, len(numbers)) for part in parts.of(program)])
            if program.values not in answers:
                answers[program.values] = len(answers)
                fits.append(right(program.values, lesson.answers))
            said.append(answers[program.values])
        if not any(fits) or all(fits):
            return None
        square = np.full((len(rows), max(map(len, rows))), len(numbers), np.int16)
        for at, row in enumerate(rows):
            square[at, : len(row)] = row
        features: list[int] = []
        begins = [0]
        for part in numbers:
            features += [self.names.setdefault(name, len(self.names)) for name in parts.features(part)]
            begins.append(len(features))
        made = np.array(features, np.int32), np.array(begins, np.int32), np.array(said, np.int32), np.array(fits)
        return Choice(square, *made, self._near.whole(asked), lesson.times)


def spoken(lessons: Iterable[Lesson]) -> frozenset[str]:
    """The words and pairs of words that many questions have."""
    met: Counter[str] = Counter()
    of: dict[str, set[str]] = defaultdict(set)
    for lesson in lessons:
        for gram in grams(Asked.of(lesson.question)):
            met[gram] += 1
            of[gram].add(lesson.source)
    return frozenset(gram for gram, count in met.items() if count >= _SAID and len(of[gram]) >= _SAID_OF)


def _often(choices: Sequence[Choice], sources: Sequence[str], count: int) -> tuple[list[int], int]:
    """Which features are met often enough, and in enough tables, to be weighed; first those that have vectors, and how
    many these are."""
    met, of, last = np.zeros(count, np.int32), np.zeros(count, np.int32), np.full(count, -1, np.int32)
    numbers = {source: at for at, source in enumerate(dict.fromkeys(sources))}
    for at in sorted(range(len(choices)), key=lambda at: numbers[sources[at]]):
        own = np.unique(choices[at].features)
        met[own] += 1
        of[own[last[own] != numbers[sources[at]]]] += 1
        last[own] = numbers[sources[at]]
    weighed, deep = ((met >= questions) & (of >= tables) for questions, tables in (_WEIGHED, _DEEP))
    return [*np.flatnonzero(deep).tolist(), *np.flatnonzero(weighed & ~deep).tolist()], int(deep.sum())


def train(taught: Sequence[Lesson], seed: int) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The weights of features, in hundredths, with the words of questions that they know, and how many lessons could be
    used; and the arrays of the network beside them, whose features are in the same order."""
    learner = Learner(spoken(taught), nearness())
    made = [(choice, lesson.source) for lesson in taught if (choice := learner.choice(lesson))]
    logger.info("%d of %d questions can be answered by a program", len(made), len(taught))
    choices = [choice for choice, _ in made]
    known, deep = _often(choices, [source for _, source in made], len(learner.names))
    places = np.full(len(learner.names), len(known), np.int64)
    places[known] = np.arange(len(known))
    arrays = fit(choices, places, deep, seed)
    hundredths, names = np.round(arrays.pop("weights") * 100).astype(int).tolist(), [*learner.names]
    weighed = zip((names[at] for at in known), hundredths, strict=True)
    weights = {name: value for at, (name, value) in enumerate(weighed) if at < deep or abs(value) > _LEAST}
    counts = {"lessons": len(taught), "answerable": len(made)}
    return {**counts, "weights": weights, "vocabulary": sorted(learner.vocabulary)}, arrays


@dataclass(frozen=True, slots=True, kw_only=True)
class TablesRecipe(Recipe):
    """A recipe of the kind `tables`."""

    seed: int = 7


def _make(recipe: TablesRecipe, data: Path, out: Path) -> Made:
    made, arrays = train(list(lessons(data)), recipe.seed)
    text = json.dumps({"seed": recipe.seed, **made}, indent=0, ensure_ascii=False)
    (out / "weights.json").write_text(text + "\n", encoding="utf8")
    np.savez_compressed(out / "network.npz", allow_pickle=False, **arrays)
    parts = {name: str(out / f"{name}.{kind}") for name, kind in (("weights", "json"), ("network", "npz"))}
    return Made(parts, (f"The weights and the network beside them are in {out}.",))


KINDS = {"tables": Kind(TablesRecipe, _make, labelled=False)}
