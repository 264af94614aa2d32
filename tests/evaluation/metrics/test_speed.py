from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import UsageError
from answerable.evaluation.metrics.speed import percentiles, questions_per_second

TIMES = st.lists(st.floats(0, 100), min_size=1, max_size=50)


def test_worked_out_by_hand() -> None:
    assert questions_per_second(30, 12.0) == 2.5 and questions_per_second(0, 1.0) == 0.0
    assert percentiles([0.4, 0.1, 0.3, 0.2]) == {50: 0.2, 90: 0.4, 95: 0.4, 99: 0.4}
    assert percentiles([n / 100 for n in range(100, 0, -1)], [1, 50, 99, 100]) == {1: 0.01, 50: 0.5, 99: 0.99, 100: 1.0}


@given(TIMES, st.randoms(), st.integers(1, 100))
def test_neither_order_nor_asking_twice_matters(times: list[float], chance: object, p: int) -> None:
    shuffled = times * 2
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert percentiles(shuffled, [p]) == percentiles(times, [p])


@given(TIMES, st.integers(1, 99))
def test_a_percentile_is_the_shortest_time_that_covers_the_share(times: list[float], p: int) -> None:
    value = percentiles(times, [p])[p]
    assert value in times
    assert 100 * sum(t <= value for t in times) >= p * len(times)
    assert 100 * sum(t < value for t in times) < p * len(times)
    assert value <= percentiles(times, [p + 1])[p + 1]


def test_what_was_not_timed_is_refused() -> None:
    for seconds in (0.0, -1.0, float("nan")):
        with pytest.raises(UsageError, match="no rate"):
            questions_per_second(3, seconds)
    with pytest.raises(UsageError, match="no question was timed"):
        percentiles([])
    for p in (0, 101):
        with pytest.raises(UsageError, match=f"no percentile {p}"):
            percentiles([1.0], [p])
