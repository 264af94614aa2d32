"""Reports: the JSON object, the tables, and two runs side by side."""

import json
from array import array
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import UsageError
from answerable.evaluation import compare as comparing
from answerable.evaluation.report import (
    POINTS,
    Report,
    as_record,
    markdown,
    percentiles,
    questions_per_second,
    recalls,
    table,
    thinned,
    write_both,
)
from answerable.evaluation.runs import Header, writing
from answerable.evaluation.tasks.task import Means, Measures

HEADER = Header(
    "asking",
    {"name": "q.jsonl", "digest": "d", "questions": 40, "of": 99, "limit": 40, "seed": 5},
    {"hops": 2, "threshold": None, "enclaves": {"wiki": {"kind": "public", "passages": 1200}}},
    {"reader": "overlap"},
)


def means(count: int, f1: float) -> Means:
    made = Means()
    for i in range(count):
        made.add({"F1": f1, "EM": float(i % 2), "recall@1": 0.25, "recall@10": 0.5, **({"path@5": 1.0} if i else {})})
    return made


MEASURES = Measures(
    overall=means(40, 0.5),
    slices={"a|b": means(10, 0.2), "$x": means(30, 0.6), "日本": means(1, 1.0)},
    whole={"macro accuracy": 0.5},
    confidences=[i / 40 for i in range(40)],
    losses=[float(i % 2) for i in range(40)],
    seconds=[0.1] * 39 + [0.9],
    leaks=0,
    spread={
        "PP": {1: {"wiki": array("d", [0.1, 0.2]), "mail": array("d", [0.3])}},
        "GG": {1: {"wiki": array("d")}, 2: {"wiki": array("d")}},
    },
)
REPORT = Report.of(HEADER, Path("somewhere/run.jsonl"), MEASURES)


def test_the_record():
    record = as_record(REPORT)
    assert json.loads(json.dumps(record)) == record
    assert record["measures"]["F1"] == 0.5 and record["measures"]["macro accuracy"] == 0.5
    assert record["counts"]["path@5"] == 39 and record["slices"]["$x"]["questions"] == 30
    assert record["seconds"]["median"] == 0.1 and record["seconds"]["greatest"] == 0.9
    assert record["seconds"]["questions per second"] == pytest.approx(40 / 4.8)
    assert record["risk"]["risk at coverage"]["1"] == 0.5 and record["leaks"] == 0 and record["run"] == "run.jsonl"
    assert record["spread"]["PP"]["hop 1"]["mail"]["above"] == 1.0
    assert set(as_record(Report.of(HEADER, Path("r"), Measures(Means(), {}, {}, [], [], [], None)))) == {
        "task", "data", "settings", "versions", "run", "questions", "measures", "counts", "slices",
    }  # fmt: skip


def test_the_tables():
    text = markdown(REPORT)
    assert (
        "# asking: q.jsonl" in text and "drawn from 99 with seed 5" in text and "wiki (public, 1,200 passages)" in text
    )
    assert "| F1 | 50.0 | 40 |" in text and "| path@5 | 100.0 | 39 |" in text and "| recall | 25.0 | 50.0 |" in text
    assert "| a\\|b | 10 | 20.0 |" in text and "| all | 40 | 50.0 |" in text
    assert "| 100 ms | 100 ms | 900 ms | 8.3 |" in text and "does not admit them: **0**" in text
    assert "threshold" not in text
    assert recalls(MEASURES.overall.means()) == {"recall": {1: 0.25, 10: 0.5}}
    assert table(("a", "b"), [["x\ny", "1"]]) == "| a | b |\n| --- | ---: |\n| x y | 1 |\n"


@given(st.lists(st.floats(0, 100), min_size=1, max_size=50), st.sampled_from([50, 95]))
def test_a_percentile_is_the_shortest_time_that_covers_the_share(times: list[float], p: int):
    value, most = percentiles(times, p, 100)
    assert value in times and most == max(times) and percentiles(times * 2, p) == [value]
    assert 100 * sum(t <= value for t in times) >= p * len(times) > 100 * sum(t < value for t in times)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan")])
def test_what_was_not_timed_has_no_rate(seconds: float):
    assert questions_per_second(30, 12.0) == 2.5
    with pytest.raises(UsageError, match="no rate"):
        questions_per_second(3, seconds)


def test_a_long_curve_is_thinned_in_json_and_keeps_its_end():
    measures = Measures(Means(), {}, {}, [i / 5000 for i in range(5000)], [1.0] * 5000, [], None)
    report = Report.of(HEADER, Path("r"), measures)
    assert report.curve is not None
    points = thinned(report.curve)
    assert len(points) <= POINTS + 2 and points[-1] == (1.0, 1.0)


def test_the_files(tmp_path: Path):
    files = write_both(tmp_path / "deep" / "report" / "asking", markdown(REPORT), as_record(REPORT))
    assert [file.name for file in files] == ["asking.md", "asking.json"]
    assert files[0].read_text("utf8").startswith("# asking")
    assert json.loads(files[1].read_text("utf8"))["task"] == "asking"


def kept(path: Path, scores: dict[str, float], task: str = "asking", question: str = "Who?") -> Path:
    header = Header(task, {"name": "q", "digest": path.name}, {}, {})
    with writing(path, header) as run:
        for id, value in scores.items():
            run.append(
                {"id": id, "question": question, "answer": f"said {value}", "scores": {"EM": value, "F1": value}}
            )
    return path


def test_two_runs(tmp_path: Path):
    first = kept(tmp_path / "one.jsonl", {"a": 0.0, "b": 1.0, "c": 0.5, "d": 0.0, "x": 1.0})
    second = kept(tmp_path / "two.jsonl", {"d": 1.0, "c": 0.5, "b": 0.25, "a": 0.5, "y": 1.0, "z": 0.0})
    found = comparing.compare(first, second, rounds=200)
    assert (found.questions, found.alone, found.leading) == (4, (1, 2), "F1")
    row = found.rows[0]
    assert (row.first, row.second, row.questions) == (0.375, 0.5625, 4)
    assert row.difference.mean == pytest.approx(0.1875) and row.difference.low <= 0.1875 <= row.difference.high
    assert [one.id for one in found.differing] == ["d", "a", "b"]
    assert found.differing[0].said == ("said 0.0", "said 1.0")
    back = comparing.compare(second, first, rounds=200)
    assert back.rows[0].difference.mean == -row.difference.mean and back.rows[0].p == row.p
    text = comparing.markdown(found)
    assert "2 questions are better in the second and 1 worse" in text and "+18.8" in text
    assert json.loads(json.dumps(asdict(found)))["rows"][0]["measure"] == "EM"


def test_a_run_does_not_differ_from_itself(tmp_path: Path):
    path = kept(tmp_path / "one.jsonl", {"a": 0.0, "b": 1.0})
    found = comparing.compare(path, path, rounds=100)
    assert found.differing == () and found.rows[0].p == 1.0 and found.rows[0].difference.low == 0.0
    assert "## Better" not in comparing.markdown(found)


def test_runs_that_cannot_be_compared(tmp_path: Path):
    one = kept(tmp_path / "one", {"a": 1.0})
    for other, named in (
        (kept(tmp_path / "two", {"a": 1.0}, task="reading"), "of reading"),
        (kept(tmp_path / "three", {"a": 1.0}, question="What?"), "differs between"),
        (kept(tmp_path / "four", {"b": 1.0}), "share no"),
        (tmp_path / "five", "cannot be read"),
    ):
        with pytest.raises(UsageError, match=named):
            comparing.compare(one, other)
