"""Ways to be sure of an answer, side by side: how well each tells right answers from wrong ones, and in which slices.

Arora et al. 2022 (PAIR), section 6.1 and appendix E, take the softmax over the scores of k chains and its sum over
chains of one answer; `selective.calibrate.METHODS` names these beside what is learned here. All of them judge the same
best guess of the same run, so that only the order they put the questions in differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from answerable.evaluation.metrics.auroc import auroc
from answerable.evaluation.metrics.risk import area, coverage_at_risk, risk_coverage
from answerable.evaluation.runs import Scored
from answerable.evaluation.slices import grouped
from answerable.selective.calibrate import METHODS

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


def by_slice(slices: Mapping[str, str], scored: Iterable[Scored]) -> dict[str, dict[str, dict[str, float]]]:
    """`measured` over all questions of a run, under `ALL`, then by slice; none where the run kept no methods.

    `slices` gives the slice of a question's id. The loss is 1 - F1 of the best guess, where the question has an answer,
    else 1. Raises `UsageError` as `slices.grouped` does.
    """
    judged = {one.id: judge(one.confidences, one.scores) for one in scored if one.confidences is not None}
    if not judged:
        return {}
    return {name: found for name, ones in grouped(slices, judged).items() if name and (found := measured(ones))}


def judge(confidences: Mapping[str, float], scores: Mapping[str, float]) -> Judged:
    """One question, by what its task scored."""
    right = scores.get("guess right", scores.get("guess EM", 0.0)) == 1.0
    return Judged(confidences, 1.0 - scores.get("guess F1", 0.0), right)
