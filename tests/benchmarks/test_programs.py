"""Every program of benchmarks/ starts, takes its arguments from one place, and says what an average is worth."""

from __future__ import annotations

import importlib
import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

import common
import passages
from answerable.datasets.load import load
from tests.datasets import samples as s

PROGRAMS = sorted(
    path.stem
    for path in common.ROOT.glob("benchmarks/*.py")
    if "__main__" in path.read_text("utf-8") and path.stem != "run"
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_starts_and_tells_its_arguments(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    program = importlib.import_module(name)
    with pytest.raises(SystemExit) as ended:
        program.main(["--help"])
    said = capsys.readouterr().out
    assert ended.value.code == 0 and f"benchmarks/{name}.py" in said, "its text shows how to call it"


def test_an_average_knows_its_interval_and_goes_into_the_record(tmp_path: Path) -> None:
    one = common.mean([0, 1, 1, 1] * 10, 100)
    assert one == 75.0 and 50 < one.low < 75 < one.high < 100
    assert common.mean([0, 1, 1, 1] * 10, 100).low == one.low  # drawn the same each time
    kept = pickle.loads(pickle.dumps(one))
    assert (kept, kept.low, kept.high) == (one, one.low, one.high), "it comes whole from another process"
    common.write(tmp_path / "r.json", [{"system": "a", "questions": 40, "F1": one, "ms": 3.0}])
    record = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert record["figures"] == [{"system": "a", "questions": 40, "F1": 75.0, "ms": 3.0}]
    assert record["intervals"] == {"0/F1": [one.low, one.high]} and record["about"]["n"] == 40
    assert record["about"]["commit"] != "" and "cores" in record["about"]["machine"]


def test_how_many_questions_figures_are_of() -> None:
    assert common.asked({"a": {"questions": 3}, "b": {"questions": 9, "slices": {"x": {"questions": 1}}}}) == [3, 9]
    assert common.asked({"all": {"queries": 50, "searches": 7}, "PP": {"queries": 9}}) == 50
    with pytest.raises(ValueError, match="give n"):
        common.asked({"seconds": 3.0})


def test_intervals_that_an_evaluation_tells_are_kept() -> None:
    told = {"walk": {"measures": {"F1": 0.5}, "intervals": {"F1": [0.4, 0.6]}}}
    assert common.means(told) == {"walk/measures/F1": [0.4, 0.6]}


def test_what_supports_a_question_is_among_the_passages_written(tmp_path: Path) -> None:
    file, out = s.whole(tmp_path / "f", {"data": [s.ARTICLE]}), tmp_path / "passages.jsonl"
    passages.main(["squad", str(file), str(out)])
    ids = [row["_id"] for row in common.rows(out)]
    assert len(set(ids)) == len(ids) > 0
    for example in load(file, "squad"):
        assert set(example.supporting) - {"z"} <= set(ids)


def test_writing_leaves_no_half_file(tmp_path: Path) -> None:
    out = tmp_path / "corpus.jsonl"
    out.write_text("old\n")

    def failing() -> Iterator[dict[str, str]]:
        yield {"_id": "1", "title": "", "text": "é"}
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        common.write_rows(out, failing())
    assert out.read_text() == "old\n"
    common.write_rows(out, [{"_id": "1", "title": "", "text": "é"}])
    assert json.loads(out.read_text())["text"] == "é"
