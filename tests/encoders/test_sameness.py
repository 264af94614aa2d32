"""The test of two questions that ships."""

from __future__ import annotations

import pytest

from answerable.encoders.choose import encoder_folder
from answerable.encoders.sameness import QuestionTest
from answerable.encoders.shipped import open_shipped
from answerable.errors import ModelError


@pytest.fixture(scope="module")
def shipped() -> QuestionTest:
    return QuestionTest(open_shipped(encoder_folder("skills")), 1)


def test_whichever_comes_first_and_whatever_was_read_before_makes_no_difference(shipped: QuestionTest):
    one, other = "Who beat Ann Moor in the final?", "Whom did Ann Moor beat in the final?"
    told = shipped.logit(one, other)
    shipped.logit("Something else", "that is very much longer than any of the questions above, and asks nothing")
    again = QuestionTest(open_shipped(encoder_folder("skills")), 1)
    assert again.logit(other, one) == told == shipped.logit(other, one)
    assert 0 < shipped.probability(one, other) < 1


def test_near_misses_are_told_from_ways_to_ask_the_same(shipped: QuestionTest):
    asked = "Who founded the Norvik Bank?"
    same, other = "By whom was the Norvik Bank founded?", "When was the Norvik Bank founded?"
    assert shipped.probability(asked, same) > shipped.least > shipped.probability(asked, other)


def test_a_model_that_tests_nothing_is_refused():
    reader = open_shipped(encoder_folder("skills").with_name("reader"))
    assert not QuestionTest.within(reader)
    with pytest.raises(ModelError, match="tests no questions"):
        QuestionTest(reader)
