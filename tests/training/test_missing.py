from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import FormatError
from answerable.selective.missing_features import NAMES
from answerable.training.selector import Shown, fit_predictor, likely_from, needed


@pytest.mark.parametrize(
    ("slice", "order", "step", "whole"),
    [
        ("PG", "given", True, True),
        ("PP", "unknown", False, False),
        ("GP", "answer", False, True),
        ("GG", "free", False, True),
        ("GPP", "given", False, True),
        ("GPG", "given", True, True),
        ("G+P", "free", False, True),
        ("G+P", "unknown", None, True),
        ("", "", None, None),
    ],
)
def test_what_privacy_keeps_from_a_question(slice: str, order: str, step: bool | None, whole: bool | None) -> None:
    assert needed(slice, order, whole=False) is step
    assert needed(slice, order, whole=True) is whole


def shown(value: float, mark: bool | None, whole: bool, sure: float = 0.1) -> tuple[float, Shown]:
    return sure, Shown((value,) + (0.5,) * (len(NAMES) - 1), whole, mark)


def test_each_kind_of_refusal_is_learned_apart() -> None:
    rows = [shown(float(i % 2), i % 2 == 1, False) for i in range(60)] + [
        shown(float(i % 2), i % 2 == 0, True) for i in range(60)
    ]
    made = fit_predictor([*rows, shown(0.0, None, False)], 0.5, "made up")
    low, high = (0.1, *shown(0.0, None, False)[1].signs), (0.1, *shown(1.0, None, False)[1].signs)
    assert made.step.probability(low) < made.step.threshold <= made.step.probability(high)
    assert made.question.probability(high) < made.question.threshold <= made.question.probability(low)
    with pytest.raises(FormatError, match="under each privacy"):
        fit_predictor(rows[:60], 0.5, "made up")


def test_it_is_said_where_that_is_right_most_often_among_those_not_sure() -> None:
    rows = [shown(i / 100, i >= 50, whole) for i in range(100) for whole in (False, True)]
    sure = [shown(i / 100, i % 2 == 0, whole, 0.9) for i in range(100) for whole in (False, True)]
    made = fit_predictor([*rows, *sure], 0.5, "made up")
    said = [made.step.probability((0.1, *one.signs)) >= made.step.threshold for _, one in rows[::2]]
    assert sum(mark == (i >= 50) for i, mark in enumerate(said)) > 90


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.3, 0.5, 0.9]), st.booleans()), min_size=1, max_size=30))
def test_no_other_probability_tells_better(rows: list[tuple[float, bool]]) -> None:
    needing, others = [p for p, m in rows if m], [p for p, m in rows if not m]

    def gain(least: float) -> float:
        shares = [sum(p >= least for p in ones) / max(1, len(ones)) for ones in (needing, others)]
        return shares[0] - shares[1]

    chosen = likely_from([p for p, _ in rows], [m for _, m in rows])
    if needing and others:
        assert gain(chosen) == pytest.approx(max(0.0, *(gain(p) for p, _ in rows)))
    else:
        assert chosen == 1.0
