"""HotpotQA over the merged pool: one hop by words, by vectors and by both, and two hops, in one run.

    python benchmarks/hotpot.py --data DATA --workspace DIR [--limit 500] [--json FILE]

The workspace is made by `answerable -w DIR index DATA/multihop/passages.jsonl.gz --enclave public --public`.
Only questions whose supporting passages are in the pool are asked. The measures (Xiong et al. 2021, section 3):

passage EM: both supporting passages are in the best chain; for one hop, in the two best passages.
path@10: both are in one of the ten best chains; for one hop, in the ten best passages.
answer@20: an answer stands in one of the first twenty passages met when chains are read best first (DPR's measure).
EM, F1: the answer of the same reader over the chains, without abstaining; yes/no questions included.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import common
from answerable.chains.beam import BeamSettings, foremost, gather
from answerable.evaluation.hop_order import holds
from answerable.evaluation.metrics.hotpot import Scores, answer_scores
from answerable.evaluation.tasks.passages import met
from answerable.indexes.index import Mode
from answerable.retriever import RetrieverSettings
from answerable.selective.features import choices
from answerable.types import Candidate, Chain, Query
from answerable.workspace.opening import open_workspace

SYSTEMS: dict[str, tuple[Mode, int]] = {
    "BM25, one hop": ("lexical", 1),
    "dense, one hop": ("dense", 1),
    "hybrid, one hop": ("hybrid", 1),
    "dense, two hops": ("dense", 2),
    "hybrid, two hops": ("hybrid", 2),
}


def load(path: Path, count: int, seed: int = 4) -> list[dict[str, Any]]:
    """Covered questions, drawn with a fixed seed."""
    rows = [row for row in common.rows(path) if row["covered"]]
    return random.Random(seed).sample(rows, min(count, len(rows)))


def documents(chain: Chain) -> list[str]:
    """Ids, as in the data, of the documents of a chain."""
    return [hit.passage.document_id.rpartition("#")[2] for hit in chain.hits]


def judge(row: dict[str, Any], chains: Sequence[Chain], hops: int) -> tuple[bool, bool, bool | None]:
    """Passage EM, path@10 and answer@20 of one question; the last is None for yes and no."""
    gold = set(row["gold"])
    whole = [chain for chain in chains if len(chain.hits) == hops]
    if hops == 1:
        top = [documents(chain)[0] for chain in whole]
        first, ten = gold <= set(top[:2]), gold <= set(top[:10])
    else:
        first = bool(whole) and gold <= set(documents(whole[0]))
        ten = any(gold <= set(documents(chain)) for chain in whole[:10])
    if row["answer"].lower() in ("yes", "no"):
        return first, ten, None
    read = islice(met(chains), 20)
    return first, ten, any(holds(f"{hit.passage.title} {hit.passage.text}", row["answer"]) for hit in read)


def scored(row: dict[str, Any], candidates: Sequence[Candidate], chains: Sequence[Chain]) -> Scores:
    """EM and F1 of the best answer, without abstaining."""
    ranked = choices(row["question"], candidates, chains)
    return answer_scores(ranked[0].text if ranked else "", row["answer"])


def means(marks: Sequence[tuple[bool, bool, bool | None]], said: Sequence[Scores]) -> dict[str, float]:
    """The measures of the module, in per cent, from what `judge` and `scored` say of each question."""
    return {
        "passage EM": common.mean([one[0] for one in marks], 100),
        "path@10": common.mean([one[1] for one in marks], 100),
        "answer@20": common.mean([one[2] for one in marks if one[2] is not None], 100),
        "EM": common.mean([one.em for one in said], 100),
        "F1": common.mean([one.f1 for one in said], 100),
    }


def main(words: list[str] | None = None) -> None:
    """Run and print a table."""
    given = common.parser(__doc__, "data", "workspace", limit=500).parse_args(words)
    rows = load(given.data / "hotpotqa" / "dev.jsonl", given.limit)
    table = common.Table()
    with open_workspace(given.workspace) as workspace:
        engine = workspace.engine()
        for name, (mode, hops) in SYSTEMS.items():
            retriever = replace(engine.retriever, settings=RetrieverSettings(mode=mode))
            beam = BeamSettings(hops=hops)
            marks, said, seconds = [], [], []
            for row in rows:
                began = time.perf_counter()
                evidence = gather(Query(row["question"]), retriever, beam)
                chains = foremost(evidence.chains, engine.settings.read)
                candidates = engine.reader.read(row["question"], chains)
                seconds.append(time.perf_counter() - began)
                marks.append(judge(row, evidence.chains, hops))
                said.append(scored(row, candidates, chains))
            measures = means(marks, said) | {"median ms": 1000 * statistics.median(seconds)}
            table.add({"system": name, "questions": len(rows), "k": beam.k, "width": beam.width, **measures})
    common.write(given.json, table)


if __name__ == "__main__":
    main()
