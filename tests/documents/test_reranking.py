from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from answerable.types import PUBLIC, Chain, Document
from tests.documents.test_reader import GUIDE, TEXT

SHELF = GUIDE.open(Document("d", "notes", "Notes", TEXT, "notes.txt"))
QUESTION = "Did the keeper see the storm?"


class Shortest:
    """Ranks chains by how little they say, and remembers how many it was given."""

    def __init__(self) -> None:
        self.given = 0

    def rank(self, question: str, chains: Sequence[Chain]) -> list[tuple[Chain, float]]:
        self.given += len(chains)
        scored = [(chain, -float(sum(len(hit.passage.text) for hit in chain.hits))) for chain in chains]
        return sorted(scored, key=lambda one: (-one[1], one[0].key))


def test_pairs_are_read_in_the_rankers_order() -> None:
    ranker = Shortest()
    guide = replace(GUIDE, ranker=ranker)
    found = guide.read(SHELF, QUESTION, pieces=2)
    assert 2 <= ranker.given <= 16
    sizes = [sum(len(hit.passage.text) for hit in chain.hits) for chain in found.chains]
    assert sizes == sorted(sizes) and len(sizes) <= guide.settings.windows
    assert [score for *_, score in found.pairs] == sorted((score for *_, score in found.pairs), reverse=True)
    assert [one.score for one in found.candidates] == sorted((one.score for one in found.candidates), reverse=True)
    assert found.candidates and found.candidates[0].chain in found.chains


def test_one_piece_of_evidence_is_not_reranked() -> None:
    ranker = Shortest()
    found = replace(GUIDE, ranker=ranker).read(SHELF, QUESTION, pieces=1)
    assert ranker.given == 0 and found.candidates == GUIDE.read(SHELF, QUESTION, pieces=1).candidates


def test_pairs_that_read_alike_are_ranked_once() -> None:
    walked = GUIDE.walk(SHELF, QUESTION, 2)
    assert walked is not None
    order, pairs = GUIDE.reranked(Shortest(), SHELF.book, QUESTION, walked, PUBLIC)
    keys = [chain.key for chain, _ in order]
    assert len(set(keys)) == len(keys) == len(pairs) <= len(walked.pairs)
    assert {pair[:2] for pair in pairs} <= {pair[:2] for pair in walked.pairs}
