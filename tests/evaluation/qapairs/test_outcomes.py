"""Systems side by side, on cases small enough to work out by hand."""

import pytest

from answerable.errors import UsageError
from answerable.evaluation.qapairs.outcomes import (
    Outcomes,
    backed_off,
    differences,
    selective,
)


def outcomes(right: str, confidences: list[float], seconds: float, given: str = "") -> Outcomes:
    marks = tuple(float(one == "1") for one in right)
    gives = tuple(one == "1" for one in given or right)
    ids = tuple(str(n) for n in range(len(right)))
    return Outcomes(ids, marks, marks, tuple(confidences), gives, (seconds,) * len(right))


FAST = outcomes("1100", [0.9, 0.8, 0.5, 0.2], 0.001)
SLOW = outcomes("1110", [0.6, 0.6, 0.6, 0.6], 0.1)


def test_back_off_takes_the_first_where_it_is_sure():
    both = backed_off(FAST, SLOW, 0.8)
    assert (both.share, both.em, both.right) == (0.5, 0.75, (1.0, 1.0, 1.0, 0.0))
    assert both.rate == pytest.approx(4 / (4 * 0.001 + 2 * 0.1))
    assert backed_off(FAST, SLOW, 2.0).right == SLOW.right and backed_off(FAST, SLOW, 0.0).right == FAST.right


def test_without_a_threshold_the_first_decides_for_itself():
    assert backed_off(outcomes("1101", [0.9, 0.8, 0.5, 0.2], 0.001, "0101"), SLOW, None).share == 0.5


def test_one_system_is_put_in_order_by_how_sure_another_is():
    found = selective({"pairs": FAST, "engine": SLOW}, [("engine", "pairs")])
    assert found["engine"]["risk at coverage"]["1"] == 0.25
    assert found["engine by pairs"]["risk at coverage"]["0.75"] == 0.0
    assert found["engine by pairs"]["area"] == pytest.approx(0.25 * 0.25)
    assert found["engine"]["area"] == pytest.approx(0.25)


def test_differences_are_held_against_one():
    found = differences({"a": FAST.right, "b": (1.0,) * 4}, "a")
    assert list(found) == ["b"] and found["b"]["mean"] == 0.5 and 0.4 < found["b"]["p by swaps"] < 0.6


def test_other_questions_cannot_be_put_together():
    with pytest.raises(UsageError, match="not asked the same"):
        backed_off(FAST, outcomes("11", [0.1, 0.2], 1), 0.5)
