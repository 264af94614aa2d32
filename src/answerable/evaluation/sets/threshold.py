"""One threshold for all queries: the one with the best average F1 on queries that are set apart for choosing it.

    F1 of a query at t = F1 of its documents with probability >= t against its gold set
    threshold          = halfway from the best t down to the next probability below it

The average F1 changes only where t passes a probability, so every threshold there is can be tried in one pass over the
probabilities in order. Of equally good ones the highest is taken.

Source: Malaviya et al. 2023, appendix A.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from answerable.errors import FormatError, UsageError
from answerable.evaluation.report import write_text
from answerable.evaluation.runs import header_of
from answerable.evaluation.tasks.task import Questions, pairs

Judged = Sequence[tuple[str, float]]
_BUT = "threshold"  # the one setting that may differ between what is tuned and what is measured


@dataclass(frozen=True, slots=True)
class Threshold:
    """A threshold with the average F1 (0 to 1) it has on `queries`, and of what it was tuned."""

    threshold: float
    f1: float
    queries: int
    data: Mapping[str, Any]
    settings: Mapping[str, Any]
    models: Mapping[str, str]


def best_threshold(judged: Iterable[tuple[Judged, Collection[str]]]) -> tuple[float, float, int]:
    """The threshold, its average F1 and the number of queries; of each the probabilities and the gold set.

    Raises `UsageError` when there is no query with gold documents, or nothing was judged.
    """
    steps: list[tuple[float, float]] = []
    queries = 0
    for documents, gold in judged:
        if not gold:
            continue
        queries += 1
        hits, before = 0, 0.0
        ordered = sorted(documents, key=lambda one: -one[1])
        for count, (id, probability) in enumerate(ordered, start=1):
            hits += id in gold
            if count < len(ordered) and ordered[count][1] == probability:
                continue  # documents of one probability come together
            f1 = 2 * hits / (count + len(gold))
            steps.append((probability, f1 - before))
            before = f1
    if not steps:
        raise UsageError("nothing was judged, so that no threshold can be tuned", hint="judge validation queries first")
    steps.sort(key=lambda one: -one[0])
    best, best_sum, at, total = 0, 0.0, 0, 0.0
    while at < len(steps):
        here = at
        while at < len(steps) and steps[at][0] == steps[here][0]:
            total += steps[at][1]
            at += 1
        if total > best_sum + 1e-12:
            best, best_sum = at, total
    value = steps[best - 1][0] if best else 1.0
    below = steps[best][0] if best < len(steps) else 0.0
    return (value + below) / 2, best_sum / queries, queries


def tuned(survey: Questions, run: Path) -> Threshold:
    """The best threshold of a finished run of a classifier over these queries.

    Raises `UsageError` for a run of something else, or one that is not finished.
    """
    header = header_of(run)
    found = best_threshold(
        ([(id, p) for id, p in record.get("judged", ())], example.supporting) for example, record in pairs(survey, run)
    )
    models = {name: version for name, version in header.versions.items() if name != "answerable"}
    return Threshold(*found, dict(header.data), _without(header.settings), models)


def write(threshold: Threshold, path: Path) -> Path:
    """As JSON. Raises `WorkspaceError` when it cannot be written."""
    return write_text(path, json.dumps(asdict(threshold), indent=1, ensure_ascii=False) + "\n")


def read(given: str) -> float | Threshold:
    """A number from 0 to 1, or what `write` wrote. Raises `UsageError` for neither, `FormatError` for another file."""
    try:
        number = float(given)
    except ValueError:
        path = Path(given)
    else:
        if not 0 <= number <= 1:
            raise UsageError(f"the threshold is {given}", hint="a probability, 0 to 1")
        return number
    try:
        return Threshold(**json.loads(path.read_text("utf-8")))
    except OSError as error:
        hint = "a number, or what `answerable evaluate threshold` wrote"
        raise UsageError(f"{given!r} is no threshold", hint=hint) from error
    except (ValueError, TypeError) as error:
        raise FormatError(f"{path} is not what `answerable evaluate threshold` wrote") from error


def check(threshold: Threshold, settings: Mapping[str, Any], models: Mapping[str, str]) -> None:
    """Raise `UsageError`, naming the difference, unless it was tuned with these settings and models."""
    for then, now in ((threshold.settings, _without(settings)), (threshold.models, models)):
        for name in sorted({*then, *now}):
            if then.get(name) != now.get(name) and name != "enclaves":
                raise UsageError(
                    f"the threshold was tuned with {name} {then.get(name)}, not {now.get(name)}",
                    hint="tune one with these settings",
                )


def _without(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name != _BUT}
