"""Run an experiment, say how near it comes to what is expected, and write the page of all results.

    python benchmarks/run.py                                            list the experiments
    python benchmarks/run.py NAME --data DIR [--workspace DIR]          run one, then check it
    python benchmarks/run.py NAME --check                               check the figures that are there
    python benchmarks/run.py docs                                       write docs/results.md

An experiment is a file of benchmarks/experiments; benchmarks/README.md says what its keys mean. A run writes its
figures to benchmarks/results. Exit code 1 when a figure is off, 2 when the experiment cannot be run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
EXPERIMENTS, RESULTS = HERE / "experiments", HERE / "results"
PAGE = HERE.parent / "docs" / "results.md"
PAPERS = {
    "own": ("Our own measurements", "What the engine does on this repository's terms, one program each."),
    "pair": ("PAIR", "Arora et al. 2022, Reasoning over Public and Private Data in Retrieval-Based Systems."),
    "cos": ("Chain-of-Skills", "Ma et al. 2023, Chain-of-Skills: A Configurable Model for Open-Domain QA."),
    "quest": ("QUEST", "Malaviya et al. 2023, QUEST: Entity-Seeking Queries with Implicit Set Operations."),
    "dochopper": ("DocHopper", "Sun et al. 2021, Iterative Hierarchical Attention for Long Documents."),
    "paq": ("PAQ", "Lewis et al. 2021, PAQ: 65 Million Probably-Asked Questions."),
}
"""The `paper` of an experiment, in the order of the page: a heading and what it is."""
KEYS = {"title", "paper", "shows", "differs", "not_yet", "tolerance", "times", "results", "columns", "rows", "steps"}
ROW_KEYS, STEP_KEYS = {"name", "paper", "ours", "expect"}, {"run", "keep"}
PLACES = ("data", "work", "results", "json")
NEAR = 3
"""A figure within the tolerance is ok, within this many times of it near, else off."""


class ExperimentError(Exception):
    """An experiment that cannot be read or run; one sentence."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table. Each tuple is empty or has a place for each column, "" where there is nothing to say."""

    name: str
    paper: tuple[Any, ...]
    ours: tuple[str, ...]
    expect: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A command line; what it prints as JSON is kept under `keep`, when that is not empty."""

    run: str
    keep: str


@dataclass(frozen=True, slots=True)
class Experiment:
    """One experiment file, checked."""

    name: str
    title: str
    paper: str
    shows: str
    differs: str
    not_yet: str
    tolerance: float
    times: tuple[float, ...]
    results: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    steps: tuple[Step, ...]

    def figures(self) -> Any:
        """What was measured, as it lies in the results folder; None before the first run."""
        path = RESULTS / f"{self.results}.json"
        return json.loads(path.read_text("utf-8")) if path.is_file() else None


def load(path: Path) -> Experiment:
    """Read and check an experiment file. Raises `ExperimentError` with the file and what is wrong in it."""
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ExperimentError(f"{path.name} cannot be read: {error}") from error
    columns = tuple(table.get("columns", ()))
    rows = tuple(_row(path, row, len(columns)) for row in table.get("rows", ()))
    steps = tuple(_step(path, step) for step in table.get("steps", ()))
    times = table.get("times", 1)
    times = tuple(times) if isinstance(times, list) else (times,) * len(columns)
    own_file = table.get("results", path.stem) == path.stem
    for wrong, why in (
        (set(table) - KEYS, f"unknown keys {sorted(set(table) - KEYS)}"),
        (not {"title", "paper", "shows"} <= set(table), "title, paper and shows are needed"),
        (table.get("paper") not in PAPERS, f"paper is one of {', '.join(PAPERS)}"),
        (len(times) != len(columns), "times is a number, or one for each column"),
        (own_file and not steps and not table.get("not_yet"), "neither steps nor not_yet"),
        (not own_file and steps, "steps, though the results are another experiment's"),
        (not own_file and not (EXPERIMENTS / f"{table.get('results')}.toml").is_file(), "results of no experiment"),
        (any(row.ours for row in rows) and "tolerance" not in table, "our figures need a tolerance"),
        (steps and not any(row.ours for row in rows), "steps, but no row says which figures to show"),
        (steps and any(step.keep for step in steps) == any("{results}" in step.run for step in steps),
         "either steps with keep, or one step that writes {results}"),
        (table.get("paper") == "own" and any(row.paper for row in rows), "own measurements have no paper's figures"),
        (table.get("paper") != "own" and any(row.ours for row in rows) and not table.get("differs"), "no differs"),
    ):  # fmt: skip
        if wrong:
            raise ExperimentError(f"{path.name}: {why}")
    texts = {key: " ".join(str(table.get(key, "")).split()) for key in ("shows", "differs", "not_yet")}
    return Experiment(
        path.stem, table["title"], table["paper"], texts["shows"], texts["differs"], texts["not_yet"],
        float(table.get("tolerance", 0)), times, table.get("results", path.stem),
        columns, rows, steps,
    )  # fmt: skip


def _row(path: Path, row: dict[str, Any], columns: int) -> Row:
    if set(row) - ROW_KEYS or "name" not in row:
        raise ExperimentError(f"{path.name}: a row has a name and {', '.join(sorted(ROW_KEYS - {'name'}))}")
    lists = {key: tuple(row.get(key, ())) for key in ("paper", "ours", "expect")}
    if any(values and len(values) != columns for values in lists.values()):
        raise ExperimentError(f"{path.name}: row {row['name']!r} does not fill the {columns} columns")
    if lists["expect"] and not lists["ours"]:
        raise ExperimentError(f"{path.name}: row {row['name']!r} expects figures and does not say which")
    return Row(row["name"], **lists)


def _step(path: Path, step: dict[str, Any]) -> Step:
    if set(step) - STEP_KEYS or "run" not in step:
        raise ExperimentError(f"{path.name}: a step has run, and keep where its figures are kept")
    try:
        step["run"].format(**dict.fromkeys(PLACES, ""))
    except (KeyError, IndexError, ValueError):
        raise ExperimentError(f"{path.name}: the places of a step are {', '.join(PLACES)}") from None
    return Step(" ".join(step["run"].split()), step.get("keep", ""))


def experiments() -> list[Experiment]:
    """All of them, in the order of the page: by paper, then by name, table 2 before table 10."""
    found = [load(path) for path in EXPERIMENTS.glob("*.toml")]
    order = list(PAPERS)
    return sorted(found, key=lambda one: (order.index(one.paper), _natural(one.name)))


def _natural(name: str) -> list[tuple[int, str]]:
    """Sorts table-2 before table-10, and both before table-a2."""
    return [(int(part), "") if part.isdigit() else (10**6, part) for part in re.split(r"(\d+)", name) if part]


def look_up(figures: Any, key: str) -> Any:
    """The figure at a path such as `document/f1`; a step `set=nq&reader=span` picks the first such item of a list.

    None where the path leads nowhere.
    """
    for part in key.split("/"):
        if isinstance(figures, list) and "=" in part:
            wanted = [pair.partition("=")[::2] for pair in part.split("&")]
            figures = next((one for one in figures if all(str(one.get(k)) == v for k, v in wanted)), None)
        else:
            figures = figures.get(part) if isinstance(figures, dict) else None
        if figures is None:
            return None
    return figures


def measured(experiment: Experiment, figures: Any, row: Row) -> list[Any]:
    """Our figures of a row, a place for each column, None where nothing was measured."""
    found = [look_up(figures, key) if key else None for key in row.ours]
    return [
        value * times if times != 1 and isinstance(value, int | float) else value
        for value, times in zip(found, experiment.times, strict=bool(found))
    ]


def judge(value: float, expected: float, tolerance: float) -> str:
    """ok, near or off."""
    gap = abs(value - expected)
    return "ok" if gap <= tolerance + 1e-9 else "near" if gap <= NEAR * tolerance + 1e-9 else "off"


def check(experiment: Experiment) -> int:
    """Print each of our figures beside what is expected and the paper's; 1 when one is off, else 0."""
    figures = experiment.figures()
    worst = 0
    for row in experiment.rows:
        for place, value in enumerate(measured(experiment, figures, row)):
            expected = row.expect[place] if row.expect else ""
            if not row.ours[place]:
                continue
            said = "missing" if value is None else "new" if expected == "" else judge(
                value, expected, experiment.tolerance
            )  # fmt: skip
            worst |= said == "off" or (value is None and expected != "")
            paper = row.paper[place] if row.paper else ""
            print(f"{said:<8}{row.name:<32}{experiment.columns[place]:<22}{shown(value, experiment.tolerance):>10}"
                  f"   expected {_printed(expected)}   paper {_printed(paper)}")  # fmt: skip
    return int(worst)


def run(experiment: Experiment, data: Path, work: Path) -> None:
    """Run the steps one by one and write the figures, whole or not at all. Raises `ExperimentError` when one fails."""
    work.mkdir(parents=True, exist_ok=True)
    RESULTS.mkdir(exist_ok=True)
    kept: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as place:
        results, printed = Path(place) / "results.json", Path(place) / "step.json"
        for step in experiment.steps:
            printed.unlink(missing_ok=True)
            places = {"data": data.resolve(), "work": work.resolve(), "results": results, "json": printed}
            prints = bool(step.keep) and "{json}" not in step.run
            said = _do(experiment, [word.format(**places) for word in shlex.split(step.run)], prints)
            if step.keep:
                kept[step.keep] = json.loads(said if prints else printed.read_text("utf-8"))
        figures = {"about": about(), **kept} if kept else json.loads(results.read_text("utf-8"))
        final = RESULTS / f"{experiment.results}.json"
        beside = final.with_suffix(".new")
        text = json.dumps(figures, indent=1)
        for folder, name in ((work, "WORK"), (data, "DATA")):  # where this machine keeps them is nobody's business
            text = text.replace(str(folder.resolve()), name)
        beside.write_text(text + "\n", "utf-8")
        beside.replace(final)


def settings_of(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """The NAME=VALUE that a command line begins with, as a shell takes them, and the command."""
    count = next((i for i, word in enumerate(words) if "=" not in word), len(words))
    return dict(word.split("=", 1) for word in words[:count]), words[count:]


def _do(experiment: Experiment, words: list[str], prints: bool) -> str:
    """Run one command; what it printed, when that is wanted."""
    print("$", shlex.join(words), flush=True)
    settings, command = settings_of(words)
    programs = {"python": [sys.executable], "answerable": [sys.executable, "-m", "answerable"]}
    done = subprocess.run(
        [*programs.get(command[0], command[:1]), *command[1:]],
        cwd=HERE.parent, env={**os.environ, **settings}, text=True, stdout=subprocess.PIPE if prints else None,
    )  # fmt: skip
    if done.returncode:
        raise ExperimentError(f"{experiment.name}: {command[0]} ended with exit code {done.returncode}")
    return done.stdout or ""


def about() -> dict[str, Any]:
    """When and on what a run was made."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "answerable": version("answerable"),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
    }


def state(experiment: Experiment) -> str:
    """How far an experiment is: measured, partly measured, ready to run, or not yet."""
    figures = experiment.figures()
    found = [value for row in experiment.rows for value in measured(experiment, figures, row) if value is not None]
    if found:
        return "partly measured" if experiment.not_yet else "measured"
    return "not yet" if not experiment.steps and experiment.results == experiment.name else "ready to run"


def shown(value: Any, tolerance: float = 1) -> str:
    """One of our figures: a decimal, or three where the tolerance is below a tenth; none from a thousand on."""
    if value is None or value == "":
        return "–"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{1 if tolerance >= 0.1 else 3}f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def page() -> str:
    """docs/results.md: the list of experiments, then each with its figures beside the paper's."""
    every = experiments()
    text = [
        "# Results",
        "",
        "Written by `benchmarks/run.py` from the experiment files and the figures of their runs; change those, not "
        "this page. `benchmarks/README.md` says how to run one. A row that begins with *here* holds our figures.",
    ]
    for paper, (heading, what) in PAPERS.items():
        ones = [one for one in every if one.paper == paper]
        if not ones:
            continue
        text += ["", f"## {heading}", "", what, "", "| experiment | shows | state |", "|---|---|---|"]
        text += [f"| [{one.name}](#{_anchor(one.title)}) | {one.title} | {state(one)} |" for one in ones]
        for one in ones:
            text += ["", f"### {one.title}", "", *_section(one)]
    return "\n".join(text) + "\n"


def _anchor(title: str) -> str:
    return "".join(c for c in title.lower() if c.isalnum() or c in "-_ ").replace(" ", "-")


def _section(one: Experiment) -> list[str]:
    figures = one.figures()
    text = [one.shows]
    if one.rows:
        text += ["", f"| | {' | '.join(one.columns)} |", "|---" * (len(one.columns) + 1) + "|"]
    for row in one.rows:
        cells = [shown(value, one.tolerance) for value in measured(one, figures, row)]
        if row.paper:
            text.append(_line(row.name, [_printed(value) for value in row.paper]))
        if row.ours and (row.paper or one.paper != "own"):
            text.append(_line("*here*" if row.paper else f"*here*: {row.name}", cells))
        elif row.ours:
            text.append(_line(row.name, cells))
    if one.not_yet:
        text += ["", f"Not yet: {one.not_yet}"]
    if one.differs:
        text += ["", f"Why they may differ: {one.differs}"]
    if one.steps:
        lines = [step.run.replace("{results}", "RESULTS").replace("{json}", "STEP") for step in one.steps]
        lines = [line.replace("{data}", "DATA").replace("{work}", "WORK") for line in lines]
        text += ["", f"`make bench NAME={one.name}` runs:", "", "```", *lines, "```"]
    elif one.results != one.name:
        text += ["", f"The figures are those of {one.results}."]
    return text


def _line(name: str, cells: list[str]) -> str:
    return f"| {name} | {' | '.join(cells)} |"


def _printed(value: Any) -> str:
    """A figure as it stands in the file: the paper's digits."""
    return "–" if value == "" else str(value)


def listing() -> str:
    """One line for each experiment."""
    return "\n".join(f"{one.name:<24}{state(one):<17}{one.title}" for one in experiments())


def main(args: list[str] | None = None) -> int:
    """Do what the arguments say; see the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", help="an experiment, or docs")
    parser.add_argument("--data", type=Path, help="the folder of data sets")
    parser.add_argument("--workspace", type=Path, default=Path("build/benchmarks"),
                        help="where splits and workspaces are kept from run to run (build/benchmarks)")  # fmt: skip
    parser.add_argument("--check", action="store_true", help="only compare the figures that are there")
    parser.add_argument("--all-docs", action="store_true", help="the same as the name docs")
    given = parser.parse_args(args)
    try:
        if given.all_docs or given.name == "docs":
            PAGE.write_text(page(), "utf-8")
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
