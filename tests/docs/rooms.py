"""The table of rooms in ARCHITECTURE.md, made from their docstrings. `python -m tests.docs.rooms` writes it."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "ARCHITECTURE.md"
BEGIN, END = "<!-- rooms -->\n", "<!-- end of rooms -->"


def _said(name: str) -> str:
    """The docstring of a room, or the first sentence of that of a single module."""
    room = ROOT / "src" / "answerable" / name
    file = room / "__init__.py" if room.is_dir() else room.with_suffix(".py")
    whole = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    told = " ".join(whole.split("\n\n")[0].split())
    return told if room.is_dir() else told.split(". ")[0].rstrip(".") + "."


def table() -> str:
    """A row for each room and each single module, in the order in which they may import."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (contract,) = project["tool"]["importlinter"]["contracts"]
    rows = ["| room | what lives there |", "|---|---|"]
    for layer in contract["layers"]:
        for name in layer.split(" | "):
            shown = f"`{name}/`" if (ROOT / "src" / "answerable" / name).is_dir() else f"`{name}.py`"
            rows.append(f"| {shown} | {_said(name)} |")
    return "\n".join(rows) + "\n"


def with_between(path: Path, begin: str, made: str, end: str) -> str:
    """A page with what is `made` in place of what stands between two marks."""
    head, rest = path.read_text("utf-8").split(begin)
    return head + begin + made + end + rest.split(end)[1]


def page() -> str:
    """The whole page with the table as it should be."""
    return with_between(PAGE, BEGIN, table(), END)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
