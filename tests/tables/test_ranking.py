from __future__ import annotations

import math

import pytest

from answerable.tables.ranking import Ranking, shipped
from answerable.tables.wording import written
from tests.tables.made import table

NOTHING = Ranking({}, frozenset())


def test_without_weights_every_program_is_as_likely() -> None:
    said = NOTHING.say("average salary by name", table(), 1000)
    assert math.isclose(sum(one.probability for one in said), 1)
    assert [one.probability for one in said] == sorted((one.probability for one in said), reverse=True)
    assert len({one.program.values for one in said}) == len(said)


def test_a_weight_moves_what_has_its_feature() -> None:
    before = {one.program.values: one.probability for one in NOTHING.say("average salary", table(), 1000)}
    after = {one.program.values: one.probability for one in Ranking({"op.mean": 5.0}, frozenset()).say(
        "average salary", table(), 1000)}  # fmt: skip
    assert after[61350.0] > 10 * before[61350.0]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("average salary of engineers", "$62,500"),
        ("how many engineers are there", "3"),
        ("what is the salary of Ole Berg?", "$48,250"),
        ("what is the highest salary", "$71,000"),
        ("total salary", "$306,750"),
    ],
)
def test_what_ships_reads_plain_questions(question: str, answer: str) -> None:
    best = shipped().say(question, table(), 1)[0]
    assert written(best.program, table()) == answer


@pytest.mark.parametrize(
    ("question", "repeats"),
    [
        ("who is Ole Berg?", True),
        ("what do testers do", True),
        ("who earns more, Ole Berg or Ana Ruiz?", False),
        ("which of Ole Berg and Ana Ruiz earns more?", False),
    ],
)
def test_what_only_repeats_the_question_is_no_answer_unless_it_offers_it(question: str, repeats: bool) -> None:
    said = {one.program.values for one in NOTHING.say(question, table(), 1000)}
    name = ("tester",) if "testers" in question else ("Ole Berg",)
    assert (name in said) is not repeats


def test_what_repeats_the_question_leaves_the_rest_as_likely_as_it_was() -> None:
    said = NOTHING.say("who is Ole Berg?", table(), 1000)
    assert math.fsum(one.probability for one in said) < 1
