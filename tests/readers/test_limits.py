"""Numbers that a text bounds, asked for a yes or a no."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from answerable.readers.limits import of_limits
from answerable.readers.resting import resting, telling
from answerable.testing.reader import chain
from answerable.types import Candidate, Chain

PLENTY = "The pier is old. Up to 64 boats can lie at the pier."


class Told:
    """Says yes, or no where the passage denies it; writes down what it is asked."""

    name = "told"

    def __init__(self, score: float = 3.0) -> None:
        self.score, self.asked = score, list[str]()

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        found = []
        for one in chains:
            self.asked.append(question)
            passage = one.hits[0].passage
            said, other = ("no", "yes") if "no " in passage.text else ("yes", "no")
            found += [
                Candidate(said, self.score, one, 0, passage.start, passage.end),
                Candidate(other, -self.score, one, 0, passage.start, passage.end),
            ]
        return sorted(found, key=lambda one: -one.score)


@pytest.mark.parametrize(
    ("text", "question", "said"),
    [
        (PLENTY, "Can 80 boats lie at the pier?", "no"),
        (PLENTY, "Can 64 boats lie at the pier?", "yes"),
        ("It needs Python 3.10 or later.", "Is Python 3.9 enough?", "no"),
        ("It needs Python 3.10 or later.", "Is Python 3.11 supported?", "yes"),
        ("Python 3.9 is not supported; 3.10+ is needed.", "Does Python 3.12 work?", "yes"),
        ("node: >=18.17", "Does it run on node 16?", "no"),
        ("Members\n\nMinimum age: 16 years\nFee: 20 euro", "Can a 14 year old be a member?", "no"),
        ("Up to five days of leave are kept, and not twice.", "Can I keep seven days of leave?", "no"),
        ("Tools: for up to 48 hours", "May I have tools for three days?", "no"),
        ("More than 20 litres of petrol are forbidden.", "Are 30 litres of petrol allowed?", "no"),
        ("More than 20 litres of petrol are not allowed.", "May I keep 15 litres of petrol?", "yes"),
        ("Paper of at least 60 grams and no more than 220 grams is taken.", "Can I use paper of 300 grams?", "no"),
        ("No more than 40 bicycles fit into the shed", "Do 45 bicycles fit into the shed?", "no"),
        ("A job of more than 99 copies is refused.", "Is a job of 120 copies possible?", "no"),
        ("The pressure is never above 2.5 bar.", "Is a pressure of 2 bar allowed?", "yes"),
    ],
)
def test_within_a_limit_one_may_unless_it_is_forbidden(text: str, question: str, said: str) -> None:
    reader = Told()
    found = of_limits(reader, question, [chain("Nothing here."), chain(text)])
    assert [one.text for one in found] == [said, "no" if said == "yes" else "yes"]
    assert reader.asked == []


@pytest.mark.parametrize(
    ("text", "question", "limit", "said"),
    [
        ("Sums below 50 euro need no approval.", "Do sums of 30 euro need approval?",
         "Do sums of less than 50 euro need approval?", "no"),
        ("Sums below 50 euro need no approval.", "Do sums of 60 euro need approval?",
         "Do sums of less than 50 euro need approval?", "yes"),
        ("Stays of up to 14 days are free.", "Does a stay of two weeks cost anything?",
         "Does a stay of 14 days cost anything?", "yes"),
    ],
)  # fmt: skip
def test_of_other_things_the_reader_is_asked_what_holds_within(text: str, question: str, limit: str, said: str) -> None:
    reader = Told()
    assert of_limits(reader, question, [chain(text)])[0].text == said
    assert reader.asked == [limit]


@pytest.mark.parametrize(
    "question",
    [
        "Can boats lie at the pier?",
        "Can 80 cars stand at the pier?",
        "How many of 80 boats can lie at the pier?",
        "Can more than 80 boats lie at the pier?",
        "Was it built in 1990?",
        "Can I fish there 30 days a year?",
        "Can I take 50 boats to Oslo?",
    ],
)
def test_other_questions_are_left_alone(question: str) -> None:
    reader = Told()
    held = [chain(PLENTY), chain("In 1980 or later it was built."), chain("Fishing: up to 3 days a week")]
    held += [chain("If it holds more than 90 cars, call us.")]
    assert of_limits(reader, question, held) == reader.asked == []


def test_a_part_of_a_version_is_not_compared() -> None:
    assert of_limits(Told(), "Is Python 3 enough?", [chain("It needs Python 3.10 or later.")]) == []


def test_the_sentence_that_says_most_of_the_question_counts() -> None:
    text = "Up to 5 days may be carried over. Guests stay for up to 14 days."
    assert of_limits(Told(), "Can guests stay for 10 days?", [chain(text)])[0].text == "yes"


def test_nothing_follows_from_what_is_not_said_surely() -> None:
    assert of_limits(Told(0.5), "Do sums of 30 euro need approval?", [chain("Sums below 50 euro need no stamp.")]) == []


def test_it_is_told_where_the_limit_stands() -> None:
    (first, _) = telling(Told(), "Can 80 boats lie at the pier?", [chain(PLENTY)])
    found = resting(Told(), "Can 80 boats lie at the pier?", first)
    passage = found.chain.hits[0].passage
    start, end = found.start - passage.start, found.end - passage.start
    assert passage.text[start:end] == "Up to 64 boats can lie at the pier."
