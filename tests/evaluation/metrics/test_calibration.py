from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import UsageError
from answerable.evaluation.metrics.confidence import Bin, expected_calibration_error, reliability

ANSWERS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40)


def test_worked_out_by_hand() -> None:
    confidences, right = [0.95, 0.95, 0.65, 0.0], [True, False, True, False]
    assert expected_calibration_error(confidences, right) == pytest.approx(2 / 4 * 0.45 + 1 / 4 * 0.35)
    assert reliability(confidences, right)[0] == Bin(0.0, 0.1, 1, 0.0, 0.0)


@pytest.mark.parametrize("bins", [1, 3, 10, 15])
def test_a_border_belongs_to_the_bin_below(bins: int) -> None:
    for number in range(1, bins + 1):
        (only,) = reliability([number / bins], [True], bins)
        assert (only.low, only.high) == ((number - 1) / bins, number / bins)


def test_the_definition_on_two_hundred_sets_of_answers() -> None:
    chance = random.Random(22)
    for _ in range(200):
        bins, size = chance.choice([1, 2, 5, 10, 15]), chance.randint(1, 30)
        confidences = [chance.choice([chance.random(), chance.randint(0, 10) / 10]) for _ in range(size)]
        right = [chance.random() < c for c in confidences]
        error = Fraction(0)
        for number in range(bins):
            low, high = number / bins, (number + 1) / bins
            inside = [n for n, c in enumerate(confidences) if low < c <= high or c == low == 0]
            gap = sum(Fraction(right[n]) - Fraction(confidences[n]) for n in inside)
            error += abs(gap) / size
        assert expected_calibration_error(confidences, right, bins) == pytest.approx(float(error), rel=1e-12, abs=1e-15)


@given(ANSWERS, st.randoms(), st.integers(1, 20))
def test_neither_order_nor_asking_twice_matters(
    answers: list[tuple[float, bool]], chance: random.Random, bins: int
) -> None:
    confidences, right = [c for c, _ in answers], [r for _, r in answers]
    error = expected_calibration_error(confidences, right, bins)
    assert 0 <= error <= 1
    shuffled = answers * 2
    chance.shuffle(shuffled)
    twice = expected_calibration_error([c for c, _ in shuffled], [r for _, r in shuffled], bins)
    assert twice == pytest.approx(error, rel=1e-12, abs=1e-15)


def test_perfect_and_hopeless_confidence() -> None:
    assert expected_calibration_error([1.0, 0.0, 1.0], [True, False, True]) == 0.0
    assert expected_calibration_error([1.0, 0.0], [False, True]) == 1.0
    assert expected_calibration_error([0.5] * 4, [True, False] * 2) == 0.0


@pytest.mark.parametrize(
    ("confidences", "right", "bins"),
    [
        ([], [], 10),
        ([0.5], [], 10),
        ([1.5], [True], 10),
        ([float("nan")], [True], 10),
        ([0.5], [2.0], 10),
        ([1], [1], 0),
    ],
)
def test_what_cannot_be_binned_is_refused(confidences: list[float], right: list[float], bins: int) -> None:
    with pytest.raises(UsageError):
        expected_calibration_error(confidences, right, bins)
