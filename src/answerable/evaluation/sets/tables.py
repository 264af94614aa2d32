"""Tables of sets found: which constraints wrong documents break, and where time goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from answerable.datasets.examples import Example
from answerable.evaluation.metrics.significance import interval
from answerable.evaluation.metrics.violations import Sets, Violations, ranked_above
from answerable.evaluation.report import percentiles, shown, table
from answerable.evaluation.sets.meaning import TEMPLATES, meant
from answerable.evaluation.tasks.task import Means, Task

ALL = "all"
MEASURES = ("precision", "recall", "F1", "count gap", "recall@100", "MRecall@100", "expression")
"""Shown of a template or a domain, as far as a system has them."""
ROUNDS = 2_000
SHOWN = ("1", "2", "3", "negated")


def tables(
    task: Task, pairs: Iterable[tuple[Example, Mapping[str, Any]]], sets: Sets, at: Sequence[int]
) -> dict[str, Any]:
    """All of it as one JSON object. `sets`: the documents of each constraint that is known.

    `templates`, `domains`: means by their names and for `all`, and what holds 95 % of F1's, by drawing queries again;
    `each`: F1 by template, then domain; `violations` of
    the ranking (documents among the first 100 that stand above a right one) and of the set, by template; `parts`:
    median and 95 % of the seconds of each part of a query.
    """
    grouped: dict[str, dict[str, Means]] = {"templates": {}, "domains": {}}
    values: dict[tuple[str, str], list[float]] = {}
    each: dict[str, dict[str, Means]] = {}
    wrong: dict[str, dict[str, Violations]] = {"ranking": {}, "set": {}}
    seconds: dict[str, list[float]] = {}
    for example, record in pairs:
        if not example.supporting:
            continue
        scores = task.scores(example, record, at)
        template = TEMPLATES.get(example.kind, example.kind) or ALL
        domain = str(example.meta.get("domain") or ALL)
        for kind, name in (("templates", template), ("domains", domain)):
            for key in {name, ALL}:
                grouped[kind].setdefault(key, Means()).add(scores)
                values.setdefault((kind, key), []).extend([scores["F1"]] if "F1" in scores else [])
        for row, column in {(template, domain), (template, ALL), (ALL, domain), (ALL, ALL)}:
            each.setdefault(row, {}).setdefault(column, Means()).add(scores)
        expression, gold = meant(example), frozenset(example.supporting)
        found = {"ranking": ranked_above(record.get("ranking", record.get("docs", [])), gold)}
        if "docs" in record:
            found["set"] = [id for id in record["docs"] if id not in gold]
        for kind, documents in found.items():
            for key in {template, ALL}:
                wrong[kind].setdefault(key, Violations()).add(documents, expression, sets)
        for name, value in {**record.get("parts", {}), "all": record.get("seconds")}.items():
            if value is not None:
                seconds.setdefault(name, []).append(value)
    return {
        **{
            kind: {name: _means(one, values[kind, name]) for name, one in _ordered(found)}
            for kind, found in grouped.items()
        },
        "each": {row: {name: one.means().get("F1") for name, one in _ordered(found)} for row, found in _ordered(each)},
        "violations": {
            kind: {name: _violations(one) for name, one in _ordered(found)} for kind, found in wrong.items() if found
        },
        "parts": {
            name: dict(zip(("median", "95 %"), percentiles(values, 50, 95), strict=True))
            for name, values in seconds.items()
        },
    }


def _ordered(found: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Templates as the paper lists them, then other names by the alphabet, `all` last."""
    known = list(TEMPLATES.values())
    return sorted(
        found.items(), key=lambda one: (one[0] == ALL, known.index(one[0]) if one[0] in known else 99, one[0])
    )


def _means(one: Means, values: Sequence[float]) -> dict[str, Any]:
    told = {"queries": one.questions, "measures": one.means()}
    if values:
        told["intervals"] = {"F1": list(interval(values, ROUNDS))}
    return told


def _violations(one: Violations) -> dict[str, Any]:
    fitting = one.broken.get(0, 0)
    counts = {"queries": one.queries, "unjudged": one.unjudged, "wrong": one.breaking, "fitting": fitting}
    return {**counts, "shares": one.shares()}


def markdown(told: Mapping[str, Any]) -> str:
    """What `tables` gives, as Markdown tables."""
    parts = []
    for kind in ("templates", "domains"):
        names = [name for name in MEASURES if any(name in one["measures"] for one in told[kind].values())]
        rows = [
            [
                *(name, f"{one['queries']:,}", *(shown(one["measures"].get(measure)) for measure in names)),
                " to ".join(map(shown, one.get("intervals", {}).get("F1", ()))),
            ]
            for name, one in told[kind].items()
        ]
        parts.append(table((kind[:-1], "queries", *names, "F1, 95 %"), rows))
    domains = list(told["each"].get(ALL, {}))
    if any(value is not None for value in told["each"].get(ALL, {}).values()) and len(domains) > 2:
        rows = [[name, *(shown(one.get(domain)) for domain in domains)] for name, one in told["each"].items()]
        parts.append(table(("F1", *domains), rows))
    for kind, found in told["violations"].items():
        if not any(one["wrong"] for one in found.values()):
            continue
        title = "wrong in the set, breaks" if kind == "set" else "ranked above a right one, breaks"
        rows = [
            [name, *(shown(one["shares"].get(count)) for count in SHOWN), f"{one['wrong']:,}", f"{one['unjudged']:,}"]
            for name, one in found.items()
        ]
        parts.append(table((title, *SHOWN, "documents", "queries not judged"), rows))
    if told["parts"]:
        rows = [[n, *(f"{1000 * one[p]:.0f}" for p in ("median", "95 %"))] for n, one in told["parts"].items()]
        parts.append(table(("ms of a query", "median", "95 %"), rows))
    return "\n".join(parts)
