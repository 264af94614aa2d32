"""How long `find` takes over a whole corpus, and where the time goes: parsing, searching, judging, evidence.

    python benchmarks/find_speed.py --workspace DIR --enclave NAME --data queries.jsonl [--documents FILE] \
        [--limit 100] [--judge NAME] [--threads 1] [--expression data] [--json FILE]

`--documents` are indexed into the enclave where it is not there yet. Queries in QUEST's form are asked one after
another, by somebody who may read that enclave alone; the first five are not counted. Times are seconds; `processor`
is what a find takes of all processors together, which what else runs changes little, and `again` the same find once
more.
"""

from __future__ import annotations

import random
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import answerable.sets.find as finding
import common
from answerable.datasets.examples import Example
from answerable.datasets.load import load
from answerable.evaluation.report import percentiles
from answerable.evaluation.sets.meaning import meant
from answerable.sets.judge import Floats, Judge
from answerable.types import Asker
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace

WARMING = 5
PARTS = ("parse", "search", "judge", "evidence")
TIMES = ("all", *PARTS, "rest", "processor", "again")


class Clock:
    """Seconds by part of the find that is going on; what runs within another part counts there."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self._inside = False

    def timed(self, part: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same work, timed."""

        def run(*args: Any, **named: Any) -> Any:
            if self._inside:
                return work(*args, **named)
            self._inside, began = True, time.perf_counter()
            try:
                return work(*args, **named)
            finally:
                self.seconds[part] += time.perf_counter() - began
                self._inside = False

        return run

    def stepped(self, part: str, make: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        """The same generator, each step timed."""

        def run(*args: Any, **named: Any) -> Iterator[Any]:
            steps = make(*args, **named)
            step = self.timed(part, lambda: next(steps, None))
            while (one := step()) is not None:
                yield one

        return run


class TimedJudge:
    """A judge whose calls count as judging, or as what they are made for."""

    def __init__(self, judge: Judge, clock: Clock) -> None:
        self.name = judge.name
        self._judge = clock.timed("judge", judge.judge)

    def judge(self, constraints: Sequence[str], texts: Sequence[tuple[str, str]]) -> Floats:
        """As the judge's own."""
        found: Floats = self._judge(constraints, texts)
        return found


def watch(workspace: Workspace, clock: Clock) -> None:
    """Let the parts of the workspace's finder tell the clock."""
    scout = workspace._scout_now()
    scout.finder = replace(scout.finder, judge=TimedJudge(scout.finder.judge, clock))
    scout._parse = clock.timed("parse", scout._parse)
    for name, part, timed in (("gather", "search", clock.stepped), ("supports", "evidence", clock.timed)):
        setattr(finding, name, timed(part, getattr(finding, name)))


def measured(workspace: Workspace, examples: Sequence[Example], enclave: str, told: bool) -> dict[str, Any]:
    """Times over all queries and of each part, and what was looked at."""
    clock, asker = Clock(), Asker("reader", frozenset({enclave}))
    watch(workspace, clock)
    rows: list[dict[str, float]] = []
    for example in examples:
        clock.seconds = dict.fromkeys(PARTS, 0.0)
        began, worked = time.perf_counter(), time.process_time()
        found = workspace.find(example.question, meant(example) if told else None, asker=asker).found
        whole, processor = time.perf_counter() - began, time.process_time() - worked
        parts, rest = clock.seconds, max(0.0, whole - sum(clock.seconds.values()))
        counts = {"searches": float(len(found.hops)), "judged": float(found.considered), "members": float(found.count)}
        again = workspace.find(example.question, found.expression, asker=asker).found
        rows.append({"all": whole, **parts, "rest": rest, "processor": processor, "again": again.seconds, **counts})
    rows = rows[WARMING:]
    figures: dict[str, Any] = {"queries": len(rows)}
    for name in TIMES:
        median, most = percentiles([row[name] for row in rows], 50, 95)
        figures[name] = {"median": median, "95 %": most}
    figures |= {name: sum(row[name] for row in rows) / len(rows) for name in ("searches", "judged", "members")}
    return figures


def main(words: list[str] | None = None) -> None:
    """Run and print what was measured."""
    parser = common.parser(__doc__, "workspace", "data", limit=100)
    parser.add_argument("--enclave", required=True)
    parser.add_argument("--documents", type=Path, help="what to index where the enclave is not there yet")
    parser.add_argument("--judge", help="as models.judge")
    parser.add_argument("--threads", type=int, default=0, help="processors a model may use")
    parser.add_argument("--expression", choices=("parsed", "data"), default="parsed")
    given = parser.parse_args(words)
    settings = {"models.judge": given.judge, "models.threads": given.threads, "models.reader": "overlap"}
    with open_workspace(given.workspace, create=True, settings=settings) as workspace:
        if given.enclave not in workspace.enclaves() and given.documents:
            workspace.index([given.documents], given.enclave, "public")
        held = next(row for row in workspace.status().enclaves if row.name == given.enclave)
        examples = list(load(given.data, "quest"))
        wanted = min(len(examples), given.limit + WARMING)
        drawn = random.Random(0).sample(examples, wanted)
        figures = measured(workspace, drawn, given.enclave, given.expression == "data")
    figures |= {"documents": held.documents, "passages": held.passages}
    figures["peak.MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    common.tell(given.json, figures)


if __name__ == "__main__":
    main()
