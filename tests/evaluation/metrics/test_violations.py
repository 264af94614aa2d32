"""Which constraints wrong documents break."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.evaluation.metrics.violations import Violations, broken, ranked_above
from answerable.sets.expression import And, Atom, Expression, Minus, Or, members

SETS = {"red": frozenset("abc"), "round": frozenset("bcd"), "sweet": frozenset("ce")}
QUERY = Minus(And((Atom("red"), Atom("round"))), Atom("sweet"))  # b alone


@pytest.mark.parametrize(
    ("document", "count", "negated"),
    [("a", 1, False), ("b", 0, False), ("c", 1, True), ("e", 3, True), ("z", 2, False)],
)
def test_a_document_breaks_what_it_does_not_fit_and_what_is_taken_away_that_it_fits(
    document: str, count: int, negated: bool
):
    found = broken(document, QUERY, SETS)
    assert (len(found), any(found)) == (count, negated)


def test_what_stands_above_a_right_one():
    assert ranked_above("xaybz", "ab") == ["x", "y"]
    assert ranked_above("xaybz", "ab", k=3) == ["x"]
    assert ranked_above("xyz", "ab") == [] == ranked_above("", "ab") == ranked_above("abx", "ab")


def test_shares_are_of_those_that_break_any():
    found = Violations()
    found.add(["a", "c", "e", "b"], QUERY, SETS)
    found.add(["a"], Atom("unheard of"), SETS)
    found.add(["a"], None, SETS)
    assert (found.queries, found.unjudged, found.breaking, found.broken[0]) == (1, 2, 3, 1)
    assert found.shares() == {"1": 2 / 3, "2": 0.0, "3": 1 / 3, "negated": 2 / 3}
    assert Violations().shares() == {}


ATOMS = st.sampled_from([Atom(name) for name in SETS])
CONJUNCTIONS = st.lists(ATOMS, min_size=2, max_size=3, unique=True).map(lambda parts: And(tuple(parts)))
QUERIES = st.one_of(ATOMS, CONJUNCTIONS, st.builds(Minus, CONJUNCTIONS, ATOMS), st.builds(Minus, ATOMS, ATOMS))


@given(QUERIES, st.sampled_from("abcdez"))
def test_without_or_a_document_is_wrong_if_and_only_if_it_breaks_something(query: Expression, document: str):
    assert (document in members(query, SETS)) == (not broken(document, query, SETS))


@given(st.sampled_from("abcdez"))
def test_what_is_in_no_part_of_an_or_breaks_all_of_them(document: str):
    query = Or((Atom("red"), Atom("round"), Atom("sweet")))
    assert (document in members(query, SETS)) == (len(broken(document, query, SETS)) < 3)
