from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import UsageError
from answerable.evaluation.metrics.confidence import auroc

ROWS = st.lists(st.tuples(st.integers(-3, 3).map(float), st.booleans()), min_size=2, max_size=30).filter(
    lambda rows: len({mark for _, mark in rows}) == 2
)


def test_by_hand() -> None:
    assert auroc([0.9, 0.8, 0.3, 0.1], [True, True, False, False]) == 1.0
    assert auroc([0.9, 0.8, 0.3, 0.1], [True, False, True, False]) == 0.75
    assert auroc([0.5, 0.5, 0.5], [True, False, True]) == 0.5
    assert auroc([0.1, 0.9], [True, False]) == 0.0


@given(ROWS)
def test_it_is_the_chance_that_one_of_the_first_kind_is_above_one_of_the_second(rows: list[tuple[float, bool]]) -> None:
    scores, marks = [s for s, _ in rows], [m for _, m in rows]
    pairs = [(a > b) + (a == b) / 2 for a, first in rows if first for b, other in rows if not other]
    assert auroc(scores, marks) == pytest.approx(sum(pairs) / len(pairs))
    assert auroc([-s for s in scores], marks) == pytest.approx(1 - auroc(scores, marks))
    assert auroc([3 * s + 1 for s in scores], marks) == auroc(scores, marks)


@pytest.mark.parametrize(
    ("scores", "marks", "said"),
    [
        ([0.1], [True, False], "do not go together"),
        ([0.1, float("nan")], [True, False], "finite"),
        ([0.1, 0.2], [True, True], "one kind"),
        ([], [], "one kind"),
    ],
)
def test_what_makes_no_area_is_refused(scores: list[float], marks: list[bool], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        auroc(scores, marks)
