"""Filters: what agrees, and that the global one is handed nothing but questions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from answerable.qapairs.generation.filtering import GlobalFilter, LocalFilter, agrees
from answerable.readers.overlap import OverlapReader
from answerable.types import Candidate, Chain
from tests.contracts.filter import ASKED, LIGHT, PASSAGES, FilterContract, made
from tests.qapairs.generation.plain import by_asking


class TestLocal(FilterContract):
    filter = LocalFilter(OverlapReader())


ANSWERS = {"Who designed what was first lit?": [("Alan Stevenson", 0.5)], "When was it lit?": [("1844", 0.5)]}


class TestGlobal(FilterContract):
    filter = GlobalFilter(by_asking(lambda question: ANSWERS.get(question, [])))


def test_the_local_filter_reads_each_question_with_its_own_passage_alone() -> None:
    read: list[tuple[str, list[str]]] = []

    class Watched:
        name = "watched"

        def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
            read.append((question, [hit.passage.text for chain in chains for hit in chain.hits]))
            return []

    assert LocalFilter(Watched()).consistent(PASSAGES, ASKED) == [[False, False], [False], []]
    assert read == [(one.question, [passage.text]) for passage, row in zip(PASSAGES, ASKED, strict=True) for one in row]


def test_the_first_answer_alone_counts_and_its_confidence_does_not() -> None:
    asked = [[made("Who?", "Alan Stevenson", LIGHT)]]
    for answers, kept in (
        ([("the Alan Stevenson.", 0.01), ("Tiree", 0.0)], True),
        ([("Tiree", 0.9), ("Alan Stevenson", 0.8)], False),
        ([], False),
    ):
        said: list[tuple[str, float]] = answers
        assert GlobalFilter(by_asking(lambda question, said=said: said)).consistent(PASSAGES[:1], asked) == [[kept]]


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
