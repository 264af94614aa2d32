"""Several systems over the same questions: a run for each, and their measures side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from answerable.evaluation.metrics.significance import paired_bootstrap
from answerable.evaluation.report import Report, as_record, shown, table, write_both
from answerable.evaluation.runs import Header, records
from answerable.evaluation.tasks.task import AT, Measures, Questions, Task, measure, pairs

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
        return {name: self._interval(values) for name, values in self.each.items()}

    @staticmethod
    def _interval(values: Sequence[float]) -> tuple[float, float]:
        found = paired_bootstrap([0.0] * len(values), values, rounds=ROUNDS)
        return found.low, found.high


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


def write(record: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write `TASK-SET.md` and `.json` into a folder. Raises `WorkspaceError` when it cannot be written."""
    stem = f"{record['task']}-{record['data']['name']}"
    return write_both(folder / stem, markdown(record), record)
