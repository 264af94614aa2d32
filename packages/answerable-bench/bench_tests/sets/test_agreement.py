import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable_bench.sets.rounds import fleiss_kappa, most, unanimous

rows = st.lists(st.lists(st.sampled_from("abc"), min_size=3, max_size=3), min_size=1, max_size=20)


def test_the_table_of_the_paper_that_defined_it():
    """Fleiss 1971's example as it is usually shown: 14 raters, 5 ratings, 10 things."""
    counts = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    rated = [[value for value, count in enumerate(row) for _ in range(count)] for row in counts]
    assert fleiss_kappa(rated) == pytest.approx(0.210, abs=0.001)


@given(rows)
def test_agreement_is_at_most_whole_and_does_not_depend_on_order(rated: list[list[str]]):
    kappa = fleiss_kappa(rated)
    assert kappa == pytest.approx(fleiss_kappa([list(reversed(row)) for row in reversed(rated)]))
    if kappa is not None:
        assert kappa <= 1 + 1e-9 and (kappa == pytest.approx(1)) == (unanimous(rated) == 1)


def test_nothing_is_said_of_what_nobody_or_one_person_rated():
    assert fleiss_kappa([]) is None is fleiss_kappa([["a"], ["b"]])
    assert fleiss_kappa([["a", "a"], ["a", "a"]]) is None
    assert unanimous([["a"]]) is None and unanimous([["a", "a"], ["a", "b"], ["c"]]) == 0.5
    assert fleiss_kappa([["a", "a", "b"], ["b", "b", "b"], ["a"]]) == fleiss_kappa([["a", "a", "b"], ["b", "b", "b"]])


def test_a_majority_is_more_than_half():
    assert most([True, True, False]) and not most([True, False]) and not most([])
