"""Questions built anew."""

from __future__ import annotations

import random

import pytest

from answerable.training.same.patterns import rebuilt


@pytest.mark.parametrize(
    ("question", "same", "other"),
    [
        ("Who wrote the long letter?", "By whom was the long letter written?", "Whom did the long letter write?"),
        ("Who founded Alba?", "Alba was founded by whom?", "Who was founded by Alba?"),
        ("When was the old tower built?", "In what year was the old tower built?", "Where was the old tower built?"),
        ("Where was Ann Moor born?", "What is the birthplace of Ann Moor?", "When was Ann Moor born?"),
        ("What is the capital of Alba?", "Alba's capital is what?", "What is the Alba of capital?"),
        ("How tall is the tower?", "What is the height of the tower?", "What is the length of the tower?"),
        ("How many bells are in the tower?", "number of bells that are in the tower", "Which bells are in the tower?"),
    ],
)
def test_each_pattern(question: str, same: str, other: str):
    ways, misses = rebuilt(question, random.Random(0))
    assert same in ways and not set(ways) & set(misses)
    assert other in misses


def test_what_fits_no_pattern_is_left():
    assert rebuilt("Is it lit?", random.Random(0)) == ([], [])
    assert rebuilt("Who understood it all?", random.Random(0)) == ([], [])
