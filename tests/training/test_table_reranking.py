"""What is learned from of what a table may say."""

from __future__ import annotations

import math
import random
from typing import Any, cast

import pytest
import torch
from torch import Tensor

from answerable.encoders.questions import AskedRow
from answerable.tables.ranking import READ, Ranking
from answerable.training.qapairs.model import MatchModel
from answerable.training.table_reranking import Offer, drawn, lost, offers
from answerable.training.tables import Lesson
from tests.training.test_tables import lessons

PLAIN = Ranking({"op.mean": 5.0}, frozenset())


def test_only_questions_that_some_answer_is_right_of_are_learned_from() -> None:
    taught = lessons(1)[0]
    (made,) = offers([taught], PLAIN)
    assert made.question == taught.question and 1 < len(made.said) <= READ and any(made.right)
    assert [*made.likely] == sorted(made.likely, reverse=True) and math.exp(made.likely[0]) <= 1
    assert not [*offers([Lesson(taught.question, ("a dozen",), taught.table, "t")], PLAIN)]


def test_of_what_is_right_and_wrong_a_few_are_drawn_the_likeliest_always() -> None:
    fits = (False, True, False, False, True, False, False, True)
    many = Offer("?", tuple("abcdefgh"), tuple(-float(at) for at in range(8)), fits)
    for seed in range(9):
        few = drawn(many, random.Random(seed))
        assert few.said[:5] == ("b", "e", "a", "c", "d") and {*few.said[5:]} <= {"f", "g"} and sum(few.right) == 2
        assert all(likely == -float("abcdefgh".index(one)) for one, likely in zip(few.said, few.likely, strict=True))


@pytest.mark.parametrize(("trust", "least"), [(0.0, math.log(2)), (1.0, math.log(1 + math.e))])
def test_what_is_right_is_made_likely_beside_what_the_ranking_says(trust: float, least: float) -> None:
    def as_likely(ids: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        return ids, torch.zeros(len(ids))

    rows = [[AskedRow([1, 2], [1, 2])] * 2]
    asked = [Offer("?", ("a", "b"), (0.0, -1.0), (False, True))]
    found = lost(cast(MatchModel, cast(Any, as_likely)), rows, asked, trust, torch.device("cpu"))
    assert float(found) == pytest.approx(least)
