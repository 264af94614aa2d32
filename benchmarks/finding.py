"""All systems that find sets, over one data set: QUEST's tables 3 to 6 and the ablations of ours, in one JSON.

    python benchmarks/finding.py --workspace DIR --data test.jsonl --tune val.jsonl --atoms atoms.jsonl --runs RUNS \
        [--systems find classifier-bm25 ...] [--judge NAME] [--limit N] [--json FILE]

The documents are indexed in DIR already. Thresholds are tuned on the queries of --tune and measured on those of
--data, which choose nothing. Retrievers and classifiers share one index and the candidates of each query. Runs are
kept in RUNS, so that an interrupted benchmark goes on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import common
from answerable.datasets.parts import question_part
from answerable.evaluation.metrics.violations import Sets
from answerable.evaluation.names import SetSystemName, Understood
from answerable.evaluation.report import Report, as_record
from answerable.evaluation.runs import writing
from answerable.evaluation.sets import tables
from answerable.evaluation.sets.classifying import Asked, open_system
from answerable.evaluation.sets.meaning import asked_alone, meant, read_atoms
from answerable.evaluation.sets.systems import Candidates
from answerable.evaluation.tasks.asking import settings_of
from answerable.evaluation.tasks.finding import Finding
from answerable.evaluation.tasks.task import Data, Survey, fill_together, header, measure, pairs
from answerable.workspace.opening import open_workspace
from answerable.workspace.workspace import Workspace

AT = (20, 50, 100, 1000)
KEEP_ALL = {"find.threshold": 0.0}
"""Every document that is judged is a member: what a threshold is tuned on."""


@dataclass(frozen=True, slots=True)
class System:
    """A row: what is asked, under which settings of the workspace, and whether one threshold is tuned for it."""

    asked: Asked
    settings: Mapping[str, Any] = field(default_factory=dict)
    tuned: bool = False


def _ours(understood: Understood = Understood.PARSED, tuned: bool = False, **settings: Any) -> System:
    named = {path.replace("_", ".", 1): value for path, value in settings.items()}
    return System(Asked(SetSystemName.FIND, understood=understood), named, tuned)


SYSTEMS: Mapping[str, System] = {
    "bm25": System(Asked(SetSystemName.BM25)),
    "dense": System(Asked(SetSystemName.DENSE)),
    "hybrid": System(Asked(SetSystemName.HYBRID)),
    "candidates": System(Asked(SetSystemName.CANDIDATES)),
    "candidates-data": System(Asked(SetSystemName.CANDIDATES, understood=Understood.DATA)),
    "classifier-bm25": System(Asked(SetSystemName.CLASSIFIER, mode="lexical"), tuned=True),
    "classifier-dense": System(Asked(SetSystemName.CLASSIFIER, mode="dense"), tuned=True),
    "classifier-hybrid": System(Asked(SetSystemName.CLASSIFIER, mode="hybrid"), tuned=True),
    "find": _ours(),
    "find-data": _ours(Understood.DATA),
    "find-threshold": _ours(tuned=True),
    "find-query": _ours(find_each=1),
    "find-whole": _ours(Understood.WHOLE),
}
"""Retrievers, the paper's systems, ours, and ours without one thing at a time."""


Judged = Sequence[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Threshold:
    """A threshold with the average F1 (0 to 1) it has on `queries`."""

    threshold: float
    f1: float
    queries: int


def best_threshold(judged: Iterable[tuple[Judged, Collection[str]]]) -> Threshold:
    """That with the best average F1; of each query the probabilities and the gold set.

    Raises `SystemExit` when there is no query with gold documents, or nothing was judged.
    """
    steps: list[tuple[float, float]] = []
    queries = 0
    for documents, gold in judged:
        if not gold:
            continue
        queries += 1
        hits, before = 0, 0.0
        ordered = sorted(documents, key=lambda one: -one[1])
        for count, (id, probability) in enumerate(ordered, start=1):
            hits += id in gold
            if count < len(ordered) and ordered[count][1] == probability:
                continue  # documents of one probability come together
            f1 = 2 * hits / (count + len(gold))
            steps.append((probability, f1 - before))
            before = f1
    if not steps:
        raise SystemExit("nothing was judged, so that no threshold can be tuned: judge validation queries first")
    steps.sort(key=lambda one: -one[0])
    value, below, best_sum, total, better = 1.0, 0.0, 0.0, 0.0, True
    for probability, tied in groupby(steps, key=lambda one: one[0]):
        if better:
            below = probability
        for _, change in tied:
            total += change
        if better := total > best_sum + 1e-12:
            value, below, best_sum = probability, 0.0, total
    return Threshold((value + below) / 2, best_sum / queries, queries)


def tuned(survey: Survey, run: Path) -> Threshold:
    """The best threshold of a finished run of a classifier over these queries.

    Raises `UsageError` for a run of something else, or one that is not finished.
    """
    return best_threshold(
        ([(id, p) for id, p in record.get("judged", ())], example.supporting) for example, record in pairs(survey, run)
    )


@dataclass(frozen=True, slots=True)
class Bench:
    """One benchmark as it was asked for."""

    given: argparse.Namespace
    data: Survey
    tune: Survey | None
    sets: Sets

    def opened(self, stack: ExitStack, system: System, more: Mapping[str, Any]) -> Workspace:
        """The workspace under the settings of a system. No answers are read here, so the reader is the stand-in."""
        named = {"models.reader": "overlap", "models.judge": self.given.judge, "models.encoder": self.given.encoder}
        return stack.enter_context(open_workspace(self.given.workspace, settings={**named, **system.settings, **more}))

    def run(self, names: Sequence[str], survey: Survey, stem: str, least: Mapping[str, Any]) -> dict[str, Any]:
        """What these systems, of one workspace, measure on one survey. `least`: the threshold of each that has one."""
        found: dict[str, Any] = {}
        with ExitStack() as stack:
            system = SYSTEMS[names[0]]
            ours = system.asked.system is SetSystemName.FIND
            value = least.get(names[0])
            more = {"find.threshold": value.threshold} if ours and value else KEEP_ALL if ours and system.tuned else {}
            workspace = self.opened(stack, system, more)
            candidates = Candidates(workspace)
            tasks = []
            for name in names:
                asked = replace(SYSTEMS[name].asked, evidence=False)  # sentences change no set
                if asked.system is SetSystemName.CLASSIFIER:
                    tuned = least.get(name)
                    asked = replace(asked, judge=self.given.judge, threshold=tuned and tuned.threshold)
                task = Finding(open_system(workspace, asked, candidates), settings_of(workspace)["enclaves"])
                head = header(task, survey)
                path = self.given.runs / f"{stem}-{name}-{head.key[:8]}.jsonl"
                tasks.append((name, task, head, path, stack.enter_context(writing(path, head))))
            fill_together([(task, run) for _, task, _, _, run in tasks], survey)
            for name, task, head, path, _ in tasks:
                measures = measure(task, survey, path, AT)
                record = as_record(Report.of(head, path, measures))
                record["measures"] = common.averaged(record["measures"], path)
                record |= tables.tables(task, pairs(survey, path), self.sets, AT)
                found[name] = {key: value for key, value in record.items() if key not in ("task", "data", "slices")}
                found[name]["path"] = path
        return found

    def systems(self, names: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Each system's figures, tuned where it is to be; those without settings of their own share a workspace."""
        least: dict[str, Any] = {}
        for group in grouped([name for name in names if SYSTEMS[name].tuned]):
            if self.tune is None:
                raise SystemExit(f"{', '.join(group)}: a threshold is tuned on queries of its own: --tune FILE")
            for name, one in self.run(group, self.tune, f"tune-{self.given.data.stem}", {}).items():
                least[name] = tuned(self.tune, one["path"])
        for group in grouped(names):
            for name, one in self.run(group, self.data, self.given.data.stem, least).items():
                del one["path"]
                if name in least:
                    one["threshold"] = {
                        "value": least[name].threshold,
                        "F1": least[name].f1,
                        "queries": least[name].queries,
                    }
                yield name, one


def development(path: Path, runs: Path) -> Path:
    """A file of the queries of QUEST's training file whose documents all have text and that no model learned from."""
    kept = runs / "development.jsonl"
    runs.mkdir(parents=True, exist_ok=True)
    rows = [line for line in path.read_text("utf-8").splitlines() if line]
    about = [(json.loads(line), line) for line in rows]
    chosen = [line for row, line in about if row["covered"] and question_part(row["_id"]) == "development"]
    kept.write_text("\n".join(chosen) + "\n", encoding="utf-8")
    return kept


def grouped(names: Sequence[str]) -> list[list[str]]:
    """Systems that can share a workspace: all retrievers and classifiers; each of ours has settings of its own."""
    shared = [name for name in names if SYSTEMS[name].asked.system is not SetSystemName.FIND]
    alone = [[name] for name in names if SYSTEMS[name].asked.system is SetSystemName.FIND]
    return [*([shared] if shared else []), *alone]


def main(words: list[str] | None = None) -> None:
    """Run and print a line for each system."""
    parser = common.parser(__doc__, "workspace", "data")
    parser.add_argument("--tune", type=Path, help="queries to tune thresholds on")
    parser.add_argument("--tune-development", action="store_true", help="those of them that nothing was learned from")
    parser.add_argument("--atoms", type=Path, help="the documents of each constraint")
    parser.add_argument("--runs", type=Path, required=True, help="where runs are kept")
    parser.add_argument("--systems", nargs="*", default=list(SYSTEMS), choices=list(SYSTEMS))
    parser.add_argument("--judge", help="as models.judge")
    parser.add_argument("--encoder", help="as models.encoder, if the documents are indexed with it")
    parser.add_argument("--limit", type=int, help="queries to draw")
    parser.add_argument("--tune-limit", type=int, help="queries to draw for tuning")
    given = parser.parse_args(words)
    data = Data(given.data, "quest", given.limit).survey()
    path = development(given.tune, given.runs) if given.tune and given.tune_development else given.tune
    tune = Data(path, "quest", given.tune_limit).survey() if path else None
    sets = read_atoms(given.atoms) if given.atoms else asked_alone(data.examples())
    known = any(meant(example) for example in data.examples())
    names = [name for name in given.systems if known or not name.endswith("-data")]
    figures: dict[str, Any] = {}
    for name, one in Bench(given, data, tune, sets).systems(names):
        figures[name] = one
        print(name, one["measures"], flush=True)
    common.write(given.json, {"data": data.about, "tuned on": tune.about if tune else None, "systems": figures})


if __name__ == "__main__":
    main()
