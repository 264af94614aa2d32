from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from answerable.documents.followup import question
from answerable.documents.rules import Condition, Group, Rule, rules
from answerable.documents.settle import (
    Turn,
    content,
    holds,
    next_condition,
    open_conditions,
    overlap,
    relevant,
    settle,
    settled,
)
from tests.documents.test_rules import TEXTS

ALL = "You get a berth if both:\n* you own a boat\n* you don’t smoke"
ANY = "You can’t get a berth if you’re either:\n* under 12\n* a pirate"
UNSAID = "You get a berth if you:\n* own a boat\n* sail daily"
ANSWERS = st.sampled_from(["Yes", "No", "yes.", "No, never"])


def only(text: str) -> Rule:
    (rule,) = rules(text)
    return rule


@pytest.mark.parametrize(
    ("text", "answers", "decided"),
    [
        (ALL, [], None),
        (ALL, [("Do you own a boat?", "Yes")], None),
        (ALL, [("Do you own a boat?", "No")], "no"),
        (ALL, [("Do you smoke?", "Yes")], "no"),
        (ALL, [("Do you own a boat?", "Yes"), ("Do you smoke?", "No")], "yes"),
        (ANY, [("Are you under 12?", "Yes")], "no"),
        (ANY, [("Are you under 12?", "No")], None),
        (ANY, [("Are you under 12?", "No"), ("Are you a pirate?", "No")], "yes"),
        (UNSAID, [("Do you own a boat?", "Yes")], None),
        (UNSAID, [("Do you own a boat?", "No"), ("Do you sail daily?", "No")], "no"),
        ("You can’t row unless you are fit.", [("Are you fit?", "Yes")], "yes"),
        ("You can row unless you are ill.", [("Are you ill?", "Yes")], "no"),
        ("You can row if you are fit.", [("Are you fit?", "perhaps")], None),
    ],
)
def test_what_answers_decide(text: str, answers: list[Turn], decided: str | None) -> None:
    assert settle(only(text), answers) == decided


def test_what_is_assumed_where_the_text_does_not_say() -> None:
    turn = [("Do you own a boat?", "Yes")]
    assert settle(only(UNSAID), turn, assumed="any") == "yes"
    assert settle(only(UNSAID), turn, assumed="all") is None
    assert settle(only(ALL), turn, assumed="any") is None


def test_open_conditions_in_order_and_the_next() -> None:
    rule = only(ANY)
    first, second = rule.conditions
    assert open_conditions(rule, []) == (first, second)
    assert open_conditions(rule, [("Are you a pirate?", "No")]) == (first,)
    assert next_condition(rule, [("Are you under 12?", "No")]) == second
    assert next_condition(rule, [("Are you a pirate?", "Yes")]) is None, "the rest no longer matters"
    assert open_conditions(rule, [("Are you a pirate?", "Yes")]) == (first,)


def test_one_question_settles_one_condition_and_the_later_answer_counts() -> None:
    rule = only("You get a berth if you get one of these:\n* the blue sail pass\n* the red sail pass")
    assert len(settled(rule, [("Do you get the red sail pass?", "Yes")])) == 1
    turns = [("Do you get the red sail pass?", "Yes"), ("Do you get the red sail pass?", "No")]
    assert list(settled(rule, turns).values()) == [False]


def test_the_rule_a_question_is_about_comes_first() -> None:
    found = rules("You can moor here if you pay. You can fish here if you’re a member.")
    assert relevant(found, "Can I fish?") == [found[1], found[0]]
    assert relevant(found, "Can I sing?") == list(found)


@given(
    st.sampled_from([ALL, ANY, UNSAID]), st.lists(st.tuples(st.integers(0, 1), ANSWERS), max_size=4), st.text(), ANSWERS
)
def test_a_turn_about_something_else_changes_nothing(
    text: str, said: list[tuple[int, str]], other: str, answer: str
) -> None:
    rule = only(text)
    asked = [question(condition) for condition in rule.conditions]
    assume(not any(content(other) & content(one) for one in asked))
    history = [(asked[number], reply) for number, reply in said]
    for at in range(len(history) + 1):
        longer = [*history[:at], (other, answer), *history[at:]]
        assert settle(rule, longer) == settle(rule, history)
        assert open_conditions(rule, longer) == open_conditions(rule, history)


@given(TEXTS, ANSWERS)
def test_asking_on_comes_to_an_end(text: str, answer: str) -> None:
    for rule in rules(text):
        history: list[Turn] = []
        while (condition := next_condition(rule, history)) and len(history) <= len(rule.conditions):
            history.append((question(condition), answer))
            if condition in open_conditions(rule, history):
                break  # another condition is asked in the same words, and took the answer
        assert len(history) <= len(rule.conditions)


CONDITIONS = tuple(Condition(i, i + 1, "x", "", False, False) for i in range(4))
GROUPS = st.recursive(
    st.sampled_from(CONDITIONS),
    lambda inner: st.builds(
        Group, st.sampled_from(["all", "any", "unknown"]), st.lists(inner, min_size=1, max_size=3).map(tuple)
    ),
    max_leaves=6,
).filter(lambda one: isinstance(one, Group))


@given(
    GROUPS,
    st.dictionaries(st.sampled_from(CONDITIONS), st.booleans()),
    st.dictionaries(st.sampled_from(CONDITIONS), st.booleans()),
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
