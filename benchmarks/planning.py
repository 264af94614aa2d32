"""A planned search beside the beam: HotpotQA over the merged pool, by words.

    python benchmarks/planning.py --data DATA --workspace DIR [--limit 500] [--systems ...] [--json FILE]
    python benchmarks/planning.py ... --systems "beam" "a model" --endpoint http://127.0.0.1:8080/v1 --model NAME

The workspace is made by `ANSWERABLE_MODELS_ENCODER=hashed answerable -w DIR index DATA/multihop/passages.jsonl.gz
--enclave public --public`: the pool is searched by words alone, as in the first line of `hotpot.py`, whose measures
these are.

beam           two hops, as shipped
perfect follow-up  the same, and after the first hop the title of the gold page that is missing, where the other one is
               among what was shown: what the second query could be at best
perfect steps  besides, before anything was found, the titles of both: what a decomposition could be at best
a model        the language model behind --endpoint, planning as `llm.plan` has it

The double is told the gold pages, so the last two are ceilings and no system. `queries`: that were written, a question.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import common
from answerable.chains.beam import BeamSettings, foremost, gather
from answerable.chains.planning import Planner, Written
from answerable.readers.planning import AskedPlanner
from answerable.remote.chat import Chat
from answerable.remote.host import LlmSettings
from answerable.retriever import Retriever, RetrieverSettings
from answerable.types import Chain, Label, Query, Skill
from answerable.workspace.opening import open_workspace
from hotpot import documents, judge, load, means, scored

SYSTEMS = ("beam", "perfect follow-up", "perfect steps", "a model")


@dataclass(frozen=True)
class Perfect:
    """Writes the titles of gold pages, by document; `steps`: also before anything was found."""

    gold: Mapping[str, str]
    steps: bool

    def write(self, query: Query, door: Retriever, chains: Sequence[Chain], label: Label) -> Sequence[Written]:
        """As `chains.planning.Planner`."""
        if not any(chain.hits for chain in chains):
            return [(replace(query, text=title), chains[0]) for title in self.gold.values() if self.steps]
        there = [(one, chain) for chain in chains for one in documents(chain)]
        return [
            (replace(query.follow(chain.hits), text=title), chain)
            for wanted, title in self.gold.items()
            for held, chain in there
            if held in self.gold and held != wanted
        ]


def titles(data: Path) -> dict[str, str]:
    """Of the documents of the pool."""
    return {row["_id"]: row["title"] for row in common.rows(data / "multihop/passages.jsonl.gz")}


def planner_of(name: str, given: argparse.Namespace, pages: Mapping[str, str]) -> Callable[[Any], Planner | None]:
    """What plans a question."""
    if name == "a model":
        at = LlmSettings(given.endpoint, given.model)
        asked = AskedPlanner(Chat(given.endpoint, given.model, None, 300.0), at.enclave, at.where, given.context)
        return lambda row: asked.begun()
    if name == "beam":
        return lambda row: None
    return lambda row: Perfect({one: pages[one] for one in row["gold"]}, name == "perfect steps")


def main(words: list[str] | None = None) -> None:
    """Run and print a table."""
    parser = common.parser(__doc__, "data", "workspace", limit=500)
    parser.add_argument("--systems", nargs="*", default=SYSTEMS[:3], choices=SYSTEMS)
    parser.add_argument("--endpoint", default="http://127.0.0.1:8080/v1")
    parser.add_argument("--model", default="model")
    parser.add_argument("--context", type=int, default=4096)
    given = parser.parse_args(words)
    rows, pages = load(given.data / "hotpotqa" / "dev.jsonl", given.limit), titles(given.data)
    table = common.Table()
    with open_workspace(given.workspace, settings={"models.encoder": "hashed"}) as workspace:
        engine = workspace.engine()
        door = replace(engine.retriever, settings=RetrieverSettings(mode="lexical"))
        for name in given.systems:
            plans, found, said, seconds, written = planner_of(name, given, pages), [], [], [], []
            for row in rows:
                began = time.perf_counter()
                evidence = gather(Query(row["question"]), door, BeamSettings(), (), plans(row))
                seconds.append(time.perf_counter() - began)
                chains = foremost(evidence.chains, engine.settings.read)
                said.append(scored(row, engine.reader.read(row["question"], chains), chains))
                found.append(judge(row, evidence.chains, 2))
                own = {one.query.text for one in evidence.hops if one.skill is Skill.SINGLE}
                written.append(len(own - {row["question"]}))
            measures = means(found, said) | {"queries": statistics.mean(written)}
            measures |= {"median ms": 1000 * statistics.median(seconds)}
            table.add({"system": name, "questions": len(rows), **measures})
    common.write(given.json, table)


if __name__ == "__main__":
    main()
