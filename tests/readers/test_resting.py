"""What an answer rests on, by a reader that finds words."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from answerable.readers.resting import NEEDED, asking, resting, telling
from answerable.types import PUBLIC, Candidate, Chain, Hit, Passage, Skill

FIRST = "The tower is old. Kim keeps the lamp of the tower."
LAST = "A dry summer. No boat may land at night. The pier is closed."


class Scored:
    """Reads each answer where its words stand, as surely as it is told; a yes or a no in any passage."""

    name = "scored"

    def __init__(self, scores: dict[str, float], answer: str) -> None:
        self._scores, self._answer = scores, answer

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        found = []
        for chain in chains:
            text = " ".join(hit.passage.text for hit in chain.hits)
            score = max((score for words, score in self._scores.items() if words in text), default=-3.0)
            found.append(_answer(self._answer, chain, len(chain.hits) - 1, score))
        return found


def _hit(name: str, text: str) -> Hit:
    return Hit(Passage(name, name, "notes", name, text, 100, 100 + len(text)), 1.0, PUBLIC, Skill.SINGLE)


def _answer(text: str, chain: Chain, hit: int, score: float) -> Candidate:
    passage = chain.hits[hit].passage
    at = passage.text.find(text)
    span = (passage.start, passage.end) if at < 0 else (passage.start + at, passage.start + at + len(text))
    return Candidate(text, score, chain, hit, *span)


BOTH = Chain((_hit("first", FIRST), _hit("last", LAST)), 2.0, PUBLIC)


@pytest.mark.parametrize(("alone", "hits"), [(4.0, 1), (5.0 - NEEDED, 1), (5.0 - NEEDED - 0.1, 2)])
def test_a_passage_without_which_it_is_read_as_surely_is_left_out(alone: float, hits: int) -> None:
    answer = _answer("pier", BOTH, 1, 5.0)
    found = resting(Scored({"pier": alone}, "pier"), "What is closed?", answer)
    assert len(found.chain.hits) == hits and found.chain.hits[found.hit] is BOTH.hits[1]
    assert (found.start, found.end, found.text) == (answer.start, answer.end, "pier")
    assert len(resting(Scored({"pier": 9.0}, "lamp"), "What is closed?", answer).chain.hits) == 2


def test_a_verdict_stands_in_the_sentence_that_says_it_the_surest() -> None:
    answer = _answer("no", BOTH, 1, 3.0)
    found = resting(Scored({"No boat": 2.0, "pier": 1.0}, "no"), "May boats land?", answer)
    assert LAST[found.start - 100 : found.end - 100] == "No boat may land at night."
    assert [hit.passage.id for hit in found.chain.hits] == ["last"]
    other = resting(Scored({"Kim keeps": 2.0}, "no"), "May boats land?", answer)
    assert FIRST[other.start - 100 : other.end - 100] == "Kim keeps the lamp of the tower."
    assert [hit.passage.id for hit in other.chain.hits] == ["first"]


def test_a_verdict_rather_stands_in_a_sentence_that_says_a_word_of_the_question() -> None:
    found = resting(Scored({"pier": 2.0, "No boat": 1.0}, "no"), "May boats land?", _answer("no", BOTH, 1, 3.0))
    assert LAST[found.start - 100 : found.end - 100] == "No boat may land at night."


def test_a_verdict_that_no_sentence_says_stands_in_the_surest_with_a_word_of_the_question() -> None:
    answer = _answer("no", BOTH, 1, 3.0)
    found = resting(Scored({"No boat": -0.5, "pier": -0.2}, "no"), "May boats land?", answer)
    assert LAST[found.start - 100 : found.end - 100] == "No boat may land at night."
    assert resting(Scored({}, "no"), "Who swims?", answer) == answer


def test_a_question_tells_nothing_of_what_it_asks() -> None:
    text = 'Is the pier closed on Friday? It is closed on Sunday. "And on Monday?" Who knows?'
    chain = Chain((_hit("mail", text),), 1.0, PUBLIC)
    told = {day: asking(_answer(day, chain, 0, 1.0)) for day in ("Friday", "Sunday", "Monday", "yes")}
    assert told == {"Friday": True, "Sunday": False, "Monday": True, "yes": False}


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("The boat came late. Is the pier closed? Kim", -3.0),  # what is left says nothing
        ("The boat came late. Is the pier closed? It is shut.", 1.0),
        ("# Is the pier closed?\n\nNo boat may land.", 2.0),  # a heading says what the text under it is about
        ("The pier is closed. Who asks?", 2.0),
        ("Is the pier closed?", None),
    ],
)
def test_a_verdict_is_no_surer_than_without_the_questions_in_its_passages(text: str, score: float | None) -> None:
    chains = [Chain((_hit("mail", text),), 1.0, PUBLIC)]
    found = telling(Scored({"pier": 2.0, "shut": 1.0}, "yes"), "Is the pier closed?", chains)
    assert [(one.score, one.chain) for one in found] == ([] if score is None else [(score, chains[0])])


def test_a_verdict_never_stands_in_a_question() -> None:
    answer = _answer("no", Chain((_hit("mail", "Is the pier closed? It is shut."),), 1.0, PUBLIC), 0, 3.0)
    found = resting(Scored({"pier": 2.0, "shut": 1.0}, "no"), "Is the pier closed?", answer)
    assert (found.start - 100, found.end - 100) == (20, 31)
    assert resting(Scored({"pier": 2.0}, "no"), "Is the pier closed?", answer) == answer
