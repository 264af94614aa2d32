"""Fit how sure an answer of a table is, and one that was read in a table.

Questions are asked over tables that the ranking was not taught, and other pages.

Half of the questions name their table, as people do who have many. Of one table in four the column that answers the
question is taken away; and questions that pages alone answer are asked too: what a table says to these is wrong.
"""

from __future__ import annotations

import csv
import json
import logging
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from answerable.datasets.parts import share
from answerable.engine import Terms
from answerable.selective.calibrate import Calibration, fit, threshold_for_risk, thresholds_by_risk
from answerable.selective.decide import Decision
from answerable.tables.answering import FEATURES, FILES, AskedTable, TableReader, Worked, agreement
from answerable.tables.cells import Table
from answerable.tables.ranking import shipped
from answerable.text import normalise_answer
from answerable.training.reading import lines_of
from answerable.training.recipe import Kind, Made, Recipe
from answerable.training.tables import LESSONS, TAUGHT, Lesson, kept, own_lessons, right, wiki_lessons
from answerable.workspace.opening import open_workspace

logger = logging.getLogger(__name__)

_NAMING = ("{title}: {question}", "{question} ({title})", "{question} in {title}")
_WITHOUT, _TIMES = 0.25, 4
"""Of how many tables a column is taken away, and how often the one question that is left of each counts."""
_KEPT = 12
"""Tables as people keep them in one workspace."""
_PUBLIC = 100
"""Questions that pages answer."""


@dataclass(frozen=True, slots=True)
class Told:
    """The features of an answer, and whether it is right."""

    features: tuple[float, ...]
    right: bool


@dataclass(frozen=True, slots=True)
class Watched(TableReader):
    """A table reader that only notes what it would say."""

    seen: list[tuple[Decision, list[AskedTable], list[Worked]]] = field(default_factory=list)

    def every(self, asked: Sequence[AskedTable], decision: Decision) -> list[Worked]:
        """Nothing; what each table says is in `seen`, with what was decided without."""
        self.seen.append((decision, [*asked], TableReader.every(self, asked, decision)))
        return []


@dataclass(frozen=True, slots=True)
class _Question:
    text: str
    answers: tuple[str, ...]


def questions(data: Path, folder: Path, written: int, wiki: int, seed: int) -> list[list[_Question]]:
    """At most so many questions of tables as people keep them and of Wikipedia's, drawn by `seed`. Those of `_KEPT`
    tables of people, with others and pages, are asked in a workspace of their own, since nobody keeps hundreds: their
    files are written to folders of `folder` that are called by their number."""
    rng = random.Random(seed)
    of_wiki = [lesson for lesson in wiki_lessons(data, TAUGHT) if kept(lesson.source)]
    made: list[list[_Question]] = []
    for lessons, most in (([*own_lessons(LESSONS, "sure")], written), (of_wiki, wiki)):
        without: dict[str, Lesson] = {}
        for lesson in rng.sample(lessons, len(lessons)):
            if (
                share(f"without {lesson.source}") < _WITHOUT
                and lesson.source not in without
                and (less := _less(lesson))
            ):
                without[lesson.source] = less
        asked = [one for one in lessons if one.source not in without] + [*without.values()] * _TIMES
        asked = rng.sample(asked, min(most, len(asked)))
        tables = {lesson.source: lesson.table for lesson in asked}
        count = len(made) or math.ceil(len(tables) / _KEPT)
        made = made or [[] for _ in range(count)]
        place = {source: at % count for at, source in enumerate(tables)}
        for lesson in asked:
            naming = rng.choice(("{question}", *_NAMING)) if rng.random() < 2 / 3 else "{question}"
            text = naming.format(title=lesson.table.title, question=lesson.question)
            made[place[lesson.source]].append(_Question(text, lesson.answers))
        for number, (source, table) in enumerate(tables.items()):
            path = folder / str(place[source]) / f"{_plain(table.title)} {number}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("w", encoding="utf8", newline="") as file:
                csv.writer(file).writerows([table.header, *table.rows])
    pages = {str(one["_id"]): one for one in lines_of(data / "multihop/passages.jsonl.gz")}
    for number, record in enumerate(islice(lines_of(data / "hotpotqa/train.jsonl"), _PUBLIC)):
        at = number % len(made)
        made[at].append(_Question(record["question"], (record["answer"],)))
        with (folder / str(at) / "pages.jsonl").open("a", encoding="utf8") as file:
            file.writelines(f"{json.dumps(pages[key])}\n" for key in record["context"] if key in pages)
    return [rng.sample(some, len(some)) for some in made]


def _less(lesson: Lesson) -> Lesson | None:
    """The question over its table without the column that answers it, which nothing answers then; None where the answer
    is no cell."""
    table = lesson.table
    cells = ((column, row[column]) for row in table.rows for column in range(len(table.header)))
    answering = {column for column, cell in cells if len(lesson.answers) == 1 and right((cell,), lesson.answers)}
    if len(answering) != 1 or len(table.header) < 3:
        return None
    kept = [column for column in range(len(table.header)) if column not in answering]
    rows = tuple(tuple(row[column] for column in kept) for row in table.rows)
    return Lesson(lesson.question, (), Table(table.title, tuple(table.header[at] for at in kept), rows), lesson.source)


def _plain(title: str) -> str:
    return " ".join("".join(letter if letter.isalnum() else " " for letter in title).split())[:80]


def measured(data: Path, folder: Path, written: int, wiki: int, seed: int) -> tuple[list[Told], list[Told]]:
    """What tables say to the questions, asked in new workspaces in `folder`; and what is read in tables."""
    said, read = [], []
    for number, asked in enumerate(questions(data, folder / "files", written, wiki, seed)):
        with open_workspace(folder / f"workspace-{number}", create=True) as workspace:
            workspace.index([folder / "files" / str(number)], "files", "private")
            engine = workspace.engine()
            none = Calibration((0.0,) * len(FEATURES), 0.0, 0.5)
            watched = Watched(none, none, shipped)
            engine = replace(engine, beside=(watched,))
            for one in asked:
                engine.ask(one.text, Terms(asker=workspace.asker(None)))
                for decision, tables, worked in watched.seen:
                    said += [Told(it.features, _right(it.candidate.text, one.answers)) for it in worked]
                    told = [*([(decision.text, decision.confidence)] if decision.text else []), *decision.others]
                    for candidate, (_, sure) in zip(decision.read, told, strict=False):
                        if features := agreement(candidate, sure, tables):
                            read.append(Told(features, _right(candidate.text, one.answers)))
                watched.seen.clear()
        logger.info("%d questions asked in workspace %d", len(asked), number)
    return said, read


def _right(text: str, answers: Sequence[str]) -> bool:
    return bool(answers) and (right((text,), answers) or normalise_answer(text) == normalise_answer(", ".join(answers)))


@dataclass(frozen=True, slots=True, kw_only=True)
class TableConfidenceRecipe(Recipe):
    """A recipe of the kind `table-confidence`. `written`, `wiki`: at most so many questions of tables as people keep
    them and of Wikipedia's."""

    written: int = 700
    wiki: int = 150
    risk: float = 0.25
    seed: int = 7


def _make(recipe: TableConfidenceRecipe, data: Path, out: Path) -> Made:
    made = {}
    for name, told in zip(FILES, measured(data, out, recipe.written, recipe.wiki, recipe.seed), strict=True):
        features, fits = [one.features for one in told], [one.right for one in told]
        weights, bias = fit(features, fits)
        by = Calibration(weights, bias, 0.5)
        sure = [by.confidence(row) for row in features]
        threshold, risks = threshold_for_risk(sure, fits, recipe.risk), thresholds_by_risk(sure, fits)
        of = f"{len(told)} answers to questions over tables kept for it, and pages"
        replace(by, threshold=threshold, fitted_on=of, risks=risks).save(out / name)
        made[Path(name).stem] = str(out / name)
    return Made(made, (f"The calibrations are in {out}.",))


KINDS = {"table-confidence": Kind(TableConfidenceRecipe, _make, labelled=False)}
