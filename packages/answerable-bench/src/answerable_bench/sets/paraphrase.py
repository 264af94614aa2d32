"""Queries in other words, written by people (section 3.3.1, figure 4).

What was written replaces the query as it was phrased. A query that makes no sense is skipped and leaves the benchmark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from answerable.errors import FormatError
from answerable_bench.sets.queries import SetQuery, read_queries
from answerable_bench.sets.rounds import ID, Answer, Task, answers, open_round

NEW, SKIP = "new query", "skip"
PEOPLE = "people"
PARAPHRASING = open_round("paraphrase")
_LONGEST = 60  # words


def tasks(queries: Sequence[SetQuery]) -> list[Task]:
    """The queries as composed."""
    return [{ID: one.id, "query": one.original} for one in queries]


def read(task: Task, cells: Mapping[str, str], where: str) -> Answer | None:
    """The new query of a row, or that it is skipped."""
    written, skip = " ".join(cells[NEW].split()), cells[SKIP].strip().casefold()
    if skip not in ("", "yes", "no"):
        raise FormatError(f"{where} has a skip that is neither yes nor no", hint="correct it")
    if skip != "yes" and not written:
        return None
    if len(written.split()) > _LONGEST or "<mark>" in written:
        raise FormatError(f"{where} is no query", hint=f"one line of at most {_LONGEST} words, without marks")
    return {"query": task["query"], NEW: written, SKIP: skip, "by": PEOPLE}


def paraphrased(folder: Path) -> list[SetQuery]:
    """The queries as they were put in other words, without those that were skipped. Of several the last counts."""
    written = {row[ID]: row for row in answers(PARAPHRASING, folder)}
    found = []
    for one in read_queries(folder):
        row = written.get(one.id)
        if row is None or row["query"] != one.original:
            found.append(one)
        elif row[SKIP] != "yes":
            found.append(replace(one, text=row[NEW], by=row["by"]))
    return found
