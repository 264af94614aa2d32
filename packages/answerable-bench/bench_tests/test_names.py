from collections import Counter

import pytest

from answerable_bench.names import (
    ORGANISATION,
    OTHER,
    PERSON,
    PROJECT,
    WORK,
    Sorts,
    find_names,
    key,
    kind_of,
    people,
)
from bench_tests.world import HEADER


def found(text: str) -> list[str]:
    return [name.text for name in find_names(text)]


def test_runs_of_capitals_are_names_where_they_stand():
    text = "We sold it to Fulmar Ropes, Inc. and to the Port of Bergen last week."
    names = find_names(text)
    assert [name.text for name in names] == ["Fulmar Ropes, Inc.", "Port of Bergen"]
    assert all(text[name.start : name.end] == name.text for name in names)


def test_words_that_only_link_or_open_are_no_names():
    assert found("Thanks for that. Meanwhile the boat left on Monday in May.") == []
    assert found("On Friday Agnete Voll called.") == ["Agnete Voll"]
    assert found("Please see the FERRY TIMETABLE below, and ask JANE or the BBC.") == ["JANE", "BBC"]


def test_ways_of_writing_a_name_share_a_key():
    assert key("Vera J. Holm") == key("Vera J Holm") == key("VERA HOLM") == "vera holm"
    assert key("Plan B") != key("Plan C")


def test_people_are_read_from_headers_and_lists_are_not():
    assert people(HEADER.format("Rope")) == ["Maud Ekker"]
    staff = "From: Rope Works <news@ropes.example>\nTo: Ann Lee <ann.lee@ropes.example>\nDate: \nSubject: x\n\nHello."
    assert people(staff) == ["Ann Lee"]
    assert people("No header here.") == []


@pytest.mark.parametrize(
    ("name", "beside", "sort"),
    [
        ("Maud Ekker", "", PERSON),
        ("Fulmar Ropes Ltd", "", ORGANISATION),
        ("Project Gannet", "", PROJECT),
        ("Gannet", "the software and the database tool", PROJECT),
        ("Gannet", "grey and loud", OTHER),
    ],
)
def test_sorts_follow_headers_endings_and_the_words_beside(name: str, beside: str, sort: str):
    sorts = Sorts([HEADER.format("Rope")])
    assert sorts.of(name, Counter(beside.split())) == sort


@pytest.mark.parametrize(
    ("title", "text", "noun", "sort"),
    [
        ("Ilse Morgan", "Ilse Morgan (3 May 1921 – 9 June 1999) was a Danish film director. She", "director", PERSON),
        ("Fulmar (firm)", "Fulmar is a rope-making company based in Bodø.", "company", ORGANISATION),
        ("Gannet Bank", "Gannet Bank is one of the largest banks in Norway.", "bank", ORGANISATION),
        ("The Quiet Tide", "The Quiet Tide is a 1962 drama film directed by Ilse Morgan.", "film", WORK),
        ("Kvaløya", "Kvaløya is an archipelago of sorts.", "archipelago", OTHER),
    ],
)
def test_the_first_sentence_says_the_kind(title: str, text: str, noun: str, sort: str):
    kind = kind_of(title, text)
    assert kind is not None and (kind.noun, kind.sort) == (noun, sort)


@pytest.mark.parametrize(
    "text", ["It was sold in 1962.", "Ilse Morgan went to sea.", "The harbour is a place near Ilse Morgan.", ""]
)
def test_a_passage_that_does_not_say_what_its_page_is_about_has_no_kind(text: str):
    assert kind_of("Ilse Morgan", text) is None
