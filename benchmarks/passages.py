"""A data set's own passages as JSONL, to be indexed and searched for its questions.

    python benchmarks/passages.py NAME FILE OUT.jsonl

NAME is one of `answerable.evaluation.datasets.corpora.CORPORA`; ids are those the questions' gold uses.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from answerable.evaluation.datasets.corpora import CORPORA, passages, write_jsonl


def main() -> None:
    """Write them and say how many there are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(CORPORA))
    parser.add_argument("file", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    print(write_jsonl(passages(given.file, given.name), given.out), "passages")


if __name__ == "__main__":
    main()
