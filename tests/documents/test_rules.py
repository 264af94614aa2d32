from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from answerable.documents.rules import Group, Rule, rules

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
    assert (rule.consequence, rule.grants, rule.needs.logic) == ("You can have a card", True, "unknown")
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
        ("To dive, you must have:", "all"),
    ],
)
def test_how_items_combine(lead: str, logic: str) -> None:
    rule = only(f"{lead}\n* a red badge\n* a blue badge")
    assert rule.needs.logic == logic
    assert [c.text for c in rule.conditions] == ["a red badge", "a blue badge"]


def test_the_end_of_an_item_says_how_they_combine() -> None:
    assert only("You may row if you:\n- can swim; or\n- wear a vest").needs.logic == "any"
    assert only("You may row if you:\n- can swim, and\n- wear a vest").needs.logic == "all"


def test_lines_below_a_colon_are_items_without_marks() -> None:
    rule = only("You may row if you have either:\na vest\na licence")
    assert [c.text for c in rule.conditions] == ["a vest", "a licence"]


def test_a_lead_in_with_conditions_of_its_own_holds_a_group_in_a_group() -> None:
    lead = "You get a meal if you stay a night, you’re not local and one of the following apply:"
    rule = only(f"{lead}\n* it rains\n* it is cold")
    before = [("you stay a night", False), ("you’re not local", True)]
    assert words(rule) == [*before, ("it rains", False), ("it is cold", False)]
    assert rule.needs.logic == "all"
    assert [one.logic for one in rule.needs.members if isinstance(one, Group)] == ["all", "any"]


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
        ("Help is available to members in Rome and may be free.", [("members in Rome", False)], "Help is available to"),
        ("You can only claim if you row.", [("you row", False)], "You can only claim"),
        ("You must be over 9 to get a boat.", [("be over 9", False)], "to get a boat"),
        ("You must not row at night.", [("not row at night", True)], ""),
        ("To claim, you need to keep the bill.", [("keep the bill", False)], "To claim"),
        ("People who row daily can claim.", [("row daily", False)], "can claim"),
        ("Only members under 50 can claim.", [("members under 50", False)], "can claim"),
        ("You win if you row and your boat is old.", [("you row", False), ("your boat is old", False)], "You win"),
    ],
)
def test_clauses_of_a_sentence(text: str, conditions: list[tuple[str, bool]], consequence: str) -> None:
    rule = only(text)
    assert words(rule) == conditions
    assert rule.consequence == consequence


def test_a_lead_in_may_have_a_condition_before_its_duty() -> None:
    rule = only("If you row at night, you must also:\n* wear a vest\n* carry a lamp")
    assert words(rule) == [("you row at night", False), ("wear a vest", False), ("carry a lamp", False)]
    assert rule.needs.logic == "all"


def test_what_must_apply_for_something() -> None:
    rule = only("For a refund to be paid, one of the following must apply:\n* the boat sank\n* your oar broke")
    assert (rule.needs.logic, [c.stem for c in rule.conditions]) == ("any", ["", ""])


def test_a_condition_without_a_comma_after_it() -> None:
    rule = only("If you’re single we’ll send you a letter.")
    assert (words(rule), rule.consequence) == ([("you’re single", False)], "we’ll send you a letter")


def test_a_heading_may_say_of_whom_a_text_without_conditions_is() -> None:
    text = "## If you’re abroad\n\nYou can’t fish. The sea is deep."
    rule = only(text)
    assert (words(rule), rule.consequence, rule.grants) == ([("you’re abroad", False)], "You can’t fish", False)
    assert words(only("# If you’re abroad\n\nYou can fish if you row.")) == [("you row", False)]
    assert rules("# When you can fish\n\nYou can fish daily.") == ()


def test_a_consequence_that_denies() -> None:
    assert not only("You aren’t entitled to a seat if you row.").grants
    assert not only("All drivers under 17 are banned from the bridge.").grants
    assert only("You are entitled to a seat if you row.").grants


def test_not_either_is_neither() -> None:
    assert only("You can row unless you are ill or you are tired.").needs.logic == "all"
    assert only("You can row if you are well or you are paid.").needs.logic == "any"


def test_whether_they_are_others() -> None:
    assert only("You can bring your aunt if they row.").conditions[0].other
    assert not only("Members can row if they swim.").conditions[0].other


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The pond is deep. It has ducks.",
        "Even if you are late, the boat waits.",
        "Ask if you can row.",
        "You don’t have to row.",
        "# If you row\n",
        "Some services (if any) stop.",
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
def test_spans_lie_in_the_text_and_are_its_words(text: str) -> None:
    for rule in rules(text):
        assert 0 <= rule.start < rule.end <= len(text)
        assert text[slice(*rule.decides)] == rule.consequence
        assert rule.conditions
        assert len(set(rule.conditions)) == len(rule.conditions)
        for condition in rule.conditions:
            assert rule.start <= condition.start < condition.end <= rule.end
            assert text[condition.start : condition.end] == condition.text


@given(TEXTS)
def test_reading_is_the_same_within_a_longer_text(text: str) -> None:
    longer = "Words.\n\n" + text + "\n\nWords."
    assert [rule.consequence for rule in rules(longer, 8, 8 + len(text))] == [rule.consequence for rule in rules(text)]
