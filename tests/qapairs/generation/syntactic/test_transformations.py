"""Sentences and the questions that should be among those made of them."""

from __future__ import annotations

import pytest

from answerable.qapairs.generation.parsing import Parser
from tests.qapairs.generation.sentences import asked

POET = "Ada Lane (born 10 May 1815; died 1852) is an English poet. She moved to Rome in 1840."
FILM = "Red Moon is a 1988 film directed by Ann Ross. The film was shown in Japan by Toho ."

TRANSFORMATIONS = [
    ("a subject", "Ann Ross discovered the comet in 1898.", "Ann Ross", "Who discovered the comet in 1898?"),
    ("shorter", "Ann Ross discovered the comet in 1898.", "Ann Ross", "Who discovered the comet?"),
    ("an object", "Ann Ross discovered the comet in 1898.", "the comet", "What did Ann Ross discover in 1898?"),
    ("a date", "Ann Ross discovered the comet in 1898.", "1898", "When did Ann Ross discover the comet?"),
    ("a year", "Ann Ross discovered the comet in 1898.", "1898", "What year did Ann Ross discover the comet?"),
    ("an answer with its preposition", "Ann Ross died in 1898 .", "in 1898", "In what year did Ann Ross die?"),
    ("a place", "Ann Ross was born in Leeds on 4 May 1870.", "Leeds", "Where was Ann Ross born?"),
    ("a day", "Ann Ross was born in Leeds on 4 May 1870.", "4 May 1870", "When was Ann Ross born in Leeds?"),
    ("an agent", "The bridge was designed by Ann Ross in 1932.", "Ann Ross", "Who designed the bridge in 1932?"),
    ("a passive kept", "The bridge was designed by Ann Ross.", "Ann Ross", "Who was the bridge designed by?"),
    ("a participle", "The road leads to a bridge designed by Ann Ross.", "Ann Ross", "Who designed the bridge?"),
    ("a participle in front", "Written by Ann Ross, the song reached Spain.", "Ann Ross", "Who wrote the song?"),
    ("a participle behind", "The flood, killing two men, closed the road.", "two", "How many men did the flood kill?"),
    ("a relative", "Ann Ross, who wrote The Red Book, lives in Rome.", "The Red Book", "What did Ann Ross write?"),
    (
        "a relative's object",
        "The firm that Ann Ross founded in 1950 is old.",
        "1950",
        "When did Ann Ross found the firm?",
    ),
    ("an apposition", "Peter's wife, Ann Ross, kept bees.", "Ann Ross", "Who was Peter's wife?"),
    ("a conjunct", "The club keeps bees and sold honey in 1950.", "1950", "When did the club sell honey?"),
    (
        "a possessive subject",
        "Ann Ross's first book was printed in Oslo.",
        "Oslo",
        "Where was Ann Ross's first book printed?",
    ),
    ("a count", "The club has won 14 titles since 1990.", "14", "How many titles has the club won?"),
    ("a count that is there", "There are 24 islands in the lake.", "24", "How many islands are there in the lake?"),
    ("a measure", "The tower is 48 metres tall.", "48 metres", "How tall is the tower?"),
    ("how often", "Club members vote every four years.", "every four years", "How often do club members vote?"),
    ("a manner", "Farmers keep the milk cold by using ice.", "by using ice", "How do farmers keep the milk cold?"),
    ("a reason", "The miners left because of the war.", "because of the war", "Why did the miners leave?"),
    ("a negation", "Ann Ross did not visit Rome.", "Rome", "What did Ann Ross not visit?"),
    ("an easier wording", "The museum is located in Oslo.", "Oslo", "Where is the museum?"),
    ("tokens apart", "The bridge , built in 1932 , is long .", "1932", "When was the bridge built?"),
]


@pytest.mark.parametrize(
    ("text", "answer", "question"), [row[1:] for row in TRANSFORMATIONS], ids=[r[0] for r in TRANSFORMATIONS]
)
def test_a_sentence_becomes_a_question(parser: Parser, text: str, answer: str, question: str) -> None:
    assert question in asked(parser, text, answer)


@pytest.mark.parametrize(
    ("text", "title", "answer", "question"),
    [
        (POET, "Ada Lane", "1840", "When did Ada Lane move to Rome?"),
        (POET, "Ada Lane", "an English poet", "Who is Ada Lane?"),
        (POET, "Ada Lane", "10 May 1815", "When was Ada Lane born?"),
        (POET, "Ada Lane", "1852", "When did Ada Lane die?"),
        (FILM, "Red Moon (film)", "Ann Ross", "Who directed Red Moon?"),
        (FILM, "Red Moon (film)", "1988", "When did Red Moon come out?"),
        (FILM, "Red Moon (film)", "Japan", "Where was Red Moon shown by Toho?"),
    ],
)
def test_what_the_page_is_about_is_named(parser: Parser, text: str, title: str, answer: str, question: str) -> None:
    assert question in asked(parser, text, answer, title)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("It was closed in 1980.", "Notes"),
        ("The harbour froze. Ann Ross met John May there. He left in 1980.", "Oslo"),
        ("Ada Lane is a poet. Her father was a smith. It burned down in 1980.", "Ada Lane"),
    ],
)
def test_a_pronoun_that_nobody_can_place_gives_no_question(parser: Parser, text: str, title: str) -> None:
    assert not asked(parser, text, "1980", title)


def test_a_rival_takes_the_pronoun(parser: Parser) -> None:
    text = "Ada Lane is an English poet. John Lane, her brother, was a smith. He died in 1880."
    assert not any("Ada Lane die" in question for question in asked(parser, text, "1880", "Ada Lane"))


def test_a_span_that_is_no_phrase_gives_nothing(parser: Parser) -> None:
    assert not asked(parser, "Ann Ross discovered the comet in 1898.", ".")
    assert not asked(parser, "Rain. Wind. Snow.", "Wind")
