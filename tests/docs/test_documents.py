"""What the documents say is there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

import answerable
from answerable.cli.main import app
from answerable_bench.cli.main import app as bench

ROOT = Path(__file__).parents[2]
PROGRAMS = {"answerable": typer.main.get_group(app), "answerable-bench": typer.main.get_group(bench)}
NOTES = ROOT / "benchmarks" / "everyday" / "notes"
"""Texts that questions are asked of: what they name is theirs."""
DOCUMENTS = sorted(
    path
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").rglob("*.md")]
    if NOTES not in path.parents
)
each = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))


def _anchors(path: Path) -> set[str]:
    """The names by which the headings of a Markdown file can be linked to."""
    return {*map(_anchor, re.findall(r"^#+ +(.+)$", path.read_text(encoding="utf-8"), re.MULTILINE))}


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@each
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        other = (path.parent / name) if name else path
        assert other.exists(), target
        if anchor and other.suffix == ".md":
            assert anchor in _anchors(other), target


def test_every_page_is_found_from_the_readme() -> None:
    linked = set(re.findall(r"\]\((docs/[\w-]+\.md)[)#]", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert linked == {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")}


def test_what_a_workspace_does_is_on_the_page_of_python(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    with answerable.open(tmp_path, create=True) as workspace:
        assert {name for name in dir(workspace) if not name.startswith("_")} <= set(re.findall(r"`(\w+)`", page))


@each
def test_files_named_in_code_marks_exist(path: Path) -> None:
    named = re.findall(
        r"`((?:src|tests|benchmarks|recipes|docs|requirements)/[\w./-]+)`", path.read_text(encoding="utf-8")
    )
    for name in named:
        assert (ROOT / name).exists(), name


@each
def test_targets_of_make_exist(path: Path) -> None:
    known = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"^(?:\$ )?make ([a-z]+)|`make ([a-z]+)`", text, re.MULTILINE):
        assert (target[0] or target[1]) in known


@each
def test_commands_and_their_options_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    for program, line in re.findall(r"(?:^|`)(?:\$ )?(answerable(?:-bench)?) ([^`\n|]+)", text, re.MULTILINE):
        command: Any = PROGRAMS[program]
        words = re.sub(r"^-w \S+ ", "", re.split(r"\s#\s|\s{2,}|&&", line)[0]).split()
        known = {"-h", "--help", "-w"}
        while (
            words
            and isinstance(command, TyperGroup)
            and (inner := command.get_command(typer.Context(command), words[0]))
        ):
            command, words = inner, words[1:]
            known |= {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
        assert command is not PROGRAMS[program] or not re.match("[a-z]", words[0]), line
        if command is not PROGRAMS[program]:
            assert {word for word in words if re.fullmatch("--?[a-z][a-z-]*", word)} <= known, line


def test_extras_in_the_documents_are_those_of_the_package() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extras = set(re.findall(r"^(\w+) = \[", project.partition("[project.optional-dependencies]")[2], re.MULTILINE))
    for path in [*DOCUMENTS, *(ROOT / "src").rglob("*.py")]:
        named = re.findall(r"answerable\[([\w,]+)\]", path.read_text(encoding="utf-8"))
        assert {name for group in named for name in group.split(",")} <= extras, path


_FIGURE = re.compile(r"(?<![\w.,/-])(?:\d{1,3}(?:,\d{3})+|\d+)\.\d+(?![\w.])")


def _sections(pages: Sequence[Path]) -> dict[str, str]:
    """The text under each heading of pages of results, by `page.md#anchor`, and of all experiments' by `name`."""
    found: dict[str, str] = {}
    for page in pages:
        parts = re.split(r"^#+ +(.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for heading, text in zip(parts[1::2], parts[2::2], strict=True):
            for key in (f"{page.name}#{_anchor(heading)}", *re.findall(r"experiments/([\w-]+)\.toml", text)):
                found[key] = found.get(key, "") + text
    return found


SECTIONS = _sections([*(ROOT / "docs" / "results").glob("*.md")])


def _unknown(said: str, records: Sequence[str]) -> set[str]:
    """The figures of a line that stand in none of its records, as they are or as shares of one."""
    known = {float(one.replace(",", "")) for name in records for one in _FIGURE.findall(SECTIONS[name])}
    known |= {round(100 * one, 1) for one in known}
    told = _FIGURE.findall(re.sub(r"`[^`]*`|\]\([^)]*\)|SQuAD \d\.\d", "", said))
    return {one for one in told if float(one.replace(",", "")) not in known}


@pytest.mark.parametrize("path", [*(ROOT / "docs").glob("*.md")], ids=lambda p: p.name)
def test_figures_of_a_row_stand_in_the_record_it_leads_to(path: Path) -> None:
    for row in re.findall(r"^\|.*", path.read_text(encoding="utf-8"), re.MULTILINE):
        if records := re.findall(r"\]\(results/([\w-]+\.md#[\w-]+)\)", row):
            assert _unknown(row, records) == set(), row


def test_figures_of_the_readme_stand_in_their_records() -> None:
    names: list[str] = []
    figures = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Figures\n")[2].partition("\n## ")[0]
    for line in figures.splitlines():
        names = re.findall(r"make bench NAME=([\w-]+)|\| `([\w-]+)` \|$", line) or names
        records = [name for pair in names for name in pair if name]
        if line.startswith("|") and records:
            assert _unknown(line, records) == set(), line
