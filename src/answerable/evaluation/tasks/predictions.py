"""Predictions made elsewhere, by question id: the forms in which data sets' own scripts take them.

    {"id": "answer", ...}                                       SQuAD; a null is no answer
    {"answer": {"id": ...}, "sp": {"id": [[title, n]]}}         HotpotQA
    JSONL, or a JSON array, of objects with an id (`id`, `_id`, `question_id`, `utterance_id`, `qid`) and what is said
    (`answer`, `prediction`, `pred`, `predicted_answer`), and for some tasks `docs` (a set of documents, best first
    where they are ranked), `predicted_evidence` or `evidence`, `confidence` (0 to 1), `seconds`

QUEST's predictions name the `query` in place of an id.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from answerable.datasets.examples import Example
from answerable.datasets.records import Record as Row
from answerable.datasets.records import any_objects, members
from answerable.errors import FormatError, UsageError
from answerable.evaluation.runs import Record

_IDS = ("id", "_id", "question_id", "utterance_id", "qid", "query")
_SAID = ("answer", "prediction", "pred", "predicted_answer")
_EVIDENCE = ("predicted_evidence", "evidence")
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

    def settings(self) -> dict[str, Any]:
        """What a run of them depends on."""
        return {"predictions": self.name, "sha256": self.digest}


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
    evidence = _first(value, _EVIDENCE)
    if isinstance(evidence, list):
        found["evidence"] = [str(one) for one in evidence]
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
    """An answer as text; None when nothing was said."""
    if value is None or isinstance(value, str):
        return value or None
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return ", ".join(map(str, value)) or None
    raise FormatError(
        f"{row.path}: record {row.number}: what is said is neither text nor a list", hint="one answer for each id"
    )
