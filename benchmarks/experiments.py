"""The experiments: what each file says, the figures of its run, and whether what it measures has changed since.

An experiment is a file of benchmarks/experiments; benchmarks/README.md says what its keys mean.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
EXPERIMENTS, RESULTS, SOURCES = HERE / "experiments", HERE / "results", HERE.parent / "src" / "answerable"
PAPERS: dict[str, dict[str, str]] = {
    name: {key: " ".join(text.split()) for key, text in told.items()}
    for name, told in tomllib.loads((HERE / "papers.toml").read_text("utf-8")).items()
}
"""The pages of results, in their order."""
KEYS = {"title", "paper", "shows", "differs", "not_yet", "tolerance", "times", "results", "columns", "rows", "steps",
        "page", "headline", "measures"}  # fmt: skip
ROW_KEYS, STEP_KEYS = {"name", "paper", "ours", "expect"}, {"run", "keep"}
PLACES = ("data", "work", "results", "json")
DIGESTED = (".json", ".jsonl", ".md", ".py", ".toml")
"""The files that tell whether a part has changed. The manifest of a model names the digest of its weights."""
APART = ("indexes/lance", "indexes/postgres", "indexes/shared.py")
"""Parts of `indexes` that no experiment runs but those that name them: stores that are shared."""


class ExperimentError(Exception):
    """An experiment that cannot be read or run; one sentence."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table. Each tuple is empty or has a place for each column, "" where there is nothing to say."""

    name: str
    paper: tuple[Any, ...]
    ours: tuple[str, ...]
    expect: tuple[Any, ...]


class Step(NamedTuple):
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
    page: str
    headline: str
    measures: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    steps: tuple[Step, ...]

    def record(self) -> dict[str, Any]:
        """The record of its run, as `common` says; without anything before the first."""
        path = RESULTS / f"{self.results}.json"
        return json.loads(path.read_text("utf-8")) if path.is_file() else {}

    def figures(self) -> Any:
        """What was measured; None before the first run."""
        return self.record().get("figures")

    def source(self) -> Experiment:
        """The experiment whose run has the figures: itself, or another."""
        return self if self.results == self.name else load(EXPERIMENTS / f"{self.results}.toml")

    def changed(self) -> list[str]:
        """What it measures that is not as it was when it was measured; all of it where the record does not say."""
        known = self.record().get("about", {}).get("measured", {})
        return [part for part in self.source().measures if known.get(part) != digest(part)]


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
        (table.get("paper") not in ("own", *PAPERS), f"paper is own or one of {', '.join(PAPERS)}"),
        (len(times) != len(columns), "times is a number, or one for each column"),
        (own_file and not steps and not table.get("not_yet"), "neither steps nor not_yet"),
        (not own_file and steps, "steps, though the results are another experiment's"),
        (not own_file and not (EXPERIMENTS / f"{table.get('results')}.toml").is_file(), "results of no experiment"),
        (any(row.ours for row in rows) and "tolerance" not in table, "our figures need a tolerance"),
        (steps and not any(row.ours for row in rows), "steps, but no row says which figures to show"),
        (steps and any(step.keep for step in steps) == any("{results}" in step.run for step in steps),
         "either steps with keep, or one step that writes {results}"),
        (table.get("paper") == "own" and any(row.paper for row in rows), "own measurements have no paper's figures"),
        (steps and not table.get("measures"), "measures is needed: what of src/answerable the figures hang on"),
        (not own_file and table.get("measures"), "measures, though the results are another experiment's"),
        (any(not (SOURCES / part).exists() for part in table.get("measures", ())), "measures what is not there"),
        (table.get("page", "engine") not in PAPERS, f"page is one of {', '.join(PAPERS)}"),
        (table.get("paper") != "own" and "page" in table, "the page of a paper's table is that of the paper"),
    ):  # fmt: skip
        if wrong:
            raise ExperimentError(f"{path.name}: {why}")
    texts = {key: " ".join(str(table.get(key, "")).split()) for key in ("shows", "differs", "not_yet", "headline")}
    return Experiment(
        path.stem, table["title"], table["paper"], texts["shows"], texts["differs"], texts["not_yet"],
        float(table.get("tolerance", 0)), times, table.get("results", path.stem),
        table.get("page", "engine" if table["paper"] == "own" else table["paper"]), texts["headline"],
        tuple(table.get("measures", ())), columns, rows, steps,
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


def digest(part: str) -> str:
    """Sixteen hex digits of the files of a part: a file or a folder of src/answerable, by its name there, without what
    is `APART` unless it is named itself."""
    return _digest(SOURCES, part)


@cache
def _digest(sources: Path, part: str) -> str:
    place, made = sources / part, hashlib.sha256()
    apart = [sources / one for one in APART if not part.startswith(one)]
    for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
        if path.suffix in DIGESTED and path.is_file() and not {path, *path.parents}.intersection(apart):
            made.update(f"{path.relative_to(sources).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return made.hexdigest()[:16]


def experiments() -> list[Experiment]:
    """All of them, in the order of the pages: a paper's tables first, table 2 before table 10, then our own."""
    found = [load(path) for path in EXPERIMENTS.glob("*.toml")]
    order = list(PAPERS)
    return sorted(found, key=lambda one: (order.index(one.page), one.paper == "own", _natural(one.name)))


def _natural(name: str) -> list[tuple[int, str]]:
    """Sorts table-2 before table-10, and both before table-a2."""
    return [(int(part), "") if part.isdigit() else (10**6, part) for part in re.split(r"(\d+)", name) if part]


def place(figures: Any, key: str) -> tuple[Any, str]:
    """The figure at a path such as `document/f1`, and that path with numbers in place of what picks from lists.

    A step `set=nq&reader=span` picks the first such item of a list. (None, "") where the path leads nowhere.
    """
    steps = []
    for part in key.split("/"):
        if isinstance(figures, list) and "=" in part:
            wanted = [pair.partition("=")[::2] for pair in part.split("&")]
            fits = (n for n, one in enumerate(figures) if all(str(one.get(k)) == v for k, v in wanted))
            number = next(fits, None)
            figures, part = (None, "") if number is None else (figures[number], str(number))
        else:
            figures = figures.get(part) if isinstance(figures, dict) else None
        if figures is None:
            return None, ""
        steps.append(part)
    return figures, "/".join(steps)


def measured(experiment: Experiment, record: dict[str, Any], row: Row) -> list[tuple[Any, tuple[float, ...]]]:
    """Our figures of a row with their intervals, a place for each column; None and () where there is none."""
    cells: list[tuple[Any, tuple[float, ...]]] = []
    for key, times in zip(row.ours, experiment.times, strict=bool(row.ours)):
        value, path = place(record.get("figures"), key) if key else (None, "")
        span = record.get("intervals", {}).get(path, ())
        if times != 1 and isinstance(value, int | float):
            value, span = value * times, tuple(end * times for end in span)
        cells.append((value, tuple(span)))
    return cells


def state(experiment: Experiment) -> str:
    """How far an experiment is: measured, partly measured, ready to run, or not yet."""
    record = experiment.record()
    found = [cell for row in experiment.rows for cell in measured(experiment, record, row) if cell[0] is not None]
    if found:
        return "partly measured" if experiment.not_yet else "measured"
    return "not yet" if not experiment.steps and experiment.results == experiment.name else "ready to run"
