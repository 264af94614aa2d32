"""Which of two supporting passages is the first hop: how often the rules tell, and how often they are right.

    python benchmarks/hop_order.py --data DATA [--json FILE]

The rules are those of `answerable.evaluation.hop_order`, without what the data says itself. MuSiQue lists its passages
in the order of the hops, and 2WikiMultihopQA's first triple is about the page of the first hop; those orders are the
truth here. HotpotQA's bridge questions have no such truth, so that only the share told is counted for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import common
from answerable.datasets.examples import Example
from answerable.datasets.load import load
from answerable.evaluation.hop_order import ORDERED, Gold, hop_order

KINDS = {"musique": {"2hop"}, "2wikimultihopqa": {"compositional", "inference"}, "hotpotqa": {"bridge"}}


def questions(data: Path, name: str) -> Iterator[Example]:
    """The two-hop questions of both parts of a data set whose passages are in the pool."""
    for part in ("train", "dev"):
        for example in load(data / name / f"{part}.jsonl", name):
            if len(example.supporting) == 2 and example.kind in KINDS[name]:
                yield example


def first_hop(name: str, example: Example, golds: dict[str, Gold]) -> str | None:
    """The first hop as the data set has it; None where it does not say."""
    if name == "musique":
        return example.supporting[0]
    if name == "2wikimultihopqa" and example.meta.get("evidences"):
        about = example.meta["evidences"][0][0]
        pages = [id for id in example.supporting if golds[id].title == about]
        return pages[0] if len(pages) == 1 else None
    return None


def main(words: list[str] | None = None) -> None:
    """Run and print a table."""
    parser = common.parser(__doc__, "data")
    given = parser.parse_args(words)
    asked = {name: list(questions(given.data, name)) for name in KINDS}
    wanted = {id for examples in asked.values() for example in examples for id in example.supporting}
    golds = {}
    for row in common.rows(given.data / "multihop/passages.jsonl.gz"):
        if row["_id"] in wanted:
            golds[row["_id"]] = Gold(row["_id"], row["title"], row["text"], "G")
    figures = {}
    for name, examples in asked.items():
        told = known = right = 0
        for example in examples:
            hops = hop_order(replace(example, kind="", meta={}), golds)
            if hops.known in ORDERED:
                told += 1
                truth = first_hop(name, example, golds)
                known += truth is not None
                right += truth == hops.ids[0]
        figures[name] = {
            "questions": len(examples),
            "told": 100 * told / len(examples),
            "with known order": known,
            "right": 100 * right / known if known else None,
        }
        print(name, figures[name], flush=True)
    common.write(given.json, figures)


if __name__ == "__main__":
    main()
