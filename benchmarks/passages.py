"""A data set's own passages as JSONL, to be indexed and searched for its questions.

    python benchmarks/passages.py NAME FILE OUT.jsonl

NAME is one of `gold_corpora.CORPORA`; ids are those the questions' gold uses.
"""

from __future__ import annotations

from pathlib import Path

import common
from gold_corpora import CORPORA, passages


def main(words: list[str] | None = None) -> None:
    """Write them and say how many there are."""
    parser = common.parser(__doc__, record=False)
    parser.add_argument("name", choices=sorted(CORPORA))
    parser.add_argument("file", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args(words)
    print(common.write_rows(given.out, passages(given.file, given.name)), "passages")


if __name__ == "__main__":
    main()
