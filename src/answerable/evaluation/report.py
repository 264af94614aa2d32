"""A run's measures as one JSON object and as Markdown tables: what a paper or a pull request can carry."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from answerable.errors import UsageError
from answerable.evaluation.metrics.confidence import (
    Curve,
    area,
    coverage_at_risk,
    expected_calibration_error,
    reliability,
    risk_at_coverage,
    risk_coverage,
)
from answerable.evaluation.runs import Header
from answerable.evaluation.spread import figures
from answerable.evaluation.tasks.task import Means, Measures
from answerable.privacy.small_files import writing

RISKS, COVERAGES = (0.1, 0.2, 0.3), (0.25, 0.5, 0.75, 1.0)
POINTS = 200  # of a curve
_CUT = re.compile(r"(?P<name>.+)@(?P<k>\d+)")


@dataclass(frozen=True, slots=True)
class Report:
    """A measured run. `curve`: risk against coverage, None where there is no confidence.

    `methods`: the measures of each way to be sure (`evaluation.slices`) by slice, where the run kept them.
    """

    header: Header
    run: str
    measures: Measures
    curve: Curve | None
    methods: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)

    @staticmethod
    def of(header: Header, run: Path, measures: Measures) -> Report:
        """With the curve drawn."""
        curve = risk_coverage(measures.confidences, measures.losses) if measures.confidences else None
        return Report(header, run.name, measures, curve)


def as_record(report: Report) -> dict[str, Any]:
    """`evaluate --json`: what was run, measures (means with counts), slices, risk, seconds, leaks, scores by enclave.

    Shares are 0 to 1 and times are seconds. What a task does not measure is left out.
    """
    measures = report.measures
    record: dict[str, Any] = {
        "task": report.header.task,
        "data": dict(report.header.data),
        "settings": dict(report.header.settings),
        "versions": dict(report.header.versions),
        "run": report.run,
        "questions": measures.overall.questions,
        "measures": {**measures.overall.means(), **measures.whole},
        "counts": dict(measures.overall.counts),
        "slices": {
            name: {"questions": one.questions, "measures": one.means()} for name, one in measures.slices.items()
        },
    }
    if report.curve is not None:
        record["risk"] = {**risk_figures(report), "curve": [list(point) for point in thinned(report.curve)]}
    if report.methods:
        record["methods"] = report.methods
    if len(measures.seconds):
        record["seconds"] = speed_figures(measures.seconds)
    if measures.leaks is not None:
        record["leaks"] = measures.leaks
    if measures.spread:
        record["spread"] = figures(measures.spread)
    return record


def risk_figures(report: Report) -> dict[str, Any]:
    """Area under the risk-coverage curve, coverage at some risks, risk at some coverages, calibration error."""
    curve, measures = report.curve, report.measures
    assert curve is not None
    correct = [1.0 - loss for loss in measures.losses]
    return {
        "area": area(curve),
        "coverage at risk": {f"{risk:g}": coverage_at_risk(curve, risk) for risk in RISKS},
        "risk at coverage": {f"{share:g}": risk_at_coverage(curve, share) for share in COVERAGES},
        "calibration error": expected_calibration_error(measures.confidences, correct),
        "bins": [asdict(one) for one in reliability(measures.confidences, correct)],
    }


def speed_figures(seconds: Sequence[float]) -> dict[str, float]:
    """Median, 95 % and greatest time of a question, and questions per second, asked one after another."""
    median, most, greatest = percentiles(seconds, 50, 95, 100)
    rate = questions_per_second(len(seconds), sum(seconds))
    return {"median": median, "95 %": most, "greatest": greatest, "questions per second": rate}


def percentiles(seconds: Sequence[float], *wanted: int) -> list[float]:
    """Of each percentile, above 0 to 100, the shortest of the times by which so many were done (NIST, 7.2.6.2)."""
    return [float(one) for one in np.percentile(seconds, wanted, method="inverted_cdf")]


def questions_per_second(questions: int, seconds: float) -> float:
    """Rate of a number of questions done in so many seconds by the clock (not summed over workers).

    Raises `UsageError` unless seconds are above 0.
    """
    if not (seconds > 0 and math.isfinite(seconds)):
        raise UsageError(f"{questions} questions in {seconds:g} seconds have no rate", hint="time the whole run")
    return questions / seconds


def markdown(report: Report) -> str:
    """All of it as Markdown: what was measured, the measures, recall against k, slices, risk, time."""
    measures, header = report.measures, report.header
    parts = [
        f"# {header.task}: {header.data['name']}\n",
        f"{measures.overall.questions:,} questions. {_made_of(header)}\n",
        _single_table(measures),
        _cut_table(measures.overall),
        _slice_table(measures),
    ]
    if report.curve is not None:
        parts.append(_risk_table(report))
    parts += _method_tables(report)
    if len(measures.seconds):
        figures = speed_figures(measures.seconds)
        times = [f"{1000 * figures[name]:.0f} ms" for name in ("median", "95 %", "greatest")]
        rate = f"{figures['questions per second']:.1f}"
        parts.append(table(("median", "95 %", "greatest", "questions/s"), [[*times, rate]]))
    if measures.leaks is not None:
        parts.append(f"Searches sent to an enclave that does not admit them: **{measures.leaks}**\n")
    return "\n".join(part for part in parts if part)


def _slice_table(measures: Measures) -> str:
    """Measures that are not cut at a k, by slice; '' when there are no slices."""
    if not measures.slices:
        return ""
    names = [name for name in measures.overall.means() if not _CUT.fullmatch(name)]
    rows = []
    for slice, one in {**measures.slices, "all": measures.overall}.items():
        means = one.means()
        rows.append([slice, f"{one.questions:,}", *(shown(means.get(name)) for name in names)])
    return table(("slice", "questions", *names), rows)


def recalls(means: Mapping[str, float]) -> dict[str, dict[int, float]]:
    """Measures that are cut at a k: by name, then by k ascending."""
    found: dict[str, dict[int, float]] = {}
    for name, value in means.items():
        if match := _CUT.fullmatch(name):
            found.setdefault(match["name"], {})[int(match["k"])] = value
    return {name: dict(sorted(values.items())) for name, values in found.items() if len(values) > 1}


def thinned(curve: Curve) -> list[tuple[float, float]]:
    """At most about `POINTS` points of a curve (coverage, risk), the last one included."""
    points = list(zip(curve.coverages, curve.risks, strict=True))
    step = max(1, len(points) // POINTS)
    return points if step == 1 else [*points[:-1:step], points[-1]]


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; numbers, all columns but the first, stand to the right where the first names a row."""
    marks = ["---" if i == 0 else "---:" for i in range(len(columns))]
    lines = [columns, marks, *([cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def write_both(stem: Path, text: str, record: Mapping[str, Any]) -> list[Path]:
    """Write `STEM.md` and `STEM.json`. Raises as `write_text` does."""
    told = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    return [write_text(Path(f"{stem}.md"), text), write_text(Path(f"{stem}.json"), told)]


def write_text(path: Path, text: str) -> Path:
    """Write a file of a report, and its folder when it is not there. Raises `WorkspaceError` when that cannot be."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf8", errors="replace")  # lone surrogates, which JSON can hold
    return path


def _made_of(header: Header) -> str:
    told = {**header.settings, **header.versions}
    parts = []
    for name, value in told.items():
        if name == "enclaves":
            value = ", ".join(
                f"{enclave} ({one['kind']}, {one['passages']:,} passages)" for enclave, one in value.items()
            )
        if value is not None:
            parts.append(f"{name} {value}")
    drawn = f" drawn from {header.data['of']:,} with seed {header.data['seed']}" if "seed" in header.data else ""
    return f"Questions{drawn}; {'; '.join(parts)}." if drawn else f"{'; '.join(parts)}."


def _single_table(measures: Measures) -> str:
    """Measures that are not cut at several k, and over how many questions each is taken."""
    overall = measures.overall
    means, counts, cut = overall.means(), overall.counts, recalls(overall.means())
    names = [name for name in means if name.rpartition("@")[0] not in cut]
    rows = [[name, shown(means[name]), f"{counts[name]:,}"] for name in names]
    rows += [[name, shown(value), f"{overall.questions:,}"] for name, value in measures.whole.items()]
    if not rows:
        return ""
    return table(("measure", "value", "questions"), rows)


def _cut_table(overall: Means) -> str:
    found = recalls(overall.means())
    if not found:
        return ""
    places = sorted({k for values in found.values() for k in values})
    rows = [[name, *(shown(values.get(k)) for k in places)] for name, values in found.items()]
    return table(("at k", *(str(k) for k in places)), rows)


def _risk_table(report: Report) -> str:
    figures = risk_figures(report)
    rows = [["area under risk-coverage", shown(figures["area"])]]
    rows += [[f"coverage at risk {float(r):.0%}", shown(value)] for r, value in figures["coverage at risk"].items()]
    rows += [[f"risk at coverage {float(c):.0%}", shown(value)] for c, value in figures["risk at coverage"].items()]
    rows += [["expected calibration error", shown(figures["calibration error"])]]
    return table(("risk and confidence", "value"), rows)


def _method_tables(report: Report) -> list[str]:
    """Each way to be sure of an answer, a row; a table for each measure, slices side by side."""
    slices = [name for name in report.methods if name]
    methods = {method: None for name in slices for method in report.methods[name]}
    measures = {m: None for name in slices for found in report.methods[name].values() for m in found}
    return [
        table(
            (measure, *slices),
            [
                [method, *(shown(report.methods[name].get(method, {}).get(measure)) for name in slices)]
                for method in methods
            ],
        )
        for measure in measures
    ]


def shown(value: float | None) -> str:
    """A share as a percentage with one decimal, as papers give it."""
    return "–" if value is None else f"{100 * value:.1f}"
