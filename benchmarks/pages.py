"""The pages of results: a summary with a line an experiment, and a page a paper, each figure from a record."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from experiments import HERE, PAPERS, Experiment, Row, experiments, measured, state

DOCS = HERE.parent / "docs"
SUMMARY = DOCS / "results.md"
CHANGED, HISTORY = "†", "\\*"
"""Marks: the code that a result measures has changed since; its date and commit are those of its file."""
INTRODUCTION = f"""
# Results

What was measured, a line each; the pages have the tables, the papers' figures beside ours. `benchmarks/run.py docs`
writes all of it from `benchmarks/experiments` and the records of their runs, `benchmarks/results`; `make bench
NAME=hotpot` runs one anew ([how](../benchmarks/README.md)). Unless a row says otherwise, figures are per cent, of n
questions that nothing here was trained on, on two cores without an accelerator.

{CHANGED} the code that is measured has changed since: `benchmarks/run.py NAME --check` says what.
{HISTORY} older records did not tell their commit: date and commit are those with which the record was last written.
Most of them have no intervals; those made since do, in brackets (95 %, from questions drawn again).
""".strip()


def pages() -> dict[Path, str]:
    """The text of each page."""
    every = experiments()
    told = {SUMMARY: summary(every)}
    return told | {DOCS / "results" / f"{PAPERS[name]['page']}.md": page(name, every) for name in PAPERS}


def summary(every: list[Experiment]) -> str:
    """docs/results.md: a line for each experiment that has its own record."""
    text = [INTRODUCTION]
    for name, paper in PAPERS.items():
        ones = [one for one in every if one.page == name and one.results == one.name and one.record()]
        text += ["", f"## {paper['heading']}", "", f"{paper['what']} [All tables](results/{paper['page']}.md)."]
        text += ["", "| | | n | measured |", "|---|---|---|---|"]
        for one in ones:
            link = (
                f"[{one.title.removeprefix(paper['heading'] + ', ')}](results/{paper['page']}.md#{anchor(one.title)})"
            )
            text.append(_line(link, [headline(one), _count(one), _when(one)]))
    return "\n".join(text) + "\n"


def page(name: str, every: list[Experiment]) -> str:
    """The page of a paper: its tables that have figures of ours, then what was not measured."""
    paper = PAPERS[name]
    ones = [one for one in every if one.page == name]
    text = [f"# {paper['heading']}", "", f"{paper['what']} [The summary](../results.md) says what the marks mean."]
    text += ["", paper["caveat"]] if paper["caveat"] else []
    if any(one.paper == name for one in ones):
        text += ["", "A row that begins with *here* holds our figures, the others the paper's."]
    for one in ones:
        if one.record():
            text += ["", f"## {one.title}", "", *_section(one)]
    if rest := [one for one in ones if not one.record()]:
        text += ["", "## Not measured", ""]
        text += [f"- {one.title}: {one.not_yet or f'`make bench NAME={one.name}` measures it.'}" for one in rest]
    return "\n".join(text) + "\n"


def headline(one: Experiment) -> str:
    """What an experiment shows in a line, each `{row | column}` of it by its figure."""
    record = one.record()

    def figure(match: re.Match[str]) -> str:
        name, _, column = match[1].partition(" | ")
        row = next(row for row in one.rows if row.name == name and row.ours)
        return cell(*measured(one, record, row)[one.columns.index(column)], one.tolerance)

    return re.sub(r"\{([^}]+)\}", figure, one.headline)


def anchor(title: str) -> str:
    """The name by which a heading can be linked to."""
    return "".join(c for c in title.lower() if c.isalnum() or c in "-_ ").replace(" ", "-")


def _section(one: Experiment) -> list[str]:
    record = one.record()
    text = [one.shows]
    rows = [row for row in one.rows if row.paper or any(value is not None for value, _ in measured(one, record, row))]
    if rows:
        text += ["", f"| | {' | '.join(one.columns)} |", "|---" * (len(one.columns) + 1) + "|"]
    for row in rows:
        text += _row(one, record, row)
    if one.differs:
        text += ["", one.differs]
    if one.not_yet:
        text += ["", f"Not yet: {one.not_yet}"]
    source = f"[{one.results}](../../benchmarks/experiments/{one.results}.toml)"
    told = [f"n {_count(one)}", record["about"].get("machine", ""), _when(one)]
    return [*text, "", f"{source}: {', '.join(filter(None, told))}"]


def _row(one: Experiment, record: dict[str, Any], row: Row) -> list[str]:
    text = [_line(row.name, [printed(value) for value in row.paper])] if row.paper else []
    cells = [cell(value, span, one.tolerance) for value, span in measured(one, record, row)]
    if cells:
        name = row.name if one.paper == "own" else "*here*" if row.paper else f"*here*: {row.name}"
        text.append(_line(name, cells))
    return text


def _count(one: Experiment) -> str:
    n = one.record()["about"].get("n", "–")
    return f"{n[0]:,}–{n[1]:,}" if isinstance(n, list) else f"{n:,}" if isinstance(n, int) else n


def _when(one: Experiment) -> str:
    about = one.record()["about"]
    marks = (HISTORY if about.get("from history") else "") + (f" {CHANGED}" if one.changed() else "")
    return f"{about['date']} `{about['commit']}`{marks}"


def _line(name: str, cells: list[str]) -> str:
    return f"| {name} | {' | '.join(cells)} |"


def cell(value: Any, span: tuple[float, ...] = (), tolerance: float = 1) -> str:
    """One of our figures with its interval: a decimal, or three where the tolerance is below a tenth."""
    told = shown(value, tolerance)
    return f"{told} ({shown(span[0], tolerance)}–{shown(span[1], tolerance)})" if span else told


def shown(value: Any, tolerance: float = 1) -> str:
    """A number: a decimal, or three where it or the tolerance is below a tenth; none from a thousand on."""
    if value is None or value == "":
        return "–"
    if isinstance(value, float):
        digits = 3 if tolerance < 0.1 or 0 < abs(value) < 0.1 else 1
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{digits}f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def printed(value: Any) -> str:
    """A figure as it stands in the file: the paper's digits."""
    return "–" if value == "" else str(value)


def listing() -> str:
    """One line for each experiment."""
    lines = []
    for one in experiments():
        old = f" {CHANGED}" if one.record() and one.changed() else ""
        lines.append(f"{one.name:<24}{state(one):<17}{one.title}{old}")
    return "\n".join(lines)
