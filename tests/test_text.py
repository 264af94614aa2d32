"""Pure functions on text."""

from __future__ import annotations

import pytest

from answerable.text import asked_about, asks, choice, chosen, is_polar, sentences


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
    ("text", "question"),
    [
        ("Is it red?", True),
        ('"Is it red?"', True),
        ("WHEN??", True),
        ("She was born at noon.?", False),
        ("Hi\n?", False),
    ],
)
def test_a_mark_behind_a_full_stop_is_a_lost_blank(text: str, question: bool) -> None:
    assert asks(text) is question


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


def told(text: str) -> list[str]:
    return [text[first:last] for first, last in sentences(text)]


@pytest.mark.parametrize("blank", ["\xa0", "\u3000", "\x85", "\u2028"])
def test_a_wide_blank_before_a_full_stop_ends_no_process(blank: str) -> None:
    text = f"It rose to 4 A{blank}. Then it fell."
    assert [text[start:end] for start, end in sentences(text)][-1].endswith("Then it fell.")


def test_lines_whose_parts_stand_under_each_other_are_one_sentence_each() -> None:
    servers = (
        "heron     10.0.0.4   old store. To be switched off\nbittern   10.0.0.17  ClickHouse\nsee Bryony for the rest"
    )
    assert told(f"Servers\n=======\n\n{servers}\n\nIn rack 3.") == [
        "Servers\n=======",
        *servers.split("\n"),
        "In rack 3.",
    ]
    options = "It takes these\noptions:\n  -v, --verbose  say more\n                 and more\n  -q\t\t say less"
    first, *rows = told(options)
    assert (first, len(rows)) == ("It takes these\noptions:", 2) and rows[0].endswith("and more")
    assert told("a\tbc\td\nabcdef\tb\te") == ["a\tbc\td", "abcdef\tb\te"]


def test_wrapped_text_has_no_columns() -> None:
    last = "It was\nlate  in the  year and  cold\nas  ever in it."
    said = f"He left.  She stayed on and\nburned.   The lamp was out.  {last}"
    assert told(said) == [
        "He left.",
        "She stayed on and\nburned.",
        "The lamp was out.",
        last,
    ]
    assert told("?\tHe left. She stayed.\no\tIt was late. Very.")[1:3] == ["He left.", "She stayed."]
    options = "--all    He left. She\n         stayed.\n--none   It was late. Very."
    assert told(options) == ["--all    He left.", "She\n         stayed.", "--none   It was late. Very."]


@pytest.mark.parametrize(
    ("question", "two"),
    [
        ("Which is dearer, a kayak or a tandem?", ("a kayak", "a tandem")),
        ("who is older tom kite or bob gilder", ("tom kite", "bob gilder")),
        ("Which film came out first: Emma, or Persuasion?", ("Emma", "Persuasion")),
        ("Who works more hours, Ann Lee or Bo Day?", ("Ann Lee", "Bo Day")),
        ("Is a dinghy or a canoe dearer?", ("a dinghy", "a canoe dearer")),
        ("Which orders were shipped by Falk or Okoro?", None),
        ("Who do I call for water, gas or electricity?", None),
        ("Who has more points or goals?", None),
        ("Is the hut open or not?", None),
        ("Which roofer was cheapest?", None),
    ],
)
def test_which_of_two_things_is_wanted(question: str, two: tuple[str, str] | None) -> None:
    assert choice(question) == two


def test_one_of_two_is_told_by_a_word_of_its_own() -> None:
    two = ("the Grey Skerry lighthouse", "the Cape Orrin lighthouse")
    assert chosen("Grey Skerry", two) and chosen("Cape Orrin of 1897", two)
    assert not chosen("lighthouse", two) and not chosen("31 metres", two)
