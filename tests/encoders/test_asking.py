"""What is read for an answer, and how a question is written that was said in tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.encoders.asking import ANSWER, TITLE, AskLayout, _cased, _repeats
from answerable.encoders.choose import SHIPPED

LAYOUT = AskLayout(SHIPPED / "tokenizer.json")
TEXT = "The Kõpu Lighthouse was lit in 1531. Its keeper, O'Neill, paid $28,000 for the re-built lamp."


def test_the_answer_is_marked_where_it_stands() -> None:
    start = TEXT.index("1531")
    [row] = LAYOUT.rows("Kõpu", TEXT, [(start, start + 4)])
    marked = [row.places[i] for i, one in enumerate(row.segments) if one == ANSWER]
    assert (marked[0][0], marked[-1][1]) == (start, start + 4)
    assert row.segments.count(TITLE) == len(LAYOUT.ids(["Kõpu"], 64)[0]) - 2
    assert len(row.ids) == len(row.segments) == len(row.places)


def test_where_no_answer_is_wanted_nothing_is_read() -> None:
    assert LAYOUT.rows("Kõpu", TEXT, []) == []


@given(st.integers(0, 400), st.integers(24, 64))
def test_a_long_text_is_cut_around_its_answer(at: int, most: int) -> None:
    text = " ".join(f"word{number}" for number in range(401))
    start = text.index(f"word{at}")
    [row] = LAYOUT.rows("A title of some words", text, [(start, start + len(f"word{at}"))], most)
    assert len(row.ids) <= most
    inside = [row.places[i] for i, one in enumerate(row.segments) if one == ANSWER]
    assert inside and text[inside[0][0] : inside[-1][1]] == f"word{at}"


@pytest.mark.parametrize(
    "asked",
    [
        "When was the Kõpu Lighthouse lit?",
        "What did O'Neill pay for the re-built lamp?",
        "For what did the keeper pay $28,000?",
        "Whose keeper was O'Neill?",
        "Which lamp wasn't lit before 1531?",
    ],
)
def test_a_question_is_written_with_the_words_of_the_text(asked: str) -> None:
    tokens = LAYOUT.question(asked, False)[1:-1]
    [row] = LAYOUT.rows("Lighthouses", TEXT, [(0, 3)])
    assert LAYOUT.spoken(tokens, row, "Lighthouses", TEXT) == asked


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=60), st.text("ab ?'$,", max_size=20)
)
def test_any_question_can_be_written(text: str, asked: str) -> None:
    [row] = LAYOUT.rows("", text, [(0, 1)])
    tokens = LAYOUT.question(asked, True)[1:-1]
    written = LAYOUT.spoken(tokens, row, "", text)
    assert LAYOUT.question(written, True)[1:-1] == tokens


def test_no_three_tokens_are_said_twice() -> None:
    assert _repeats([1, 2, 3, 1, 2], 3)
    assert not _repeats([1, 2, 3, 1, 2], 4)
    assert not _repeats([1, 1], 1) and not _repeats([], 1)
    assert _repeats([1, 1, 1], 1)


def test_a_capital_goes_where_it_only_begins() -> None:
    text = "Oil of the north is dear. The Oil Company sells oil."
    assert _cased("Oil", text, 0) == _cased("Oil", text, 30) == "oil"
    assert _cased("The Oil Company", text, 26) == "the Oil Company"
    assert _cased("Oil Company", text, 30) == "Oil Company"
