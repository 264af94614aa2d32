"""Filters: what agrees, and that the local one reads each question with its own passage."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from answerable.encoders.choose import SHIPPED
from answerable.encoders.shipped import open_shipped
from answerable.qapairs.calibration import PairCalibration
from answerable.qapairs.generation.filtering import WEIGHED, LocalFilter, agrees, chance, fitted_to
from answerable.readers.overlap import OverlapReader
from answerable.types import Candidate, Chain
from tests.contracts.filter import ASKED, PASSAGES, FilterContract


class TestLocal(FilterContract):
    filter = LocalFilter(OverlapReader())


def test_the_local_filter_reads_each_question_with_its_own_passage_alone() -> None:
    read: list[tuple[str, list[str]]] = []

    class Watched:
        name = "watched"

        def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
            read.append((question, [hit.passage.text for chain in chains for hit in chain.hits]))
            return []

    assert LocalFilter(Watched()).consistent(PASSAGES, ASKED) == [[0, 0], [0], []]
    assert read == [(one.question, [passage.text]) for passage, row in zip(PASSAGES, ASKED, strict=True) for one in row]


@pytest.mark.parametrize(
    ("found", "answer", "same"),
    [
        ("The Bell Rock", "bell rock", True),
        ("1,844", "1844", True),
        ("Bell", "Bell Rock", False),
        (None, "Bell", False),
        ("the", "The", False),
        ("...", "!", False),
    ],
)
def test_answers_agree_as_they_are_scored(found: str | None, answer: str, same: bool) -> None:
    assert agrees(found, answer) is same


def test_where_it_is_fitted_the_answer_must_be_sure() -> None:
    by = PairCalibration((2.0,), -3.0, 0.5, "a reader", weighed=WEIGHED)
    assert chance(1.4, by) == 0 and chance(1.6, by) == by.confidence((1.6,)) > 0.5
    assert chance(-9.0, None) == 1 and chance(None, None) == chance(None, by) == 0


def test_the_reader_that_ships_is_fitted() -> None:
    by = fitted_to(open_shipped(SHIPPED / "reader").name)
    assert by is not None and by.weights[0] > 0 and by.threshold == 0.5
    assert fitted_to("another") is None
