"""Words that one question has alone."""

import pytest

from answerable.qapairs.equivalence.asked import sought
from answerable.qapairs.equivalence.differing import difference
from answerable.qapairs.equivalence.forms import read
from answerable.qapairs.equivalence.leftover import replaced


def _replaced(one: str, other: str) -> bool:
    here, there = read(one), read(other)
    return replaced(here, there, difference(here, there), sought(here), sought(there))


@pytest.mark.parametrize(
    ("one", "other", "another"),
    [
        ("Who oiled the gate?", "Who painted the gate?", True),  # other words stand in its place
        ("Who carries the coal?", "Who transports the coal?", False),  # a synonym
        ("Who provides the coal?", "Who uses the coal?", True),  # verbs that only join, but not the same
        ("What use did they make of it?", "What use is made of it?", False),
        ("Who oiled the gate of the inn?", "Who oiled the gate of the harbour inn?", True),  # one more
        ("Who oiled the gate?", "Who actually oiled the gate?", False),  # one more that is harmless
        ("Who oiled the gate?", "Which person oiled the gate?", False),  # what "who" has said already
        ("Where is the gate oiled?", "In which town is the gate oiled?", False),
        ("Which painter oiled the gate?", "Who oiled the gate?", False),  # named by what they do
        ("What does the gate do?", "What is the gate?", True),
        ("Who failed the exam?", "Who sat the exam?", True),  # "fail" negates before "to" alone
    ],
)
def test_replaced(one, other, another):
    assert _replaced(one, other) is another and _replaced(other, one) is another


def test_a_word_more_weighs_less_in_a_longer_question():
    short, long = "Who oiled the {}gate?", "Who oiled and painted the gate and fence of the old inn by the {}river?"
    assert _replaced(short.format(""), short.format("oaken "))
    assert not _replaced(long.format(""), long.format("oaken "))
    assert _replaced(long.format("blue "), long.format("oaken "))  # but not a word in the place of another


def test_a_word_that_says_again_what_is_said_weighs_nothing():
    assert not _replaced("Who bought the gate?", "Who bought the gate by purchase?")
