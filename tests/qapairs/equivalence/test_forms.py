"""Words of a question and what they are forms of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.qapairs.equivalence.forms import alike, base, read


@pytest.mark.parametrize(
    ("text", "value"),
    [("five", 5), ("5", 5), ("5,000", 5000), ("five thousand", 5000), ("twenty one", 21), ("1.5", 1.5), ("7th", 7)],
)
def test_numbers_by_value(text, value):
    assert [word.number for word in read(f"Was it {text}?")][2:] == [value]


def test_places_in_an_order_and_decades_are_told_from_numbers():
    first, decade, plain = (read(f"The {text} one")[1] for text in ("1st", "1990s", "1990"))
    assert first.ordinal and decade.decade and not plain.decade and plain.number == decade.number
    assert read("the second week")[1].ordinal


def test_names_are_told_by_their_capitals_unless_there_are_none():
    assert [word.low for word in read("Who lit Old Meg at night?") if word.name] == ["old", "meg"]
    assert not any(word.name for word in read("who lit old meg at night?"))
    assert read("Is it open on Mondays or in Aug?")[-1].low == "august"


@pytest.mark.parametrize(
    "forms",
    ["design designs designed designing", "hire hired hiring", "stop stopped stopping", "carry carries carried",
     "lose lost loses", "beat beaten", "succeed succeeded", "agree agreed", "rebuild rebuilt", "add added",
     "use used using"],
)  # fmt: skip
def test_forms_of_one_word(forms):
    assert len({base(word) for word in forms.split()}) == 1


@pytest.mark.parametrize(
    "pair",
    ["founder founded", "survivor survived", "present presenc", "electrify electrification",
     "responsibl responsibility"],
)  # fmt: skip
def test_alike(pair):
    assert alike(*pair.split())


@pytest.mark.parametrize(
    "pair",
    [
        "nitrate nitrite",
        "wool wood",
        "import important",
        "father mother",
        "county country",
        "friend fiend",
        "planet plane",
    ],
)
def test_not_alike(pair):
    assert not alike(*pair.split())


def test_verbs_of_two_words_are_one():
    assert [word.base for word in read("Who gave up the inn?")][1] == base("give-up")
    assert [word.low for word in read("Who gave the inn up?")][1] == "gave"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Who used to own the gate?", "Who former own the gate?"),
        ("What is used to oil the gate?", "What is used to oil the gate?"),
    ],
)
def test_ways_of_asking_are_made_plain(text, plain):
    assert [word.low for word in read(text)] == [word.low for word in read(plain)]


@given(st.text(max_size=80))
def test_any_text_can_be_read(text):
    assert all(word.low for word in read(text))


@given(st.text("abcdefghijklmnopqrstuvwxyz", max_size=12), st.text("abcdefghijklmnopqrstuvwxyz", max_size=12))
def test_being_alike_goes_both_ways(one, other):
    assert alike(one, one) and alike(one, other) == alike(other, one)
