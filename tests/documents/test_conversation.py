"""A conversation about a document: what it takes a turn for, and what it remembers."""

from __future__ import annotations

import pytest

from answerable.documents.conversation import Conversation, is_question
from answerable.errors import UsageError
from tests.documents.grant import TEXT, guide, shelf

SHELF = shelf()


@pytest.fixture
def talk() -> Conversation:
    return Conversation(guide("More"), SHELF, frozenset({"office"}))


def test_what_is_asked_in_return_is_answered_and_decides(talk: Conversation) -> None:
    first = talk.say("Can I apply for the grant?")
    assert first.ask == "Are you under 25?" and first.label == {"office"}
    second = talk.say("yes")
    assert second.ask == "Do you live in Scotland?" and talk.history == (("Are you under 25?", "Yes"),)
    last = talk.say("No, in Wales")
    assert (last.text, last.ask) == ("no", None)
    assert talk.history[-1] == ("Do you live in Scotland?", "No in Wales")


def test_what_must_all_hold_is_asked_for_one_after_the_other_whatever_is_decided() -> None:
    talk = Conversation(guide("Yes"), SHELF)
    assert talk.say("Can I apply for the grant?").ask == "Are you under 25?"
    assert talk.say("yes").ask == "Do you live in Scotland?"
    assert talk.say("yes").text == "yes"


def test_a_conversation_finds_definitions_and_sections_as_a_question_alone_does() -> None:
    talk = Conversation(guide(), shelf("# Terms\n\nThe Keepers Relief Fund (KRF) pays. A keeper is paid.\n"))
    assert talk.say("What does KRF stand for?").text == "Keepers Relief Fund"


def test_a_new_question_is_no_turn_of_the_one_before() -> None:
    talk = Conversation(guide("Irrelevant"), SHELF)
    talk.say("Can I apply for the grant?")
    talk.say("yes")
    assert talk.say("Does the office of Oban open on Friday?").text == "The office of Oban opens on Friday."


@pytest.mark.parametrize(
    ("said", "reply"),
    [("y", "Yes"), ("I am.", "Yes"), ("Nope", "No"), ("I'm not sure", None), ("we do not", "No"), ("I don't", "No")],
)
def test_short_replies(talk: Conversation, said: str, reply: str | None) -> None:
    talk.say("Can I apply for the grant?")
    talk.say(said)
    assert talk.history == ((("Are you under 25?", reply),) if reply else ())
    assert talk.scenario == ("" if reply else said)


def test_a_statement_joins_the_scenario_and_the_question_is_decided_again(talk: Conversation) -> None:
    talk.say("Can I apply for the grant?")
    reading = talk.say("I live in Scotland.")
    assert talk.question == "Can I apply for the grant?" and talk.scenario == "I live in Scotland."
    assert reading.text == "yes, if you are under 25"


def test_a_new_question_remembers_what_was_said(talk: Conversation) -> None:
    talk.say("Can I apply for the grant?")
    talk.say("yes")
    assert talk.say("How many pounds is the grant a year?").text == "1,200"
    assert talk.say("Could I apply for it?").text == "yes, if you live in Scotland"


def test_yes_is_no_reply_where_nothing_was_asked(talk: Conversation) -> None:
    talk.say("How many pounds is the grant a year?")
    talk.say("yes")
    assert talk.history == ()


def test_a_turn_without_words_is_refused(talk: Conversation) -> None:
    with pytest.raises(UsageError, match="the turn is empty"):
        talk.say(" \n")
    assert talk.question is None


def test_a_citation_stands_in_its_paragraph(talk: Conversation) -> None:
    (cited,) = talk.say("How many pounds is the grant a year?").citations
    start, end = talk.paragraph(cited)
    assert TEXT[start:end] == "The grant is 1,200 pounds a year. It is paid on 4 May."
    assert talk.document.text == TEXT


@pytest.mark.parametrize(
    ("text", "asks"), [("Is it free", True), ("who pays", True), ("free?", True), ("I pay.", False)]
)
def test_questions(text: str, asks: bool) -> None:
    assert is_question(text) is asks


@pytest.mark.parametrize(
    ("reply", "text"), [("No", "no"), ("Yes", "yes, if you live in Scotland"), ("no, I am 40", "no")]
)
def test_replies_that_are_handed_over_with_the_question_settle_it(reply: str, text: str) -> None:
    talk = Conversation(guide("Yes"), SHELF, history=[("Are you under 25?", reply)])
    assert talk.say("Can I apply for the grant?").text == text
