"""Runs: a torn file is mended, another run is never mixed in, and nothing is lost that was appended."""

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.errors import BusyError, FormatError, UsageError, WorkspaceError
from answerable.evaluation.runs import Header, header_of, records, scored, writing

HEADER = Header("reading", {"name": "q", "digest": "d", "questions": 3}, {"threshold": 0.5}, {"reader": "overlap"})
ROWS = [{"id": str(i), "question": "Wer? \u2028 \n", "answer": "é"} for i in range(3)]


def filled(path: Path, rows: list[dict[str, str]]) -> bytes:
    with writing(path, HEADER) as run:
        for row in rows:
            run.append(row)
    return path.read_bytes()


def test_a_run_is_read_as_it_was_written(tmp_path: Path):
    path = tmp_path / "deep" / "run.jsonl"
    text = filled(path, ROWS)
    assert list(records(path)) == ROWS
    assert header_of(path) == HEADER
    assert len(text.splitlines()) == 4
    assert [file.name for file in path.parent.iterdir()] == ["run.jsonl"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@settings(max_examples=50)
@given(cut=st.integers(0, 2000), after=st.integers(0, 3))
def test_cut_anywhere_it_goes_on_to_the_same_file(tmp_path_factory: pytest.TempPathFactory, cut: int, after: int):
    folder = tmp_path_factory.mktemp("cut")
    whole = filled(folder / "whole.jsonl", ROWS)
    torn = folder / "torn.jsonl"
    torn.write_bytes(whole[: cut % (len(whole) + 1)])
    with writing(torn, HEADER) as run:
        done = run.done
        for row in ROWS[done : done + after]:
            run.append(row)
    with writing(torn, HEADER) as run:
        assert run.done == min(3, done + after)
        for row in ROWS[run.done :]:
            run.append(row)
    assert torn.read_bytes() == whole


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (replace(HEADER, settings={"threshold": 0.4}), "settings.threshold 0.5, not 0.4"),
        (replace(HEADER, data={**HEADER.data, "digest": "e"}), "data.digest"),
        (replace(HEADER, versions={"reader": "span"}), "versions.reader"),
        (replace(HEADER, settings={}), "settings.threshold 0.5, not null"),
        (replace(HEADER, task="asking"), "task"),
    ],
)
def test_a_run_of_something_else_is_refused_and_left_alone(tmp_path: Path, other: Header, named: str):
    path = tmp_path / "run.jsonl"
    text = filled(path, ROWS)
    with pytest.raises(UsageError, match=named), writing(path, other):
        pass
    assert path.read_bytes() == text
    assert other.key != HEADER.key
    with writing(path, other, fresh=True) as run:
        assert run.done == 0
    assert header_of(path) == other


def test_another_python_may_go_on(tmp_path: Path):
    path = tmp_path / "run.jsonl"
    filled(path, ROWS)
    other = replace(HEADER, made={"python": "4"})
    assert other.key == HEADER.key
    with writing(path, other) as run:
        assert run.done == 3


def test_one_process_writes(tmp_path: Path):
    with writing(tmp_path / "run", HEADER), pytest.raises(BusyError), writing(tmp_path / "run", HEADER):
        pass


def test_what_is_no_run_is_refused(tmp_path: Path):
    header = HEADER.line().decode()
    wrong = {'"reading"': "[1]", '{"threshold":0.5}': "3", "made": "m"}
    damaged = [header.replace(right, other) for right, other in wrong.items()]
    for text in ("", "a note\n", "[]\n", '{"run": 7}\n', '{"run": 1, "mood": 2}\n', *damaged):
        path = tmp_path / "note.txt"
        path.write_text(text, "utf8")
        with pytest.raises(UsageError):
            header_of(path)
        if text:
            with pytest.raises(UsageError), writing(path, HEADER):
                pass
            assert path.read_text("utf8") == text
    with pytest.raises(UsageError):
        header_of(tmp_path / "none")
    with pytest.raises(WorkspaceError), writing(tmp_path / "note.txt" / "run", HEADER):
        pass


def test_damage_before_the_last_line_is_told(tmp_path: Path):
    path = tmp_path / "run.jsonl"
    lines = filled(path, ROWS).splitlines(keepends=True)
    lines[2] = b"secret\n"
    path.write_bytes(b"".join(lines))
    with pytest.raises(FormatError, match="line 3") as caught:
        list(records(path))
    assert "secret" not in str(caught.value)
    path.write_bytes(b"".join([*lines[:2], json.dumps({"no": "id"}).encode() + b"\n"]))
    assert len(list(records(path))) == 1


@pytest.mark.parametrize("text", [b"My only copy.\n", b'{"_id": "1"}\n'])
def test_a_fresh_start_leaves_alone_what_is_no_run(tmp_path: Path, text: bytes):
    path = tmp_path / "notes.jsonl"
    path.write_bytes(text)
    with pytest.raises(UsageError, match="is no run"), writing(path, HEADER, fresh=True):
        pass
    assert path.read_bytes() == text


@pytest.mark.parametrize("text", [b"", b"{", b'{"run": 0, "task'])
def test_a_fresh_start_removes_a_damaged_run(tmp_path: Path, text: bytes):
    path = tmp_path / "run.jsonl"
    path.write_bytes(text)
    with writing(path, HEADER, fresh=True) as run:
        assert run.done == 0


RIGHT = {"id": "a", "question": "Wer?", "answer": None, "confidence": 0.5, "scores": {"EM": 1.0, "F1": 1}}


def test_what_runs_are_compared_by(tmp_path: Path):
    path = tmp_path / "run.jsonl"
    text = filled(path, [RIGHT, {"id": "b", "question": "Wo?", "docs": ["d"], "scores": {}}])
    first, second = scored(path)
    assert (first.id, first.question, first.said, first.confidence, first.scores["F1"]) == ("a", "Wer?", None, 0.5, 1)
    assert (second.said, second.confidence, second.scores) == (None, None, {})
    path.write_bytes(text[:-5])
    assert [one.id for one in scored(path)] == ["a"]


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"id": ["a"]}, "`id`"),
        ({"id": "first"}, "earlier line"),
        ({"question": None}, "`question`"),
        ({"answer": {"secret": 1}}, "`answer`"),
        ({"scores": None}, "`scores`"),
        ({"scores": [1.0]}, "`scores`"),
        ({"scores": {"EM": "secret"}}, "`scores`"),
        ({"scores": {"EM": True}}, "`scores`"),
        ({"scores": {"EM": float("nan")}}, "`scores`"),
        ({"scores": {"EM": 10**400}}, "`scores`"),
        ({"confidence": "secret"}, "`confidence`"),
        ({"confidence": -0.1}, "`confidence`"),
    ],
)
def test_a_run_that_was_changed_by_hand_is_refused_with_the_line(tmp_path: Path, changed: dict, named: str):
    path = tmp_path / "run.jsonl"
    filled(path, [{**RIGHT, "id": "first"}, {**RIGHT, **changed}, RIGHT])
    with pytest.raises(FormatError, match=rf"line 3 of .*run\.jsonl: .*{named}") as caught:
        list(scored(path))
    assert "secret" not in str(caught.value)
