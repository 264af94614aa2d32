"""The paper's tables of its benchmark, of this one: queries by template (1), sizes (2); and what was left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

from answerable.sets.expression import TEMPLATES, atoms
from answerable_bench.sets.agreement import fleiss_kappa, unanimous
from answerable_bench.sets.categories import CORPUS
from answerable_bench.sets.judged import Judgements
from answerable_bench.sets.label import COMPLETE, NONE, PARTIAL
from answerable_bench.sets.queries import COMPOSED, TOGETHER
from answerable_bench.sets.recall import precision_seen
from answerable_bench.sets.settings import SPLITS, SetPlan
from answerable_bench.sets.validate import ANNOTATORS, QUESTIONS
from answerable_bench.stages import read_jsonl

_COMMONEST = 5
_KNOWN = 0.95  # of a set that is taken away, as in the paper's example


def statistics(folder: Path, plan: SetPlan, said: Judgements, extra: int) -> dict[str, Any]:
    """The tables as one object, with the plan, what people said, and how many queries are short of those asked for."""
    queries, composed = said.kept, list(read_jsonl(folder / COMPOSED))
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
        "short": _short(plan, composed),
        "differences": _differences(composed),
        "categories used": len(used),
        "used most": dict(used.most_common(_COMMONEST)),
        "atomic": extra,
        "validated": _validated(said),
        "labelled": _labelled(said),
        "plan": asdict(plan),
    }


def _short(plan: SetPlan, composed: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """By template and split, how many queries fewer were composed than asked for, where there are fewer."""
    made = Counter((row["template"], row["split"]) for row in composed)
    found = {name: {split: plan.asked(split) - made[name, split] for split in SPLITS} for name in TEMPLATES}
    left = {name: {split: count for split, count in counts.items() if count > 0} for name, counts in found.items()}
    return {name: counts for name, counts in left.items() if counts}


def _differences(composed: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What differences take away, and how right the one that takes most is, were the second set known to 95 %."""
    taken = [row["taken"] for row in composed if row["taken"] is not None]
    if not taken:
        return {}
    return {
        "overlap": round(fmean(taken), 2),
        "overlap at most": max(taken),
        f"precision at {_KNOWN:g}": round(precision_seen(_KNOWN, fmean(taken)), 2),
        f"precision at {_KNOWN:g} at least": round(precision_seen(_KNOWN, max(taken)), 2),
    }


def _validated(said: Judgements) -> dict[str, Any]:
    """Of the queries that were judged: how many there are, how many left, and how far people agree on each question."""
    every = list(said.verdicts.values())
    if not every:
        return {}
    return {
        "queries": len(every),
        "by three or more": sum(len(one.by) >= ANNOTATORS for one in every),
        "left out": sum(not one.stands for one in every),
        "kappa": {name: _rounded(fleiss_kappa([one.said[name] for one in every])) for name in QUESTIONS},
    }


def _labelled(said: Judgements) -> dict[str, Any]:
    """Of the documents that were judged: how many left, the evidence they have, and how people agree (3.3.3, 3.4)."""
    every = list(said.labels.values())
    if not every:
        return {}
    stay = [one for one in every if one.relevant]
    evidence = Counter(found for one in stay for found in one.evidence)
    shown = [_words({(place["start"], place["text"]) for place in one.attributions}) for one in stay]
    sides = [[rating >= 2 for rating in one.ratings] for one in every]
    return {
        "documents": len(every),
        "left out": len(every) - len(stay),
        "evidence": {name: round(evidence[name] / max(1, evidence.total()), 3) for name in (COMPLETE, PARTIAL, NONE)},
        "words attributed": _mean(shown),
        "words attributed at most": max(shown, default=0),
        "all say the same side": _rounded(unanimous(sides)),
        "kappa": _rounded(fleiss_kappa([one.ratings for one in every])),
        "kappa of sides": _rounded(fleiss_kappa(sides)),
    }


def _words(shown: set[tuple[int, str]]) -> int:
    return sum(len(text.split()) for _, text in shown)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def markdown(told: Mapping[str, Any]) -> str:
    """The tables in Markdown, and a line for each template with fewer queries than were asked for."""
    rows = [
        [TEMPLATES[name], *(row[split] for split in SPLITS), sum(row[split] for split in SPLITS), row["asked"],
         row["with shared categories"]]
        for name, row in told["templates"].items()
    ]  # fmt: skip
    sizes = [[name, told[name]] for name in ("queries", "documents", *_AVERAGES)]
    header = ["template", *SPLITS, "in all", "asked", "with shared categories"]
    people = [
        [f"{name} {what}", json.dumps(value) if isinstance(value, dict) else value]
        for name in ("validated", "labelled")
        for what, value in told[name].items()
    ]
    people = [[f"differences: {what}", value] for what, value in told["differences"].items()] + people
    tables = [_table(header, rows), _table(["", told["domain"] or "all"], sizes)]
    if people:
        tables.append(_table(["", ""], people))
    return "\n".join((*tables, *shortfalls(told), ""))


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
