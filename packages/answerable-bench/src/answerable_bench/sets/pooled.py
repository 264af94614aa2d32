"""Documents that systems find, pooled beside those of the categories, so that people judge both (Malaviya et al. 2023,
sections 3.3.3 and 4.4).

A category misses documents that belong to it. What people call relevant of a pool joins the answers of its query; the
rest is what systems get wrong, and people say why (`errors`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from answerable.datasets.records import lines
from answerable.errors import FormatError, UsageError
from answerable.evaluation.runs import records
from answerable_bench.grammar import numbered
from answerable_bench.sets.categories import DOCUMENTS, document_ids
from answerable_bench.sets.queries import SetQuery
from answerable_bench.sets.rounds import DOCUMENT, ID, Task
from answerable_bench.stages import Counts, read_jsonl, write_jsonl

POOLED = "pooled.jsonl"


def pooled(folder: Path) -> dict[str, tuple[str, ...]]:
    """The documents that were pooled for each query, by its id."""
    path = folder / POOLED
    return {row[ID]: tuple(row["docs"]) for row in read_jsonl(path)} if path.is_file() else {}


def pool(folder: Path, queries: Sequence[SetQuery], runs: Sequence[Path], most: int) -> Counts:
    """Add to the pool of each query the first `most` documents of its set, or else of its ranking, in each run of
    `answerable evaluate finding`; how many queries there are, and how many documents that no category gives.

    Raises `UsageError` for a file that is no run or a run of other queries, `FormatError` for a damaged one.
    """
    held, known = set(document_ids(folder)), {one.id: one for one in queries}
    found = {name: dict.fromkeys(docs) for name, docs in pooled(folder).items()}
    for path in runs:
        met = 0
        for record in records(path):
            if record["id"] not in known:
                continue
            met += 1
            given: list[str] = (record["docs"] if "docs" in record else record["ranking"])[:most]
            if not held.issuperset(given):
                raise FormatError(f"{path} finds documents that are not in {folder}", hint="index what `build` wrote")
            own = found.setdefault(record["id"], {})
            own |= dict.fromkeys(id for id in given if id not in known[record["id"]].docs)
        if not met:
            raise UsageError(f"{path} is a run of other queries", hint=f"evaluate finding --data {folder}/test.jsonl")
    write_jsonl(folder / POOLED, ({ID: name, "docs": list(docs)} for name, docs in found.items()))
    return {"queries": len(found), "documents": sum(map(len, found.values()))}


def shown(folder: Path, asked: Iterable[tuple[SetQuery, Sequence[str]]]) -> list[Task]:
    """Each query with each of the documents given, whose sentences are numbered; no two of one query stand in the order
    of the systems that found them."""
    every = [(one, sorted(docs)) for one, docs in asked]
    wanted = {id for _, docs in every for id in docs}
    held = {
        row.text("_id"): (row.words("title"), row.text("text"))
        for row in lines(folder / DOCUMENTS)
        if row.text("_id") in wanted
    }
    found = []
    for one, docs in every:
        for id in docs:
            title, text = held[id]
            told = {ID: one.id, DOCUMENT: id, "query": one.text, "title": title, "text": numbered(text)}
            found.append({**told, "plain text": text})
    return found
