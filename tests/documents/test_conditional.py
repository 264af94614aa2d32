from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.documents.conditional import conditional, told
from answerable.documents.rules import Rule, rules
from tests.documents.test_rules import TEXTS

BERTH = "You get a berth if both:\n* you own a sailing boat\n* you don’t smoke indoors"


def only(text: str) -> Rule:
    (rule,) = rules(text)
    return rule


def test_an_answer_with_its_open_conditions_and_their_characters() -> None:
    found = conditional("yes", only(BERTH))
    assert found.text == "yes, if you own a sailing boat, and you do not smoke indoors"
    assert [BERTH[start:end] for start, end in found.spans] == ["you own a sailing boat", "you don’t smoke indoors"]


def test_what_a_scenario_or_a_turn_settles_is_left_out() -> None:
    rule = only(BERTH)
    assert conditional("yes", rule, "I own a large sailing boat.").text == "yes, if you do not smoke indoors"
    assert conditional("yes", rule, "", [("Do you smoke indoors?", "No")]).text == "yes, if you own a sailing boat"
    assert conditional("Yes.", rule, "I own a sailing boat. I never smoke indoors.").text == "Yes."
    assert conditional("no", rule, "I smoke indoors.").text == "no", "it fails, whatever else is so"


def test_a_scenario_settles_with_its_polarity() -> None:
    rule = only(BERTH)
    boat, smoke = rule.conditions
    assert told(rule, "I own a sailing boat.") == {boat: True}
    assert told(rule, "I do not own a sailing boat.") == {boat: False}
    assert told(rule, "I smoke indoors.") == {smoke: False}
    assert told(rule, "I never smoke indoors.") == {smoke: True}
    assert told(rule, "I own a horse. My boat is old.") == {}
    assert told(rule, "") == {}


def test_a_turn_counts_before_the_scenario() -> None:
    found = conditional("yes", only(BERTH), "I own a sailing boat.", [("Do you own a sailing boat?", "No")])
    assert found.conditions == ()


@pytest.mark.parametrize(
    ("answer", "text", "said"),
    [
        ("no", "You can row if you swim.", "no, unless you swim"),
        ("no", "You can’t row if you are ill.", "no, if you are ill"),
        ("yes", "You can’t row if you are ill.", "yes, unless you are ill"),
        ("two weeks", "You can row if you swim.", "two weeks, if you swim"),
        ("yes", "You can row if you’re either:\n* fit\n* brave", "yes, if you are fit, or you are brave"),
        ("yes", "You can row if you:\n* swim\n* pay", "yes, if you swim, and perhaps you pay"),
    ],
)
def test_if_and_unless(answer: str, text: str, said: str) -> None:
    assert conditional(answer, only(text)).text == said


@given(TEXTS, st.text(max_size=60))
def test_conditions_are_those_of_the_rule_in_order(text: str, scenario: str) -> None:
    for rule in rules(text):
        found = conditional("yes", rule, scenario)
        assert [c for c in rule.conditions if c in found.conditions] == list(found.conditions)
        assert not set(found.conditions) & set(told(rule, scenario))
        assert all(text[start:end] for start, end in found.spans)
        assert (found.text == "yes") == (not found.conditions)
