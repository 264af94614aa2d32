"""`evaluate overlap`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

TRAINED = [("who wrote hamlet", "Shakespeare"), ("when was it finished", "1531")]
TESTED = [("who wrote hamlet?", "shakespeare"), ("how high is the mountain", "1531"), ("where is rome", "Italy")]


def write(path: Path, rows: list[tuple[str, str]], **more: object) -> Path:
    lines = [json.dumps({"question": question, "answers": [answer], **more}) + "\n" for question, answer in rows]
    path.write_text("".join(lines), encoding="utf8")
    return path


@pytest.fixture
def questions(tmp_path: Path) -> tuple[str, ...]:
    write(tmp_path / "train.jsonl", TRAINED)
    write(tmp_path / "test.jsonl", TESTED)
    return ("--data", "test.jsonl", "--train", "train.jsonl", "--encoder", "hashed")


def test_overlap_is_told_and_written_as_the_kind_of_each_question(command: Command, questions: tuple[str, ...]):
    ran = command("evaluate", "overlap", *questions, "--out", "split.jsonl", "--json")
    counts = {"question overlap": 1, "answer-only overlap": 1, "no overlap": 1}
    assert ran.code == 0 and ran.record.items() >= {"questions": 3, "cut": 0.8, **counts}.items()
    kinds = [json.loads(line)["kind"] for line in Path("split.jsonl").read_text().splitlines()]
    assert kinds == list(counts)
    said = {"1": "Shakespeare", "2": "1666", "3": "Italy"}
    Path("said.json").write_text(json.dumps(said), encoding="utf8")
    ran = command("evaluate", "pairs", "--data", "split.jsonl", "--predictions", "said.json", "--json")
    assert [ran.record["slices"][name]["measures"]["EM"] for name in counts] == [1, 0, 1]
    assert "33.3 %" in command("evaluate", "overlap", *questions).out


def test_overlap_of_what_cannot_be_told(command: Command, questions: tuple[str, ...], tmp_path: Path):
    assert command("evaluate", "overlap", *questions, "--cut", "2", "--json").code == 2
    write(tmp_path / "none.jsonl", [])
    (tmp_path / "none.jsonl").write_text('{"question": "who?", "answers": []}\n', encoding="utf8")
    ran = command("evaluate", "overlap", "--data", "test.jsonl", "--train", "none.jsonl", "--json")
    assert ran.code == 2 and "no question with an answer" in ran.record["error"]["message"]
