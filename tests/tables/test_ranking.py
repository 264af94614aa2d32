from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from answerable.encoders.reranking import TableReranker
from answerable.tables.cells import Table
from answerable.tables.ranking import READ, Ranking, shipped
from answerable.tables.wording import in_words, written
from tests.tables.made import table

NOTHING = Ranking({}, frozenset())


def test_without_weights_every_program_is_as_likely() -> None:
    said = NOTHING.say("average salary by name", table(), 1000)
    assert sum(one.probability for one in said) <= 1
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


def test_numbers_that_name_are_not_added_up() -> None:
    rows = (("0409", "Meyrick", "3150"), ("0412", "Okafor", "6850"), ("0423", "Meyrick", "2700"))
    quotes = Table("quotes", ("number", "customer", "amount"), rows)
    said = shipped().say("quotes to Meyrick together", quotes)
    assert written(said[0].program, quotes) == "5,850" and all(one.program.values != 832.0 for one in said)


def test_a_word_that_the_chosen_row_says_is_not_left_out() -> None:
    rows = (("kitchen", "Pritchard", "oak"), ("benches", "Council", "larch"), ("bar", "Hotel", "ash"))
    quotes = Table("quotes", ("work", "customer", "wood"), rows)
    said = next(
        one for one in shipped().say("wood of the kitchen of Pritchard", quotes) if one.program.values == ("oak",)
    )
    assert not said.ignored and "pritchard" not in said.unexplained
    said = next(
        one for one in shipped().say("wood of the kitchen of Council", quotes) if one.program.values == ("oak",)
    )
    assert said.ignored == ("council",)


@pytest.mark.parametrize(("question", "said"), [("who cooks on Sunday?", False), ("who cooks first?", True)])
def test_a_row_is_taken_for_its_place_only_where_a_word_speaks_for_that(question: str, said: bool) -> None:
    rota = Table("rota", ("Day", "Cook"), (("Mon", "Ines"), ("Tue", "Karol"), ("Wed", "Ola")))
    assert (("Ines",) in {one.program.values for one in shipped().say(question, rota)}) is said


def test_rows_in_the_order_of_their_ranks_are_taken_for_that() -> None:
    rows = (("1", "Jim Clark"), ("2", "Richie Ginther"), ("3", "Graham Hill"), ("Ret", "Jack Brabham"))
    for name, said in (("Pos", True), ("No", False)):
        cup = Table("1963 Gold Cup", (name, "Driver"), rows if said else rows[:3])
        assert (("Jim Clark",) in {one.program.values for one in shipped().say("Who won the Gold Cup?", cup)}) is said


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how many lifejackets do we have", "26"),  # by Qty
        ("how many rows of safety things are there", "2"),  # "things" is no word of a cell
        ("how many items weigh over 2 kg", "1"),
        ("how many metres of rope are there", "240"),
        ("How many hours did we row in May?", "3.50"),  # in the unit
        ("How many rows in May?", "2"),
    ],
)
def test_how_many_is_told_by_a_column_of_quantities_or_of_the_unit_that_is_asked_for(
    question: str, answer: str
) -> None:
    stock = Table(
        "stock",
        ("Item", "Group", "Qty", "Weight (kg)"),
        (
            ("Lifejacket, adult", "safety", "17", "1.2"),
            ("Lifejacket, junior", "safety", "9", "0.8"),
            ("Rope", "rigging", "240", "9"),
        ),
    )
    log = Table(
        "log",
        ("Date", "Boat", "Time (hours)"),
        (("2026-05-02", "Kim", "1.5"), ("2026-05-09", "Kim", "2.0"), ("2026-06-01", "Bo", "1.0")),
    )
    asked = log if " May" in question else stock
    assert written(shipped().say(question, asked, 1)[0].program, asked) == answer


class Liking:
    """Is the surest of what is said in such words."""

    def __init__(self, words: str) -> None:
        self.words = words

    def logits(self, question: str, said: Sequence[str]) -> NDArray[np.float32]:
        assert question == "salary" and 1 < len(said) <= READ
        return np.array([9.0 * (self.words == one) for one in said], np.float32)


def test_the_likeliest_answers_are_read_beside_the_question() -> None:
    before = NOTHING.say("salary", table(), 1000)
    second = before[1]
    words = in_words(second, table())
    after = replace(NOTHING, reranker=lambda: cast(TableReranker, Liking(words))).say("salary", table(), 1000)
    assert after[0].program.values == second.program.values and after[0].probability > second.probability
    told, were = ([one.probability for one in some] for some in (after, before))
    assert sum(told) == pytest.approx(sum(were)) and told == sorted(told, reverse=True)


def test_asked_for_one_it_still_reads_several() -> None:
    words = in_words(NOTHING.say("salary", table(), 2)[1], table())
    liking = replace(NOTHING, reranker=lambda: cast(TableReranker, Liking(words)))
    assert liking.say("salary", table(), 1) == liking.say("salary", table(), 1000)[:1]
