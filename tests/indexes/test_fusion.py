"""Words and vectors in one score: the formula and its invariances."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.indexes.index import WORDS, best, placed, weighed

IDS = st.sampled_from("abcdefgh")
SHARES = st.dictionaries(IDS, st.floats(0, 1))
PRODUCTS = st.dictionaries(IDS, st.floats(-1, 1))


def test_the_formula() -> None:
    found = weighed([("a", 0.8), ("b", 0.2)], {"b": 0.9, "c": -0.5}, 3)
    assert found == [("a", WORDS * 0.8), ("b", WORDS * 0.2 + (1 - WORDS) * 0.9), ("c", (1 - WORDS) * -0.5)]


def test_scores_by_place_say_the_place_alone() -> None:
    assert placed([("b", 9.0), ("a", 9.0), ("c", -1.0)]) == [("b", 2 / 61), ("a", 2 / 62), ("c", 2 / 63)]
    assert placed([]) == []


def test_nothing_gives_nothing() -> None:
    assert weighed([], {}, 5) == weighed([("a", 1.0)], {}, 0) == []


@given(SHARES, PRODUCTS, st.integers(0, 9))
def test_fewer_are_the_first_of_more_and_each_comes_once(
    words: dict[str, float], vectors: dict[str, float], k: int
) -> None:
    every = weighed([*words.items()], vectors, 100)
    assert weighed([*words.items()], vectors, k) == every[:k]
    assert sorted(id for id, _ in every) == sorted({*words, *vectors})


@given(SHARES, PRODUCTS, st.data())
def test_two_indexes_together_rank_as_one(
    words: dict[str, float], vectors: dict[str, float], data: st.DataObject
) -> None:
    here = data.draw(st.sets(IDS))

    def part(inside: bool) -> list[tuple[str, float]]:
        own = [(id, share) for id, share in words.items() if (id in here) == inside]
        return weighed(own, {id: one for id, one in vectors.items() if (id in here) == inside}, 8)

    assert best([*part(True), *part(False)], 8) == weighed([*words.items()], vectors, 8)


def test_a_passage_that_has_both_comes_before_one_that_has_either() -> None:
    (first, _), *_ = weighed([("a", 0.5), ("b", 0.5)], {"b": 0.5, "c": 0.5}, 3)
    assert first == "b"
    assert pytest.approx(1.0) == weighed([("a", 1.0)], {"a": 1.0}, 1)[0][1]
