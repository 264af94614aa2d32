"""`evaluate`: tasks and their options, one JSON object, reports, and a process that is killed and resumed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import answerable
from answerable.evaluation.tasks.asking import Reading
from tests.cli.conftest import STAND_INS, Command

ASKED = 1500
"""Questions that take long enough to be interrupted."""


def squad(path: Path, count: int) -> Path:
    """Questions on letters that a keeper wrote, each with its passage."""
    paragraphs = [
        {
            "context": f"Keeper Mart wrote letter {i}. He posted it in {1800 + i}.",
            "qas": [{"id": f"q{i}", "question": f"Who wrote letter {i}?", "answers": [{"text": "Mart"}]}],
        }
        for i in range(count)
    ]
    path.write_text(json.dumps({"data": [{"title": "Letters", "paragraphs": paragraphs}]}), "utf8")
    return path


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    rows = [
        {"question": "When was Kõpu Lighthouse completed?", "answer": ["1531"]},
        {"question": "Who built Hook Lighthouse?", "answer": ["William Marshal"]},
    ]
    path = tmp_path / "asked.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf8")
    return path


def test_reading_prints_tables_or_one_object(command: Command, tmp_path: Path):
    data = squad(tmp_path / "q.json", 4)
    ran = command("evaluate", "reading", "--data", data, "--report", "out")
    assert ran.code == 0 and "# reading: q.json" in ran.out and "| EM |" in ran.out
    assert {"reading.md", "reading.json"} <= {p.name for p in Path("out").iterdir()}
    record = command("evaluate", "reading", "--data", data, "--json", "--limit", "2").record
    assert record["questions"] == 2 and record["data"]["seed"] == 0 and record["versions"]["reader"] == "overlap"
    assert list(Path("runs").glob("reading-*.jsonl"))


def test_asking_and_retrieval_over_a_workspace(indexed: Command, asked: Path):
    record = indexed("evaluate", "asking", "--data", asked, "--privacy", "query", "--hops", "1", "--json").record
    assert record["settings"]["privacy"] == "query" and record["settings"]["hops"] == 1 and record["leaks"] == 0
    (run,) = Path(".answerable/runs").glob("asking-*.jsonl")
    calibrated = indexed("evaluate", "calibration", "--data", asked, "--run", run, "--json").record
    assert list(calibrated["methods"]["all"]) == ["softmax", "grouped", "learned"]
    assert "| softmax |" in indexed("evaluate", "calibration", "--data", asked, "--run", run).out
    lexical = indexed(
        "evaluate", "retrieval", "--data", asked, "--mode", "lexical", "--hops", "1", "--at", "1,3", "--json"
    )
    assert lexical.record["settings"]["mode"] == "lexical"
    assert set(lexical.record["measures"]) == {"answer recall@1", "answer recall@3"}


def test_a_run_of_other_settings_is_refused_until_fresh(indexed: Command, asked: Path):
    given = ["evaluate", "asking", "--data", asked, "--run", "r.jsonl", "--json"]
    assert indexed(*given, "--hops", "1").code == 0
    before = Path("r.jsonl").read_bytes()
    ran = indexed(*given, "--hops", "2")
    assert ran.code == 2 and "settings.hops 1, not 2" in ran.record["error"]["message"]
    assert Path("r.jsonl").read_bytes() == before
    assert indexed(*given, "--hops", "2", "--fresh").code == 0
    asked.write_text(asked.read_text("utf8").replace("1531", "1532"), "utf8")
    assert "data.digest" in indexed(*given, "--hops", "2").record["error"]["message"]


def test_a_workspace_that_changed_is_other_data(indexed: Command, asked: Path, notes: Path):
    given = ["evaluate", "asking", "--data", asked, "--run", "r.jsonl", "--json"]
    assert indexed(*given).code == 0
    (notes / "wiki" / "new.md").write_text("# New\n\nA new lighthouse.\n", "utf8")
    assert indexed("index", notes / "wiki", "-e", "wiki").code == 0
    assert "settings.enclaves.wiki" in indexed(*given).record["error"]["message"]


def test_compare_and_calibration(command: Command, tmp_path: Path):
    data = squad(tmp_path / "q.json", 6)
    assert command("evaluate", "reading", "--data", data, "--run", "ours.jsonl").code == 0
    assert command("evaluate", "reading", "--data", data, "--run", "theirs.jsonl", "--threshold", "1").code == 0
    compared = command("evaluate", "compare", "ours.jsonl", "theirs.jsonl", "--json", "--report", "out").record
    assert compared["questions"] == 6 and {row["measure"] for row in compared["rows"]} >= {"EM", "F1"}
    assert Path("out/compare.md").is_file()
    calibrated = command("evaluate", "calibration", "--data", data, "--run", "ours.jsonl", "--json").record
    assert calibrated["task"] == "calibration" and "calibration error" in calibrated["risk"]
    assert "methods" not in calibrated  # the reader alone has one way to be sure


def test_compare_refuses_what_was_changed_by_hand_in_one_sentence(command: Command, tmp_path: Path):
    data = squad(tmp_path / "q.json", 3)
    assert command("evaluate", "reading", "--data", data, "--run", "ours.jsonl").code == 0
    whole = Path("ours.jsonl").read_text("utf8")
    header, first, second, third = whole.splitlines(keepends=True)
    record = json.loads(first)
    del record["scores"]
    for text, code, named in (
        (header + first + second[:20] + "\n" + third, 1, "line 3 of theirs.jsonl is damaged"),
        (header + json.dumps(record) + "\n" + second, 1, "line 2 of theirs.jsonl: `scores`"),
        (header + first + first, 1, "line 3 of theirs.jsonl: `id`"),
        (whole.replace('"Who wrote letter 1?"', "7"), 1, "line 3 of theirs.jsonl: `question`"),
        (whole.replace("letter 1?", "book 1?"), 2, "question 'q1' differs"),
        (whole.replace('"id":"q', '"id":"p'), 2, "share no scored question"),
        (header, 2, "share no scored question"),
        (header[:30], 2, "is no run"),
        (header.replace('"data":{', '"date":{') + first, 2, "header of theirs.jsonl"),
        (whole.replace('"task":"reading"', '"task":"asking"'), 2, "theirs.jsonl of asking"),
        (whole.replace('"task":"reading"', '"task":3'), 2, "header of theirs.jsonl"),
        ("\udcff\n", 2, "is no run"),
    ):
        Path("theirs.jsonl").write_text(text, "utf8", "surrogateescape")
        ran = command("evaluate", "compare", "ours.jsonl", "theirs.jsonl", "--json")
        error = ran.record["error"]
        assert ran.code == code and named in error["message"] and error["kind"] != "InternalError", (named, error)
    Path("theirs.jsonl").write_text(whole[:-9].replace("letter 0", "letter \\ud800"), "utf8")
    Path("ours.jsonl").write_text(whole.replace("letter 0", "letter \\ud800").replace('"EM":1.0', '"EM":0.5'), "utf8")
    assert command("evaluate", "compare", "ours.jsonl", "theirs.jsonl", "--report", "out").code == 0
    assert "only the first has 1" in Path("out/compare.md").read_text("utf8")


def test_what_cannot_be_asked_refuses(command: Command, tmp_path: Path):
    data = squad(tmp_path / "q.json", 2)
    ran = command("evaluate", "asking", "--data", data, "--json")
    assert ran.code == 2 and "no workspace" in ran.record["error"]["message"] and not Path("runs").exists()


@pytest.mark.parametrize("task", ["navigating", "conversing"])
def test_long_documents_are_named(command: Command, tmp_path: Path, task: str):
    for args, named in (
        ([], "--set"),
        (["--set", "poems"], "poems"),
        (["--set", "squad", "--part", "all"], "`all`"),
        (["--set", "squad", "--at", "1"], "--at"),
        (["--hops", "2"], "--hops"),
    ):
        ran = command("evaluate", task, "--data", tmp_path, *args, "--json")
        error = ran.record["error"]
        assert ran.code == 2 and named in f"{error['message']} {error['hint']}", args
    assert not Path("runs").exists()


def test_usage(indexed: Command, tmp_path: Path, asked: Path):
    data = squad(tmp_path / "q.json", 1)
    for args, named in (
        (["reading"], "--data"),
        (["reading", "--data", "nothing"], "nothing"),
        (["reading", "--data", data, "--hops", "2"], "--hops"),
        (["reading", "--data", asked], "no passages"),
        (["reading", "--data", data, "--at", "1,x"], "whole number"),
        (["reading", "--data", data, "--limit", "0"], "limit"),
        (["asking", "--data", asked, "--hops", "77"], "beam.hops"),
        (["calibration", "--data", asked], "--run"),
        (["compare", "one"], "RUN"),
        (["poetry", "--data", data], "poetry"),
    ):
        ran = indexed("evaluate", *args, "--json")
        error = ran.record["error"]
        assert ran.code == 2 and named in f"{error['message']} {error['hint']}", args


def test_interrupted_it_says_how_to_go_on(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Reading, "record", interrupt)
    ran = command("evaluate", "reading", "--data", squad(tmp_path / "q.json", 2))
    assert ran.code == 130 and "resumes" in ran.err


def test_killed_and_resumed_it_measures_the_same(command: Command, tmp_path: Path):
    data, path = squad(tmp_path / "q.json", ASKED), tmp_path / "run.jsonl"
    here = Path(answerable.__file__).parent.parent
    environment = {k: v for k, v in {**os.environ, **STAND_INS, "PYTHONPATH": str(here)}.items() if v is not None}
    given = ["evaluate", "reading", "--data", str(data), "--json", "--run"]
    with subprocess.Popen(
        [sys.executable, "-m", "answerable", *given, str(path)],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        until = time.monotonic() + 60
        while not (path.exists() and path.stat().st_size > 20_000) and time.monotonic() < until:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
    held = path.read_bytes().count(b"\n") - 1
    assert 0 < held < ASKED
    with path.open("ab") as file:
        file.write(b'{"id":"q')
    resumed, whole = (command(*given, run).record for run in (path, tmp_path / "whole.jsonl"))
    assert path.read_bytes().count(b"\n") == ASKED + 1
    for part in ("questions", "measures", "counts", "risk"):
        assert resumed[part] == whole[part]
