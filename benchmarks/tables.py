"""Questions over tables and the passages their cells link to: chains from a row to a passage, in one run.

    python benchmarks/tables.py --data DATA --workspace DIR --encoders minilm skills [--tables 400] [--passages 8000]
        [--limit 150] [--json FILE]

Questions of OTT-QA and HybridQA over tables that nothing was trained on (`report` of
`answerable.training.corpora`): the tables asked about and others of the same part up to `--tables`, the passages
that those tables' cells link to and others drawn with a fixed seed up to `--passages`, in one public enclave. Each
encoder has a workspace of its own in DIR, made here. OTT-QA searches for its tables; HybridQA was made to be asked of a
table that is given, and is searched for here as well.

row@20: one of the twenty best chains has a row of the question's table. chain@20: one of those holds the answer, too.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import common
from answerable.evaluation.hop_order import holds
from answerable.training.corpora import Corpora
from answerable.types import Chain
from answerable.workspace.workspace import Workspace
from skills import MANY, Marks, Row, System, compared, opened, widths
from skills import SYSTEMS as CHAINS

FIRST = 20


SYSTEMS = {"BM25, two hops": System("lexical", 2)} | {
    name: CHAINS[name]
    for name in (
        "BM25, one hop",
        "hybrid, one hop",
        "hybrid, two hops",
        "hybrid, two hops, linked",
    )
}


def write_corpus(data: Path, asked: dict[str, list[dict[str, Any]]], tables: int, passages: int, folder: Path) -> None:
    """`tables.jsonl` and `passages.jsonl`: what the questions need, and others."""
    rng, corpora = random.Random(8), Corpora(data)
    held = [table.id for table in corpora.tables.values() if table.part == "report"]
    chosen = {row["table"] for rows in asked.values() for row in rows}
    others = [id_ for id_ in held if id_ not in chosen]
    chosen.update(rng.sample(others, max(0, min(tables - len(chosen), len(others)))))
    wiki = corpora.corpus("wiki")
    cells = [cell for id_ in sorted(chosen) for row in corpora.tables[id_].rows for cell in row]
    linked = [one for _, links in cells for one in links if one in wiki]
    wanted = dict.fromkeys(linked)
    rest = [id_ for id_ in wiki if id_ not in wanted]
    wanted.update(dict.fromkeys(rng.sample(rest, max(0, min(passages - len(wanted), len(rest))))))
    folder.mkdir(parents=True, exist_ok=True)
    every = common.rows(data / "wiki/tables.jsonl.gz")
    common.write_rows(folder / "tables.jsonl", (row for row in every if row["_id"] in chosen))
    rows = ({"_id": id_, "title": wiki[id_][0], "text": wiki[id_][1]} for id_ in wanted)
    common.write_rows(folder / "passages.jsonl", rows)


def judged(row: Row, chains: Sequence[Chain], hops: int) -> Marks:
    """row@20 and chain@20 of one question."""
    of_table = []
    for chain in [chain for chain in chains if len(chain.hits) == hops][:FIRST]:
        if any(hit.passage.document_id.rpartition("#")[2] == row["table"] for hit in chain.hits):
            of_table.append(" ".join(f"{hit.passage.title} {hit.passage.text}" for hit in chain.hits))
    return {"row@20": bool(of_table), "chain@20": any(holds(text, str(row["answer"])) for text in of_table)}


def main(words: list[str] | None = None) -> None:
    """Index what is not indexed yet, and print a table."""
    parser = widths(common.parser(__doc__, "data", "workspace", limit=150), width=20, link=1)
    parser.add_argument("--tables", type=int, default=400)
    parser.add_argument("--passages", type=int, default=8000)
    given = parser.parse_args(words)
    corpora = Corpora(given.data)
    asked = {}
    for name in ("ottqa", "hybridqa"):
        rows = corpora.questions(name, "report")
        asked[name] = random.Random(7).sample(rows, min(given.limit, len(rows)))
    if not (given.workspace / "passages.jsonl").exists():
        write_corpus(given.data, asked, given.tables, given.passages, given.workspace)

    def place(encoder: str) -> Workspace:
        files = [given.workspace / name for name in ("tables.jsonl", "passages.jsonl")]
        return opened(given.workspace, encoder, files, linking=encoder != "minilm")

    common.write(given.json, compared(given, asked, SYSTEMS, place, judged, MANY))


if __name__ == "__main__":
    main()
