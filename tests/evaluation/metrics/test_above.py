"""How far two groups of scores stand apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.evaluation.metrics.confidence import above

SCORES = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=12)


def test_apart_and_over_each_other():
    assert above([3.0, 4.0], [1.0, 2.0]) == 1.0 and above([1.0], [2.0, 3.0]) == 0.0
    assert above([1.0, 2.0], [1.0, 2.0]) == 0.5 and above([1.0, 4.0], [2.0, 4.0]) == pytest.approx(
        (0 + 0 + 1 + 0.5) / 4
    )
    assert above([], [1.0]) is None and above([1.0], []) is None


@given(SCORES, SCORES)
def test_every_pair_is_compared(ones: list[float], others: list[float]):
    pairs = [1.0 if one > other else 0.5 if one == other else 0.0 for one in ones for other in others]
    assert above(ones, others) == pytest.approx(sum(pairs) / len(pairs))
    assert above(others, ones) == pytest.approx(1.0 - sum(pairs) / len(pairs))
