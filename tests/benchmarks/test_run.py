"""The experiments are valid, the page is what they give, and the runner does what benchmarks/README.md says."""

from __future__ import annotations

import argparse
import importlib
import json
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

import common
import experiments
import pages
import run
from answerable.cli.main import app
from answerable.evaluation.runs import Header, writing
from answerable_bench.cli.main import app as bench_app

ROOT = Path(__file__).parents[2]


FILES = sorted((ROOT / "benchmarks" / "experiments").glob("*.toml"))
EXPERIMENTS = [experiments.load(path) for path in FILES]
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
measures = ["part.py"]
headline = "EM {one | EM}"
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
    told = pages.pages()
    for path, text in told.items():
        assert path.read_text("utf-8") == text, "run: python benchmarks/run.py docs"
    assert set((ROOT / "docs" / "results").iterdir()) == set(told) - {pages.SUMMARY}
    assert told[pages.SUMMARY].count("\n") <= 150  # a summary


@pytest.mark.parametrize("path", sorted(experiments.RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_a_record_says_what_it_is_of(path: Path) -> None:
    record = json.loads(path.read_text("utf-8"))
    one = next(one for one in EXPERIMENTS if one.name == path.stem)
    assert set(record) == {"about", "figures", "intervals"}
    assert {"date", "commit", "n", "measured"} <= set(record["about"])
    assert record["about"].get("from history") or "machine" in record["about"]
    assert set(record["about"]["measured"]) <= set(one.measures) or one.changed()
    assert one.headline and "–" not in re.sub(r"\(.*?\)", "", pages.headline(one)), "a figure that was not measured"
    assert run.check(one) == 0


@pytest.mark.parametrize("one", EXPERIMENTS, ids=lambda one: one.name)
def test_commands_are_those_of_the_programs(one: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", _parse_only)
    for step in one.steps:
        _, words = run.settings_of(shlex.split(step.run))
        words = [word.format(data="data", work="work", results="r.json", json="j.json") for word in words]
        if words[0] == "python":
            with pytest.raises(_Parsed):
                importlib.import_module(Path(words[1]).stem).main(words[2:])
        else:
            for word in words:  # what is there when it runs
                if word.startswith(("data/", "work/")):
                    Path(word).parent.mkdir(parents=True, exist_ok=True)
                    Path(word).touch() if Path(word).suffix else Path(word).mkdir(exist_ok=True)
            _parse(*words)
        assert not any(word.startswith("/") for word in words), "folders are given at run time"


PROGRAMS: Any = {"answerable": typer.main.get_command(app), "answerable-bench": typer.main.get_command(bench_app)}


class _Parsed(Exception):
    """A program has taken its arguments."""


def _parse_only(parser: argparse.ArgumentParser, words: list[str]) -> None:
    _, left = parser.parse_known_args(words)
    raise AssertionError(f"unknown: {left}") if left else _Parsed


@cache
def _parse(*words: str) -> None:
    """Take a command line apart as the program would, without doing anything. Many experiments share lines."""
    command, left = PROGRAMS[words[0]], list(words[1:])
    context = None
    while True:
        context = command.make_context(command.name, left, parent=context)
        if not hasattr(command, "resolve_command"):
            return
        _, command, left = command.resolve_command(context, [*context._protected_args, *context.args])


def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str = SMALL) -> Any:
    (tmp_path / "part.py").write_text("X = 1\n", "utf-8")
    monkeypatch.setattr(run, "RESULTS", tmp_path)
    for name in ("EXPERIMENTS", "RESULTS", "SOURCES"):
        monkeypatch.setattr(experiments, name, tmp_path)
    monkeypatch.setattr(pages, "experiments", experiments.experiments)
    (tmp_path / "small.toml").write_text(text, "utf-8")
    return experiments.load(tmp_path / "small.toml")


def recorded(figures: Any, **about: Any) -> str:
    told = {"date": "2026-01-01", "commit": "0123456789", "n": 7, **about}
    return json.dumps({"about": told, "figures": figures, "intervals": {"a/em": [0.3, 0.5]}})


WRONG = {
    "paper is own or one of": ('paper = "pair"', 'paper = "nobody"'),
    "unknown keys": ('title = "Small"', 'title = "Small"\nname = "x"'),
    "are needed": ('title = "Small"\n', ""),
    "does not fill the 2 columns": ("expect = [40.0, \"\"]", "expect = [40.0]"),
    "need a tolerance": ("tolerance = 1.0\n", ""),
    "measures is needed": ('measures = ["part.py"]\n', ""),
    "measures what is not there": ('"part.py"', '"gone.py"'),
    "that of the paper": ('paper = "pair"', 'paper = "pair"\npage = "paq"'),
    "page is one of": ('paper = "pair"', 'paper = "pair"\npage = "x"'),
    "no paper's figures": ('paper = "pair"', 'paper = "own"'),
    "the places of a step": ("print(1)", "print({place})"),
    "a step has run": ('keep = "a"', 'save = "a"'),
    "either steps with keep": ('keep = "a"', ""),
    "another experiment's": ("tolerance = 1.0\n", 'tolerance = 1.0\nresults = "other"\n'),
    "neither steps nor not_yet": (SMALL[SMALL.index("[[steps]]"):], ""),
}  # fmt: skip
"""By what is said of a file, what stands there in place of what."""


@pytest.mark.parametrize("why", WRONG)
def test_what_is_wrong_with_a_file_is_said(why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = WRONG[why]
    assert old in SMALL
    with pytest.raises(experiments.ExperimentError, match=why):
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
    (tmp_path / "small.json").write_text(recorded(found))
    assert run.check(one) == code
    first, second, changed = capsys.readouterr().out.splitlines()
    assert first.split()[0] == said and "expected 40.0" in first and "paper 50.0" in first
    assert second.split()[0] == "new" and "12.3" in second
    assert changed == "changed since it was measured: part.py"  # the record does not say what it was


STEPS = '''
[[steps]]
run = "python -c 'import json; print(json.dumps(dict(em=0.5, questions=7)))'"
keep = "a"
[[steps]]
run = """
python -c 'import json, pathlib, sys; pathlib.Path(sys.argv[1]).write_text(json.dumps(dict(n=9, of=sys.argv[2])))'
{json} {data}"""
keep = "b"
'''


def test_a_run_keeps_what_its_steps_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = small(tmp_path, monkeypatch, SMALL[: SMALL.index("[[steps]]")] + STEPS)
    assert experiments.state(one) == "ready to run"
    run.run(one, tmp_path / "data", tmp_path / "work")
    found = json.loads((tmp_path / "small.json").read_text())
    assert found["figures"]["a"]["em"] == 0.5 and found["figures"]["b"]["of"] == "DATA"  # where it lay is not told
    about = found["about"]
    assert set(about) == {"date", "commit", "machine", "answerable", "python", "n", "measured"}
    assert about["n"] == [7, 9] and about["machine"] == common.machine()
    assert about["measured"] == {"part.py": experiments.digest("part.py")}
    assert experiments.state(one) == "measured"


def test_a_result_older_than_what_it_measures_is_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = small(tmp_path, monkeypatch, SMALL[: SMALL.index("[[steps]]")] + STEPS)
    run.run(one, tmp_path / "data", tmp_path / "work")
    assert not one.changed() and "†" not in pages.pages()[pages.SUMMARY].partition("## PAIR")[2]
    (tmp_path / "part.py").write_text("X = 2\n", "utf-8")
    experiments._digest.cache_clear()
    assert one.changed() == ["part.py"]
    told = pages.pages()
    assert "†" in told[pages.SUMMARY].partition("## PAIR")[2] and "†" in told[pages.DOCS / "results" / "pair.md"]


def test_what_does_not_say_how_many_it_is_of_is_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = small(tmp_path, monkeypatch, SMALL.replace("print(1)", "print([])"))
    with pytest.raises(experiments.ExperimentError, match="of how many questions"):
        run.run(one, tmp_path, tmp_path / "work")


def test_a_failed_step_leaves_the_earlier_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = small(tmp_path, monkeypatch, SMALL.replace("print(1)", "raise SystemExit(3)"))
    (tmp_path / "small.json").write_text(recorded({"a": {"em": 1}}))
    with pytest.raises(experiments.ExperimentError, match="exit code 3"):
        run.run(one, tmp_path, tmp_path / "work")
    assert one.figures() == {"a": {"em": 1}}


def test_intervals_of_averages_come_from_the_runs_of_a_command(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with writing(path, Header("asking", {}, {}, {})) as kept:
        for number in range(8):
            kept.append({"id": str(number), "question": "?", "scores": {"EM": number % 2, "F1": 0.5}, "answer": None})
    found = run.of_runs(["--run", str(path)], {"measures": {"EM": 0.5, "F1": 0.7}})
    assert set(found) == {"measures/EM"}, "what is not the average of the scores has no interval"
    low, high = found["measures/EM"]
    assert 0 <= low < 0.5 < high <= 1
    assert set(run.of_runs(["slices", str(path)], {"runs": {"run": {"all": {"EM": 0.5}}}})) == {"runs/run/all/EM"}


def test_the_figures_of_a_paper_keep_their_digits_and_ours_have_intervals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small(tmp_path, monkeypatch, SMALL.replace("paper = [50.0,", "paper = [0.049,"))
    (tmp_path / "small.json").write_text(recorded({"a": {"em": 0.40449}}, **{"from history": True}))
    told = pages.pages()
    assert "| one | 0.049 | – |\n| *here* | 40.4 (30.0–50.0) | – |" in told[pages.DOCS / "results" / "pair.md"]
    line = "| [Small](results/pair.md#small) | EM 40.4 (30.0–50.0) | 7 | 2026-01-01 `0123456789`\\* † |"
    assert line in told[pages.SUMMARY]


def test_what_cannot_be_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["no-such-experiment"]) == 2
    assert run.main(["quest-table-7"]) == 2
    assert run.main(["hop-order"]) == 2
    said = capsys.readouterr().err
    assert "no experiment no-such-experiment" in said and "date of creation" in said and "--data" in said


def test_the_list_has_all_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main([]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(FILES)
