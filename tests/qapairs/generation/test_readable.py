"""Text made ready for parsing, and traced back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.qapairs.generation.parsing import LONGEST, readable


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("The bridge , built in 1932 , is long .", "The bridge, built in 1932, is long."),
        ("Ann 's `` Red House '' won .", 'Ann\'s "Red House" won.'),
        ("the runners - up of 1980 -- 81", "the runners-up of 1980–81"),
        ("It costs $ 5 or 10 % more", "It costs $5 or 10% more"),
        ("Ada ( born 1815 ; died 1852 ) wrote .", "Ada wrote."),
        ("Ada [ 1 ] wrote (a (very) long) note.", "Ada wrote note."),
        ("It opened ( and never closed .", "It opened (and never closed."),
    ],
)
def test_spaces_are_those_of_print_and_asides_are_out(text: str, read: str) -> None:
    assert readable(text).text == read


def test_asides_are_where_they_stood() -> None:
    text = "Ada ( born 1815 ) wrote ( 1843 ) notes"
    assert [text[one.start : one.end].strip() for one in readable(text).asides] == ["born 1815", "1843"]


def test_what_is_very_long_is_cut_between_words() -> None:
    read = readable("word " * LONGEST)
    assert len(read.text) < LONGEST and read.text.endswith("word")


@given(st.lists(st.sampled_from(["a", "bc", ",", "'s", "(", ")", '"', "--", "-", "5", "``", "''", " ", "é", "."])))
def test_every_character_is_traced_back(pieces: list[str]) -> None:
    text = " ".join(pieces)
    read = readable(text)
    assert len(read.origin) == len(read.text) and list(read.origin) == sorted(read.origin)
    for place, character in enumerate(read.text):
        if character.isalnum():
            start, end = read.place(place, place + 1)
            assert text[start:end] == character
