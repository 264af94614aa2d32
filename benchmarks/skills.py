"""Multi-hop retrieval by words, by MiniLM and by the encoder of skills, each skill alone and in a chain, in one run.

    python benchmarks/skills.py --data DATA --workspace DIR --encoders minilm skills [--passages 105732]
        [--limit 200] [--part report|development] [--alpha A] [--json FILE]

Questions of HotpotQA, MuSiQue and 2WikiMultihopQA over the merged pool, or over a part of it: every gold passage of the
questions asked, every passage that came with them, and others drawn with a fixed seed up to `--passages`. Each encoder
has a workspace of its own in DIR, made here. `development` asks questions of the training files that nothing was
trained on: there weights are chosen, and `report` is what is reported.

passage EM: the gold passages are just those of the best chain; for one hop, the best as many as there are.
all@20: every gold passage is among the first twenty met when chains are read best first. answer@20: so is an answer.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import common
from answerable.chains.beam import BeamSettings, gather
from answerable.datasets.parts import question_part
from answerable.encoders.encoder import Encoder, Linker
from answerable.evaluation.hop_order import holds
from answerable.evaluation.tasks.passages import met
from answerable.indexes.index import Mode
from answerable.retriever import RetrieverSettings
from answerable.training.reading import MULTI_HOP
from answerable.types import Chain, Query
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace
from hotpot import documents

Row = dict[str, Any]
Marks = dict[str, bool | None]
Judge = Callable[[Row, Sequence[Chain], int], Marks]
"""The marks of a question whose chains were gathered over so many hops, by measure; None where one is left out."""
POOL = "multihop/passages.jsonl.gz"
WHOLE = 105_732
"""Passages in the pool."""
READ = 20
MANY = 40
"""Passages of one hop."""


@dataclass(frozen=True)
class System:
    """How evidence is gathered: by which ranking, over how many hops, and whether names are linked."""

    mode: Mode
    hops: int
    link: bool = False


SYSTEMS = {
    "BM25, one hop": System("lexical", 1),
    "dense, one hop": System("dense", 1),
    "hybrid, one hop": System("hybrid", 1),
    "dense, two hops": System("dense", 2),
    "hybrid, two hops": System("hybrid", 2),
    "hybrid, three hops": System("hybrid", 3),
    "hybrid, two hops, linked": System("hybrid", 2, link=True),
}


def questions(data: Path, part: str, count: int) -> dict[str, list[dict[str, Any]]]:
    """Covered questions of each set, drawn with a fixed seed."""
    found = {}
    for name in MULTI_HOP:
        path = data / name / ("dev.jsonl" if part == "report" else "train.jsonl")
        rows = [row for row in common.rows(path) if row["covered"]]
        if part == "development":
            rows = [row for row in rows if question_part(row["_id"]) == "development"]
        found[name] = random.Random(4).sample(rows, min(count, len(rows)))
    return found


def write_pool(data: Path, parts: list[dict[str, list[dict[str, Any]]]], count: int, out: Path) -> None:
    """The passages to search: those the questions came with, and others."""
    rows = [row for asked in parts for found in asked.values() for row in found]
    wanted = {id_ for row in rows for id_ in (*row["gold"], *row["context"])}
    records = [*common.rows(data / POOL)]
    others = [row["_id"] for row in records if row["_id"] not in wanted]
    wanted.update(random.Random(5).sample(others, max(0, min(count - len(wanted), len(others)))))
    chosen = (row for row in records if row["_id"] in wanted)
    common.write_rows(out, ({key: row[key] for key in ("_id", "title", "text")} for row in chosen))


def opened(folder: Path, encoder: str, files: Sequence[Path], linking: bool) -> Workspace:
    """The workspace of an encoder over these files, made where it is not there yet."""
    settings = {"models.encoder": encoder, "search.linking": linking}
    workspace = open_workspace(folder / named(encoder), create=True, settings=settings)
    workspace.index(files, "public", "public")
    return workspace


def judged(row: Row, chains: Sequence[Chain], hops: int) -> Marks:
    """The measures of one question; answer@20 is None for yes and no."""
    gold = set(row["gold"])
    whole = [chain for chain in chains if len(chain.hits) == hops]
    first = [documents(chain)[0] for chain in whole[: len(gold)]] if hops == 1 else documents(whole[0]) if whole else []
    read = list(islice(met(chains), READ))
    every = gold <= {id_ for hit in read for id_ in documents(Chain((hit,), 0.0, hit.label))}
    texts = [f"{hit.passage.title} {hit.passage.text}" for hit in read]
    answers = (row["answer"], *(row.get("aliases") or ()))
    answered = any(holds(text, str(answer)) for text in texts for answer in answers)
    yes_or_no = row["answer"].lower() in ("yes", "no")
    return {"passage EM": gold == set(first), "all@20": every, "answer@20": None if yes_or_no else answered}


def able_to(encoder: Encoder, system: System) -> bool:
    """Whether an encoder has learned what a system needs."""
    return not system.link or isinstance(encoder, Linker)


def beam_of(system: System, given: argparse.Namespace, one_hop: int) -> BeamSettings:
    """The beam of a system with the widths and weights of the command line; `one_hop` passages where that is all."""
    alone = system.hops == 1
    return BeamSettings(
        hops=system.hops,
        k=one_hop if alone else given.k,
        width=one_hop if alone else given.width,
        link=given.link if system.link else 0,
        alpha=given.alpha,
    )


def named(encoder: str) -> str:
    """What an encoder is called in the table: by its run, where it lies in one as `RUN/model`."""
    path = Path(encoder)
    return path.parent.name if path.name == "model" else path.name


def measure(
    workspace: Workspace, system: System, rows: list[Row], beam: BeamSettings, judge: Judge
) -> dict[str, float]:
    """The measures in per cent, and the median time in milliseconds."""
    retriever = replace(workspace.engine().retriever, settings=RetrieverSettings(mode=system.mode))
    marks, seconds = [], []
    for row in rows:
        began = time.perf_counter()
        evidence = gather(Query(row["question"]), retriever, beam)
        seconds.append(time.perf_counter() - began)
        marks.append(judge(row, evidence.chains, system.hops))
    held = {name: [mark for one in marks if (mark := one[name]) is not None] for name in marks[0]}
    return {name: common.mean(ones, 100) for name, ones in held.items() if ones} | {
        "median ms": 1000 * statistics.median(seconds)
    }


def compared(
    given: argparse.Namespace,
    asked: dict[str, list[Row]],
    systems: dict[str, System],
    opened: Callable[[str], Workspace],
    judge: Judge,
    one_hop: int,
) -> common.Table:
    """Print and return the measures of each system that each encoder is able to, over each set."""
    table = common.Table()
    for encoder in given.encoders:
        with opened(encoder) as workspace:
            able = workspace.engine().retriever.encoder
            for name, system in systems.items():
                if not able_to(able, system) or (system.mode == "lexical" and encoder != given.encoders[0]):
                    continue
                beam = beam_of(system, given, one_hop)
                for group, rows in asked.items():
                    found = measure(workspace, system, rows, beam, judge)
                    about = {"encoder": named(encoder), "system": name, "set": group, "questions": len(rows)}
                    used = {"k": beam.k, "width": beam.width, "alpha": given.alpha}
                    table.add({**about, **used, **found})
    return table


def widths(parser: argparse.ArgumentParser, width: int, link: int) -> argparse.ArgumentParser:
    """The arguments of `beam_of` and `compared`."""
    parser.add_argument("--encoders", nargs="+", default=["minilm", "skills"])
    for name, value in (("k", 10), ("width", width), ("link", link)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--alpha", type=float, default=BeamSettings().alpha)
    return parser


def main(words: list[str] | None = None) -> None:
    """Index what is not indexed yet, and print a table."""
    parser = widths(common.parser(__doc__, "data", "workspace", limit=200), width=10, link=2)
    parser.add_argument("--passages", type=int, default=WHOLE)
    parser.add_argument("--part", default="report", choices=("report", "development"))
    parser.add_argument("--systems", nargs="*", choices=list(SYSTEMS), default=list(SYSTEMS))
    given = parser.parse_args(words)
    asked = questions(given.data, given.part, given.limit)
    given.workspace.mkdir(parents=True, exist_ok=True)
    pool = given.data / POOL if given.passages >= WHOLE else given.workspace / "pool.jsonl"
    if not pool.exists():
        parts = [questions(given.data, part, given.limit) for part in ("report", "development")]
        write_pool(given.data, parts, given.passages, pool)
    systems = {name: system for name, system in SYSTEMS.items() if name in given.systems}
    links = any(system.link for system in systems.values())

    def place(encoder: str) -> Workspace:
        return opened(given.workspace, encoder, [pool], links and encoder != "minilm")

    common.write(given.json, compared(given, asked, systems, place, judged, MANY))


if __name__ == "__main__":
    main()
