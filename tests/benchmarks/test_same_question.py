"""How many paraphrases and near misses a test keeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from answerable.qapairs.verify import by_words
from same_question import Case, development, figures, read_cases, share


def test_figures_by_kind() -> None:
    cases = [
        Case("Who lit it?", "who lit it", True, "typed"),
        Case("By whom was the lamp lit?", "Who lit it?", True, "passive"),
        Case("Who did not light it?", "Who did light it?", False, "negation"),
    ]
    found = figures(cases, by_words)
    assert found["paraphrases kept"]["share"] == 50.0 and found["paraphrases kept"]["n"] == 2
    assert found["near misses kept, by kind"]["negation"]["share"] == 0.0
    assert found["paraphrases kept, by kind"]["typed"]["share"] == 100.0


def test_an_interval_holds_the_share() -> None:
    assert share([]) == {"n": 0}
    told = share([True] * 5 + [False] * 95)["share"]
    assert told == 5.0 and (told.low, told.high) == pytest.approx((2.15, 11.18), abs=0.01)


def test_both_forms_of_cases_are_read(tmp_path: Path) -> None:
    rows = [
        {"a": "Who?", "b": "By whom?", "same": True, "kind": "passive", "answer": "Jaan"},
        {"asked": "Who?", "question": "When?", "same": False, "kind": "type"},
    ]
    (tmp_path / "cases.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert read_cases(tmp_path / "cases.jsonl") == [
        Case("Who?", "By whom?", True, "passive"),
        Case("Who?", "When?", False, "type"),
    ]


def test_development_is_of_both() -> None:
    assert {one.same for one in development()} == {True, False}
