"""Pure functions on text."""

from __future__ import annotations

import pytest

from answerable.text import asked_about, is_polar


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
