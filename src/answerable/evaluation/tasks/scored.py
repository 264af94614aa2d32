"""Tasks that score predictions made elsewhere, by question id, in the forms in which data sets' own scripts take them.

    {"id": "answer", ...}                                       SQuAD; a null is no answer
    {"answer": {"id": ...}, "sp": {"id": [[title, n]]}}         HotpotQA
    JSONL, or a JSON array, of objects with an id (`id`, `_id`, `question_id`, `utterance_id`, `qid`, or QUEST's
    `query`) and what is said (`answer`, `prediction`, `pred`, `predicted_answer`), and for some tasks `docs` (a set of
    documents, best first where they are ranked), `confidence` (0 to 1), `seconds`

A prediction's record is the prediction, so that its run can be compared with any other of the same task.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from answerable.datasets.examples import Example
from answerable.datasets.records import Record as Row
from answerable.datasets.records import any_objects, members
from answerable.errors import FormatError, UsageError
from answerable.evaluation.metrics import hotpot
from answerable.evaluation.metrics.answers import exact, f1
from answerable.evaluation.metrics.ranking import set_scores
from answerable.evaluation.runs import Record
from answerable.evaluation.tasks.finding import cut_scores
from answerable.evaluation.tasks.retrieval import ranking_scores, relevance
from answerable.evaluation.tasks.task import Scores, Task


def _answered(example: Example, record: Mapping[str, Any], at: Sequence[int]) -> Scores:
    """Whether anything was said, EM and F1 (SQuAD's); HotpotQA's with joint scores where there are facts to find."""
    said = record["answer"]
    answered = {"answered": float(said is not None)}
    if not example.facts or not example.answers:
        return {**answered, "EM": exact(said or "", example.answers), "F1": f1(said or "", example.answers)}
    answer = hotpot.MISSING if said is None else hotpot.answer_scores(said, example.answers)
    scores = {**answered, "EM": answer.em, "F1": answer.f1}
    if "facts" not in record:
        return scores
    facts = [(str(title), int(number)) for title, number in record["facts"]]
    supporting = hotpot.supporting_scores(facts, example.facts)
    joint = hotpot.MISSING if said is None else hotpot.joint_scores(answer, supporting)
    scores |= {"facts EM": supporting.em, "facts F1": supporting.f1}
    return scores | {"joint EM": joint.em, "joint F1": joint.f1}


def _paired(example: Example, record: Mapping[str, Any], at: Sequence[int]) -> Scores:
    """Question pairs: the share of questions that were matched at all, and EM over all and over those matched."""
    said = record["answer"]
    correct = exact(said or "", example.answers)
    scores = {"coverage": float(said is not None), "EM": correct}
    return scores if said is None else {**scores, "EM of covered": correct}


def _ranked(example: Example, record: Mapping[str, Any], at: Sequence[int]) -> Scores:
    """Rankings (`docs`, best first) as `retrieval` measures ours; nothing where nothing is relevant."""
    ids, relevant = record.get("docs", []), relevance(example)
    return ranking_scores(ids, relevant, at) if relevant else {}


def _found(example: Example, record: Mapping[str, Any], at: Sequence[int]) -> Scores:
    """Sets (`docs`) as QUEST measures them: precision, recall and F1, and of the ranking recall and MRecall."""
    said, gold = record.get("docs", []), example.answers
    if not gold:
        return {}
    found = set_scores(said, gold)
    scores = {"precision": found.precision, "recall": found.recall, "F1": found.f1}
    return scores | cut_scores(said, gold, at)


_SCORED = {"reading": _answered, "asking": _answered, "retrieval": _ranked, "finding": _found, "pairs": _paired}


class Predicted(Task):
    """The task `name`, one of those above, over predictions made elsewhere."""

    models: Mapping[str, str] = {}

    def __init__(self, name: str, predictions: Predictions) -> None:
        self.name, self._predictions, self._scores = name, predictions, _SCORED[name]
        self.correct = "EM" if self._scores in (_answered, _paired) else None
        self.settings = {"predictions": predictions.name, "sha256": predictions.digest}

    def record(self, example: Example) -> Record:
        """The prediction."""
        return self._predictions.of(example)

    def scores(self, example: Example, record: Mapping[str, Any], at: Sequence[int]) -> Scores:
        """As predictions for this task are measured."""
        return self._scores(example, record, at)


_IDS = ("id", "_id", "question_id", "utterance_id", "qid", "query")
_SAID = ("answer", "prediction", "pred", "predicted_answer")
_NUMBERS = {"confidence": 1.0, "seconds": sys.float_info.max}
"""Fields that hold a number, from 0 to this."""


@dataclass(frozen=True, slots=True)
class Predictions:
    """A file of predictions, read whole: a small record for each id. `digest` is the SHA-256 of the file."""

    name: str
    digest: str
    said: Mapping[str, Record]

    def of(self, example: Example) -> Record:
        """What was said to a question, with `answer` None when nothing was."""
        found = self.said.get(example.id) or self.said.get(example.question) or {}
        return {"answer": None, **found}

    def require(self, examples: Iterable[Example]) -> None:
        """Raise `UsageError` when none of these questions is in the file: it is of other data, or of another form."""
        if not any(example.id in self.said or example.question in self.said for example in examples):
            raise UsageError(f"{self.name} has no prediction for any of these questions", hint="name each by its id")


def read(path: Path) -> Predictions:
    """Raises `UsageError` when there is no such file, and `FormatError` when it is of none of these forms or one of its
    records is wrong (a confidence outside 0 to 1, say).
    """
    try:
        with path.open("rb") as raw:
            digest = hashlib.file_digest(raw, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or type(error).__name__}") from error
    said = _object(path) if _is_object(path) else _objects(path)
    if not said:
        raise FormatError(f"{path} holds no predictions")
    return Predictions(path.name, digest, said)


def _is_object(path: Path) -> bool:
    """Whether the file is one JSON object of ids, and not JSONL whose first line is a record."""
    with path.open("rb") as file:
        first = file.readline().strip()
    if not first.startswith(b"{"):
        return False
    try:
        row = json.loads(first)
    except ValueError:
        return True  # an object over several lines
    return not (_first(row, _IDS) is not None and (_first(row, _SAID) is not None or "docs" in row))


def _object(path: Path) -> dict[str, Record]:
    said = {id: (value, Row({}, path, number)) for id, value, number in members(path)}
    fields = {id: value for id, (value, _) in said.items()}
    if set(fields) <= {"answer", "sp"} and all(isinstance(value, dict) for value in fields.values()):
        answers, facts = Row(fields.get("answer", {}), path, 1, "answer"), Row(fields.get("sp", {}), path, 1, "sp")
        return {
            id: {
                "answer": _text(answers.fields.get(id), answers),
                **({"facts": facts.pairs(id, str, int)} if id in facts.fields else {}),
            }
            for id in {**answers.fields, **facts.fields}
        }
    return {id: _one(value, row) for id, (value, row) in said.items()}


def _objects(path: Path) -> dict[str, Record]:
    said: dict[str, Record] = {}
    for row in any_objects(path):
        name = _first(row.fields, _IDS)
        if name is None:
            raise FormatError(f"{path}: record {row.number} has no id", hint=f"name it {', '.join(_IDS)}")
        said[str(name)] = _one(row.fields, row)
    return said


def _one(value: Any, row: Row) -> Record:
    """One prediction: a text, a list of documents, or an object. `row` says where it stands."""
    if isinstance(value, list):
        return {"docs": [str(id) for id in value]}
    if not isinstance(value, dict):
        return {"answer": _text(value, row)}
    found: Record = {"answer": _text(_first(value, _SAID), row)}
    if isinstance(value.get("docs"), list):
        found["docs"] = [str(id) for id in value["docs"]]
    row = replace(row, fields=value)
    for name, most in _NUMBERS.items():
        if name in row:
            found[name] = row.field(name, float)
            if not 0 <= found[name] <= most:
                raise row.broken(name, "is not from 0 to 1" if most == 1 else "is not a length of time")
    return found


def _first(row: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _text(value: Any, row: Row) -> str | None:
    if value is None or isinstance(value, str):
        return value or None
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return ", ".join(map(str, value)) or None
    raise FormatError(
        f"{row.path}: record {row.number}: what is said is neither text nor a list", hint="one answer for each id"
    )
