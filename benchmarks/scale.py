"""Real scale: 178,775 public passages beside one mailbox; indexing rate, memory, disk, and the latency of an ask.

    python benchmarks/scale.py --data DATA --workspace DIR [--asks 100] [--json FILE]

A workspace that is there already is asked as it is, so that latency can be measured again without indexing.
Questions are HotpotQA's and OTT-QA's, in turn, under document privacy with two hops; the first five are not counted.
"""

from __future__ import annotations

import itertools
import os
import resource
import statistics
import time
from pathlib import Path

import common
from answerable.types import Privacy
from answerable.workspace.opening import open_workspace


class Stages:
    """Keeps when each stage began and ended, and how much it did."""

    def __init__(self) -> None:
        self.seen: dict[str, tuple[float, float, int]] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Note one step of a stage."""
        now = time.perf_counter()
        began = self.seen.get(stage, (now, now, 0))[0]
        self.seen[stage] = (began, now, done)
        print(f"\r{stage:<10}{done:>9} of {total or '?'}", end="", flush=True)

    def report(self, name: str) -> dict[str, float]:
        """Seconds of each stage, and for vectors the passages a second."""
        made = {f"{name}.{stage}.seconds": end - begin for stage, (begin, end, _) in self.seen.items()}
        for stage, (begin, end, done) in self.seen.items():
            if end > begin and done:
                made[f"{name}.{stage}.per_second"] = done / (end - begin)
        return made


def questions(data: Path) -> list[str]:
    """Two-hop questions of two data sets in turn."""
    files = (data / "hotpotqa/dev.jsonl", data / "ottqa/questions.jsonl")
    parts = [[row["question"] for row in common.rows(file)] for file in files]
    return [q for pair in zip(*parts, strict=False) for q in pair]


def main(words: list[str] | None = None) -> None:
    """Run and print what was measured."""
    parser = common.parser(__doc__, "data", "workspace")
    parser.add_argument("--asks", type=int, default=100)
    given = parser.parse_args(words)
    figures: dict[str, float] = {}
    fresh = not given.workspace.exists()
    with open_workspace(given.workspace, create=True) as workspace:
        if fresh:
            for name, path, kind in (
                ("mail", given.data / "enron/kitchen-l.mbox.gz", "private"),
                ("wiki", given.data / "wiki/passages.jsonl.gz", "public"),
            ):
                stages, began = Stages(), time.perf_counter()
                workspace.index([path], name, kind, stages)
                figures |= stages.report(name) | {f"{name}.seconds": time.perf_counter() - began}
                print()
        status = workspace.status()
        for one in status.enclaves:
            figures |= {f"{one.name}.documents": one.documents, f"{one.name}.passages": one.passages}
        figures["disk.MB"] = status.bytes / 1e6
        figures["peak.MB.indexing"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    with open_workspace(given.workspace) as workspace:
        seconds, answered = [], 0
        for number, question in enumerate(itertools.islice(questions(given.data), given.asks + 5)):
            began = time.perf_counter()
            answer = workspace.ask(question, privacy=Privacy.DOCUMENT, hops=2)
            if number >= 5:
                seconds.append(time.perf_counter() - began)
                answered += answer.text is not None
        ordered = sorted(seconds)
        figures["ask.median.ms"] = 1000 * statistics.median(ordered)
        figures["ask.95.ms"] = 1000 * ordered[int(0.95 * len(ordered))]
        figures["ask.answered"] = answered
    figures["peak.MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    figures["cores"] = os.cpu_count() or 0
    common.tell(given.json, figures, given.asks)


if __name__ == "__main__":
    main()
