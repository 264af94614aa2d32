"""Which constraints the wrong documents of a system break: people say so of each (section 4.4, table 6).

A document that was pooled and is no answer breaks one constraint of its query or several: it does not fit what is asked
for, or it fits what is taken away. A constraint counts as broken where more than half of those who judged say so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from answerable.errors import FormatError
from answerable.evaluation.sets.meaning import TEMPLATES
from answerable.sets.expression import Expression, signed
from answerable_bench.sets.pooled import pooled, shown
from answerable_bench.sets.queries import SetQuery
from answerable_bench.sets.rounds import ID, Answer, Task, most, open_round, present

BROKEN, NONE = "broken", "none"
ERRORS = open_round("errors")


def constraints(expression: Expression) -> list[tuple[str, bool]]:
    """The constraints of a query, numbered from 1 as they stand here, and whether each is taken away."""
    return list(dict.fromkeys(signed(expression)))


def tasks(folder: Path, queries: Sequence[SetQuery]) -> list[Task]:
    """Each query with the documents of its pool that are no answers."""
    held = pooled(folder)
    wrong = [(one, [id for id in held.get(one.id, ()) if id not in one.docs]) for one in queries]
    told = {
        one.id: "\n".join(
            f"{number} {'not: ' * taken}{text}" for number, (text, taken) in enumerate(constraints(one.expression), 1)
        )
        for one in queries
    }
    return [task | {"constraints": told[task[ID]]} for task in shown(folder, wrong)]


def read(task: Task, cells: Mapping[str, str], where: str) -> Answer | None:
    """The numbers of a row; none where it has nothing."""
    written = cells[BROKEN].replace(",", " ").casefold().split()
    if not written:
        return None
    last = len(task["constraints"].splitlines())
    numbers = sorted({int(one) for one in written if one.isdecimal()})
    if written != [NONE] and (len(numbers) != len(set(written)) or not 1 <= numbers[0] <= numbers[-1] <= last):
        raise FormatError(f"{where} names a constraint that the query does not have", hint=f"1 to {last}, or {NONE}")
    return {"query": task["query"], BROKEN: numbers, "cells": {BROKEN: " ".join(map(str, numbers)) or NONE}}


def errors(folder: Path, queries: Sequence[SetQuery]) -> dict[str, Any]:
    """By template: how many documents were judged, how many meet everything, and of those that break something the
    shares that break 1, 2 and 3 constraints, and that break one that is taken away."""
    asked = {one.id: one for one in queries}
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for (name, _), rows in present(ERRORS, folder, {one.id: one.text for one in queries}).items():
        signs = enumerate(constraints(asked[name].expression), 1)
        broken = [taken for number, (_, taken) in signs if most([number in row[BROKEN] for row in rows])]
        found[asked[name].template].update([str(len(broken)), *(["negated"] if any(broken) else [])])
    return {name: _shares(found[name]) for name in TEMPLATES if name in found}


def _shares(counts: Counter[str]) -> dict[str, Any]:
    fitting = counts["0"]
    wrong = counts.total() - fitting - counts["negated"]
    told = {name: round(counts[name] / max(1, wrong), 3) for name in ("1", "2", "3", "negated")}
    return {"documents": wrong + fitting, "fitting": fitting, **told}
