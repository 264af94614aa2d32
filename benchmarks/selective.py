"""Selective prediction over a private and a public enclave: whom to believe, and what privacy kept from an answer.

    python benchmarks/selective.py --split DIR --none RUN --document RUN [--query RUN] [--json FILE]

The runs are those of `answerable evaluate asking` over the split's questions. Those that calibrations may be fitted on
are left out (`FITTED` of `training.selector`), so that all that is counted is held out.

The first tables have the four ways to be sure of an answer (`selective.calibrate.METHODS`), by the domains of the hops:
the area under risk (1 - F1) against coverage, the coverage at a risk of half, and the AUROC of right against wrong
(Arora et al. 2022, section 6.1, figures 3 and 4, appendix E).

The others ask of each question whether its evidence lies behind what was refused: a public passage after a private one
under document privacy, any public passage under query privacy. They hold the learned predictor against saying so
always, saying so whenever the answer was not sure enough, and saying so where the confidence is lowest, as often as the
predictor does. "not answered" are the asks where the engine would say so; "all" are all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import common
from answerable.datasets.parts import share
from answerable.errors import UsageError
from answerable.evaluation.enclave_splits import QUESTIONS, labels
from answerable.evaluation.metrics.confidence import auroc, expected_calibration_error
from answerable.evaluation.runs import header_of, records, scored
from answerable.evaluation.slices import sure_by_slice
from answerable.training.selector import FITTED, needed


@dataclass(frozen=True, slots=True)
class Ask:
    """One ask of a run: whether it lacked what was refused, and what there is to tell it by."""

    needed: bool
    answered: bool
    confidence: float
    probability: float
    likely: bool


def asks_of(run: Path, orders: Mapping[str, tuple[str, str]], whole: bool) -> list[Ask]:
    """The held-out asks of a run of which it is known whether they lacked something.

    Raises `UsageError` for a run that was made before predictions were kept.
    """
    found = []
    for record in records(run):
        mark = needed(*orders[record["id"]], whole)
        if mark is None or share(record["question"]) < FITTED:
            continue
        if "barred" not in record:
            raise UsageError(f"{run} was made before predictions were kept", hint="ask again with --fresh")
        told = record["barred"] or {"probability": 0.0, "likely": False}
        found.append(Ask(mark, record["answer"] is not None, record["confidence"], told["probability"], told["likely"]))
    return found


def told(asks: Sequence[Ask]) -> dict[str, dict[str, float]]:
    """Each way to tell, by name: how often it says so, precision and recall of that, and the AUROC where it has one."""
    often = sum(ask.likely for ask in asks)
    lowest = set(sorted(range(len(asks)), key=lambda at: asks[at].confidence)[:often])
    marks = [ask.needed for ask in asks]
    ways = {
        "always": ([True] * len(asks), None),
        "whenever not sure": ([not ask.answered for ask in asks], None),
        "confidence alone": ([at in lowest for at in range(len(asks))], [-ask.confidence for ask in asks]),
        "learned": ([ask.likely for ask in asks], [ask.probability for ask in asks]),
    }
    figures = {}
    for name, (said, scores) in ways.items():
        hit = sum(a and b for a, b in zip(said, marks, strict=True))
        precision, recall = hit / max(1, sum(said)), hit / max(1, sum(marks))
        f1 = 2 * hit / max(1, sum(said) + sum(marks))
        figures[name] = {"said": sum(said) / len(asks), "precision": precision, "recall": recall, "F1": f1}
        if scores is not None and len({*marks}) == 2:
            figures[name]["AUROC"] = auroc(scores, marks)
    return figures


def sure(runs: Mapping[str, Path], slices: Mapping[str, str]) -> dict[str, Any]:
    """The measures of each method by run and slice."""
    found = {}
    for name, run in runs.items():
        held_out = [one for one in scored(run) if share(one.question) >= FITTED]
        found[name] = sure_by_slice(slices, held_out)
        if not found[name]:
            raise UsageError(f"{run} was made before each method was kept", hint="ask again with --fresh")
    return found


def barred(runs: Mapping[str, Path], orders: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """How well each way tells what was barred, by run."""
    found: dict[str, Any] = {}
    for name, run in runs.items():
        whole = header_of(run).settings.get("privacy") == "query"
        every = asks_of(run, orders, whole)
        parts = {"not answered": [ask for ask in every if not ask.answered], "all": every}
        found[name] = {}
        for part, asks in parts.items():
            if not asks:
                continue
            lacking = sum(ask.needed for ask in asks)
            error = expected_calibration_error([ask.probability for ask in asks], [ask.needed for ask in asks])
            found[name][part] = {"asks": len(asks), "lacking": lacking, "calibration error": error, **told(asks)}
    return found


def main(words: list[str] | None = None) -> None:
    """Print the tables."""
    parser = common.parser(__doc__)
    parser.add_argument("--split", type=Path, required=True)
    parser.add_argument("--none", type=Path, required=True)
    parser.add_argument("--document", type=Path, required=True)
    parser.add_argument("--query", type=Path)
    given = parser.parse_args(words)
    rows = common.rows(given.split / QUESTIONS)
    orders = {str(row["_id"]): (str(row["slice"]), str(row["order"])) for row in rows}
    private = {"document": given.document} | ({"query": given.query} if given.query else {})
    figures = {
        "confidence": sure({"none": given.none, **private}, labels(given.split)),
        "barred": barred(private, orders),
    }
    common.tell(given.json, figures)


if __name__ == "__main__":
    main()
