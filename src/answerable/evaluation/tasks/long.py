"""The questions of long documents as those of an evaluation, each document opened once for all systems, whose runs then
stand side by side."""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from answerable.datasets.examples import Example
from answerable.documents.encoded import open_book
from answerable.documents.reader import Shelved, shelved
from answerable.encoders.encoder import Navigator
from answerable.errors import UsageError
from answerable.evaluation.long.asked import LongDocument, LongQuestion
from answerable.evaluation.long.load import load
from answerable.evaluation.metrics.significance import interval, paired_bootstrap
from answerable.evaluation.report import Report, as_record, shown, table
from answerable.evaluation.runs import Header, records
from answerable.evaluation.tasks.task import AT, Measures, Questions, Task, measure, pairs

Drawn = tuple[tuple[LongDocument, tuple[LongQuestion, ...]], ...]


@dataclass(frozen=True, slots=True)
class LongSurvey:
    """A data set's part in memory: its documents, each with the questions that were drawn of it."""

    documents: Drawn
    about: dict[str, Any]

    @property
    def questions(self) -> int:
        """How many there are."""
        return sum(len(asked) for _, asked in self.documents)

    def examples(self) -> Iterator[Example]:
        """The questions, document by document. Meta: `document` and `asked`, as they were loaded."""
        for document, asked in self.documents:
            for one in asked:
                meta = {"document": document, "asked": one}
                yield Example(one.id, one.text, one.answers, (document.document.id,), kind=one.kind, meta=meta)


def survey(
    data: Path,
    name: str,
    part: str,
    wanted: Callable[[LongQuestion], bool],
    limit: int | None = None,
    seed: int = 0,
) -> LongSurvey:
    """The questions of a data set's part that are `wanted`, or `limit` of them drawn with `seed`; order is kept.

    Raises `UsageError` for a name or a part that is not there, and when no question is left.
    """
    every = [(one, tuple(filter(wanted, one.questions))) for one in load(data, name, part)]
    total = sum(len(asked) for _, asked in every)
    drawn = {} if limit is None or limit >= total else {"limit": limit, "seed": seed}
    chosen = set(random.Random(seed).sample(range(total), limit) if limit is not None and drawn else range(total))
    digest = hashlib.sha256()
    documents = []
    number = 0
    for one, asked in every:
        kept = tuple(question for i, question in enumerate(asked, start=number) if i in chosen)
        number += len(asked)
        if kept:
            documents.append((one, kept))
            told = [one.document.id, one.document.text, [(q.id, q.text, q.answers, q.hops) for q in kept]]
            digest.update(json.dumps(told).encode())
    if not documents:
        raise UsageError(f"the part `{part}` of {name} holds no question for this task", hint="name another --set")
    about = {"name": name, "part": part, "digest": digest.hexdigest(), "questions": len(chosen), "of": total}
    return LongSurvey(tuple(documents), {**about, **drawn})


class Shelves:
    """Opens documents with an encoder of sentences; the last one stays open, since its questions follow one another."""

    def __init__(self, navigator: Navigator) -> None:
        self._navigator = navigator
        self._last: tuple[LongDocument, Shelved, float] | None = None

    def open(self, one: LongDocument) -> tuple[Shelved, float]:
        """The document ready to be asked, and the seconds that encoding its sentences took."""
        if self._last is None or self._last[0] is not one:
            began = time.perf_counter()
            book = open_book(one.document, one.paragraphs, self._navigator)
            took = time.perf_counter() - began
            self._last = one, shelved(book), took
        return self._last[1], self._last[2]


ROUNDS = 2000
"""Of drawing questions again, for the intervals."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one system measured. `each`: its scores, question by question, by measure; `documents`: how many it opened,
    and the mean of the seconds and bytes that each took."""

    system: str
    header: Header
    run: Path
    measures: Measures
    each: Mapping[str, Sequence[float]]
    documents: Mapping[str, float] = field(default_factory=dict)

    @staticmethod
    def of(system: str, task: Task, header: Header, survey: Questions, run: Path) -> Outcome:
        """From a finished run."""
        each: dict[str, list[float]] = {}
        for example, record in pairs(survey, run):
            for name, value in task.scores(example, record, AT).items():
                each.setdefault(name, []).append(value)
        return Outcome(system, header, run, measure(task, survey, run), each, opened(run))

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """95% of each mean, by drawing the questions again."""
        return {name: interval(values, ROUNDS) for name, values in self.each.items()}


def opened(run: Path) -> dict[str, float]:
    """How many documents were opened in a run, and what one took: mean seconds and bytes. None: an empty mapping."""
    found = [record["document"] for record in records(run) if "document" in record]
    if not found:
        return {}
    means = {name: sum(one[name] for one in found) / len(found) for name in ("seconds", "bytes")}
    return {"documents": len(found), **means}


def told(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """One JSON object: the questions; each system's measures with intervals, times and documents; and how each of the
    others differs from the first of them."""
    first = outcomes[0]
    systems = {}
    for one in outcomes:
        record = as_record(Report.of(one.header, one.run, one.measures))
        for name in ("task", "data"):
            del record[name]
        systems[one.system] = record | {"intervals": one.intervals, "documents": dict(one.documents)}
    return {
        "task": first.header.task,
        "data": dict(first.header.data),
        "systems": systems,
        "against": first.system,
        "differences": {one.system: dict(_differences(first, one)) for one in outcomes[1:]},
    }


def _differences(first: Outcome, other: Outcome) -> Iterator[tuple[str, dict[str, float]]]:
    """Mean, interval and p of each measure that both took of the same number of questions."""
    for name, values in other.each.items():
        if len(first.each.get(name, ())) == len(values):
            found = paired_bootstrap(first.each[name], values, rounds=ROUNDS)
            yield name, {"mean": found.mean, "low": found.low, "high": found.high, "p": found.p}


def markdown(record: Mapping[str, Any]) -> str:
    """What `told` gives as Markdown tables: a system a row."""
    data, systems = record["data"], record["systems"]
    names = list(dict.fromkeys(name for one in systems.values() for name in one["measures"]))
    rows, costs = [], []
    for system, one in systems.items():
        rows.append([system, *(_share(one["measures"].get(name), one["intervals"].get(name)) for name in names)])
        seconds, documents = one["seconds"], one["documents"]
        costs.append(
            [
                system,
                f"{1000 * seconds['median']:.1f}",
                f"{1000 * seconds['95 %']:.1f}",
                f"{seconds['questions per second']:.1f}",
                f"{documents.get('seconds', 0.0):.2f}",
                f"{documents.get('bytes', 0.0) / 1000:.0f}",
            ]
        )
    drawn = f", drawn with seed {data['seed']}" if "seed" in data else ""
    parts = [
        f"# {record['task']}: {data['name']}, {data['part']}\n",
        f"{data['questions']:,} of {data['of']:,} questions{drawn}. In brackets: 95% of the mean, by bootstrap.\n",
        table(("system", *names), rows),
        table(("system", "median ms", "95 % ms", "questions/s", "s/document", "KB/document"), costs),
    ]
    return "\n".join(parts)


def _share(value: float | None, interval: Sequence[float] | None) -> str:
    bounds = "" if interval is None or value is None else f" ({shown(interval[0])}–{shown(interval[1])})"
    return f"{shown(value)}{bounds}"
