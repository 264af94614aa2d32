"""What fetching ahead wins back of the accuracy that document privacy costs, by the slices of a split corpus.

    python benchmarks/ahead.py --workspace DIR --split DIR [--questions 400] [--part report|development]
        [--ahead 50 100 200 500] [--json FILE]

The workspace has a public and a private enclave, made of the two files of a split (`answerable evaluate split`), whose
questions are asked: without privacy, under document privacy, under it with so many passages fetched ahead, and with the
public enclave as a mirror, which holds all of them. Nothing is written to it. `report` are the questions that no
calibration was fitted on.

all read: every gold passage is in the chains that are read. all@20: in the first twenty passages met when chains are
read best first. passage EM: they are just those of the best chain. EM and F1: of the best answer found, given or not.
PG is a private passage first and a public one after, which document privacy forbids.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from hotpot import documents

from answerable.chains.beam import foremost
from answerable.engine import Engine, Terms
from answerable.evaluation.metrics import hotpot
from answerable.evaluation.tasks.asking import guess
from answerable.evaluation.tasks.passages import leaks, met
from answerable.privacy.enclaves import EnclaveTable, mirror, private
from answerable.training.reading import share
from answerable.training.selector import FITTED
from answerable.types import Chain, Privacy
from answerable.workspace import open_workspace

SLICES = ("all", "PP", "PG", "GP", "GG", "G+P")
MEASURES = ("all read", "all@20", "passage EM", "EM", "F1", "median ms")
FIRST = 20


def questions(split: Path, part: str, count: int) -> list[dict[str, Any]]:
    """Covered questions of the part, drawn with a fixed seed."""
    rows = [json.loads(line) for line in (split / "questions.jsonl").read_text(encoding="utf8").splitlines()]
    drawn = [row for row in rows if (share(row["question"]) < FITTED) == (part == "development")]
    return random.Random(8).sample(drawn, min(count, len(drawn)))


def asked(engine: Engine, row: dict[str, Any], privacy: Privacy) -> dict[str, float]:
    """The measures of one question."""
    began = time.perf_counter()
    answer = engine.ask(row["question"], Terms(privacy=privacy))
    seconds = time.perf_counter() - began
    gold, chains = set(row["gold"]), answer.evidence.chains
    read = foremost(chains, engine.settings.read)
    first = [Chain((hit,), 0.0, hit.label) for hit in islice(met(chains), FIRST)]
    scores = hotpot.answer_scores(guess(answer), [row["answer"], *(row.get("aliases") or ())])
    return {
        "all read": float(gold <= _found(read)),
        "all@20": float(gold <= _found(first)),
        "passage EM": float(bool(chains) and gold == _found(chains[:1])),
        "EM": scores.em,
        "F1": scores.f1,
        "ms": 1000 * seconds,
        "searches": sum(hop.refused is None for hop in answer.evidence.hops),
        "held searches": sum(hop.held is not None for hop in answer.evidence.hops),
        "leaks": leaks(answer.evidence.hops, engine.retriever.enclaves),
    }


def _found(chains: Sequence[Chain]) -> set[str]:
    return {id_ for chain in chains for id_ in documents(chain)}


def summed(marks: Sequence[dict[str, float]]) -> dict[str, float]:
    """Of the marks of several questions: shares in per cent, counts as means for a question, leaks in all."""
    shares = {name: 100 * statistics.mean(mark[name] for mark in marks) for name in MEASURES[:-1]}
    counts = {name: statistics.mean(mark[name] for mark in marks) for name in ("searches", "held searches")}
    times = {"median ms": statistics.median(mark["ms"] for mark in marks)}
    return {"questions": len(marks), **shares, **times, **counts, "leaks": sum(mark["leaks"] for mark in marks)}


def main() -> None:
    """Ask everything of every system and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workspace", type=Path, required=True)
    parser.add_argument("--split", type=Path, required=True)
    parser.add_argument("--encoder", default="skills", help="the one that the workspace was indexed with")
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--part", default="report", choices=("report", "development"))
    parser.add_argument("--ahead", type=int, nargs="+", default=[50, 100, 200, 500])
    parser.add_argument("--only", nargs="+", choices=SLICES[1:], help="questions of these slices alone")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = questions(given.split, given.part, 10**9 if given.only else given.questions)
    rows = [row for row in rows if not given.only or row["slice"] in given.only][: given.questions]
    settings = {"models.encoder": given.encoder, "journal.keep": False}
    systems = [("none", Privacy.NONE, 0), ("document", Privacy.DOCUMENT, 0)]
    systems += [(f"document, {ahead} ahead", Privacy.DOCUMENT, ahead) for ahead in given.ahead]
    systems += [("document, a mirror", Privacy.DOCUMENT, 0)]
    print(f"{'system':<24}{'slice':<7}{'n':>5}" + "".join(f"{name:>12}" for name in MEASURES))
    table = []
    with open_workspace(given.workspace, settings=settings) as workspace:
        engine = workspace.engine()
        mirrored = EnclaveTable([mirror("public"), private("private")])
        asked(engine, rows[0], Privacy.NONE)  # the first ask opens models and indexes
        for name, privacy, ahead in systems:
            table_of = mirrored if name.endswith("mirror") else engine.retriever.enclaves
            retriever = replace(engine.retriever, enclaves=table_of)
            system = replace(engine, retriever=retriever, beam=replace(engine.beam, ahead=ahead))
            marks = [(row["slice"], asked(system, row, privacy)) for row in rows]
            for group in SLICES:
                chosen = [mark for slice_, mark in marks if group in ("all", slice_)]
                if chosen:
                    found = summed(chosen)
                    line = "".join(f"{found[measure]:>12.1f}" for measure in MEASURES)
                    print(f"{name:<24}{group:<7}{len(chosen):>5}{line}", flush=True)
                    table.append({"system": name, "slice": group, "ahead": ahead, "part": given.part, **found})
    if given.json:
        given.json.write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
