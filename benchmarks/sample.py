"""The shipped sample: every question with gold evidence, by kind and by privacy.

    python benchmarks/sample.py [--workspace DIR] [--json FILE]

found: every gold document of the question is among those of the chains read. EM and F1 count an abstention as
wrong, except for questions of kind "none", where only an abstention is right. said: share that was answered.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import common
from answerable.cli.demo import PRIVATE, PUBLIC, QUESTIONS, SAMPLE
from answerable.evaluation.metrics.answers import exact, f1
from answerable.types import Answer, Chain
from answerable.workspace.opening import open_workspace


def documents(chains: tuple[Chain, ...]) -> set[str]:
    """Documents of the chains, named as in questions.jsonl."""
    return {hit.passage.document_id for chain in chains for hit in chain.hits}


def judge(row: dict[str, Any], answer: Answer) -> dict[str, float]:
    """Marks of one answer. A set counts its share of members named (a reader gives one)."""
    said = answer.text or ""
    gold = {e["document"] for e in row["evidence"]}
    return {
        "found": float(gold <= documents(answer.evidence.chains)),
        "said": float(answer.text is not None),
        "EM": exact(said, row["answers"]),
        "F1": f1(said, row["answers"]),
        "ms": 1000 * answer.seconds,
    }


def main(words: list[str] | None = None) -> None:
    """Run and print a table for each privacy."""
    parser = common.parser(__doc__)
    parser.add_argument("--workspace", type=Path)
    given = parser.parse_args(words)
    folder = given.workspace or Path(tempfile.mkdtemp()) / "sample"
    rows = [*common.rows(QUESTIONS)]
    table = common.Table()
    with open_workspace(folder, create=True) as workspace:
        workspace.index([SAMPLE / "public"], PUBLIC, "public", as_if_elsewhere=True)
        workspace.index([SAMPLE / "private"], PRIVATE, "private")
        for privacy in ("none", "document", "query"):
            marks: dict[str, list[dict[str, float]]] = defaultdict(list)
            for row in rows:
                answer = workspace.ask(row["question"], privacy=privacy)
                for kind in (row["kind"], "all"):
                    marks[kind].append(judge(row, answer))
            for kind, ones in sorted(marks.items()):
                means = {m: common.mean(one[m] for one in ones) for m in ones[0]}
                table.add({"privacy": privacy, "kind": kind, "questions": len(ones), **means})
    common.write(given.json, table)


if __name__ == "__main__":
    main()
