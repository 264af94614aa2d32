from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from answerable.documents.rules import Condition, Group, Rule, rules
from answerable.documents.settle import (
    Turn,
    follow_up,
    holds,
    remaining,
    settle,
    settled,
    told,
)
from answerable.text import content, overlap
from tests.documents.test_rules import TEXTS

ALL = "You get a berth if both:\n* you own a boat\n* you don’t smoke"
ANY = "You can’t get a berth if you’re either:\n* under 12\n* a pirate"
UNSAID = "You get a berth if you:\n* own a boat\n* sail daily"
ANSWERS = st.sampled_from(["Yes", "No", "yes.", "No, never"])


def only(text: str) -> Rule:
    (rule,) = rules(text)
    return rule


def said(text: str, history: list[Turn], scenario: str = "") -> str | None:
    found = settle(only(text), history, scenario)
    return found and found.text


@pytest.mark.parametrize(
    ("text", "answers", "decided"),
    [
        (ALL, [], "yes, if you own a boat, and you don’t smoke"),
        (ALL, [("Do you own a boat?", "Yes")], "yes, if you don’t smoke"),
        (ALL, [("Do you own a boat?", "No")], "no"),
        (ALL, [("Do you smoke?", "Yes")], "no"),
        (ALL, [("Do you own a boat?", "Yes"), ("Do you smoke?", "No")], "yes"),
        (ANY, [], "no, if you’re under 12, or you’re a pirate"),
        (ANY, [("Are you under 12?", "Yes")], "no"),
        (ANY, [("Are you under 12?", "No")], "no, if you’re a pirate"),
        (ANY, [("Are you under 12?", "No"), ("Are you a pirate?", "No")], "yes"),
        (UNSAID, [], "yes, if you own a boat, and perhaps you sail daily"),
        (UNSAID, [("Do you own a boat?", "Yes")], "yes, if you sail daily"),
        (UNSAID, [("Do you own a boat?", "No"), ("Do you sail daily?", "No")], "no"),
        ("You can’t row unless you are fit.", [("Are you fit?", "Yes")], "yes"),
        ("You can row unless you are ill.", [("Are you ill?", "Yes")], "no"),
        ("You can row unless you are ill.", [], "yes, unless you are ill"),
        ("You can row if you are fit.", [("Are you fit?", "perhaps")], "yes, if you are fit"),
    ],
)
def test_what_answers_decide(text: str, answers: list[Turn], decided: str) -> None:
    assert said(text, answers) == decided


def test_what_is_open_is_cited_and_the_first_asked_for() -> None:
    found = settle(only(ANY), [("Are you under 12?", "No")])
    assert found is not None and found.ask == "Are you a pirate?"
    assert [ANY[one.start : one.end] for one in found.conditions] == ["a pirate"]


def test_a_scenario_settles_with_its_polarity() -> None:
    rule = only("You get a berth if both:\n* you own a sailing boat\n* you don’t smoke indoors")
    boat, smoke = rule.conditions
    assert told(rule, "I own a large sailing boat.") == {boat: True}
    assert told(rule, "I do not own a sailing boat.") == {boat: False}
    assert told(rule, "I smoke indoors.") == {smoke: False}
    assert told(rule, "I never smoke indoors.") == {smoke: True}
    assert told(rule, "I own a horse. My boat is old.") == {}
    assert told(rule, "") == {}


def test_a_turn_counts_before_the_scenario() -> None:
    assert said(ALL, [("Do you own a boat?", "No")], "I own a boat.") == "no"
    assert said(ALL, [("Do you smoke?", "No")], "I own a boat.") == "yes"


def test_one_question_settles_one_condition_and_the_later_answer_counts() -> None:
    rule = only("You get a berth if you get one of these:\n* the blue sail pass\n* the red sail pass")
    assert len(settled(rule, [("Do you get the red sail pass?", "Yes")])) == 1
    turns = [("Do you get the red sail pass?", "Yes"), ("Do you get the red sail pass?", "No")]
    assert list(settled(rule, turns).values()) == [False]


def test_what_is_asked_next_is_of_the_rule_that_a_question_is_about() -> None:
    text = "You can moor here if you pay. You can fish here if you’re a member."
    everything = (0, len(text))
    assert follow_up(text, everything, "Can I fish?", []) == "Are you a member?"
    assert follow_up(text, everything, "Can I sing?", []) == "Do you pay?"
    assert follow_up(text, everything, "Can I fish?", [("Are you a member?", "Yes")]) == "Do you pay?"
    assert follow_up("The pond is deep.", (0, 17), "Can I fish?", []) is None


@given(
    st.sampled_from([ALL, ANY, UNSAID]), st.lists(st.tuples(st.integers(0, 1), ANSWERS), max_size=4), st.text(), ANSWERS
)
def test_a_turn_about_something_else_changes_nothing(
    text: str, replies: list[tuple[int, str]], other: str, answer: str
) -> None:
    rule = only(text)
    asked = [condition.question for condition in rule.conditions]
    assume(not any(content(other) & content(one) for one in asked))
    history = [(asked[number], reply) for number, reply in replies]
    for at in range(len(history) + 1):
        assert settle(rule, [*history[:at], (other, answer), *history[at:]]) == settle(rule, history)


@given(TEXTS, ANSWERS)
def test_asking_on_comes_to_an_end(text: str, answer: str) -> None:
    for rule in rules(text):
        history: list[Turn] = []
        while (left := remaining(rule, settled(rule, history))) and len(history) <= len(rule.conditions):
            history.append((left[0].question, answer))
            if left[0] in remaining(rule, settled(rule, history)):
                break  # another condition is asked in the same words, and took the answer
        assert len(history) <= len(rule.conditions)


CONDITIONS = tuple(Condition(i, i + 1, "x") for i in range(4))
KNOWN = st.dictionaries(st.sampled_from(CONDITIONS), st.booleans())


@given(
    st.builds(Group, st.sampled_from(["all", "any", "unknown"]), st.lists(st.sampled_from(CONDITIONS), min_size=1)),
    KNOWN,
    KNOWN,
)
def test_what_is_decided_stays_decided_as_more_is_known(
    group: Group, known: dict[Condition, bool], more: dict[Condition, bool]
) -> None:
    before = holds(group, known)
    if before is not None:
        assert holds(group, {**more, **known}) == before


@given(st.text(), st.text())
def test_overlap_is_a_share_and_the_same_both_ways(first: str, second: str) -> None:
    assert 0 <= overlap(first, second) == overlap(second, first) <= 1
    assert overlap(first, first) == (1 if content(first) else 0)
