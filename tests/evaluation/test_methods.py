from __future__ import annotations

from pathlib import Path

import pytest

from answerable.errors import FormatError, UsageError
from answerable.evaluation.runs import Header, Scored, scored, writing
from answerable.evaluation.slices import MEASURES, Judged, measured, methods_of, sure_by_slice

RIGHT = {"softmax": 0.4, "grouped": 0.9, "learned": 0.6}
WRONG = {"softmax": 0.5, "grouped": 0.2, "learned": 0.6}


def one(id: str, confidences: dict[str, float] | None, f1: float) -> Scored:
    return Scored(id, "Is it so?", {"guess F1": f1, "guess right": float(f1 == 1)}, "x", 0.5, confidences)


def test_the_same_guesses_in_the_order_of_each_method() -> None:
    found = measured([Judged(RIGHT, 0.0, True), Judged(WRONG, 1.0, False)])
    assert list(found) == ["softmax", "grouped", "learned"]
    assert {method: figures["AUROC"] for method, figures in found.items()} == {
        "softmax": 0.0,
        "grouped": 1.0,
        "learned": 0.5,
    }
    assert found["grouped"]["area"] == 0.25 and found["softmax"]["area"] == 0.75
    assert found["softmax"][MEASURES[1]] == 1.0 and found["grouped"][MEASURES[1]] == 1.0
    assert "AUROC" not in measured([Judged(RIGHT, 0.0, True)])["softmax"]


def test_a_question_without_any_answer_is_the_least_sure() -> None:
    found = measured([Judged(RIGHT, 0.0, True), Judged({}, 1.0, False)])
    assert all(figures["AUROC"] == 1.0 for figures in found.values())
    assert methods_of([{}, {}]) == [] and measured([]) == {}


def test_a_method_that_some_runs_have_not_is_left_out() -> None:
    assert methods_of([{**RIGHT, "paths": 0.1}, RIGHT]) == ["softmax", "grouped", "learned"]


def test_by_slice_and_none_for_an_older_run() -> None:
    slices = {"a": "PG", "b": "PG", "c": "GG", "d": ""}
    found = sure_by_slice(
        slices, [one("a", RIGHT, 1.0), one("b", WRONG, 0.5), one("c", RIGHT, 1.0), one("d", RIGHT, 0.0)]
    )
    assert list(found) == ["all", "PG", "GG"]
    assert found["PG"]["softmax"]["area"] == pytest.approx((0.5 + 0.25) / 2)
    assert sure_by_slice(slices, [one("a", None, 1.0)]) == {}
    with pytest.raises(UsageError, match="not in the split"):
        sure_by_slice({}, [one("a", RIGHT, 1.0)])


def test_confidences_changed_by_hand_are_refused(tmp_path: Path) -> None:
    for damaged in ({"softmax": 2.0}, {"softmax": "sure"}, [0.5], 0.5):
        path = tmp_path / "run"
        with writing(path, Header("asking", {}, {}, {}), fresh=True) as run:
            run.append({"id": "a", "question": "?", "scores": {}, "answer": None, "confidences": damaged})
        with pytest.raises(FormatError, match="`confidences`"):
            list(scored(path))
