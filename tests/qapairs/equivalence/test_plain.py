"""Questions put plainly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.qapairs.equivalence.forms import read
from answerable.qapairs.equivalence.plain import plainly


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("Can you tell me who oiled the gate?", "who oiled the gate"),
        ("I wonder why the gate is oiled", "why the gate is oiled"),
        ("Who can tell who oiled the gate?", "who can tell who oiled the gate"),  # not what leads up to a question
        ("Name the oldest gate.", "what is the oldest gate"),
        ("Define photosynthesis", "what is photosynthesis"),
        ("How come the gate is open?", "why the gate is open"),
        ("Lin plays for which team in May?", "for which team did lin play in may"),
        ("The gate was oiled by whom?", "by whom was the gate oiled"),
        ("When the gate was oiled, who held it?", "when the gate was oiled who held it"),
        ("Who was given the prize?", "who did received the prize"),
        ("Who was given the prize by Lin?", "who was given the prize by lin"),
        ("When did World War II come to an end?", "when did wwii end"),
        ("What is the oldest gate in the world?", "what is the oldest gate worldwide"),
        ("Who won the title in the World Cup?", "who won the title in the world cup"),
        ("What is the world's oldest gate?", "what is the worldwide oldest gate"),
        ("Who played the part of the miller?", "who played the miller"),
        ("To whom was the prize given in May?", "who received the prize in may"),
        ("What is the function of the gate?", "what does the gate do"),
        ("How many times was the gate oiled?", "how often was the gate oiled"),
        ("How many time zones are there?", "how many time zones are there"),
        ("How tall is the gate in total?", "how tall is the gate"),
    ],
)
def test_plainly(question, plain):
    assert " ".join(word.low for word in plainly(question)) == plain


@given(st.text(max_size=80))
def test_any_text_can_be_put_plainly(text):
    assert all(word.low for word in plainly(text)) and bool(plainly(text)) <= bool(read(text))
