"""The sealed cases with their passages, as JSONL.

    python benchmarks/polarity_passages.py --data FOLDER > sealed-with-passages.jsonl

The text of the data sets is not kept here. `source` of a case is a file below FOLDER, and `place` says where in it the
passage stands. Of a SQuAD-format file: `id` is article/paragraph, counted from 0, and the passage is the characters
from `start` to `end`. Of JSONL: the same of `text` or `evidence` of the record with that `_id`. Of a table's record:
its rows from `start` to `end`, a line each, every cell after the name of its column.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import common
from answerable.errors import FormatError

SEALED = Path(__file__).parent / "polarity" / "sealed.jsonl"


def read_sealed(path: Path = SEALED) -> list[dict[str, Any]]:
    """All cases, in order, without their passages."""
    return [*common.rows(path)]


def with_passages(cases: list[dict[str, Any]], data: Path) -> Iterator[dict[str, Any]]:
    """Each case with its `passage`.

    Raises `OSError` where a file is not below `data`, `FormatError` where a passage or its answer is not there.
    """
    held: dict[tuple[str, str], Any] = {}
    for source in sorted({case["source"] for case in cases}):
        wanted = {case["place"]["id"] for case in cases if case["source"] == source}
        held.update(((source, id_), whole) for id_, whole in _records(data / source) if id_ in wanted)
    for case in cases:
        place = case["place"]
        whole = held.get((case["source"], place["id"]), "")
        part = whole[place["start"] : place["end"]]
        passage = part if isinstance(part, str) else "\n".join(part)
        if case["answer"] not in passage:
            raise FormatError(f"{case['source']}: the answer of {case['id']} does not stand at {place['id']}")
        yield {**case, "passage": passage}


def _records(path: Path) -> Iterator[tuple[str, str | list[str]]]:
    """The id of each record and its text, or the lines of its table."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as stream:
        if ".jsonl" in path.name:
            for record in map(json.loads, stream):
                yield record["_id"], _rows(record) if "rows" in record else record.get("text") or record["evidence"]
        else:
            for article, told in enumerate(json.load(stream)["data"]):
                for number, paragraph in enumerate(told["paragraphs"]):
                    yield f"{article}/{number}", paragraph["context"]


def _rows(table: dict[str, Any]) -> list[str]:
    names = [_text(name) for name in table["header"]]
    return [
        "; ".join(f"{name}: {_text(cell)}" for name, cell in zip(names, row, strict=False)) for row in table["rows"]
    ]


def _text(cell: Any) -> str:
    return cell["text"] if isinstance(cell, dict) else str(cell)


def main(words: list[str] | None = None) -> None:
    """Print the cases, one a line."""
    given = common.parser(__doc__, "data", record=False).parse_args(words)
    for case in with_passages(read_sealed(), given.data):
        print(json.dumps(case, ensure_ascii=False))


if __name__ == "__main__":
    main()
