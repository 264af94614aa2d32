"""Probabilities over the tree: the laws of sets that hold for them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.sets.algebra import belonging, given_the_rest, placed, together
from answerable.sets.expression import And, Atom, Expression, Minus, Or, members, signed

NAMES = ("a", "b", "c", "d")
shares = st.floats(0, 1)


def trees(names: tuple[str, ...] = NAMES) -> st.SearchStrategy[Expression]:
    def joined(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        several = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return st.one_of(several.map(And), several.map(Or), st.builds(Minus, inner, inner))

    return st.recursive(st.sampled_from(names).map(Atom), joined, max_leaves=6)


def columns(size: int = 3) -> st.SearchStrategy[dict[str, np.ndarray]]:
    column = st.lists(shares, min_size=size, max_size=size).map(np.array)
    return st.fixed_dictionaries(dict.fromkeys(NAMES, column))


@given(tree=trees(), sets=st.fixed_dictionaries({name: st.frozensets(st.sampled_from("123")) for name in NAMES}))
def test_certainty_gives_what_sets_give(tree, sets) -> None:
    fits = {name: np.array([float(one in sets[name]) for one in "123"]) for name in NAMES}
    found = belonging(tree, fits)
    assert [float(one in members(tree, sets)) for one in "123"] == found.tolist()


@given(tree=trees(), fits=columns())
def test_stays_a_probability(tree, fits) -> None:
    found = belonging(tree, fits)
    assert found.shape == (3,) and (found >= 0).all() and (found <= 1).all()


@given(tree=trees(), fits=columns(), more=columns())
def test_more_of_an_atom_gives_no_less_and_of_one_taken_away_no_more(tree, fits, more) -> None:
    sign = {name: taken for name, taken in signed(tree) if (name, not taken) not in signed(tree)}
    before = belonging(tree, fits)
    for name, taken in sign.items():
        raised = {**fits, name: np.maximum(fits[name], more[name])}
        after = belonging(tree, raised)
        assert (after <= before + 1e-12).all() if taken else (after >= before - 1e-12).all()


@given(fits=columns())
def test_de_morgan(fits) -> None:
    a, b, c = (Atom(name) for name in "abc")
    one = belonging(Minus(c, Or((a, b))), fits)
    two = belonging(Minus(Minus(c, a), b), fits)
    assert np.allclose(one, two)
    assert np.allclose(belonging(Minus(c, And((a, b))), fits), belonging(Or((Minus(c, a), Minus(c, b))), fits))


@given(fits=columns(), order=st.permutations(NAMES))
def test_the_order_of_parts_does_not_matter(fits, order) -> None:
    for kind in (And, Or):
        one = belonging(kind(tuple(map(Atom, NAMES))), fits)
        assert np.allclose(one, belonging(kind(tuple(map(Atom, order))), fits))


def test_the_least_and_the_greatest_count() -> None:
    fits = {"a": np.array([0.5]), "b": np.array([0.4]), "c": np.array([0.25])}
    a, b, c = Atom("a"), Atom("b"), Atom("c")
    assert belonging(Minus(And((a, b)), c), fits)[0] == 0.4 and belonging(Or((a, b)), fits)[0] == 0.5


def test_an_atom_without_probabilities_is_an_error() -> None:
    with pytest.raises(KeyError):
        belonging(And((Atom("a"), Atom("e"))), {"a": np.array([1.0])})


def test_what_stands_further_down_is_less_likely_and_what_is_certain_stays() -> None:
    found = placed(np.array([0.5, 0.5, 0.0, 1.0]), 0, 0.5)
    assert found[0] == 0.5 > found[1] and list(found[2:]) == [0.0, 1.0]
    far = placed(np.array([0.5, 0.6]), 100, 0.5)
    assert far[0] == pytest.approx(1 / (1 + (120 / 20) ** 0.5)) and far[0] < far[1] < 0.6
    assert list(placed(np.array([0.3, 0.7]), 100, 0.0)) == pytest.approx([0.3, 0.7])


def test_a_query_as_it_was_asked_counts_beside_its_parts_and_what_is_known_stays() -> None:
    likely, whole = np.array([0.5, 0.2, 0.0, 1.0]), np.array([0.8, 0.2, 0.9, 0.1])
    found = together(likely, whole, 0.5)
    assert found[0] == pytest.approx(2 / 3) and found[1] == pytest.approx(0.2) and list(found[2:]) == [0.0, 1.0]
    assert list(together(likely, whole, 0.0)) == pytest.approx(list(likely))


def test_what_is_taken_away_counts_as_it_does_given_the_rest() -> None:
    fits = {"a": np.array([0.4, 0.8, 0.0, 0.2]), "b": np.array([0.3, 0.2, 0.0, 0.6])}
    found = given_the_rest(Minus(Atom("a"), Atom("b")), fits)
    assert found["b"] == pytest.approx([0.75, 0.25, 0.0, 1.0])
    assert list(found["a"]) == list(fits["a"])
    kept = given_the_rest(Or((Atom("a"), Atom("b"))), fits)
    assert all(list(kept[name]) == list(fits[name]) for name in fits)
