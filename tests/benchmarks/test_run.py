"""The experiments are valid, the page is what they give, and the runner does what benchmarks/README.md says."""

from __future__ import annotations

import importlib.util
import json
import shlex
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

from answerable.cli.main import app

ROOT = Path(__file__).parents[2]


def _module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("benchmarks_run", ROOT / "benchmarks" / "run.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


run = _module()
FILES = sorted((ROOT / "benchmarks" / "experiments").glob("*.toml"))
EXPERIMENTS = [run.load(path) for path in FILES]
PUBLISHED = {
    "pair": [
        "table 4",
        "table 6",
        "table 7",
        "table 9",
        "table 10",
        "table 11",
        *(f"figure {n}" for n in (3, 4, 5, 6)),
    ],
    "cos": [*(f"table {n}" for n in (*range(1, 9), "a2", "a3")), "figure 4", "figure 5"],
    "quest": [f"table {n}" for n in range(3, 8)],
    "dochopper": [f"table {n}" for n in range(1, 7)],
    "paq": [*(f"table {n}" for n in (1, 3, 4, 5, 7)), *(f"figure {n}" for n in (2, 3, 5, 6))],
}
SMALL = """
title = "Small"
paper = "pair"
shows = "Something."
columns = ["EM", "F1"]
tolerance = 1.0
times = 100
differs = "It is small."
rows = [{ name = "one", paper = [50.0, ""], ours = ["a/em", "list/k=x&n=2/f1"], expect = [40.0, ""] }]
[[steps]]
run = "python -c 'print(1)'"
keep = "a"
"""


def test_every_table_and_figure_has_a_file() -> None:
    names = {f"{paper}-{item.replace(' ', '-')}" for paper, items in PUBLISHED.items() for item in items}
    assert names <= {path.stem for path in FILES}


def test_the_page_is_what_the_experiments_give() -> None:
    assert run.PAGE.read_text("utf-8") == run.page(), "run: python benchmarks/run.py docs"


@pytest.mark.parametrize("one", EXPERIMENTS, ids=lambda one: one.name)
def test_commands_are_those_of_the_programs(one: Any) -> None:
    for step in one.steps:
        _, words = run.settings_of(shlex.split(step.run))
        if words[0] == "python":
            assert (ROOT / words[1]).is_file()
        else:
            assert words[0] == "answerable"
            _parse(*words[1:])
        assert not any(word.startswith("/") for word in words), "folders are given at run time"


PROGRAM: Any = typer.main.get_command(app)


@cache
def _parse(*words: str) -> None:
    """Take a command line apart as the program would, without doing anything. Many experiments share lines."""
    command, left = PROGRAM, list(words)
    context = None
    while True:
        context = command.make_context(command.name, left, parent=context)
        if not hasattr(command, "resolve_command"):
            return
        _, command, left = command.resolve_command(context, [*context._protected_args, *context.args])


def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str = SMALL) -> Any:
    for name in ("EXPERIMENTS", "RESULTS"):
        monkeypatch.setattr(run, name, tmp_path)
    (tmp_path / "small.toml").write_text(text, "utf-8")
    return run.load(tmp_path / "small.toml")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('paper = "pair"', 'paper = "nobody"', "paper is one of"),
        ('title = "Small"', 'title = "Small"\nname = "x"', "unknown keys"),
        ('title = "Small"\n', "", "are needed"),
        ("expect = [40.0, \"\"]", "expect = [40.0]", "does not fill the 2 columns"),
        ("tolerance = 1.0\n", "", "need a tolerance"),
        ('differs = "It is small."\n', "", "no differs"),
        ('paper = "pair"', 'paper = "own"', "no paper's figures"),
        ("print(1)", "print({place})", "the places of a step"),
        ('keep = "a"', 'save = "a"', "a step has run"),
        ('keep = "a"', "", "either steps with keep"),
        ("tolerance = 1.0\n", 'tolerance = 1.0\nresults = "other"\n', "another experiment's"),
        (SMALL[SMALL.index("[[steps]]"):], "", "neither steps nor not_yet"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_said(
    old: str, new: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert old in SMALL
    with pytest.raises(run.ExperimentError, match=why):
        small(tmp_path, monkeypatch, SMALL.replace(old, new, 1))


@pytest.mark.parametrize(
    ("em", "said", "code"),
    [(0.405, "ok", 0), (0.39, "ok", 0), (0.43, "near", 0), (0.36, "off", 1), (None, "missing", 1)],
)
def test_figures_are_judged(
    em: float | None, said: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    one = small(tmp_path, monkeypatch)
    found = {"a": {} if em is None else {"em": em}, "list": [{"k": "y", "n": 2}, {"k": "x", "n": 2, "f1": 0.123}]}
    (tmp_path / "small.json").write_text(json.dumps(found))
    assert run.check(one) == code
    first, second = capsys.readouterr().out.splitlines()
    assert first.split()[0] == said and "expected 40.0" in first and "paper 50.0" in first
    assert second.split()[0] == "new" and "12.3" in second


def test_a_run_keeps_what_its_steps_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = """
[[steps]]
run = "python -c 'import json; print(json.dumps(dict(em=0.5)))'"
keep = "a"
[[steps]]
run = "python -c 'import pathlib, sys; pathlib.Path(sys.argv[1]).write_text(sys.argv[2])' {json} '[\\"{data}\\"]'"
keep = "b"
"""
    one = small(tmp_path, monkeypatch, SMALL[: SMALL.index("[[steps]]")] + steps.replace("'[\\\"", "'[1,\\\""))
    assert run.state(one) == "ready to run"
    run.run(one, tmp_path / "data", tmp_path / "work")
    found = json.loads((tmp_path / "small.json").read_text())
    assert found["a"] == {"em": 0.5} and found["b"] == [1, "DATA"]  # where it lay here is not told
    assert set(found["about"]) >= {"date", "answerable", "python", "cores"}
    assert run.state(one) == "measured"


def test_a_failed_step_leaves_the_earlier_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = small(tmp_path, monkeypatch, SMALL.replace("print(1)", "raise SystemExit(3)"))
    (tmp_path / "small.json").write_text('{"a": {"em": 1}}')
    with pytest.raises(run.ExperimentError, match="exit code 3"):
        run.run(one, tmp_path, tmp_path / "work")
    assert one.figures() == {"a": {"em": 1}}


def test_the_figures_of_a_paper_keep_their_digits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small(tmp_path, monkeypatch, SMALL.replace("paper = [50.0,", "paper = [0.049,"))
    (tmp_path / "small.json").write_text('{"a": {"em": 0.40449}}')
    text = run.page()
    assert "| one | 0.049 | – |\n| *here* | 40.4 | – |" in text
    assert "| [small](#small) | Small | measured |" in text


def test_what_cannot_be_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["no-such-experiment"]) == 2
    assert run.main(["quest-table-7"]) == 2
    assert run.main(["hop-order"]) == 2
    said = capsys.readouterr().err
    assert "no experiment no-such-experiment" in said and "date of creation" in said and "--data" in said


def test_the_list_has_all_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main([]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(FILES)
