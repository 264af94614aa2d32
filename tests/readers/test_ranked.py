from __future__ import annotations

from collections.abc import Sequence

import pytest

from answerable.readers.paths import WEIGHT, PathReader
from answerable.readers.ranked import ANSWERED, RankedReader
from answerable.testing.reader import LIGHT, OTHER, ReaderContract, chain
from answerable.types import Candidate, Chain
from answerable.workspace.models import open_reader

QUESTION = "Who designed Skerryvore Lighthouse?"


class TestShippedPathReader(ReaderContract):
    reader = open_reader("skills", threads=1)[0]

    def test_the_path_that_is_needed_comes_first(self) -> None:
        assert isinstance(self.reader, PathReader)
        right, wrong = chain(LIGHT), chain(OTHER, title="Chance Brothers")
        for chains in ([right, wrong], [wrong, right]):
            assert self.reader.rank(QUESTION, chains)[0][0] == right

    def test_the_sentence_with_the_answer_supports_it(self) -> None:
        assert isinstance(self.reader, PathReader)
        supporting = self.reader.supporting(QUESTION, chain(LIGHT))
        assert [LIGHT[one.start - 100 : one.end - 100] for one in supporting] == [LIGHT[LIGHT.index("It was") :]]


class TestRankedReader(ReaderContract):
    reader = open_reader("ranked", threads=1)[0]


class Noting:
    """A reader that notes what it is given and says the first word of each chain."""

    name = "noting"

    def __init__(self) -> None:
        self.given: list[Chain] = []

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        self.given += chains
        return [Candidate(one.hits[0].passage.text.split()[0], 3.0, one, 0, 100, 103) for one in chains]


def test_only_the_best_paths_are_answered_from_and_pay_for_their_place() -> None:
    ranking = open_reader("skills", threads=1)[0]
    assert isinstance(ranking, PathReader)
    answering = Noting()
    chains = [chain(f"{number} boats came into the harbour.") for number in range(ANSWERED)] + [chain(LIGHT)]
    order = ranking.rank(QUESTION, chains)[:ANSWERED]
    found = RankedReader(ranking, answering).read(QUESTION, chains)
    assert answering.given == [path for path, _ in order] and answering.given[0] == chains[-1]
    assert [one.chain for one in found] == answering.given
    assert [one.score for one in found] == pytest.approx([3.0 - WEIGHT * (order[0][1] - score) for _, score in order])
