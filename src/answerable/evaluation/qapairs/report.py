"""What one `evaluate pairs` measured, as one JSON object and as Markdown tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answerable.evaluation.qapairs.outcomes import Backoff, Coverage, Outcomes, backed_off, differences, selective
from answerable.evaluation.report import Report, as_record, shown, slice_table, table

LEADING = ("rerank", "retrieve", "vectors", "words", "training")
"""Systems by pairs, the first of which decides what goes on to the engine, and is held against it."""
ENGINE, BACKOFF = "engine", "backoff"


@dataclass(frozen=True, slots=True)
class Measured:
    """All systems over the same questions. `reports`, `outcomes` and `rates` (questions a second) by system."""

    reports: Mapping[str, Report]
    outcomes: Mapping[str, Outcomes]
    rates: Mapping[str, float]
    coverage: Coverage
    pairs: int
    threshold: float | None = None

    @property
    def first(self) -> str | None:
        """The system by pairs that decides what goes on to the engine; None where there is none."""
        return next((name for name in LEADING if name in self.outcomes), None)

    def backoff(self) -> Backoff | None:
        """Pairs first, then the engine; None unless both were asked."""
        if self.first is None or ENGINE not in self.outcomes:
            return None
        ours, engine = self.outcomes[self.first], self.outcomes[ENGINE]
        return backed_off(ours, engine, self.threshold, self.rates[self.first])


def record_of(measured: Measured, seed: int = 0) -> dict[str, Any]:
    """`evaluate pairs --json`: shares are 0 to 1, times seconds. The curves lie under `selective`."""
    ones, both = measured.outcomes, measured.backoff()
    right = {name: one.right for name, one in ones.items()} | ({BACKOFF: both.right} if both else {})
    against = ENGINE if ENGINE in ones else next(iter(ones))
    calibrate = [(ENGINE, measured.first)] if both and measured.first else []
    found: dict[str, Any] = {
        "pairs": measured.pairs,
        "coverage": coverage_record(measured.coverage),
        "systems": {
            name: {**as_record(one), "questions per second": measured.rates[name]}
            for name, one in measured.reports.items()
        },
        "selective": selective(ones, calibrate),
        "against": against,
        "differences": differences(right, against, seed),
    }
    if both:
        found[BACKOFF] = backoff_record(both)
    return found


def coverage_record(one: Coverage) -> dict[str, Any]:
    """Counts and shares."""
    told = {"questions": one.questions, "covered": one.covered, "coverage": one.share}
    return told | {"placed": one.placed, "of the passage": one.share_there}


def backoff_record(one: Backoff) -> dict[str, Any]:
    """`threshold` is None where the pairs decided for themselves."""
    threshold = None if one.threshold < 0 else one.threshold
    told = {"threshold": threshold, "share": one.share, "EM": one.em, "F1": one.f1}
    return told | {"questions per second": one.rate}


def markdown_of(record: Mapping[str, Any], measured: Measured, files: Mapping[str, Path] = {}) -> str:
    """The same as tables."""
    about = next(iter(measured.reports.values())).header.data
    covered = measured.coverage
    lines = [
        f"# pairs: {about['name']}\n",
        f"{about['questions']:,} questions, {measured.pairs:,} pairs. An answer of {shown(covered.share)} % of the "
        f"questions is the answer of some pair; of {shown(covered.share_there)} %, of one of its own passage.\n",
        table(("system", "EM", "F1", "questions/s", "area", "risk at 50 %", "against"), _rows(record)),
        f"Area: under the curve of risk against coverage. Against: EM less that of {record['against']}, with its 95 % "
        "interval and p by swaps.\n",
    ]
    both = record.get(BACKOFF)
    if both:
        how = "their own" if both["threshold"] is None else f"{both['threshold']:.2f}"
        lines.append(f"Back-off: {measured.first} answers {shown(both['share'])} %, at the threshold {how}.\n")
    for name, one in measured.reports.items():
        if one.measures.slices:
            lines.append(f"## {name}\n\n{slice_table(one.measures)}")
    return "\n".join(lines) + "".join(f"\nFor people to judge: {path.name}\n" for path in files.values())


def _rows(record: Mapping[str, Any]) -> list[list[str]]:
    rows = []
    for name, one in record["systems"].items():
        risk = record["selective"][name]
        means, rate = one["measures"], f"{one['questions per second']:,.1f}"
        told = [shown(means["EM"]), shown(means["F1"]), rate, shown(risk["area"])]
        rows.append([name, *told, shown(risk["risk at coverage"]["0.5"]), _gap(record, name)])
    if both := record.get(BACKOFF):
        told = [shown(both["EM"]), shown(both["F1"]), f"{both['questions per second']:,.1f}"]
        rows.append([BACKOFF, *told, "–", "–", _gap(record, BACKOFF)])
    return rows


def _gap(record: Mapping[str, Any], name: str) -> str:
    gap = record["differences"].get(name)
    if gap is None:
        return "–"
    low, high = 100 * gap["low"], 100 * gap["high"]
    return f"{100 * gap['mean']:+.1f} ({low:+.1f} to {high:+.1f}, p {gap['p by swaps']:.3f})"
