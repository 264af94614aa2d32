"""The boxed formulas of appendix B, held to what sets drawn at random do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import UsageError
from answerable_bench.sets.recall import (
    largest_overlap,
    precision,
    precision_seen,
    seen,
    table,
)
from answerable_bench.sets.settings import SetPlan

shares = st.floats(0.05, 0.95)


def test_the_example_of_the_paper():
    assert precision(0.95, 0.8) > 0.83
    assert largest_overlap(0.95, 0.83) >= SetPlan().overlap == 0.8
    assert table((0.95,))[0.8] == (precision(0.95, 0.8),)


@given(shares, shares, shares, st.integers(0, 2**31))
def test_sets_drawn_at_random_do_as_the_formulas_say(first: float, second: float, overlap: float, seed: int):
    rng, size = np.random.default_rng(seed), 40_000
    in_b = rng.random(size) < overlap  # everything here is in A
    found_a = rng.random(size) < first
    found_b = in_b & (rng.random(size) < second)
    found, true = found_a & ~found_b, ~in_b
    right = (found & true).sum()
    assert right / true.sum() == pytest.approx(first, abs=0.06)
    assert right / found.sum() == pytest.approx(precision(second, overlap), abs=0.06)
    assert (found_a & found_b).sum() / found_a.sum() == pytest.approx(seen(second, overlap), abs=0.06)


@given(shares, shares)
def test_the_largest_overlap_is_where_precision_meets_what_is_wanted(second: float, wanted: float):
    limit = largest_overlap(second, wanted)
    assert precision(second, limit) == pytest.approx(wanted)
    assert precision(second, limit * 0.99) > wanted
    assert precision(second, 1 - 0.99 * (1 - limit)) < wanted


@given(shares, shares)
def test_found_sets_show_less_than_they_share(second: float, overlap: float):
    shown = seen(second, overlap)
    assert shown <= overlap
    assert precision_seen(second, shown) == pytest.approx(precision(second, overlap))
    assert precision_seen(second, 1.0) == 0.0


def test_what_is_wholly_known_costs_nothing_and_shares_are_shares():
    assert precision(1.0, 0.9) == 1.0 == precision(1.0, 1.0)
    assert largest_overlap(1.0, 1.0) == 1.0
    for wrong in (-0.1, 1.1):
        with pytest.raises(UsageError, match="recall"):
            precision(wrong, 0.5)
        with pytest.raises(UsageError, match="overlap"):
            precision(0.5, wrong)
