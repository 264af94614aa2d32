"""Of systems over the same questions: which is more accurate, which knows when it is wrong, and what two of them are
worth together.

Back-off (PAQ, section 5.2.4): a question goes to the second system where the first is less sure than a threshold. It
costs the time of the first for all and that of the second for those that go on.

Coverage (section 5.1 and table 1): the share of questions one of whose gold answers is an answer of some pair, as exact
match compares them; and where that pair was made of a passage that the question was written for, which says more of a
small corpus.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from answerable.datasets.examples import Example
from answerable.errors import UsageError
from answerable.evaluation.metrics.confidence import area, risk_at_coverage, risk_coverage
from answerable.evaluation.metrics.significance import paired_bootstrap, paired_randomisation
from answerable.evaluation.qapairs.matching import Matching
from answerable.evaluation.report import COVERAGES, thinned
from answerable.evaluation.tasks.passages import name_of
from answerable.evaluation.tasks.task import Questions
from answerable.evaluation.tasks.task import pairs as with_records
from answerable.text import normalise_answer
from answerable.types import QAPair


@dataclass(frozen=True, slots=True)
class Outcomes:
    """One system, question by question in the order of the data. `right` and `f1` are 0 to 1, `given` whether the
    system would give its answer; `seconds` for each question."""

    ids: tuple[str, ...]
    right: tuple[float, ...]
    f1: tuple[float, ...]
    confidences: tuple[float, ...]
    given: tuple[bool, ...]
    seconds: tuple[float, ...]

    @property
    def rate(self) -> float:
        """Questions a second, by the times of the run."""
        spent = sum(self.seconds)
        return len(self.ids) / spent if spent else 0.0


def outcomes(survey: Questions, path: Path) -> Outcomes:
    """Of a finished run, over the questions that have an answer. Raises `UsageError` as `tasks.task.pairs`."""
    rows = []
    for example, record in with_records(survey, path):
        found = Matching.scores(example, record)
        if found:
            told = record["confidence"], record["answer"] is not None, record["seconds"]
            rows.append((example.id, found["EM"], found["F1"], *told))
    return Outcomes(*zip(*rows, strict=True)) if rows else Outcomes((), (), (), (), (), ())


@dataclass(frozen=True, slots=True)
class Backoff:
    """Two systems as one. `share` of the questions are answered by the first, at `rate` questions a second in all.

    `threshold`: None where the first decided for itself.
    """

    threshold: float | None
    share: float
    em: float
    f1: float
    rate: float
    right: tuple[float, ...]


def backed_off(first: Outcomes, second: Outcomes, threshold: float | None, rate: float | None = None) -> Backoff:
    """Answers of `first` where it is at least so sure, else of `second`; None: where it would give its answer.

    `rate`: questions a second of the first, None for that of its run. Raises `UsageError` for other questions.
    """
    together(first, second)
    chosen = first.given if threshold is None else [one >= threshold for one in first.confidences]
    both = zip(chosen, first.right, second.right, first.f1, second.f1, strict=True)
    picked = [(a, c) if own else (b, d) for own, a, b, c, d in both]
    count, own = len(chosen), sum(chosen)
    spent = count / (rate or first.rate) + (count - own) / second.rate
    right = tuple(one for one, _ in picked)
    mean = sum(right) / count, sum(other for _, other in picked) / count
    return Backoff(threshold, own / count, *mean, count / spent, right)


def together(first: Outcomes, second: Outcomes) -> None:
    """Raise `UsageError` unless two systems were asked the same questions, and some."""
    if not first.ids or first.ids != second.ids:
        raise UsageError("two systems were not asked the same questions", hint="run the same command again")


def selective(ones: Mapping[str, Outcomes], calibrate: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """Risk against coverage of each system (figures 3, 5 and 6); risk is the share of answers that are wrong.

    `calibrate`: (answers, confidences) by name: the answers of one system, put in order by how sure another is.
    """
    asked = {name: (one.confidences, one.right) for name, one in ones.items()}
    for answers, sure in calibrate:
        together(ones[answers], ones[sure])
        asked[f"{answers} by {sure}"] = ones[sure].confidences, ones[answers].right
    found = {}
    for name, (confidences, right) in asked.items():
        curve = risk_coverage(confidences, [1.0 - one for one in right])
        found[name] = {
            "area": area(curve),
            "risk at coverage": {f"{share:g}": risk_at_coverage(curve, share) for share in COVERAGES},
            "curve": [list(point) for point in thinned(curve)],
        }
    return found


def differences(ones: Mapping[str, Sequence[float]], against: str, seed: int = 0) -> dict[str, dict[str, float]]:
    """How much more often each system is right than the one it is held against, with its 95 % interval and p."""
    found = {}
    for name, right in ones.items():
        if name != against:
            gap = paired_bootstrap(ones[against], right, seed)
            found[name] = {**asdict(gap), "p by swaps": paired_randomisation(ones[against], right, seed)}
    return found


def coverage(examples: Iterable[Example], pairs: Iterable[QAPair]) -> dict[str, Any]:
    """How many questions have an answer, and how many of these are `covered`, with their share; of how many the passage
    is known (`placed`), and the share of these that a pair of it covers. A share of none is None.
    """
    places: defaultdict[str, set[str]] = defaultdict(set)
    for pair in pairs:
        for answer in filter(None, map(normalise_answer, pair.answers)):
            places[answer].add(pair.passage_id)
    questions = covered = placed = there = 0
    for example in examples:
        gold = {answer for answer in map(normalise_answer, example.answers) if answer}
        if not gold:
            continue
        found, named = gold & places.keys(), frozenset(example.supporting)
        questions, covered, placed = questions + 1, covered + bool(found), placed + bool(named)
        passages = (passage for answer in found for passage in places[answer])
        there += any(name_of(one.rpartition("@")[0] or one, named) in named for one in passages)
    told = {"questions": questions, "covered": covered, "coverage": covered / questions if questions else None}
    return told | {"placed": placed, "of the passage": there / placed if placed else None}


def backoff_record(one: Backoff) -> dict[str, Any]:
    """A back-off as a plain record, without its single questions."""
    told = {"threshold": one.threshold, "share": one.share, "EM": one.em, "F1": one.f1}
    return told | {"questions per second": one.rate}
