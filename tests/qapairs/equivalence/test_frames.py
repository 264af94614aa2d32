"""What is asked for beside a verb, a noun and in a clause."""

import pytest

from answerable.qapairs.equivalence.asked import sought
from answerable.qapairs.equivalence.forms import Word, read
from answerable.qapairs.equivalence.frames import AGENT, PATIENT, argument, events, past, relations, relative


def _at(words: list[Word], low: str) -> int:
    return next(n for n, word in enumerate(words) if word.low == low)


@pytest.mark.parametrize(
    ("question", "verb", "role"),
    [
        ("Who taught Lin?", "taught", AGENT),
        ("Whom did Lin teach?", "teach", PATIENT),
        ("Who was taught by Lin?", "taught", PATIENT),
        ("By whom was Lin taught?", "taught", AGENT),
        ("Who was Lin taught by?", "taught", AGENT),
        ("What was Lin taught?", "taught", ""),  # a second object
        ("Who did Lin play with?", "play", "with"),
        ("Who did Lin play with in May?", "play", "with"),
        ("Which firm did Hill buy up?", "buy", PATIENT),  # "up" is part of the verb
        ("Which firm bought by Hill makes glass?", "bought", PATIENT),
        ("What was opposed to it?", "opposed", ""),  # how it is, not what is done to it
        ("Who met the man that taught Lin?", "taught", ""),  # not the first verb
        ("When did Lin teach?", "teach", ""),  # not what teaches nor is taught
    ],
)
def test_argument(question, verb, role):
    words = read(question)
    assert argument(words, _at(words, verb), sought(words)) == role


@pytest.mark.parametrize(
    ("question", "verb", "role"),
    [
        ("Who met the man that taught Lin?", "taught", AGENT),
        ("Who met the man that Lin taught?", "taught", PATIENT),
        ("Who met the man that was taught by Lin?", "taught", PATIENT),
        ("Who taught Lin?", "taught", ""),
    ],
)
def test_relative(question, verb, role):
    words = read(question)
    assert relative(words, _at(words, verb), sought(words).at) == role


@pytest.mark.parametrize(
    ("question", "noun", "role"),
    [
        ("Who is the aunt of Lin?", "aunt", "is"),
        ("Who is Lin's aunt?", "aunt", "is"),
        ("Who is Lin the aunt of?", "aunt", "whose"),
        ("Of whom is Lin the aunt?", "aunt", "whose"),
        ("Lin is the aunt of whom?", "aunt", "whose"),
        ("Whose aunt is Lin?", "aunt", "whose"),
        ("Which girl's aunt is Lin?", "aunt", "whose"),
        ("Who had Lin as an aunt?", "aunt", "whose"),
    ],
)
def test_relations(question, noun, role):
    words = read(question)
    assert relations(words, sought(words))[noun] == role


def test_events_say_who_did_it_to_whom():
    [(noun, slots)] = events(read("When was Hill's purchase of Alba?"))
    assert (noun, slots) == ("purchas", {"hill": AGENT, "alba": PATIENT})
    [(noun, slots)] = events(read("When was Hill's defeat by Alba?"))
    assert (noun, slots) == ("defeat", {"hill": PATIENT, "alba": AGENT})


@pytest.mark.parametrize(("low", "is_past"), [("taught", True), ("oiled", True), ("death", False), ("was", False)])
def test_past(low, is_past):
    assert past(read(low)[0]) is is_past
