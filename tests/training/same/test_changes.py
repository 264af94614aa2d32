"""What somebody else types, what is exchanged, and questions built anew."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.training.same.changes import (
    keywords,
    misspelt,
    named,
    negated,
    number,
    opposite,
    polite,
    rebuilt,
    typed,
)

QUESTION = "When was the first tower of Kõpu Lighthouse opened in 1531?"


def test_words_and_names_and_numbers_give_way_to_others():
    rng = random.Random(2)
    assert opposite("Who came first?", rng) in ("Who came last?", "Who came second?")
    assert named(QUESTION, ["Hook Head"], rng) not in (None, QUESTION)
    changed = number(QUESTION, rng)
    assert changed is not None and changed != QUESTION and changed[:-6] == QUESTION[:-6]
    assert number("Who came in May?", rng) not in (None, "Who came in May?")
    assert negated("Who did come?", random.Random(2)) == "Who did not come?"
    assert not any((opposite("Who?", rng), named("Who?", ["A"], rng), number("Who?", rng), negated("Who?", rng)))


@pytest.mark.parametrize("seed", range(20))
def test_keywords_and_polite_ways_keep_what_is_asked_about(seed: int):
    rng = random.Random(seed)
    assert "kõpu" in keywords(QUESTION.lower(), rng) and "Kõpu" in polite(QUESTION, rng)
    assert sorted(misspelt("lighthouse", rng)) != [] and misspelt("a b", rng) == "a b"


@given(st.text(max_size=80), st.integers(0, 99))
def test_any_text_can_be_typed_otherwise(text: str, seed: int):
    assert isinstance(typed(text, random.Random(seed)), str)
    assert typed(text, random.Random(seed)) == typed(text, random.Random(seed))


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
