"""When something happened to what a set looks for: by a reader that finds the year behind a word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from answerable.readers.comparing import READ
from answerable.sets.dated import OTHERWISE, UNREAD, by_dates, dates, when
from answerable.sets.finding import Finding
from answerable.types import Candidate, Chain, Passage
from tests.sets.world import World, sought

ADA = "Ada (born 1931) sailed in 1950 and died in 1999."


class Dating:
    """Reads the year that stands behind the last word of the question, and remembers what it was asked."""

    name = "dating"

    def __init__(self, score: float = READ) -> None:
        self._score = score
        self.asked: list[tuple[str, int]] = []
        self.lengths: list[int] = []

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        self.asked.append((question, len(chains)))
        self.lengths += [len(chain.hits[0].passage.text) for chain in chains]
        word, found = question.rstrip("?").split()[-1], []
        for chain in chains:
            passage = chain.hits[0].passage
            if year := re.search(rf"{word} (?:in )?(\d{{4}})", passage.text):
                start, end = (passage.start + at for at in year.span(1))
                found.append(Candidate(year[1], self._score, chain, 0, start, end))
        return found


def _passage(text: str) -> Passage:
    return Passage(text[:8], "ada", "wiki", "Ada", text, 0, len(text))


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("people born in the 1930s", 1.0),
        ("people born before 1931", OTHERWISE),
        ("people born in 1950", OTHERWISE),
        ("people who died after 1990", 1.0),
        ("people crowned in 1950", UNREAD),
        ("people", 1.0),
    ],
)
def test_what_is_left_by_when_it_was(words: str, left: float) -> None:
    assert when(Dating(), words, [_passage(ADA)]) == left


@pytest.mark.parametrize(
    ("words", "score", "left"),
    [
        ("people born in the 1930s", 1.5, 0.82),
        ("people born in the 1930s", 0.0, 0.5),
        ("people born in the 1930s", -0.1, UNREAD),
        ("people born in the 1940s", 1.5, UNREAD),
        ("people who died after 1990", 1.5, UNREAD),
    ],
)
def test_what_is_read_unsurely_counts_as_much_as_it_is_sure(words: str, score: float, left: float) -> None:
    assert when(Dating(score), words, [_passage(ADA)]) == pytest.approx(left, abs=0.01)


def test_passages_that_name_other_years_alone_are_not_read() -> None:
    reader = Dating()
    when(reader, "people born in the 1930s", [_passage("Ada married in 1951."), _passage(ADA)])
    assert reader.asked == [("When was Ada born?", 1)]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Ada sailed. She was born 1931. She died.", [18]),
        ("In 1932 Ada sailed. She was born 1931. She died.", [19, 48]),
    ],
)
def test_the_first_sentence_that_names_such_a_time_is_read_before_the_whole(text: str, read: list[int]) -> None:
    reader = Dating()
    assert when(reader, "people born in the 1930s", [_passage(text)]) == 1.0
    assert reader.lengths == read


def test_nothing_is_read_of_what_could_not_be_shown() -> None:
    fits = {"people born in 1931": np.array([0.5])}
    assert by_dates(Dating, dates({text: text for text in fits}), fits, {}) == fits
    assert by_dates(None, dates({text: text for text in fits}), fits, {0: [_passage(ADA)]}) == {}


def test_constraints_that_say_when() -> None:
    assert dates({"a": "people born in 1931", "b": "films of 1931"}) == {"a": "people born in 1931"}


def test_members_are_those_to_whom_it_happened_then() -> None:
    people = {
        "ada": "ada (born 1931) is one of the people of the hut. She left in 1999.",
        "bo": "bo (born 1890) is one of the people of the hut. He left in 1935.",
        "cy": "cy (born 1938) is one of the people of the hut.",
    }
    world, reader = World({"wiki": people}), Dating()
    finder = replace(world.finder(), reader=lambda: reader)
    asked = sought('"people born in the 1930s"')
    assert {one.document for one in Finding(asked, finder.find(asked)).found.members} == {"ada", "cy"}
    asked = sought('"people" minus "born in the 1930s"')
    assert {one.document for one in Finding(asked, finder.find(asked)).found.members} == {"bo"}
    assert {question for question, _ in reader.asked} == {f"When was {name} born?" for name in people}
