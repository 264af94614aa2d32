"""Predictions made elsewhere: the forms they come in, and what each task measures of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from answerable.datasets.examples import Example
from answerable.errors import FormatError, UsageError
from answerable.evaluation.tasks.scored import Predicted, read

AT = (1, 2)


def written(path: Path, *rows: Any, array: bool = False) -> Path:
    path.write_text(json.dumps(rows) if array else "".join(json.dumps(row) + "\n" for row in rows), "utf8")
    return path


def scores(task: str, path: Path, example: Example) -> dict[str, float]:
    made = Predicted(task, read(path))
    return made.scores(example, made.record(example), AT)


@pytest.mark.parametrize("array", [False, True])
@pytest.mark.parametrize(
    "row",
    [
        {"id": "1", "answer": "Mart"},
        {"_id": 1, "prediction": "Mart"},
        {"question_id": "1", "pred": "Mart"},
        {"utterance_id": "1", "predicted_answer": "Mart", "confidence": 1},
    ],
)
def test_records(tmp_path: Path, row: dict[str, Any], array: bool):
    said = read(written(tmp_path / "p.jsonl", row, {"id": "2", "answer": "x"}, array=array))
    assert said.of(Example("1", "?", ()))["answer"] == "Mart"
    assert said.of(Example("3", "?", ())) == {"answer": None}
    assert said.name == "p.jsonl" and len(said.digest) == 64


def test_one_object_on_a_line_or_several(tmp_path: Path):
    for indent in (None, 1):
        path = tmp_path / "p.json"
        path.write_text(json.dumps({"1": "Mart", "2": None, "3": "", "id": "4"}, indent=indent))
        said = read(path)
        assert [said.of(Example(id, "?", ()))["answer"] for id in ("1", "2", "3", "id")] == ["Mart", None, None, "4"]


def test_hotpotqa(tmp_path: Path):
    path = written(tmp_path / "p.json", {"answer": {"1": "Mart", "2": "Ann"}, "sp": {"1": [["A", 0], ["B", 1]]}})
    example = Example("1", "?", ("Mart",), facts=(("A", 0), ("C", 2)))
    assert scores("reading", path, example) == {
        "answered": 1.0, "EM": 1.0, "F1": 1.0, "facts EM": 0.0, "facts F1": 0.5, "joint EM": 0.0, "joint F1": 0.5,
    }  # fmt: skip
    other = scores("reading", path, Example("2", "?", ("Ann",), facts=(("A", 0),)))
    assert other == {"answered": 1.0, "EM": 1.0, "F1": 1.0}
    assert scores("asking", path, Example("9", "?", ("",), facts=(("A", 0),)))["EM"] == 0.0


def test_sets(tmp_path: Path):
    path = written(tmp_path / "p.jsonl", {"query": "birds", "docs": ["a", "x"]}, {"query": "fish", "docs": []})
    birds = Example("7", "birds", ("a", "b"), ("a", "b"))
    found = scores("finding", path, birds)
    assert (found["precision"], found["recall"], found["F1"]) == (0.5, 0.5, 0.5)
    assert (found["recall@1"], found["MRecall@2"]) == (0.5, 0.0)
    assert scores("finding", path, Example("8", "fish", ("c",)))["F1"] == 0.0
    assert scores("finding", path, Example("9", "none", ())) == {}
    ranked = scores("retrieval", path, birds)
    assert ranked["MRR"] == 1.0 and ranked["recall@2"] == 0.5
    assert scores("retrieval", path, Example("8", "fish", ("c",))) == {}


def test_pairs(tmp_path: Path):
    path = written(tmp_path / "p.json", {"1": "Mart", "2": "Ann", "3": None})
    gold = ("Mart",)
    assert scores("pairs", path, Example("1", "?", gold)) == {"coverage": 1.0, "EM": 1.0, "EM of covered": 1.0}
    assert scores("pairs", path, Example("2", "?", gold)) == {"coverage": 1.0, "EM": 0.0, "EM of covered": 0.0}
    assert scores("pairs", path, Example("3", "?", gold)) == {"coverage": 0.0, "EM": 0.0}


def test_what_is_no_file_of_predictions_is_refused(tmp_path: Path):
    with pytest.raises(UsageError):
        read(tmp_path / "none")
    for text in (
        "",
        "{}",
        "[]",
        '[{"answer": "secret"}]',
        '{"1": {"a": true}, "2": true',
        "[1]",
        '{"1": {"answer": {}}}',
    ):
        (tmp_path / "p.json").write_text(text)
        with pytest.raises(FormatError) as caught:
            read(tmp_path / "p.json")
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize("array", [False, True])
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("confidence", 1.5),
        ("confidence", -1),
        ("confidence", float("nan")),
        ("confidence", float("inf")),
        ("confidence", 10**400),
        ("confidence", "0.9"),
        ("confidence", True),
        ("confidence", [0.9]),
        ("seconds", -1),
        ("seconds", float("inf")),
        ("seconds", "1 s"),
    ],
)
def test_a_number_that_is_none_is_refused_with_its_record(tmp_path: Path, array: bool, field: str, value: object):
    rows = [{"id": "1", "answer": "secret"}, {"id": "2", "answer": "secret", field: value}]
    with pytest.raises(FormatError, match=rf"p\.json: record 2: the field `{field}` is not") as caught:
        read(written(tmp_path / "p.json", *rows, array=array))
    assert "secret" not in str(caught.value)
    whole = {"1": "secret", "2": {"answer": "secret", field: value}}
    with pytest.raises(FormatError, match=rf"record 2: the field `{field}` is not"):
        read(written(tmp_path / "p.json", whole))


def test_a_number_may_be_left_out_or_null(tmp_path: Path):
    path = written(tmp_path / "p", {"id": "1", "answer": "x", "confidence": None}, {"id": "2", "answer": "x"})
    assert read(path).of(Example("1", "?", ())) == read(path).of(Example("2", "?", ())) == {"answer": "x"}
    path = written(tmp_path / "p", {"id": "1", "answer": "x", "confidence": 1, "seconds": 0})
    assert read(path).of(Example("1", "?", ())) == {"answer": "x", "confidence": 1.0, "seconds": 0.0}


def test_facts_that_are_no_pairs_are_refused(tmp_path: Path):
    for facts in (None, [["A"]], [["A", "x"]], "A"):
        with pytest.raises(FormatError, match=r"record 1 \(sp\): the field `q`"):
            read(written(tmp_path / "p.json", {"answer": {"q": "x"}, "sp": {"q": facts}}))
