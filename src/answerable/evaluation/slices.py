"""Measures by the domains of a question's hops: what privacy costs, and which questions pay (Arora et al. 2022, tables
4, 6 and 11, figures 3 and 4). A slice is named as `hop_order.slice_of` does: PG needs a private passage first and a
public one after, which is what document privacy forbids; only PP is left under query privacy.

Ways to be sure of an answer (`selective.calibrate.METHODS`; their section 6.1 and appendix E) stand side by side too.
All judge the same best guess of the same run, so that only the order they put the questions in differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TypeVar

from answerable.errors import UsageError
from answerable.evaluation.metrics.confidence import area, auroc, coverage_at_risk, risk_coverage
from answerable.evaluation.report import shown
from answerable.evaluation.report import table as written
from answerable.evaluation.runs import Scored, scored
from answerable.selective.calibrate import METHODS

ALL = "all"
USUAL = ("PP", "PG", "GP", "GG")
"""The paper's slices in its order (EE, EW, WE, WW in table 6)."""

_EQUAL = 1e-9  # sums of the same losses in another order are the same risk

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Slice:
    """The questions of one slice and the mean of each of their measures."""

    name: str
    questions: int
    means: Mapping[str, float]


def grouped(slices: Mapping[str, str], values: Mapping[str, T]) -> dict[str, list[T]]:
    """The values of all questions under `ALL`, then of each slice that has some, each in the order of `values`.

    `slices` gives the slice of a question's id. Raises `UsageError` when a value's question has none: a run and a split
    that do not belong together must not pass for a measurement.
    """
    strangers = sum(id not in slices for id in values)
    if strangers:
        raise UsageError(
            f"{strangers} of {len(values)} questions are not in the split", hint="give the split the run was made on"
        )
    groups: dict[str, list[T]] = {ALL: list(values.values())}
    for name in ordered({slices[id] for id in values}):
        groups[name] = [value for id, value in values.items() if slices[id] == name]
    return groups


def by_slice(slices: Mapping[str, str], marks: Mapping[str, Mapping[str, float]]) -> tuple[Slice, ...]:
    """The mean of each measure over all questions, then over each slice. `marks` are measures by a question's id.

    A question without a measure (answer recall of yes and no, say) does not count in its mean.
    """
    found = []
    for name, ones in grouped(slices, marks).items():
        measures = dict.fromkeys(measure for one in ones for measure in one)
        means = {measure: fmean(one[measure] for one in ones if measure in one) for measure in measures}
        found.append(Slice(name, len(ones), means))
    return tuple(found)


def read(path: Path, slices: Mapping[str, str], first: tuple[Slice, ...] | None = None) -> tuple[Slice, ...]:
    """The measures of a run by slice, as its records have them, searches, and two of risk where it has confidences.

    `area` is the one under the curve of risk against coverage, the risk being 1 - F1 of the best answer found, given
    or not. `coverage to match` is the largest coverage at which the F1 of the surest answers is at least that of
    `first` over all the questions of the slice (figure 3: 85.7 % on HotpotQA); `first` is this run unless given.

    Raises `UsageError` when the file is no run, has no records, or is of other questions than `slices`, and
    `FormatError` when a record is damaged.
    """
    marks: dict[str, Mapping[str, float]] = {}
    risks: dict[str, tuple[float, float]] = {}
    for one in scored(path):
        marks[one.id] = {**one.scores, **({} if one.searches is None else {"searches": float(one.searches)})}
        if one.confidence is not None and "guess F1" in one.scores:
            risks[one.id] = (one.confidence, 1.0 - one.scores["guess F1"])
    if not marks:
        raise UsageError(f"{path} has no answers yet", hint="finish the run first")
    found = by_slice(slices, marks)
    goals = {one.name: one.means.get("guess F1", 0.0) for one in first or found}
    curves = {name: risk_coverage(*zip(*ones, strict=True)) for name, ones in grouped(slices, risks).items() if ones}
    risky = {
        name: {"area": area(curve), "coverage to match": coverage_at_risk(curve, 1.0 - goals.get(name, 0.0) + _EQUAL)}
        for name, curve in curves.items()
    }
    return tuple(replace(one, means={**one.means, **risky.get(one.name, {})}) for one in found)


def cost(free: float, private: float) -> float:
    """What privacy costs: the share of a measure without privacy that is lost with it; below 0 when it gained.

    The paper's 9 % and 19 % are F1 75.3 to 68.3 and 53.0 to 43.0 (table 4). 0 when there was nothing to lose.
    """
    return (free - private) / free if free else 0.0


def ordered(names: Iterable[str]) -> list[str]:
    """Names of slices as tables show them: `ALL`, the paper's four, other chains, then those without an order."""
    rank = {name: place for place, name in enumerate((ALL, *USUAL))}
    return sorted(names, key=lambda name: (rank.get(name, len(rank)), "+" in name, len(name), name))


def table(systems: Mapping[str, tuple[Slice, ...]], measure: str) -> str:
    """One measure as a Markdown table, systems by slices, as the paper's table 6; the first row counts questions."""
    names = ordered({one.name for slices in systems.values() for one in slices})
    first = {one.name: one.questions for one in next(iter(systems.values()))}
    rows = [["questions", *(str(first.get(name, 0)) for name in names)]]
    for system, slices in systems.items():
        means = {one.name: one.means.get(measure) for one in slices}
        rows.append([system, *(shown(means.get(name)) for name in names)])
    return written((measure, *names), rows)


RISK = 0.5
"""At which the coverage is told: of the questions answered, half of what could be lost is."""
MEASURES = ("area", "coverage at risk 50%", "AUROC")


@dataclass(frozen=True, slots=True)
class Judged:
    """One question: what each method gives its best guess, what is lost by it (0 to 1), and whether it is right."""

    confidences: Mapping[str, float]
    loss: float
    right: bool


def measured(judged: Iterable[Judged]) -> dict[str, dict[str, float]]:
    """For each method that every question has: `MEASURES` by name, 0 to 1. None for no questions.

    area: under the curve of risk (the mean loss) against coverage; smaller is better. coverage at risk 50%: the
    largest at which the risk is at most `RISK`. AUROC: of right against wrong; left out where all are one or the other.
    """
    ones = list(judged)
    found = {}
    for method in methods_of([one.confidences for one in ones]):
        sure = [one.confidences.get(method, 0.0) for one in ones]
        curve = risk_coverage(sure, [one.loss for one in ones])
        found[method] = {"area": area(curve), MEASURES[1]: coverage_at_risk(curve, RISK)}
        if len({one.right for one in ones}) == 2:
            found[method]["AUROC"] = auroc(sure, [one.right for one in ones])
    return found


def methods_of(confidences: Sequence[Mapping[str, float]]) -> list[str]:
    """The methods of `METHODS` that all questions have, in that order: none for a run made before they were kept.

    A question without any answer has no confidences of its own, and counts as one that every method is least sure of.
    """
    some = [one for one in confidences if one]
    return [method for method in METHODS if some and all(method in one for one in some)]


def sure_by_slice(slices: Mapping[str, str], scored: Iterable[Scored]) -> dict[str, dict[str, dict[str, float]]]:
    """`measured` over all questions of a run, under `ALL`, then by slice; none where the run kept no methods.

    `slices` gives the slice of a question's id. The loss is 1 - F1 of the best guess, where the question has an answer,
    else 1. Raises `UsageError` as `slices.grouped` does.
    """
    judged = {}
    for one in scored:
        if one.confidences is not None:
            right = one.scores.get("guess right", one.scores.get("guess EM", 0.0)) == 1.0
            judged[one.id] = Judged(one.confidences, 1.0 - one.scores.get("guess F1", 0.0), right)
    return {name: found for name, ones in grouped(slices, judged).items() if name and (found := measured(ones))}
