"""When trees count as the same."""

import pytest

from answerable.evaluation.metrics.trees import agree, closeness, gist
from answerable.sets.expression import read_expression as tree


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ('"a" or "b" or "c"', '"c" or "A" or "b"', True),
        ('"a" and "b"', '"a" or "b"', False),
        ('"a" minus "b"', '"b" minus "a"', False),
        ('"written in C" or "for KDE"', '"packages written in C" or "programs for KDE"', True),
        ('"packages written in C"', '"programs written in C"', False),
        ('"films"', '"books"', False),
        ('"x" minus "American"', '"x" minus "American films"', True),
        ('"things" and "games" and "free"', '"games" and "that are free"', True),
        ('"novels by A" minus "by B"', '"novels by A" minus "Novels by B"', True),
        ('("a" minus "b") and "c"', '("a" and "c") minus "b"', True),
        ('"a" and ("b" or "c")', '("a" and "b") or "c"', False),
    ],
)
def test_agreement_forgives_order_and_nouns_that_say_little(one: str, other: str, same: bool):
    assert agree(tree(one), tree(other)) is same
    assert agree(tree(other), tree(one)) is same


def test_the_gist_of_an_atom_is_its_words_that_say_much():
    assert gist("Novels set in the 1940's") == gist("1940s books")
    assert gist("films") == {"film"}


def test_closeness_is_none_for_another_shape_and_finds_the_best_order():
    assert closeness(tree('"war films" or "Dutch films"'), tree('"Dutch films" or "war films"')) == 1.0
    assert closeness(tree('"a" or "b"'), tree('"a" and "b"')) == 0.0
    assert 0 < closeness(tree('"silent war films"'), tree('"war films"')) < 1
