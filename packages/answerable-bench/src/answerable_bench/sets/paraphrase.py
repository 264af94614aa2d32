"""Queries in other words: written by people, or by a language model (section 3.3.1, figure 4).

What was written replaces the query as it was phrased. A query that makes no sense is skipped and leaves the benchmark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from answerable.errors import FormatError, UsageError
from answerable_bench.endpoint import KEPT, Asking, Endpoints
from answerable_bench.sets.queries import SetQuery, read_queries, unmarked
from answerable_bench.sets.rounds import ANNOTATOR, ID, Answer, Task, answers, open_round
from answerable_bench.stages import Counts, Progress, write_jsonl

NEW, SKIP = "new query", "skip"
PEOPLE = "people"
PARAPHRASING = open_round("paraphrase")
_LONGEST = 60  # words
_TASK = """Rewrite a search query so that it is fluent and sounds as a person would ask it. Each constraint stands
between <mark> and </mark>. Keep every one of them, with its "and", "or" and "not", add none, and say nothing else.
Reply with the new query on one line, without marks.

{query}"""


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


def write(folder: Path, endpoints: Endpoints, public: bool, progress: Progress) -> Counts:
    """Have a model put each query in other words that nobody has put so yet; how many it did, and how many it did not.

    The endpoint for private text is asked where there is one. Raises `UsageError` where there is none and the
    categories are not public.
    """
    if not (public or endpoints.private):
        raise UsageError(
            "the categories of this benchmark are private", hint="--private-endpoint URL, or build it with --public"
        )
    queries, kept = read_queries(folder), answers(PARAPHRASING, folder)
    current = {one.id: one.original for one in queries}
    by_people = {row[ID] for row in kept if row["by"] == PEOPLE and current.get(row[ID]) == row["query"]}
    address, model = endpoints.private or endpoints.public or "", endpoints.model
    ask = Asking(model, endpoints.key, folder / KEPT)
    made: list[Answer] = []
    counts = dict.fromkeys(("written", "not written", "by people"), 0)
    for number, one in enumerate(queries):
        progress("paraphrases", number, len(queries))
        if one.id in by_people:
            counts["by people"] += 1
            continue
        said = _understood(ask(address, _TASK.format(query=one.original)))
        counts["written" if said else "not written"] += 1
        if said:
            row = {ID: one.id, ANNOTATOR: model, "query": one.original, NEW: said, SKIP: "", "by": model}
            made.append(row)
    people = [row for row in kept if row["by"] == PEOPLE]
    write_jsonl(folder / PARAPHRASING.file, made + people)
    return counts


def _understood(said: str) -> str:
    """The query a model wrote, or "" where it wrote something else."""
    lines = [line for line in said.strip().splitlines() if line.strip()]
    text = re.sub(r"</?mark>", "", lines[0]).strip().strip('"“”').strip() if len(lines) == 1 else ""
    return unmarked(text) if 0 < len(text.split()) <= _LONGEST else ""
