"""What an expanded query says in words."""

from __future__ import annotations

from answerable.encoders.expansion import expanded_text


def test_names_are_taken_once_and_untitled_passages_do() -> None:
    untitled = ("", "AGA and AGA and Oslo")
    assert expanded_text("q", [untitled, untitled]) == "q AGA Oslo"


def test_words_that_open_a_sentence_are_no_names() -> None:
    lit = "The Dalén light was lit. In 1909 it was sold."
    assert expanded_text("q", [("Light", lit)]) == "q Light Dalén 1909"


def test_without_passages_it_is_the_question() -> None:
    assert expanded_text("Who made it?", []) == "Who made it?"
