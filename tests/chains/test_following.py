from __future__ import annotations

import pytest

from answerable.chains.following import MOST, ROOM, Said, again, context, follows, whole

WHO = Said("Which tower did Ingrid visit?", frozenset({"mail"}))


@pytest.mark.parametrize(
    "question",
    [
        "And who founded it?",
        "who sent it?",
        "and when did he die?",
        "what about the second one?",
        "What about Kim?",
        "why?",
        "how many?",
        "Who said that?",
        "How many people were expected there?",
        "What did they pay Ingrid?",
        "How long is it from north to south?",
        "When does that person drive to Kiel?",
        "In that year, who won?",
    ],
)
def test_a_question_that_names_nothing_before_it_points_follows_on(question: str) -> None:
    assert follows(question)


@pytest.mark.parametrize(
    "question",
    [
        "When did Lincoln write his address?",
        "Who built the tower that Ingrid visited?",
        "How many lighthouses are there in Scotland?",
        "Which lighthouse stands on Hiiumaa?",
        "boiler service",
        "Tell me about Gustaf Dalén",
        "Android phones",
        "where is the boiler",
        "Who owns the house that Jack built?",
        "Who said that Bo was late?",
    ],
)
def test_one_that_names_what_it_is_about_does_not(question: str) -> None:
    assert not follows(question)


def test_it_is_asked_with_what_it_follows_from_the_nearest_first() -> None:
    first, second = Said("Who is Ingrid?"), Said("What does she do?")
    other, answer = Said("Which tower is red?"), Said("Kõpu")
    assert context("Who built it?", [(other, None), (WHO, answer)]) == (WHO, answer)
    assert context("And why?", [(other, answer), (first, None), (second, None)]) == (second, first)
    assert context("Who is Kim?", [(WHO, answer)]) == () == context("And why?", [])


def test_no_more_is_added_than_there_is_room_for() -> None:
    turns = [(Said(f"and then {number}?"), Said("x" * 90)) for number in range(9)]
    found = context("And why?", turns)
    assert len(found) == 2 * MOST and found[0] == turns[-1][0]
    assert whole("And why?", found) == f"why? {' '.join(one.text for one in found)[:ROOM]}"
    assert whole("Who is Kim?", ()) == "Who is Kim?"
    assert whole("and where?", [Said("When is\nthe fair?")]) == "where? When is the fair?"
    assert whole("What is it for doubles and fours?", [Said("Why?")]) == "What is it for doubles and fours? Why?"


def test_a_question_may_ask_the_same_of_another_thing() -> None:
    base, answer = Said("Where does\nBo live?", asks=True), Said("Kiel")
    said = (base, answer)
    for question in ("And Kim?", "what about Kim", "Kim?"):
        assert again(whole(question, said), said) == ("Kim", base.text)
    later = (Said("And Kim?", asks=True), Said("Oslo"), *said)
    assert again(whole("and Ada?", later), later) == ("Ada", base.text)
    since = (Said("Who is his boss?", asks=True), *said)
    assert again(whole("and Ada?", since), since) == ("Ada", f"Who is his boss? {base.text}")
    for question in ("And who is Kim?", "And is Kim there?", "And?"):
        assert again(whole(question, said), said) is None
    assert again("Where does Kim live?", ()) is None
