"""Run an experiment, say how near it comes to what is expected, and write the pages of all results.

    python benchmarks/run.py                                            list the experiments
    python benchmarks/run.py NAME --data DIR [--workspace DIR]          run one, then check it
    python benchmarks/run.py NAME --check                               check the figures that are there
    python benchmarks/run.py docs                                       write docs/results.md and docs/results/

An experiment is a file of benchmarks/experiments; benchmarks/README.md says what its keys mean. A run writes its
record to benchmarks/results. Exit code 1 when a figure is off, 2 when the experiment cannot be run.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import common
from answerable.errors import AnswerableError
from experiments import EXPERIMENTS, HERE, RESULTS, Experiment, ExperimentError, digest, load, measured
from pages import cell, listing, pages, printed

NEAR = 3
"""A figure within the tolerance is ok, within this many times of it near, else off."""


def judge(value: float, expected: float, tolerance: float) -> str:
    """ok, near or off."""
    gap = abs(value - expected)
    return "ok" if gap <= tolerance + 1e-9 else "near" if gap <= NEAR * tolerance + 1e-9 else "off"


def check(experiment: Experiment) -> int:
    """Print each of our figures beside what is expected and the paper's; 1 when one is off, else 0."""
    record, worst = experiment.record(), 0
    for row in experiment.rows:
        for place, (value, span) in enumerate(measured(experiment, record, row)):
            expected: Any = row.expect[place] if row.expect else ""
            if not row.ours[place]:
                continue
            said = "missing" if value is None else "new" if expected == "" else judge(
                value, expected, experiment.tolerance
            )  # fmt: skip
            worst |= said == "off" or (value is None and expected != "")
            paper = row.paper[place] if row.paper else ""
            print(f"{said:<8}{row.name:<32}{experiment.columns[place]:<22}{cell(value, span, experiment.tolerance):>10}"
                  f"   expected {printed(expected)}   paper {printed(paper)}")  # fmt: skip
    if record and (changed := experiment.changed()):
        print(f"changed since it was measured: {', '.join(changed)}")
    return int(worst)


def run(experiment: Experiment, data: Path, work: Path) -> None:
    """Run the steps one by one and write the record, whole or not at all. Raises `ExperimentError` when one fails."""
    work.mkdir(parents=True, exist_ok=True)
    RESULTS.mkdir(exist_ok=True)
    figures: dict[str, Any] = {}
    spans: dict[str, list[float]] = {}
    n: list[int] = []
    measures = {part: digest(part) for part in experiment.measures}  # before, since a run may take hours
    told = {"commit": common.commit()}
    with tempfile.TemporaryDirectory() as place:
        results, printed = Path(place) / "results.json", Path(place) / "step.json"
        for step in experiment.steps:
            printed.unlink(missing_ok=True)
            places = {"data": data.resolve(), "work": work.resolve(), "results": results, "json": printed}
            words = [word.format(**places) for word in shlex.split(step.run)]
            prints = bool(step.keep) and "{json}" not in step.run
            said = _do(experiment, words, prints)
            if not step.keep:
                continue
            made = json.loads(said) if prints else json.loads(printed.read_text("utf-8"))
            if "figures" not in made:  # a command of answerable, not a program of this folder
                made = _record_of(experiment, words, made)
            figures[step.keep] = made["figures"]
            spans |= {f"{step.keep}/{path}": span for path, span in made["intervals"].items()}
            n += [made["about"]["n"]] if isinstance(made["about"]["n"], int) else made["about"]["n"]
        if figures:
            about = common.about(n[0] if len({*n}) == 1 else [min(n), max(n)])
            record: dict[str, Any] = {"about": about, "figures": figures, "intervals": spans}
        else:
            record = json.loads(results.read_text("utf-8"))
        record["about"] |= told | {"measured": measures}
        text = json.dumps(record)
        for folder, name in ((work, "WORK"), (data, "DATA")):  # where this machine keeps them is nobody's business
            text = text.replace(str(folder.resolve()), name)
        common.save(RESULTS / f"{experiment.results}.json", json.loads(text))


def _record_of(experiment: Experiment, words: list[str], printed: Any) -> dict[str, Any]:
    try:
        n = common.asked(printed)
    except ValueError as error:
        raise ExperimentError(f"{experiment.name}: {words[0]} does not say of how many questions") from error
    spans = common.means(printed) | of_runs(words, printed)
    return {"about": {"n": n}, "figures": printed, "intervals": spans}


def of_runs(words: list[str], printed: dict[str, Any]) -> dict[str, list[float]]:
    """The intervals of the averages that `answerable evaluate` printed, from the runs that its command line names."""
    spans: dict[str, list[float]] = {}
    for path in [Path(word) for word in words if word.endswith(".jsonl") and Path(word).is_file()]:
        groups = {"measures": printed.get("measures"), f"runs/{path.stem}/all": _inside(printed, path.stem)}
        for group, figures in groups.items():
            with suppress(AnswerableError):  # the questions, not a run
                found = common.means(common.averaged(figures, path)) if figures else {}
                spans |= {f"{group}/{name}": span for name, span in found.items()}
    return spans


def _inside(printed: dict[str, Any], run: str) -> dict[str, float] | None:
    found = printed.get("runs")
    return found.get(run, {}).get("all") if isinstance(found, dict) else None


def settings_of(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """The NAME=VALUE that a command line begins with, as a shell takes them, and the command."""
    count = next((i for i, word in enumerate(words) if "=" not in word), len(words))
    return dict(word.split("=", 1) for word in words[:count]), words[count:]


def _do(experiment: Experiment, words: list[str], prints: bool) -> str:
    print("$", shlex.join(words), flush=True)
    settings, command = settings_of(words)
    programs = {"python": [sys.executable], "answerable": [sys.executable, "-m", "answerable"]}
    programs["answerable-bench"] = [sys.executable, "-m", "answerable_bench"]
    done = subprocess.run(
        [*programs.get(command[0], command[:1]), *command[1:]],
        cwd=HERE.parent, env={**os.environ, **settings}, text=True, stdout=subprocess.PIPE if prints else None,
    )  # fmt: skip
    if done.returncode:
        raise ExperimentError(f"{experiment.name}: {command[0]} ended with exit code {done.returncode}")
    return done.stdout or ""


def main(args: list[str] | None = None) -> int:
    """Do what the arguments say; see the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", help="an experiment, or docs")
    parser.add_argument("--data", type=Path, help="the folder of data sets")
    parser.add_argument("--workspace", type=Path, default=Path("build/benchmarks"),
                        help="where splits and workspaces are kept from run to run (build/benchmarks)")  # fmt: skip
    parser.add_argument("--check", action="store_true", help="only compare the figures that are there")
    given = parser.parse_args(args)
    try:
        if given.name == "docs":
            for path, text in pages().items():
                path.write_text(text, "utf-8")
            return 0
        if given.name is None:
            print(listing())
            return 0
        path = EXPERIMENTS / f"{given.name}.toml"
        if not path.is_file():
            raise ExperimentError(f"there is no experiment {given.name}; without a name they are listed")
        experiment = load(path)
        if not given.check:
            if not experiment.steps:
                why = f"its figures are those of {experiment.results}" if not experiment.not_yet else experiment.not_yet
                raise ExperimentError(f"{given.name} cannot be run: {why}")
            if given.data is None and any("{data}" in step.run for step in experiment.steps):
                raise ExperimentError(f"{given.name} needs --data, the folder of data sets")
            run(experiment, given.data or Path(), given.workspace)
        return check(experiment)
    except ExperimentError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
