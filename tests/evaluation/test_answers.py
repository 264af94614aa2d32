from __future__ import annotations

import pytest

from answerable.evaluation.answers import exact, f1


@pytest.mark.parametrize(
    ("said", "gold", "em", "overlap"),
    [
        ("The Alan Stevenson.", ["alan stevenson"], 1.0, 1.0),
        ("Stevenson", ["Alan Stevenson", "Robert"], 0.0, 2 / 3),
        ("yes", ["yes indeed"], 0.0, 0.0),
        ("no", ["no"], 1.0, 1.0),
        ("", [], 1.0, 1.0),
        ("something", [], 0.0, 0.0),
        ("", ["something"], 0.0, 0.0),
        ("a b b", ["b b c"], 0.0, 0.8),
    ],
)
def test_agrees_with_the_official_scripts_by_hand(said: str, gold: list[str], em: float, overlap: float) -> None:
    assert exact(said, gold) == em
    assert f1(said, gold) == pytest.approx(overlap)
