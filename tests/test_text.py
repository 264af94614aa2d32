"""Pure functions on text."""

from __future__ import annotations

import pytest

from answerable.text import asked_about, is_polar, other_years


@pytest.mark.parametrize(
    ("wanted", "text", "other"),
    [
        ("films of the 1980s", "a film of 1979", True),
        ("films of the 1980s", "a film of 1984, after a novel of 1950", False),
        ("films of the 1980s", "set in the 1980s", False),
        ("films of the 1980s", "a film", False),
        ("films", "a film of 1979", False),
        ("films of the 2000s", "a film of 2014", True),
        ("houses of the 1800s", "a house of 1874", False),
        ("towers built before 1850", "built in 1931", True),
        ("towers built before 1850", "built in 1812 and raised in 1931", False),
        ("mails since 2001", "of 2001", False),
        ("mails after 2001", "of 2001", True),
        ("12000 steps", "in 1999", False),
    ],
)
def test_years_that_are_others_than_asked_for(wanted: str, text: str, other: bool) -> None:
    assert other_years(wanted, text) is other


@pytest.mark.parametrize(
    ("question", "polar"),
    [
        ("Is it red?", True),
        ("Is it red or blue?", False),
        ("Is it warm or not?", True),
        ("Can I swim or row there?", True),
        ("Can I pay now, or will I be billed?", False),
        ("Who can swim?", False),
    ],
)
def test_what_asks_for_yes_or_no(question: str, polar: bool) -> None:
    assert is_polar(question) is polar


@pytest.mark.parametrize(
    ("asked", "about"),
    [
        ("Tell me about the boiler", "the boiler"),
        ("can you tell us more about Ingrid?", "Ingrid?"),
        ("What do you know about beta", "beta"),
        ("what can you tell me about beta", "beta"),
        ("Describe", "Describe"),
        ("What did Kim tell me about beta?", "What did Kim tell me about beta?"),
    ],
)
def test_what_a_question_is_about(asked: str, about: str) -> None:
    assert asked_about(asked) == about
