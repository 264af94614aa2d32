"""How much of each set is among the documents that are judged: candidates by parts beside the query searched as it is.

    python benchmarks/candidates.py --data FOLDER --workspace DIR [--part val] [--limit 300] [--json FILE]

FOLDER holds `documents.jsonl.gz` and a file of queries with `query`, `docs`, `expression` and `metadata.template`, as
`answerable benchmark` composes them. The documents are indexed once, into DIR, as a public enclave.

bm25, dense, hybrid: the whole query, by words, by vectors and by both fused. constraints: each constraint by both, and
the rankings joined over the tree by their places, for want of anything else. candidates: what `find` judges
(`answerable.sets.candidates`), searched to the same depth. Recall at 20, 50, 100 and 1,000 documents, over queries of
each template, and seconds a query. `--part test` is for figures that are reported, never for choosing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from answerable.evaluation.report import table
from answerable.retriever import Retriever
from answerable.sets.candidates import branches, ranking
from answerable.sets.expression import Expression, read_expression
from answerable.sets.find_settings import FindSettings
from answerable.types import Query, Skill
from answerable.workspace import Workspace, open_workspace

AT = (20, 50, 100, 1000)
ENCLAVE = "documents"
Rank = Callable[[str, Expression], Sequence[str]]


def opened(data: Path, folder: Path, mode: str = "hybrid") -> Workspace:
    """The documents indexed in a workspace, ranked in one mode."""
    made = open_workspace(folder, create=True, settings={"search.mode": mode})
    if not made.status().enclaves:
        plain = folder / "documents.jsonl"
        plain.write_bytes(gzip.decompress((data / "documents.jsonl.gz").read_bytes()))
        made.index([plain], ENCLAVE, "public")
    return made


def searched(door: Retriever, text: str) -> list[str]:
    """Documents by their best passages, the whole text searched as it is."""
    [hop] = door.search(Query(text), Skill.SINGLE, AT[-1])
    return list(dict.fromkeys(hit.passage.document_id for hit in hop.hits))


def constraints_alone(door: Retriever, tree: Expression) -> list[str]:
    """Each constraint searched by itself; sums of places within an intersection, the best over a union."""
    best: dict[str, float] = {}
    for branch in branches(tree):
        scores: defaultdict[str, float] = defaultdict(float)
        for text in branch:
            for number, document in enumerate(searched(door, text), 1):
                scores[document] += 1 / (60 + number)
        for document, score in scores.items():
            best[document] = max(score, best.get(document, 0.0))
    return sorted(best, key=lambda document: (-best[document], document))[: AT[-1]]


def measured(rows: Sequence[Mapping[str, Any]], rank: Rank) -> dict[str, Any]:
    """Recall at each depth by template and over all, and the median seconds a query."""
    recalls: defaultdict[str, list[list[float]]] = defaultdict(list)
    seconds = []
    for row in rows:
        started = time.perf_counter()
        found = [
            document.partition("#")[2] or document
            for document in rank(row["query"], read_expression(row["expression"]))
        ]
        seconds.append(time.perf_counter() - started)
        wanted = set(row["docs"])
        recall = [len(wanted & set(found[:most])) / len(wanted) for most in AT]
        recalls[row["metadata"]["template"]].append(recall)
        recalls["all"].append(recall)
    means = {
        name: [round(float(one), 4) for one in np.mean(values, axis=0)] for name, values in sorted(recalls.items())
    }
    return {"recall": means, "seconds": round(float(np.median(seconds)), 4)}


def main() -> None:
    """Measure, print a table, and write the figures as JSON if asked to."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--workspace", type=Path, required=True)
    parser.add_argument("--part", default="val")
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    written = (given.data / f"{given.part}.jsonl").read_text(encoding="utf8").splitlines()
    rows = [row for row in map(json.loads, written[: given.limit]) if row["docs"]]
    figures: dict[str, Any] = {"queries": len(rows), "part": given.part, "at": AT, "systems": {}}
    for mode, name in (("lexical", "bm25"), ("dense", "dense"), ("hybrid", "hybrid")):
        with opened(given.data, given.workspace, mode) as workspace:
            door = workspace.engine().retriever
            figures["systems"][name] = measured(rows, lambda query, _, door=door: searched(door, query))
            if mode == "hybrid":
                alone = measured(rows, lambda _, tree, door=door: constraints_alone(door, tree))
                figures["systems"]["constraints"] = alone
                figures["systems"]["candidates"] = measured(
                    rows,
                    lambda query, tree, door=door: [
                        document for _, document in ranking(Query(query), tree, door, FindSettings(), AT[-1])
                    ],
                )
    names = sorted(figures["systems"]["bm25"]["recall"])
    lines = [
        [name, *(" / ".join(f"{100 * one:.0f}" for one in system["recall"][template]) for template in names)]
        for name, system in figures["systems"].items()
    ]
    print(table(["recall at " + ", ".join(map(str, AT)), *names], lines))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
