"""Expressions: printed and read back, their meaning as sets, and the templates of the paper."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import UsageError
from answerable.sets.expression import (
    And,
    Atom,
    Expression,
    Minus,
    Or,
    atoms,
    canonical,
    every,
    members,
    printed,
    read_expression,
    signed,
    some,
)

A, B, C = Atom("A"), Atom("B"), Atom("C")
TEXTS = st.text(min_size=1, max_size=8).filter(lambda text: text == " ".join(text.split()) and text)


def trees(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Expression]:
    return st.recursive(
        texts.map(Atom),
        lambda inner: st.one_of(
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: And(tuple(parts))),
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: Or(tuple(parts))),
            st.tuples(inner, inner).map(lambda pair: Minus(*pair)),
        ),
        max_leaves=6,
    )


@given(trees(TEXTS))
def test_a_printed_form_is_read_back_as_it_was(tree: Expression) -> None:
    assert read_expression(printed(tree)) == tree


SETS = st.dictionaries(st.sampled_from("ABC"), st.frozensets(st.sampled_from("12345")), min_size=3)


@given(trees(st.sampled_from("ABC")), SETS)
def test_a_canonical_tree_means_the_same_set(tree: Expression, sets: dict[str, frozenset[str]]) -> None:
    small = {text.casefold(): found for text, found in sets.items()}
    assert members(canonical(tree), small) == members(tree, sets)


@given(trees(st.sampled_from("ABC")))
def test_a_canonical_tree_is_its_own(tree: Expression) -> None:
    assert canonical(canonical(tree)) == canonical(tree)


@given(trees(st.sampled_from("ABC")), SETS)
def test_taking_away_a_document_from_a_negated_atom_never_loses_a_member(
    tree: Expression, sets: dict[str, frozenset[str]]
) -> None:
    signs = {text: {neg for one, neg in signed(tree) if one == text} for text in atoms(tree)}
    for text, negated in signs.items():
        if negated == {True}:
            fewer = {**sets, text: frozenset[str]()}
            assert members(tree, sets) <= members(tree, fewer)


def test_order_case_and_spaces_do_not_count() -> None:
    left = Minus(And((Atom("Web  browsers"), B)), Or((B, C)))
    right = Minus(And((B, Atom("web browsers"))), Or((C, B)))
    assert canonical(left) == canonical(right)
    assert canonical(Minus(A, B)) != canonical(Minus(B, A))
    assert canonical(And((A, Minus(B, C)))) == canonical(Minus(And((A, B)), C))


def test_binding() -> None:
    assert read_expression('"A" and "B" minus "C"') == Minus(And((A, B)), C)
    assert read_expression('"A" or "B" and "C"') == Or((A, And((B, C))))
    assert read_expression('"A" minus "B" minus "C"') == Minus(Minus(A, B), C)
    assert read_expression('"A" AND NOT "B" or "C"') == Or((Minus(A, B), C))
    assert read_expression('"A" and not ("B" or "C")') == Minus(A, Or((B, C)))


def test_joining_flattens() -> None:
    assert every(A, every(B, C)) == And((A, B, C))
    assert some(A, some(B, C)) == Or((A, B, C))
    assert every(A) == A


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ('"A', "never ends"),
        ('"A" and', "ends where"),
        ('("A" or "B"', "closing parenthesis"),
        ('"A" "B"', "character 5"),
        ('and "A"', "character 1"),
        ("tools", "character 1"),
        ('"  "', "empty constraint"),
        ("(" * 51 + '"A"' + ")" * 51, "more than 50"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_expression(text)


def test_signs() -> None:
    tree = Minus(And((A, B)), Minus(C, A))
    assert signed(tree) == (("A", False), ("B", False), ("C", True), ("A", False))
    assert atoms(tree) == ("A", "B", "C")
