from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from answerable.cli import evaluate_split
from answerable.cli.options import command
from answerable.datasets.examples import Example
from answerable.errors import UsageError
from answerable.evaluation.enclave_splits import Plan, split
from answerable.evaluation.runs import Header, writing
from answerable.evaluation.slices import ALL, by_slice, cost, grouped, ordered, read, table

SLICES = {"a": "PP", "b": "PG", "c": "PG", "d": "GG"}
MARKS = {
    "a": {"em": 1.0, "f1": 1.0},
    "b": {"em": 0.0, "f1": 0.5, "recall": 1.0},
    "c": {"em": 0.0, "f1": 0.25},
    "d": {"em": 1.0, "f1": 1.0, "recall": 0.0},
}


def test_means_of_all_and_of_each() -> None:
    found = {one.name: (one.questions, dict(one.means)) for one in by_slice(SLICES, MARKS)}
    assert found == {
        ALL: (4, {"em": 0.5, "f1": 0.6875, "recall": 0.5}),
        "PP": (1, {"em": 1.0, "f1": 1.0}),
        "PG": (2, {"em": 0.0, "f1": 0.375, "recall": 1.0}),
        "GG": (1, {"em": 1.0, "f1": 1.0, "recall": 0.0}),
    }
    assert list(found) == [ALL, "PP", "PG", "GG"]


def test_a_run_of_another_split_is_refused() -> None:
    with pytest.raises(UsageError, match="1 of 5 questions"):
        by_slice(SLICES, {**MARKS, "z": {"em": 1.0}})


def test_a_run_of_some_of_the_questions_is_fine() -> None:
    assert [one.questions for one in by_slice(SLICES, {"b": {"em": 1.0}})] == [1, 1]


def test_the_papers_cost() -> None:
    assert cost(75.3, 68.3) == pytest.approx(0.093, abs=1e-3)
    assert cost(53.0, 43.0) == pytest.approx(0.189, abs=1e-3)
    assert cost(0, 0) == 0 and cost(0.5, 0.6) < 0


def test_order_of_the_slices() -> None:
    assert ordered({"G+P", "GGP", "GG", "P", "PG", ALL, "GP", "PP"}) == [
        ALL, "PP", "PG", "GP", "GG", "P", "GGP", "G+P",
    ]  # fmt: skip


def test_the_table() -> None:
    none = by_slice(SLICES, MARKS)
    document = by_slice(SLICES, {"a": {"f1": 1.0}})
    assert table({"none": none, "document": document}, "f1") == (
        "| f1 | all | PP | PG | GG |\n| --- | ---: | ---: | ---: | ---: |\n| questions | 4 | 1 | 2 | 1 |\n"
        "| none | 68.8 | 100.0 | 37.5 | 100.0 |\n| document | 100.0 | 100.0 | – | – |\n"
    )


@given(
    st.dictionaries(st.integers().map(str), st.tuples(st.sampled_from(["PP", "PG", "G+P"]), st.floats(0, 1))),
    st.randoms(use_true_random=False),
)
def test_slices_part_the_questions_and_their_order_is_nothing(rows: dict[str, tuple[str, float]], chance) -> None:  # type: ignore[no-untyped-def]
    slices = {id: name for id, (name, _) in rows.items()}
    values = {id: value for id, (_, value) in rows.items()}
    groups = grouped(slices, values)
    assert sorted(v for name, ones in groups.items() if name != ALL for v in ones) == sorted(groups[ALL])
    keys = list(values)
    chance.shuffle(keys)
    again = grouped(slices, {id: values[id] for id in keys})
    assert {name: sorted(ones) for name, ones in again.items()} == {name: sorted(v) for name, v in groups.items()}


def a_run(path: Path, rows: dict[str, tuple[float, float]], **kept: object) -> Path:
    """A run of questions with their confidence and F1."""
    with writing(path, Header("asking", {}, {}, {})) as run:
        for id, (sure, f1) in rows.items():
            scores = {"F1": f1, "guess F1": f1}
            run.append({"id": id, "question": "Is it so?", "confidence": sure, "scores": scores, **kept})
    return path


FREE = {"a": (0.9, 1.0), "b": (0.8, 1.0), "c": (0.3, 0.0), "d": (0.7, 1.0)}
KEPT = {"a": (0.9, 1.0), "b": (0.1, 0.0), "c": (0.3, 0.0), "d": (0.7, 1.0)}


def test_risk_by_slice(tmp_path: Path) -> None:
    free = read(a_run(tmp_path / "free", FREE), SLICES)
    kept = {one.name: one.means for one in read(a_run(tmp_path / "kept", KEPT), SLICES, free)}
    assert {one.name: one.means["coverage to match"] for one in free} == {ALL: 1.0, "PP": 1.0, "PG": 1.0, "GG": 1.0}
    assert kept[ALL]["coverage to match"] == 0.5  # F1 0.75 without privacy: two of four at F1 1, three at 2/3
    assert kept[ALL]["area"] == pytest.approx((0 + 0 + 1 / 3 + 1 / 2) / 4)
    assert kept["PG"]["area"] == 1.0 and kept["PG"]["coverage to match"] == 0.0
    assert kept["PG"]["guess F1"] == 0.0


def test_a_run_without_answers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no answers yet"):
        read(a_run(tmp_path / "empty", {}), SLICES)


def test_the_command(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"_id": "d", "text": "It is so."}\n')
    split([corpus], [Example(id, "Is it so?", ("so",), ("d",)) for id in FREE], tmp_path / "split", Plan(share=1))
    runs = [str(a_run(tmp_path / f"{name}.jsonl", rows)) for name, rows in (("free", FREE), ("kept", KEPT))]
    app = typer.Typer()
    app.command()(command(evaluate_split.slices))
    given = [*runs, "--split", str(tmp_path / "split")]
    found = json.loads(CliRunner().invoke(app, [*given, "--json"], catch_exceptions=False).stdout)
    assert found["runs"]["kept"]["P"]["questions"] == 4
    assert found["runs"]["kept"]["all"]["guess F1"] == 0.5
    said = CliRunner().invoke(app, given, catch_exceptions=False).stdout
    assert "| free | 75.0 | 75.0 |" in said and "kept: 33.3 % of the F1 of free lost" in said
    assert "AUROC" not in said and "methods" not in found["runs"]["kept"]["all"]  # not kept by these runs
    assert isinstance(CliRunner().invoke(app, [runs[0], *given]).exception, UsageError)
    runs.append(str(a_run(tmp_path / "newer.jsonl", KEPT, confidences={"softmax": 0.3, "grouped": 0.4})))
    given = [*runs, "--split", str(tmp_path / "split")]
    found = json.loads(CliRunner().invoke(app, [*given, "--json"], catch_exceptions=False).stdout)
    assert list(found["runs"]["newer"]["P"]["methods"]) == ["softmax", "grouped"]
    assert found["runs"]["newer"]["all"]["methods"]["softmax"]["area"] == 0.5  # all are as sure: the mean loss
    said = CliRunner().invoke(app, given, catch_exceptions=False).stdout
    assert "| newer, grouped | 50.0 | 50.0 |" in said
