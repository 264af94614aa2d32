"""The paper's tables of its benchmark, of this one: queries by template (1), sizes (2); and what was left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

from answerable.evaluation.construction.sets.categories import CORPUS
from answerable.evaluation.construction.sets.queries import TOGETHER, SetQuery
from answerable.evaluation.construction.sets.settings import SPLITS, SetPlan
from answerable.sets.expression import TEMPLATES, atoms

_COMMONEST = 5


def statistics(folder: Path, plan: SetPlan, queries: Sequence[SetQuery], extra: int) -> dict[str, Any]:
    """The tables as one object, with the plan, and by template how many queries are short of those asked for."""
    corpus = json.loads((folder / CORPUS).read_text("utf-8"))
    together = json.loads((folder / TOGETHER).read_text("utf-8"))
    met = Counter((one.template, one.split) for one in queries)
    used = Counter(name for one in queries for name in atoms(one.expression))
    return {
        "domain": plan.domain,
        "queries": len(queries),
        "documents": corpus["documents"],
        "words a query": _mean([len(one.text.split()) for one in queries]),
        "words a document": round(corpus["words"] / corpus["documents"], 1),
        "answers a query": _mean([len(one.docs) for one in queries]),
        "templates": {
            name: {split: met[name, split] for split in SPLITS}
            | {"asked": plan.queries, "with shared categories": together[name]}
            for name in TEMPLATES
        },
        "short": {
            name: short
            for name in TEMPLATES
            if (
                short := {
                    split: plan.asked(split) - met[name, split]
                    for split in SPLITS
                    if met[name, split] < plan.asked(split)
                }
            )
        },
        "categories used": len(used),
        "used most": dict(used.most_common(_COMMONEST)),
        "atomic": extra,
        "plan": asdict(plan),
    }


def markdown(told: Mapping[str, Any]) -> str:
    """The tables in Markdown, and a line for each template with fewer queries than were asked for."""
    rows = [
        [TEMPLATES[name], *(row[split] for split in SPLITS), sum(row[split] for split in SPLITS), row["asked"],
         row["with shared categories"]]
        for name, row in told["templates"].items()
    ]  # fmt: skip
    sizes = [[name, told[name]] for name in ("queries", "documents", *_AVERAGES)]
    header = ["template", *SPLITS, "in all", "asked", "with shared categories"]
    return "\n".join((_table(header, rows), _table(["", told["domain"] or "all"], sizes), *shortfalls(told), ""))


_AVERAGES = ("words a query", "words a document", "answers a query", "categories used", "atomic")


def shortfalls(told: Mapping[str, Any]) -> list[str]:
    """A sentence for each template with fewer queries than were asked for."""
    said = []
    for name, short in told["short"].items():
        counts = ", ".join(f"{count} too few for {split}" for split, count in short.items())
        said.append(f"{TEMPLATES[name]}: the conditions leave {counts}.")
    return said


def _mean(values: Sequence[int]) -> float:
    return round(fmean(values), 1) if values else 0.0


def _table(header: list[str], rows: list[list[Any]]) -> str:
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)]) + "\n"
