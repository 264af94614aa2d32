"""Trees said in words."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.evaluation.set_phrasing import HELD_OUT, PATTERNS, phrased
from answerable.sets.expression import Expression, atoms, read_expression

KINDS = {"built with Qt": "modifier", "for children": "modifier", "that use OpenGL": "modifier", "free": "modifier"}
TREES = (
    '"games"',
    '"built with Qt"',
    '"web browsers" and "built with Qt"',
    '"games" or "tools" or "fonts"',
    '("games" or "tools") minus "for children"',
    '"games" minus "that use OpenGL"',
    '"games" minus ("for children" minus "built with Qt")',
    '"games" minus ("fonts" or "tools")',
    '"games" and ("built with Qt" or "that use OpenGL")',
    '"games" and "free" and "for children"',
    '("games" and "built with Qt") minus ("tools" and "for children")',
)


def phrasings(tree: Expression, seed: int, kinds: dict[str, str], drawn: int = 32) -> list[str]:
    """Different ways to ask for a tree, in the order they were drawn."""
    rng = random.Random(seed)
    return list(dict.fromkeys(phrased(tree, rng, kinds).text for _ in range(drawn)))


@pytest.mark.parametrize("tree", TREES)
def test_phrasings_differ_are_drawn_by_the_seed_and_hold_all_words(tree: str):
    expression = read_expression(tree)
    found = phrasings(expression, 3, KINDS)
    assert found == phrasings(expression, 3, KINDS) and len(set(found)) == len(found) > 3
    for text in found:
        for atom in atoms(expression):
            assert atom.casefold().removeprefix("that ") in text.casefold()
        assert "  " not in text and ",," not in text


@given(st.sampled_from(TREES), st.integers(0, 10_000))
def test_only_patterns_that_are_allowed_are_used(tree: str, seed: int):
    allowed = PATTERNS - HELD_OUT
    said = phrased(read_expression(tree), random.Random(seed), KINDS, allowed)
    assert said.used <= allowed


def test_what_atoms_share_is_said_once_or_each_time():
    tree = read_expression('"novels set in Peru" or "novels set in Chile"')
    found = [text.casefold() for text in phrasings(tree, 0, {}, 120)]
    assert any(text.count("novels set in") == 1 for text in found) and any(
        text.count("novels set in") == 2 for text in found
    )


def test_patterns_held_out_are_some_of_each_kind():
    assert HELD_OUT < PATTERNS
    assert {one.partition(":")[0] for one in HELD_OUT} == {one.partition(":")[0] for one in PATTERNS} - {"shape"}
