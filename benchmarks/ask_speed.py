"""Processor time of an ask over the everyday set, by part, and what a change of it changes in the answers.

    python benchmarks/ask_speed.py ask --into DIR --out FILE [--every N] [--first K]
    python benchmarks/ask_speed.py compare BEFORE AFTER [--json FILE]
    python benchmarks/ask_speed.py cold --into DIR --against SOURCES [--runs 3] [--json FILE]

ask: asks every N-th question that has no line in FILE yet, in one process, in the workspaces that `everyday.py prepare`
made; each workspace is asked something else first. Seconds are of all threads of the process: on a machine with other
work they are what the work is worth, where seconds on the clock are not. A part's are without those of parts within
it. compare: two runs of the same questions, of two
commits (`PYTHONPATH` says of which): seconds before and after, their ratio a question, and the answers. cold: processor
seconds of a command from its start to its end, `--help` and one question, in turn with the sources of another commit.
"""

from __future__ import annotations

import functools
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import answerable
import common
from answerable.corpora.store import Store
from answerable.encoders.skills import ModularEncoder
from answerable.indexes.enclave import EnclaveIndex
from answerable.privacy.audit_log import AuditLog
from answerable.readers.paths import PathReader
from answerable.readers.span import SpanReader
from answerable.retriever import Retriever
from everyday import SPACE, asked
from everyday_corpora import HALVES, HERE, Question, half_of, questions
from everyday_scores import against, figures, outcome

PARTS: dict[str, tuple[tuple[type, str], ...]] = {
    "path reader": ((PathReader, "look"),),
    "span reader": ((SpanReader, "read"),),
    "encoder": ((ModularEncoder, "encode_query"), (ModularEncoder, "encode_queries")),
    "indexes": ((EnclaveIndex, "search"),),
    "passages": ((Store, "passages"), (Store, "vectors_of")),
    "journal": ((AuditLog, "searches"), (AuditLog, "found")),
    "searching": ((Retriever, "search"), (Retriever, "prepare")),
}
WARMING = "which pier do the boats use when the wind is from the west"


class Clock:
    """Processor seconds by part, each without those of parts within it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = dict.fromkeys(PARTS, 0.0)
        self._within: list[float] = []
        for part, works in PARTS.items():
            for kind, name in works:
                setattr(kind, name, self._timed(part, getattr(kind, name)))

    def _timed(self, part: str, work: Any) -> Any:
        @functools.wraps(work)
        def run(*given: Any, **named: Any) -> Any:
            began = time.process_time()
            self._within.append(0.0)
            try:
                return work(*given, **named)
            finally:
                took = time.process_time() - began
                self.seconds[part] += took - self._within.pop()
                if self._within:
                    self._within[-1] += took

        return run


def ask(rows: Sequence[Question], into: Path, out: Path) -> None:
    """Ask what has no record yet, and keep what came of it."""
    done, clock = {record["id"] for record in common.kept(out)}, Clock()
    with out.open("a", encoding="utf-8") as file:
        for workspace in sorted({row["workspace"] for row in rows if row["id"] not in done}):
            with answerable.open(into / workspace / SPACE) as opened:
                opened.ask(WARMING)
                for row in (one for one in rows if one["workspace"] == workspace and one["id"] not in done):
                    clock.seconds.update(dict.fromkeys(PARTS, 0.0))
                    record = {**asked(opened, row), "parts": dict(clock.seconds), "commit": common.commit()}
                    file.write(json.dumps(record, ensure_ascii=False) + "\n")
                    file.flush()


def compare(before: Path, after: Path, json_file: Path | None) -> None:
    """Print and record what two runs took and answered, of the questions that both have."""
    rows = {row["id"]: row for row in questions(HERE)}
    old, new = ({record["id"]: record for record in common.kept(path)} for path in (before, after))
    both = [id for id in new if id in old]
    if not both:
        raise SystemExit(f"{before} and {after} have no question in common")
    runs = [[outcome(rows[id], run[id], {}) for id in both] for run in (old, new)]
    ratios = [new[id]["processor"] / old[id]["processor"] for id in both]
    found: dict[str, Any] = {"questions": len(both), "ratio": common.mean(ratios), "ratio median": _at(ratios, 0.5)}
    for name, run, outcomes in zip(("before", "after"), (old, new), runs, strict=True):
        took, parts = [run[id]["processor"] for id in both], [run[id].get("parts", {}) for id in both]
        scored = figures(outcomes, False)
        found[name] = {
            "commit": next(iter(run.values())).get("commit"),
            "mean": common.mean(took),
            "median": _at(took, 0.5),
            "95 %": _at(took, 0.95),
            **{key: scored[key] for key in ("right or none %", "wrong %", "guess right %", "area")},
        }
        if all(parts):
            found[name]["parts"] = {part: statistics.fmean(one[part] for one in parts) for part in PARTS}
    moved = [abs(new[id]["confidence"] - old[id]["confidence"]) for id in both]
    found["answers changed"] = sum(new[id]["answer"] != old[id]["answer"] for id in both)
    found["confidence moved"] = {"median": _at(moved, 0.5), "95 %": _at(moved, 0.95)}
    found["right or none"] = against(runs[1], runs[0])
    common.tell(json_file, found, len(both))


def cold(into: Path, against: Path, runs: int, json_file: Path | None) -> None:
    """Print and record what commands take that begin with nothing loaded, with these sources and others in turn."""
    sources = {"before": against, "after": common.ROOT / "src"}
    asked = ["-w", str(into / "tiny-05" / SPACE), "ask", "who is the plumber"]
    figures: dict[str, Any] = {}
    for name, words in (("help", ["--help"]), ("ask", asked)):
        took: dict[str, list[float]] = {when: [] for when in sources}
        for _ in range(runs + 1):  # the first fills caches
            for when, place in sources.items():
                began = resource.getrusage(resource.RUSAGE_CHILDREN)
                given = {**os.environ, "PYTHONPATH": str(place)}
                subprocess.run(
                    [sys.executable, "-m", "answerable", *words], env=given, capture_output=True, check=False
                )
                ended = resource.getrusage(resource.RUSAGE_CHILDREN)
                took[when].append(ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime)
        figures[name] = {when: statistics.median(one[1:]) for when, one in took.items()}
        figures[name]["ratio"] = statistics.median(
            a / b for b, a in zip(*(one[1:] for one in took.values()), strict=True)
        )
    common.tell(json_file, figures, runs)


def _at(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def main(argv: list[str] | None = None) -> int:
    """Run one of the three."""
    parser = common.parser(__doc__, record=False)
    parts = parser.add_subparsers(dest="part", required=True)
    made = {name: parts.add_parser(name) for name in ("ask", "compare", "cold")}
    made["ask"].add_argument("--into", type=Path, required=True, help="where the workspaces are")
    made["ask"].add_argument("--out", type=Path, required=True, help="where answers are kept, to go on with")
    made["ask"].add_argument("--every", type=int, default=1, metavar="N", help="of so many questions one (1)")
    made["ask"].add_argument("--first", type=int, default=0, metavar="K", help="the first of them, counted from 0")
    made["compare"].add_argument("before", type=Path)
    made["compare"].add_argument("after", type=Path)
    made["compare"].add_argument("--json", type=Path, metavar="FILE", help="write the record there")
    made["cold"].add_argument("--into", type=Path, required=True, help="where the workspaces are")
    made["cold"].add_argument("--against", type=Path, required=True, help="the folder src of another commit")
    made["cold"].add_argument("--runs", type=int, default=3, help="of each command, beside one that is not counted (3)")
    made["cold"].add_argument("--json", type=Path, metavar="FILE", help="write the record there")
    told = parser.parse_args(argv)
    if told.part == "compare":
        compare(told.before, told.after, told.json)
    elif told.part == "cold":
        cold(told.into, told.against, told.runs, told.json)
    else:
        rows = [row for row in questions(HERE) if half_of(row["workspace"]) == HALVES[0]]
        ask(rows[told.first :: told.every], told.into, told.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
