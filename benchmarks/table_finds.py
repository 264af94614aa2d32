"""Rows of tables as members of sets, held against the rows that fit.

    python benchmarks/table_finds.py --data DATA [--json FILE]

The queries of `benchmarks/finds/rows.jsonl`, each with the numbers of the rows that fit, over the tables of
`benchmarks/finds/tables.jsonl`: some as people keep them, written for this, the others of WikiTableQuestions and of
Wikipedia in the data. A query is read as `find` reads it and put to its table alone, and then to each other one.
`exact`: just the rows that fit were given. `nothing`: none was, though some fit. `aside`: those queries that nothing
was chosen by.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import common
from answerable.corpora.tables import delimited
from answerable.sets.bounds import plain_bounds
from answerable.sets.by_fields import parted
from answerable.sets.expression import Expression
from answerable.sets.parsing.parser import Parser
from answerable.sets.plainly import plain_dates, plain_senders
from answerable.sets.rows import rows_of
from answerable.training.reading import lines_of
from answerable.types import Document

FINDS = Path(__file__).parent / "finds"
SOURCES = ("wikitablequestions/tables.jsonl.gz", "wiki/tables.jsonl.gz")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A query with the rows that fit and those that were given, and how many other tables gave rows."""

    fit: frozenset[int]
    given: frozenset[int]
    elsewhere: int


def tables(data: Path) -> dict[str, Document]:
    """Each table by its name, as a file of commas would be read."""
    told = {row["table"]: row for row in common.rows(FINDS / "tables.jsonl")}
    texts = {name: row["text"] for name, row in told.items() if "text" in row}
    for source in SOURCES:
        texts |= {one["_id"]: _written(one) for one in lines_of(data / source) if one["_id"] in told}
    names = {name: told[name].get("title", name.removesuffix(".csv")) + ".csv" for name in texts}
    return {
        name: delimited(text, names[name], names[name], "tables", lambda _: None, {}) for name, text in texts.items()
    }


def _written(record: dict[str, Any]) -> str:
    """A table of the data as a file of commas."""
    cells = [[one if isinstance(one, str) else one.get("text") or "" for one in row] for row in record["rows"]]
    file = io.StringIO()
    csv.writer(file).writerows([[cell.replace("\n", " ") for cell in row] for row in (record["header"], *cells)])
    return file.getvalue()


def outcome(row: dict[str, Any], expression: Expression, held: dict[str, Document]) -> Outcome:
    """What a query is given of its table and of the others."""
    found = {name: rows_of(document, expression, 0) for name, document in held.items()}
    given = ((one.citation.place or "").rsplit(" ", 1)[-1] for one, _ in found[row["table"]])
    others = sum(bool(rows) for name, rows in found.items() if name != row["table"])
    return Outcome(frozenset(row["rows"]), frozenset(map(int, given)), others)


def counted(some: Sequence[Outcome]) -> dict[str, Any]:
    """What queries come to together."""
    return {
        "queries": len(some),
        "exact": common.mean((one.fit == one.given for one in some), 100),
        "fit": sum(len(one.fit) for one in some),
        "found": sum(len(one.fit & one.given) for one in some),
        "wrong": sum(len(one.given - one.fit) for one in some),
        "nothing": sum(bool(one.fit) and not one.given for one in some),
        "elsewhere": sum(one.elsewhere for one in some),
    }


def main(words: list[str] | None = None) -> None:
    """Print one JSON object."""
    given = common.parser(__doc__, "data").parse_args(words)
    held, parser, rows = tables(given.data), Parser.open(), [*common.rows(FINDS / "rows.jsonl")]
    parts: dict[str, list[Outcome]] = {"all": [], "aside": []}
    for row in rows:
        read = parser.parse(plain_senders(plain_dates(plain_bounds(row["query"]))))
        found = outcome(row, parted(read[0].expression), held)
        for name in ("all", "aside") if row["aside"] else ("all",):
            parts[name].append(found)
    common.tell(given.json, {"parts": {name: counted(some) for name, some in parts.items()}}, len(rows))


if __name__ == "__main__":
    main()
