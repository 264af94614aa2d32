"""The rules of CONTRIBUTING.md that a linter does not know."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import get_type_hints

from answerable.workspace.declarations import AskerRow, EnclaveRow
from tests.docs import rooms, settings

ROOT = Path(__file__).parents[2]
SOURCES = sorted(p for p in (ROOT / "src" / "answerable").rglob("*.py") if "sample" not in p.parts)
LINES_OF_A_FILE, LINES_OF_A_FUNCTION = 400, 60


def test_files_and_functions_stay_short() -> None:
    assert [path for path in SOURCES if path.read_text(encoding="utf-8").count("\n") > LINES_OF_A_FILE] == []
    functions = [(path, *one) for path in SOURCES for one in functions_and_unsafe_calls(path)[0]]
    assert [one for one in functions if one[2] > LINES_OF_A_FUNCTION] == []


def test_every_test_module_stands_where_its_subject_does() -> None:
    """tests/ mirrors src/: a folder of tests is named after a room, or after what is not one room's business."""
    rooms = {p.name for p in (ROOT / "src" / "answerable").iterdir() if p.is_dir()}
    others = {"benchmarks", "contracts", "docs", "golden", "laws", "server"}
    folders = {p.name for p in (ROOT / "tests").iterdir() if p.is_dir() and not p.name.startswith(("_", "."))}
    assert folders <= rooms | others
    for folder in folders & rooms:
        assert (ROOT / "tests" / folder / "__init__.py").is_file()


UNSAFE = {"pickle.load", "pickle.loads", "marshal.load", "marshal.loads", "yaml.load", "eval", "exec"}
"""Calls that run what stands in a file."""


def _unsafe(call: ast.Call) -> bool:
    named = {one.arg: ast.unparse(one.value) for one in call.keywords}
    called = ast.unparse(call.func)
    if called == "torch.load":
        return named.get("weights_only") != "True"
    return called in UNSAFE or named.get("allow_pickle", "False") != "False"


@cache
def functions_and_unsafe_calls(path: Path) -> tuple[list[tuple[str, int]], list[str]]:
    """Of a file, which is gone through once: each function with its lines, and where what is called and is not safe."""
    functions, calls = [], []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.append((node.name, (node.end_lineno or node.lineno) - node.lineno + 1))
        elif isinstance(node, ast.Call) and _unsafe(node):
            calls.append(f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node.func)}")
    return functions, calls


def test_no_file_that_is_read_can_run_code() -> None:
    for path in [*SOURCES, *(ROOT / "benchmarks").rglob("*.py")]:
        assert functions_and_unsafe_calls(path)[1] == [], path


def test_the_table_of_rooms_is_made_from_their_docstrings() -> None:
    assert rooms.PAGE.read_text("utf-8") == rooms.page(), "run: python -m tests.docs.rooms"


def test_the_tables_of_settings_are_made_from_the_code() -> None:
    assert settings.PAGE.read_text("utf-8") == settings.page(), "run: python -m tests.docs.settings"
    for row in (EnclaveRow, AskerRow):
        assert set(get_type_hints(row)) <= set(re.findall(r"^\| `(\w+)`", settings.page(), re.MULTILINE))


def test_few_modules_stand_at_the_top() -> None:
    assert len(list((ROOT / "src" / "answerable").glob("*.py"))) <= 12


def test_the_engine_knows_nothing_of_pairs_and_never_reads_gold() -> None:
    for room, barred in (
        ("engine.py", ("qapairs", "datasets")),
        ("workspace", ("datasets",)),
        ("retriever.py", ("datasets",)),
    ):
        place = ROOT / "src" / "answerable" / room
        for path in [place] if place.is_file() else place.rglob("*.py"):
            named = {
                node.module or ""
                for node in ast.walk(ast.parse(path.read_text("utf-8")))
                if isinstance(node, ast.ImportFrom)
            }
            assert not any(name.startswith(f"answerable.{other}") for name in named for other in barred), path
