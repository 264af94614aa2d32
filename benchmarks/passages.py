"""A data set's own passages as JSONL, to be indexed and searched for its questions.

    python benchmarks/passages.py squad FILE OUT.jsonl

`_id` is what the questions of the same file are supported by (`Example.supporting`), so that a search can be judged.
"""

from __future__ import annotations

from pathlib import Path

import common
from answerable.datasets.squad import paragraphs


def main(words: list[str] | None = None) -> None:
    """Write the paragraphs of a file in SQuAD's form, and say how many there are."""
    parser = common.parser(__doc__, record=False)
    parser.add_argument("name", choices=["squad"])
    parser.add_argument("file", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args(words)
    rows = ({"_id": id, "title": title, "text": one.text("context")} for id, title, one in paragraphs(given.file))
    print(common.write_rows(given.out, rows), "passages")


if __name__ == "__main__":
    main()
