"""What is found among articles when a mailbox lies beside them: one hop and two, by words, vectors and both.

    python benchmarks/beside_mail.py --data DATA --workspace DIR [--limit 300] [--json FILE]

10,000 passages of the pool, the gold ones of the questions among them, as a public enclave, and a mailbox of 662 mails
as a private one, are indexed in DIR the first time. Asked are HotpotQA's dev questions whose passages are in the pool;
none of the mails answers any. One hop is made without privacy, so that both enclaves compete in one ranking; two hops
as they ship. Passages are counted in the order in which `ask` shows and reads them.

gold@5, gold@20: share of the gold passages that are among the first so many passages; both@5, both@20: questions of
which all are. mails: of the first twenty, on average.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import common
from answerable.chains.beam import BeamSettings, foremost, gather
from answerable.evaluation.tasks.passages import met
from answerable.indexes.index import Mode
from answerable.retriever import Retriever, RetrieverSettings
from answerable.training.reading import lines_of
from answerable.types import Chain, Privacy, Query
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace
from hotpot import load

POOL, MAILBOX = 10_000, "enron/dasovich-j.mbox.gz"
WIKI, MAIL = "wiki", "mail"
HOPS: dict[str, BeamSettings] = {"one hop": BeamSettings(hops=1, k=20, width=20), "two hops": BeamSettings()}
MODES: tuple[Mode, ...] = ("lexical", "dense", "hybrid")


def made(data: Path, folder: Path, asked: list[dict[str, Any]]) -> Workspace:
    """The workspace, filled where it is not there yet."""
    workspace = open_workspace(folder, create=True, settings={"models.encoder": "minilm", "journal.keep": False})
    if WIKI not in workspace.settings.enclaves:
        pool, gold = (
            [*lines_of(data / "multihop/passages.jsonl.gz")],
            {g for q in asked for g in q["gold"]},
        )
        rest = [row for row in pool if row["_id"] not in gold]
        chosen = [row for row in pool if row["_id"] in gold] + random.Random(6).sample(rest, POOL - len(gold))
        rows = ({name: row[name] for name in ("_id", "title", "text")} for row in chosen)
        file = folder / "wiki.jsonl"
        common.write_rows(file, rows)
        workspace.index([file], WIKI, "public")
        workspace.index([data / MAILBOX], MAIL, "private")
    return workspace


def found(asked: list[dict[str, Any]], door: Retriever, beam: BeamSettings) -> dict[str, Any]:
    """The measures of one way to search."""
    first: dict[int, list[float]] = {5: [], 20: []}
    mails = []
    for row in asked:
        chains: Iterable[Chain] = foremost(gather(Query(row["question"]), door, beam).chains, 400)
        hits, gold = list(met(chains))[:20], set(row["gold"])
        ids = [hit.passage.document_id.rpartition("#")[2] for hit in hits]
        mails.append(sum(hit.passage.enclave == MAIL for hit in hits))
        for most, shares in first.items():
            shares.append(len(gold & set(ids[:most])) / len(gold))
    told = {f"gold@{most}": common.mean(shares, 100) for most, shares in first.items()}
    told |= {f"both@{most}": common.mean([share == 1.0 for share in shares], 100) for most, shares in first.items()}
    return {**told, "mails": common.mean(mails)}


def main(words: list[str] | None = None) -> None:
    """Search with every question, and print the shares."""
    parser = common.parser(__doc__, "data", "workspace", limit=300)
    given = parser.parse_args(words)
    asked = load(given.data / "hotpotqa/dev.jsonl", given.limit, 5)
    systems = {}
    with made(given.data, given.workspace, asked) as workspace:
        whole = workspace.engine().retriever
        for hops, beam in HOPS.items():
            for mode in MODES:
                door = whole.under(Privacy.NONE if hops == "one hop" else Privacy.DOCUMENT)
                systems[f"{mode}, {hops}"] = found(asked, replace(door, settings=RetrieverSettings(mode)), beam)
                print(f"{mode}, {hops}", {name: round(value, 1) for name, value in systems[f"{mode}, {hops}"].items()})
    common.write(given.json, {"systems": systems}, len(asked))


if __name__ == "__main__":
    main()
