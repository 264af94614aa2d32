"""Reciprocal rank fusion: the formula and its invariances."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import UsageError
from answerable.indexes.index import fuse, placed

RANKINGS = st.lists(
    st.lists(st.sampled_from("abcdefgh"), unique=True).map(lambda ids: [(id, 0.0) for id in ids]), max_size=4
)


def test_the_formula() -> None:
    fused = fuse([[("a", 9.0), ("b", 8.0)], [("b", 0.3), ("c", 0.2)]], 3)
    assert fused == [("b", 1 / 62 + 1 / 61), ("a", 1 / 61), ("c", 1 / 62)]


def test_weights_multiply() -> None:
    assert fuse([[("a", 1.0)], [("b", 1.0)]], 2, weights=[1.0, 2.0]) == [("b", 2 / 61), ("a", 1 / 61)]
    with pytest.raises(UsageError, match="1 weights"):
        fuse([[], []], 2, weights=[1.0])


def test_scores_by_place_are_those_of_a_passage_in_that_place_of_both_rankings() -> None:
    assert placed([("b", 9.0), ("a", 9.0), ("c", -1.0)]) == [("b", 2 / 61), ("a", 2 / 62), ("c", 2 / 63)]
    assert placed([("a", 0.5)]) == fuse([[("a", 9.0)], [("a", 0.1)]], 1) and placed([]) == []


def test_nothing_gives_nothing() -> None:
    assert fuse([], 5) == fuse([[], []], 5) == fuse([[("a", 1.0)]], 0) == []


@given(RANKINGS)
def test_the_order_of_two_rankings_does_not_matter(rankings: list[list[tuple[str, float]]]) -> None:
    two = rankings[:2]
    assert fuse(two, 8) == fuse(two[::-1], 8)


@given(RANKINGS, st.integers(0, 9))
def test_fewer_are_the_first_of_more_and_each_comes_once(rankings: list[list[tuple[str, float]]], k: int) -> None:
    every = fuse(rankings, 100)
    assert fuse(rankings, k) == every[:k]
    assert sorted(id for id, _ in every) == sorted({id for ranking in rankings for id, _ in ranking})


@given(RANKINGS)
def test_scores_of_the_rankings_do_not_matter(rankings: list[list[tuple[str, float]]]) -> None:
    scaled = [[(id, 7.0 - 3 * n) for n, (id, _) in enumerate(ranking)] for ranking in rankings]
    assert fuse(scaled, 8) == fuse(rankings, 8)
