"""What tells whether two questions ask the same: the contract, by the stand-in and by something learned."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from answerable.qapairs.verify import Verdict, by_words, learned


@dataclass
class Told:
    """Says the same of any two questions."""

    said: float
    least: float = 0.8

    def probability(self, one: str, other: str) -> float:
        return self.said


def test_from_the_least_probability_on_they_are_the_same():
    assert Verdict(0.8, 0.8).same and not Verdict(0.79, 0.8).same
    assert Verdict(True).same and not Verdict(False).same


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_stand_in_is_symmetric_and_a_question_is_the_same_as_itself(one: str, other: str) -> None:
    assert by_words(one, one) == Verdict(1.0)
    assert by_words(one, other) == by_words(other, one) and 0 <= by_words(one, other).probability <= 1


def test_the_stand_in_goes_by_words_and_by_not():
    assert by_words("Who lit the lamp?", "who lit the lamp").probability == 1.0
    assert 0.5 < by_words("Who lit the old lamp?", "Who lit the lamp?").probability < 1.0
    assert by_words("Who did not light the lamp?", "Who did light the lamp?").probability == 0.0


def test_what_was_learned_decides_but_for_the_same_words():
    assert learned(Told(0.9))("Who lit it?", "By whom was it lit?") == Verdict(0.9, 0.8)
    assert not learned(Told(0.1))("Who lit it?", "By whom was it lit?").same
    assert learned(Told(0.1))("Who lit it?", "who lit it").same
