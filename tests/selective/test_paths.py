from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.selective.features import PATHS, path_of
from answerable.types import PUBLIC, Chain, Hit, Label, Passage, Skill

MAIL, CLINIC, BOTH = frozenset({"mail"}), frozenset({"clinic"}), frozenset({"mail", "clinic"})


def through(*labels: Label) -> Chain:
    hits = [
        Hit(Passage(f"p{i}", f"d{i}", "any", "", "", 0, 0), 1.0, label, Skill.SINGLE) for i, label in enumerate(labels)
    ]
    return Chain(tuple(hits), 1.0, PUBLIC)


@pytest.mark.parametrize(
    ("labels", "path"),
    [
        ((), "public"),
        ((PUBLIC,), "public"),
        ((PUBLIC, PUBLIC), "public"),
        ((MAIL,), "private"),
        ((MAIL, MAIL), "private"),
        ((PUBLIC, MAIL), "rising"),
        ((MAIL, BOTH), "rising"),
        ((PUBLIC, MAIL, BOTH), "rising"),
        ((MAIL, PUBLIC), "falling"),
        ((BOTH, CLINIC, PUBLIC), "falling"),
        ((MAIL, CLINIC), "crossing"),
        ((PUBLIC, MAIL, PUBLIC), "crossing"),
    ],
)
def test_the_way_through_the_lattice(labels: tuple[Label, ...], path: str) -> None:
    assert path_of(through(*labels)) == path


@given(st.lists(st.frozensets(st.sampled_from("abc")), max_size=4))
def test_names_of_enclaves_do_not_count(labels: list[Label]) -> None:
    renamed = [frozenset({"a": "x", "b": "y", "c": "z"}[word] for word in label) for label in labels]
    assert path_of(through(*labels)) == path_of(through(*renamed)) in PATHS


@given(st.lists(st.frozensets(st.sampled_from("abc")), min_size=1, max_size=4))
def test_turned_round_it_falls_where_it_rose(labels: list[Label]) -> None:
    turned = {"rising": "falling", "falling": "rising"}
    path = path_of(through(*labels))
    assert path_of(through(*labels[::-1])) == turned.get(path, path)
