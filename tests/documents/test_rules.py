from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from answerable.documents.rules import Condition, Rule, rules

PIECES = st.sampled_from(
    "if|when|unless|except if|provided that|as long as|only|you|you’re|they|your partner|the applicant|people|who|must"
    "|need to|can|can’t|are|is|have|not|no|neither|both|either|all of|one of|the following|apply|and|or|,|;|:|.|, and"
    "|\n|\n\n|\n* |\n- |\n# |(|)|–|under 19|£100|live|lived|abroad|to get|a pass|’|\t|in Rome".split("|")
)
TEXTS = st.lists(PIECES, max_size=40).map(" ".join) | st.text(max_size=80)


def only(text: str) -> Rule:
    (rule,) = rules(text)
    return rule


def words(rule: Rule) -> list[tuple[str, bool]]:
    return [(condition.text, condition.negated) for condition in rule.conditions]


def test_items_under_a_lead_in_go_on_from_its_subject() -> None:
    rule = only("## The card\n\nYou can have a card if you:\n\n* live on the island\n* are 12 or over")
    assert (rule.consequence, rule.grants, rule.needs[0].logic) == ("You can have a card", True, "unknown")
    assert [(c.text, c.stem) for c in rule.conditions] == [("live on the island", "you"), ("are 12 or over", "you")]


@pytest.mark.parametrize(
    ("lead", "logic"),
    [
        ("You may dive if you’re both:", "all"),
        ("You may dive if all of the following apply:", "all"),
        ("You may dive if you’re either:", "any"),
        ("You may dive if you have one of the following badges:", "any"),
        ("You may dive if you have at least one of these badges:", "any"),
        ("You may dive if you have:", "unknown"),
        ("You may not dive if you have:", "any"),
        ("You may dive unless you have either:", "all"),
        ("To dive, you must have:", "all"),
        ("Divers who have the following are banned:", "any"),
    ],
)
def test_how_items_combine(lead: str, logic: str) -> None:
    rule = only(f"{lead}\n* a red badge\n* a blue badge")
    assert rule.needs[0].logic == logic
    assert [c.text for c in rule.conditions] == ["a red badge", "a blue badge"]


def test_the_end_of_an_item_says_how_they_combine() -> None:
    assert only("You may row if you:\n- can swim; or\n- wear a vest").needs[0].logic == "any"
    assert only("You may row if you:\n- can swim, and\n- wear a vest").needs[0].logic == "all"


def test_lines_below_a_colon_are_items_without_marks() -> None:
    rule = only("You may row if you have either:\na vest\na licence")
    assert [c.text for c in rule.conditions] == ["a vest", "a licence"]


def test_a_lead_in_with_conditions_of_its_own_has_a_group_before_that_of_its_items() -> None:
    lead = "You get a meal if you stay a night, you’re not local and one of the following apply:"
    rule = only(f"{lead}\n* it rains\n* it is cold")
    before = [("you stay a night", False), ("you’re not local", True)]
    assert words(rule) == [*before, ("it rains", False), ("it is cold", False)]
    assert [one.logic for one in rule.needs] == ["all", "any"]


@pytest.mark.parametrize(
    ("text", "conditions", "consequence"),
    [
        ("If your boat leaks, you can claim.", [("your boat leaks", False)], "you can claim"),
        ("You can claim when the boat leaks.", [("the boat leaks", False)], "You can claim"),
        ("You can claim unless your boat is new.", [("your boat is new", True)], "You can claim"),
        ("You can claim unless you don’t row.", [("you don’t row", False)], "You can claim"),
        ("You can claim as long as you row.", [("you row", False)], "You can claim"),
        ("You can claim, provided that you pay £20.", [("you pay £20", False)], "You can claim"),
        ("You can claim except if you are under 9.", [("you are under 9", True)], "You can claim"),
        ("You are paid until you sell the boat.", [("you sell the boat", True)], "You are paid"),
        ("You can only claim if you row.", [("you row", False)], "You can only claim"),
        ("You must be over 9 to get a boat.", [("You must be over 9", False)], "to get a boat"),
        ("You must not row at night.", [("You must not row at night", True)], ""),
        ("To claim, you need to keep the bill.", [("you need to keep the bill", False)], "To claim"),
        ("People who row daily can claim.", [("People who row daily", False)], "can claim"),
        ("Help is granted to people who row.", [("who row", False)], "Help is granted to people"),
        ("Members under 50 can claim.", [("Members under 50", False)], "can claim"),
        ("You win if you row and your boat is old.", [("you row", False), ("your boat is old", False)], "You win"),
        ("You win if you are an employee not a guest.", [("you are an employee not a guest", False)], "You win"),
        ("If you’re single we’ll send you a letter.", [("you’re single", False)], "we’ll send you a letter"),
    ],
)
def test_clauses_of_a_sentence(text: str, conditions: list[tuple[str, bool]], consequence: str) -> None:
    rule = only(text)
    assert words(rule) == conditions
    assert rule.consequence == consequence


def test_a_lead_in_may_have_a_condition_before_its_duty() -> None:
    rule = only("If you row at night, you must also:\n* wear a vest\n* carry a lamp")
    assert words(rule) == [("you row at night", False), ("wear a vest", False), ("carry a lamp", False)]
    assert [one.logic for one in rule.needs] == ["all", "all"]


def test_a_consequence_that_denies() -> None:
    assert not only("You aren’t entitled to a seat if you row.").grants
    assert not only("All drivers under 17 are banned from the bridge.").grants
    assert only("You are entitled to a seat if you row.").grants
    assert not only("A seat is refused if you row.").grants
    assert only("Consent is not to be refused if you row.").grants


def test_not_either_is_neither() -> None:
    assert only("You can row unless you are ill or you are tired.").needs[0].logic == "all"
    assert only("You can row if you are well or you are paid.").needs[0].logic == "any"


@pytest.mark.parametrize(
    ("clause", "stem", "asked"),
    [
        ("you live in Rome", "", "Do you live in Rome?"),
        ("you’re over 18", "", "Are you over 18?"),
        ("under 19", "you’re", "Are you under 19?"),
        ("you must be over 18", "", "Are you over 18?"),
        ("be fit", "you must", "Are you fit?"),
        ("not have a cold", "you must", "Do you have a cold?"),
        ("you must have served at least 2 years", "", "Have you served at least 2 years?"),
        ("you must own a boat", "", "Do you own a boat?"),
        ("you’ve got a boat", "", "Have you got a boat?"),
        ("you have a boat", "", "Do you have a boat?"),
        ("your income is below £100", "", "Is your income below £100?"),
        ("your course must be new", "", "Is your course new?"),
        ("your cousin has moved", "", "Has your cousin moved?"),
        ("you can swim", "", "Can you swim?"),
        ("you can’t swim", "", "Can you swim?"),
        ("you don’t row", "", "Do you row?"),
        ("you applied in May", "", "Have you applied in May?"),
        ("who row daily", "you are one of those", "Are you one of those who row daily?"),
        ("share fishermen", "", "Does this apply to you: share fishermen?"),
    ],
)
def test_a_condition_as_a_question(clause: str, stem: str, asked: str) -> None:
    assert Condition(0, len(clause), clause, stem).question == asked


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The pond is deep. It has ducks.",
        "Even if you are late, the boat waits.",
        "Ask if you can row.",
        "# If you row\n",
    ],
)
def test_text_without_a_rule(text: str) -> None:
    assert rules(text) == ()


def test_a_window_of_a_text_keeps_its_offsets() -> None:
    text = "If you row, you win.\n\nYou can dive if you:\n\n* swim\n\nIf you fish, you win."
    start, end = text.index("You can dive"), text.index("\n\nIf you fish")
    (rule,) = rules(text, start, end)
    assert rule in rules(text)
    assert text[rule.conditions[0].start : rule.conditions[0].end] == "swim"


@given(TEXTS)
@example("when must ;")
@example("if\n* a: if")
@example("provided that if if if if if if if if if when when \n when")  # the end of a wrapped line is a blank
def test_spans_lie_in_the_text_and_are_its_words(text: str) -> None:
    for rule in rules(text):
        assert 0 <= rule.start < rule.end <= len(text)
        assert rule.conditions
        assert len(set(rule.conditions)) == len(rule.conditions)
        for condition in rule.conditions:
            assert rule.start <= condition.start < condition.end <= rule.end
            assert text[condition.start : condition.end].split() == condition.text.split()
            assert condition.question.endswith("?") and "\n" not in condition.question


@given(TEXTS)
def test_reading_is_the_same_within_a_longer_text(text: str) -> None:
    longer = "Words.\n\n" + text + "\n\nWords."
    assert [rule.consequence for rule in rules(longer, 8, 8 + len(text))] == [rule.consequence for rule in rules(text)]


def test_a_line_that_is_wrapped_goes_on() -> None:
    text = (
        "You may copy the work in any medium that you like, if you keep the\nnotice of the license in every copy.\n\n"
        "You can apply if you:\n* live here\n* are over 18\n"
    )
    wrapped, listed = rules(text)
    assert [one.said for one in wrapped.conditions] == ["you keep the notice of the license in every copy"]
    assert [one.said for one in listed.conditions] == ["you live here", "you are over 18"]


def test_what_is_marked_alike_stands_beside_it_and_a_list_within_a_list_is_of_what_leads_into_it() -> None:
    text = (
        "It is so.\n\n1. You may lend it.\n\n2. You may sell it, provided that you do one of the following:\n\n"
        "   a) pay the tax\n\n   b) ask us\n\n3. You may burn it if you are wet."
    )
    selling, burning = rules(text)
    assert [one.text for one in selling.conditions] == ["pay the tax", "ask us"] and selling.needs[0].logic == "any"
    assert [one.text for one in burning.conditions] == ["you are wet"]
