"""Questions over tables and the passages their cells link to: HybridQA and OTT-QA."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from answerable.datasets.examples import Example
from answerable.datasets.records import Record, any_objects, unique


def tables(path: Path) -> Iterator[Example]:
    """HybridQA (Chen et al. 2020) and OTT-QA (Chen et al. 2021), a JSON array, traced answers or not; or JSONL.

    https://github.com/wenhuchen/HybridQA and https://github.com/wenhuchen/OTT-QA, folder released_data, MIT.
    `supporting` are the table and then the passages in which the answer was traced, by a match of strings (the authors
    warn that it may be wrong); `kind` is where the answer stands: `table`, `passage`, `calculation`, or ''. meta:
    `table`, and `evidence`: (cell, row, column, passage or None, where), rows and columns from 0.
    """
    for row in any_objects(path):
        table = row.text("table_id", "table")
        evidence = tuple(_node(node) for node in row.records("evidence")) if "evidence" in row else _nodes(row)
        places = unique([where for *_, where in evidence])
        yield Example(
            id=row.name("question_id", "_id"),
            question=row.text("question"),
            answers=(row.text("answer-text", "answer"),),
            supporting=unique([table, *(passage for _, _, _, passage, _ in evidence if passage)]),
            kind=row.words("where") or (places[0] if len(places) == 1 else ""),
            meta={"table": table, "evidence": evidence},
        )


def _node(node: Record) -> tuple[str, int, int, str | None, str]:
    passage = node.text("passage") if "passage" in node else None
    return node.text("cell"), node.field("row", int), node.field("column", int), passage, node.text("where")


def _nodes(row: Record) -> tuple[tuple[str, int, int, str | None, str], ...]:
    """The official `answer-node`: lists of cell, [row, column], passage and where."""
    found: list[tuple[str, int, int, str | None, str]] = []
    nodes: list[Any] = row.field("answer-node", list) if "answer-node" in row else []
    for node in nodes:
        match node:
            case [str(cell), [int(line), int(column)], str() | None as passage, str(where)]:
                found.append((cell, line, column, passage, where))
            case _:
                raise row.broken("answer-node", "is not a list of cell, place, passage and where")
    return tuple(found)
