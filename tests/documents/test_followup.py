from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.documents.followup import ask, question, statement
from answerable.documents.rules import Condition, rules
from tests.documents.test_rules import TEXTS


@pytest.mark.parametrize(
    ("clause", "asked"),
    [
        ("you live in Rome", "Do you live in Rome?"),
        ("you’re over 18", "Are you over 18?"),
        ("under 19", "Are you under 19?"),
        ("aged 16 to 24", "Are you aged 16 to 24?"),
        ("you must be over 18", "Are you over 18?"),
        ("you must have served at least 2 years", "Have you served at least 2 years?"),
        ("you must own a boat", "Do you own a boat?"),
        ("have served at least 2 years", "Have you served at least 2 years?"),
        ("have a boat", "Do you have a boat?"),
        ("you’ve got a boat", "Have you got a boat?"),
        ("your income is below £100", "Is your income below £100?"),
        ("£100 or less", "Is it £100 or less?"),
        ("your cousins sail", "Do your cousins sail?"),
        ("your cousin has moved", "Has your cousin moved?"),
        ("your uncle died in May", "Did your uncle die in May?"),
        ("the roof leaks", "Does the roof leak?"),
        ("you can swim", "Can you swim?"),
        ("you’ll be 18 by May", "Will you be 18 by May?"),
        ("you don’t row", "Do you row?"),
        ("you’ve never rowed", "Have you rowed?"),
        ("you have no debts", "Do you have any debts?"),
        ("neither you nor your partner rows", "Do you or your partner row?"),
        ("you usually work at night", "Do you usually work at night?"),
        ("the applicant has moved", "Have you moved?"),
        ("applicants must keep their boat clean", "Do you keep your boat clean?"),
        ("they work and are paid", "Do you work and are paid?"),
        ("you did business with them", "Did you do business with them?"),
        ("you did not sell it", "Did you sell it?"),
        ("a widow", "Are you a widow?"),
        ("soup", "Is it soup?"),
        ("", "Do you apply?"),
    ],
)
def test_a_clause_as_a_question(clause: str, asked: str) -> None:
    assert ask(clause) == asked


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Rowers are entitled to soup if they’re either:\n* under 19\n* new", ["Are you under 19?", "Are you new?"]),
        ("The grant can be used for:\n* oars\n* paint", ["Is it for oars?", "Is it for paint?"]),
        ("You can row if your boat:\n* was built here\n* is dry", ["Was your boat built here?", "Is your boat dry?"]),
        ("You can row if you get any of these:\n- A Pass\n- A Ring", ["Do you get A Pass?", "Do you get A Ring?"]),
        ("To row you must:\n* be fit\n* not have a cold", ["Are you fit?", "Do you have a cold?"]),
        ("These people can’t row:\n* prisoners\n* pupils", ["Are you a prisoner?", "Are you a pupil?"]),
        ("You pay when you sell the following to a shop:\n* oars", ["Do you sell oars?"]),
        ("You can complain about:\n* noise\n* smoke", ["Is it about noise?", "Is it about smoke?"]),
        ("In a storm you must wear a vest.", ["Do you wear a vest?"]),
        ("Fees stop if the applicant is ill or has left.", ["Are you ill or have left?"]),
        ("You can row with an aunt if they live with you.", ["Do they live with you?"]),
        ("You can row if you work and are paid.", ["Do you work?", "Are you paid?"]),
    ],
)
def test_the_questions_of_a_rule(text: str, asked: list[str]) -> None:
    assert [question(condition) for rule in rules(text) for condition in rule.conditions] == asked


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("You can row if you’re over 9.", "you are over 9"),
        ("You can row if you don’t smoke.", "you do not smoke"),
        ("You can row unless you smoke.", "you do not smoke"),
        ("You can row unless you don’t swim.", "you swim"),
        ("You can row if your boat leaks.", "your boat leaks"),
        ("You can row if your boat sank.", "your boat sank"),
        ("You can row if your aunt wrote to us.", "your aunt wrote to us"),
        ("You can row unless your aunt wrote to us.", "your aunt did not write to us"),
        ("You can row if you have no debts.", "you do not have any debts"),
        ("You must have rowed for a year.", "you have rowed for a year"),
    ],
)
def test_a_condition_as_a_statement(text: str, said: str) -> None:
    (rule,) = rules(text)
    assert [statement(condition) for condition in rule.conditions] == [said]


@given(TEXTS)
def test_a_question_ends_as_one_and_is_never_empty(clause: str) -> None:
    asked = ask(clause)
    assert asked.endswith("?") and len(asked) > 1
    assert "\n" not in asked and "  " not in asked


@given(TEXTS)
def test_every_condition_can_be_asked_and_said(text: str) -> None:
    for rule in rules(text):
        for condition in rule.conditions:
            assert question(condition).endswith("?")
            assert statement(condition)


@given(st.sampled_from(["live here", "have a boat", "get soup", "work at night", "own two cars"]))
def test_a_denied_condition_is_asked_as_it_is_unless_denied(what: str) -> None:
    plain = Condition(0, len(what), f"you {what}", "", False, False)
    denied = Condition(0, len(what), f"you don’t {what}", "", True, False)
    assert question(plain) == question(denied)
    assert statement(plain) != statement(denied)
