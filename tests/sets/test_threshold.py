"""How many documents to give: held against every subset and every outcome, counted one by one."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.sets.threshold import best_count, count_interval, distribution, expected_f1

several = st.lists(st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1)), max_size=5)


def by_counting(shares: list[float], given: frozenset[int]) -> float:
    """The expected F1 of giving these documents, over every outcome."""
    total = 0.0
    for outcome in product((0, 1), repeat=len(shares)):
        chance = float(np.prod([p if fits else 1 - p for p, fits in zip(shares, outcome, strict=True)]))
        right = sum(outcome[one] for one in given)
        size = len(given) + sum(outcome)
        total += chance * (2 * right / size if size else 1.0)
    return total


@given(shares=several)
@settings(max_examples=50)
def test_expected_f1_is_that_of_every_outcome(shares) -> None:
    ordered = sorted(shares, reverse=True)
    found = expected_f1(np.array(ordered))
    assert found.shape == (len(shares) + 1,)
    for k, one in enumerate(found):
        assert one == pytest.approx(by_counting(ordered, frozenset(range(k))), abs=1e-9)


@given(shares=st.lists(st.floats(0, 1), max_size=4))
@settings(max_examples=40)
def test_no_subset_is_better(shares) -> None:
    ordered = sorted(shares, reverse=True)
    numbers = range(len(ordered))
    every = (frozenset(some) for size in range(1, len(ordered) + 1) for some in combinations(numbers, size))
    best = max((by_counting(ordered, one) for one in every), default=1.0)
    assert by_counting(ordered, frozenset(range(best_count(np.array(ordered))))) == pytest.approx(best, abs=1e-9)


@given(shares=st.lists(st.one_of(st.just(0.5), st.floats(0, 1)), max_size=40))
def test_what_is_as_likely_as_not_is_always_given(shares) -> None:
    ordered = np.array(sorted(shares, reverse=True))
    assert best_count(ordered) >= int((ordered >= 0.5).sum())


@given(shares=several)
def test_the_distribution_is_that_of_every_outcome(shares) -> None:
    counted = np.zeros(len(shares) + 1)
    for outcome in product((0, 1), repeat=len(shares)):
        counted[sum(outcome)] += np.prod([p if fits else 1 - p for p, fits in zip(shares, outcome, strict=True)])
    assert np.allclose(distribution(np.array(shares)), counted)


@given(shares=st.lists(st.floats(0, 1), max_size=30), mass=st.sampled_from([0.5, 0.9, 0.99]))
def test_the_interval_holds_what_it_says(shares, mass) -> None:
    low, high = count_interval(np.array(shares), mass)
    counted = distribution(np.array(shares))
    assert 0 <= low <= high <= len(shares)
    assert counted[low : high + 1].sum() >= mass - 1e-9
    assert counted[:low].sum() <= (1 - mass) / 2 + 1e-9 and counted[high + 1 :].sum() <= (1 - mass) / 2 + 1e-9


def test_what_is_unlikely_is_given_where_nothing_is_likely() -> None:
    assert best_count(np.array([0.4, 0.4, 0.4, 0.4])) == 4
    assert best_count(np.array([0.9, 0.9, 0.4])) == 2
    assert best_count(np.array([0.1, 0.05])) == 2  # most likely there is none among these, but who knows the others
    assert best_count(np.array([])) == 0
    assert count_interval(np.array([])) == (0, 0)


def test_many_documents_take_no_time_to_speak_of() -> None:
    shares = np.sort(np.random.default_rng(1).beta(0.2, 2, 400))[::-1]
    expected = expected_f1(shares)
    assert np.isfinite(expected).all() and expected.max() <= 1
    rng = np.random.default_rng(2)  # against chance: 4,000 outcomes
    k = best_count(shares)
    outcomes = rng.random((4000, len(shares))) < shares
    drawn = 2 * outcomes[:, :k].sum(1) / (k + outcomes.sum(1))
    assert expected[k] == pytest.approx(drawn.mean(), abs=4 * drawn.std() / 63)
