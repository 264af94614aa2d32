"""Questions that stand in a text with what answers them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.corpora.faq import LONGEST, answered, asked, variants
from answerable.corpora.headings import text_sections
from answerable.corpora.markdown import read_markdown
from answerable.text import normalise_question


def _told(text: str) -> list[tuple[str, str]]:
    return [(variants(text, one)[0], text[one.first : one.last]) for one in asked(text, text_sections(text))]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Q: Is it free?\nA: No, 3 euro.", [("Is it free?", "No, 3 euro.")]),
        (
            "Q:  Is it\n    free?\n\nA:  No.\n\n\nQ:  When?\n\nA:  At one.\n",
            [("Is it free?", "No."), ("When?", "At one.")],
        ),
        ("**Q2.** Is it free?\n**A2.** No.\nKeep the receipt.", [("Is it free?", "No.\nKeep the receipt.")]),
        ("F: Ist es frei?\nA: Nein.", [("Ist es frei?", "Nein.")]),
        (
            "Is it free?\n===========\n\nNo.\n\nIs it open?\n-----------\nYes.",
            [("Is it free?", "No."), ("Is it open?", "Yes.")],
        ),
        ("1. Is it free? \nNo. \n\n2. Is it open? \nYes. ", [("Is it free?", "No."), ("Is it open?", "Yes.")]),
        ("Is it free? No.\nIs it open? Yes.", [("Is it free?", "No."), ("Is it open?", "Yes.")]),
        ("**Is it free?** No.", [("Is it free?", "No.")]),
        ("Is it free?\n\nNo.\n\nCHAPTER 2\n\nThe lamp.", [("Is it free?", "No.")]),
        ("Why the lamp?\nWhy not oil?\n\nIt is bright.", [("Why the lamp? Why not oil?", "It is bright.")]),
        ("- Is it free?\n- Is it open?\n\nKim comes on Monday.", []),
        ("Is it free?", []),
        ("Is it free?\n\n---\n", []),
        ("The lamp is lit. No one asks.", []),
    ],
)
def test_what_follows_a_question_answers_it(text: str, told: list[tuple[str, str]]) -> None:
    assert _told(text) == told


def test_a_question_can_be_put_as_each_sentence_of_it_that_asks() -> None:
    text = "Q: I have a lamp. Can I bring it? May I light it?\nA: Yes.\n"
    (one,) = asked(text)
    whole = "I have a lamp. Can I bring it? May I light it?"
    assert variants(text, one) == [whole, "Can I bring it?", "May I light it?"]


def test_of_a_long_answer_the_first_sentences_are_told() -> None:
    long = " ".join(f"Sentence number {number} says what there is to say." for number in range(30))
    ((_, said),) = _told(f"What is there to say?\n{long}")
    assert said.startswith("Sentence number 0") and said.endswith("say.") and len(said) <= LONGEST


def test_a_text_answers_what_it_asks_itself_and_nothing_else() -> None:
    text, sections, _ = read_markdown("# Hall\n\n## May I bring a dog?\n\nNo.\n\n## May I bring a lamp?\n\nYes.\n")

    def same(one: str, other: str) -> bool:
        return normalise_question(one) == normalise_question(other)

    for question, said in (("may I bring a lamp", "Yes."), ("May I bring a dog?", "No."), ("May I bring oil?", None)):
        span = answered(question, text, sections, same)
        assert (text[slice(*span)] if span else None) == said


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is Ida Berg's salary?", None),
        ("what is the salary of Ida Berg?", None),
        ("May Ida Berg add something?", "Of course you may."),
        ("Ida Berg?", "Of course you may."),
    ],
)
def test_a_question_that_shares_names_alone_is_another(question: str, said: str | None) -> None:
    """Whatever tells two questions apart: who speaks is named, and may be asked of."""
    text = "Ida Berg: Could Ida Berg just add something?\n\nOf course you may.\n"
    span = answered(question, text, (), lambda one, other: True)
    assert (text[slice(*span)] if span else None) == said


def test_who_is_spoken_to_is_a_name_also_at_the_beginning() -> None:
    text = "Good morning. Ida, where are we with the lamps?\n\nWe are done.\n"
    assert answered("where does ida live", text, (), lambda one, other: True) is None
    assert answered("where are we with the lamps", text, (), lambda one, other: True) is not None


PIECES = st.sampled_from(["Q: ", "A: ", "Is it free?", "\n", "\n\n", "- ", "1. ", "No. ", "## ", "**", "====", "word "])


@given(st.lists(PIECES | st.text(max_size=5), max_size=30).map("".join))
def test_questions_and_answers_stand_in_order_and_apart(text: str) -> None:
    at = 0
    for one in asked(text, text_sections(text)):
        assert at <= one.start < one.end <= one.first < one.last <= len(text)
        assert variants(text, one) == [] or all(said.strip() for said in variants(text, one))
        assert text[one.first : one.last] == text[one.first : one.last].strip()
        at = one.last


def test_time_grows_with_the_text_and_no_faster() -> None:
    assert len(asked("Is it free?\nNo.\n\n" * 5000)) == 5000
    assert asked("word " * 200_000 + "?") == []
