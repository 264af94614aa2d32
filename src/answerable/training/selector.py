"""Fit the calibration: ask questions whose answers are known, and learn which features go with being right.

Gold answers meet the engine's output here and never before: the engine is asked first, then judged.
"""

from __future__ import annotations

import json
import logging
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from answerable.chains.beam import foremost, gather
from answerable.engine import Engine
from answerable.errors import FormatError, UsageError
from answerable.evaluation.metrics.answers import exact
from answerable.readers.reader import Reader
from answerable.selective.calibrate import Calibration, fit, threshold_for_risk
from answerable.selective.features import choices
from answerable.training.reading import share, squad
from answerable.types import Chain, Query
from answerable.workspace import open_workspace

logger = logging.getLogger(__name__)

FITTED = 0.3
"""Share of a development set, by the questions' words, that calibrations are fitted on; the rest is for reports."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with gold answers; none means that nothing in the corpus answers it."""

    question: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """The features of the answer an engine would give, and whether it is right (exact match)."""

    features: tuple[float, ...]
    right: bool


def load_questions(path: Path) -> Iterator[Asked]:
    """Questions of a SQuAD-format file, or of a JSONL file: `question`, and `answers` or `answer` with `aliases`.

    A question marked `"covered": false` is one whose evidence is not in the corpus: no answer to it is right.
    Raises `FormatError` naming the line that is not a question.
    """
    if ".jsonl" not in path.name:
        yield from (Asked(reading.question, reading.answers) for _, reading in squad(path, path.name))
        return
    for number, line in enumerate(path.read_text(encoding="utf8").splitlines(), 1):
        try:
            row = json.loads(line)
            answers = row["answers"] if "answers" in row else [row["answer"], *row.get("aliases", ())]
            if row.get("covered") is False:
                answers = []
            yield Asked(row["question"], tuple(map(str, answers)))
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(f"line {number} of {path.name} is not a question: {type(error).__name__}") from error


def judge(questions: Iterable[Asked], gather: Callable[[str], Sequence[Chain]], reader: Reader) -> list[Judged]:
    """Ask each question and judge the answer that would be given; questions with no candidate are left out."""
    judged = []
    for number, asked in enumerate(questions, 1):
        chains = gather(asked.question)
        ranked = choices(asked.question, reader.read(asked.question, chains), chains)
        if ranked:
            right = bool(asked.answers) and exact(ranked[0].text, asked.answers) == 1.0
            judged.append(Judged(ranked[0].features, right))
        if number % 100 == 0:
            logger.info("%d questions asked, %d right", number, sum(j.right for j in judged))
    return judged


def fit_selector(judged: Sequence[Judged], risk: float, fitted_on: str) -> Calibration:
    """Weights from all judged questions, and the threshold that keeps the answers' error to `risk` on them."""
    if len({j.right for j in judged}) < 2:
        raise FormatError("a calibration needs questions answered rightly and questions answered wrongly")
    weights, bias = fit([j.features for j in judged], [j.right for j in judged])
    raw = Calibration(weights, bias, 0.5, fitted_on)
    confidences = [raw.confidence(j.features) for j in judged]
    threshold = threshold_for_risk(confidences, [j.right for j in judged], risk)
    return Calibration(weights, bias, min(1.0, threshold), fitted_on)


def train_selector(recipe: dict[str, Any], data: Path, folder: Path) -> Calibration:
    """Index the recipe's corpora in workspaces under `folder`, ask its questions, fit, and write `calibration.json`.

    The threshold is the recipe's `least`, a confidence, or follows from its `risk`. Interrupted, the indexing resumes;
    the questions are asked again. Raises `UsageError` when the recipe lacks a part.
    """
    if not recipe.get("sets") or any({"corpus", "questions"} - set(one) for one in recipe["sets"]):
        raise UsageError("the recipe's sets are not whole", hint="each of [[sets]] has a corpus and questions")
    judged: list[Judged] = []
    names = []
    for one in recipe["sets"]:
        corpus = data / one["corpus"]
        with open_workspace(folder / corpus.parent.name, create=True) as workspace:
            workspace.index([corpus], "public", "public")
            engine = workspace.engine()

            def chains_of(question: str, engine: Engine = engine) -> Sequence[Chain]:
                evidence = gather(Query(question), engine.retriever, engine.beam)
                return foremost(evidence.chains, engine.settings.read)

            for name, count in one["questions"].items():
                rows = list(load_questions(data / name))
                if one.get("uncovered_only"):
                    rows = [row for row in rows if not row.answers]
                else:
                    rows = [row for row in rows if share(row.question) < FITTED]
                chosen = random.Random(recipe.get("seed", 1)).sample(rows, min(count, len(rows)))
                judged += judge(chosen, chains_of, engine.reader)
                names.append(f"{len(chosen)} of {name}")
    made = fit_selector(judged, float(recipe.get("risk", 1.0)), ", ".join(names))
    if "least" in recipe:
        made = replace(made, threshold=float(recipe["least"]))
    made.save(folder / "calibration.json")
    return made
