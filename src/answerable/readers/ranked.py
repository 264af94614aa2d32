"""Paths ranked by one reader and answered from by another: the paper's two models (Chain-of-Skills, appendix C.1).

The expert of reading tells good paths from bad ones; the span reader, trained on far more questions, is the better at
finding the answer in a good one. Only the best few paths are answered from, so that this costs little more than
reading all of them once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from answerable.readers.foreseeing import Place, place_of
from answerable.readers.paths import PathReader, behind
from answerable.readers.reader import Reader
from answerable.types import Candidate, Chain

ANSWERED = 3
"""How many of the best paths are answered from."""


class RankedReader:
    """Answers of the best paths, in the order of the paths."""

    name, english = "ranked", True

    def __init__(self, ranking: PathReader, answering: Reader) -> None:
        """`ranking` orders the chains, `answering` finds the answers."""
        self._ranking, self.answering = ranking, answering

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        """The answers of the `ANSWERED` best chains, best first. `chains` come as the search ranked them.

        A score is the other reader's, less what its path lies below the best one.
        """
        order = self._ranking.best(question, chains, ANSWERED)
        lost = {_key(chain): behind(order, score) for chain, score in order}
        found = self.answering.read(question, [chain for chain, _ in order])
        lowered = (replace(one, score=one.score - lost[_key(one.chain)]) for one in found)
        return sorted(lowered, key=lambda one: (-one.score, one.text, one.chain.key))


def alone(reader: Reader) -> Reader:
    """What of a reader answers from a passage alone, where there is nothing to rank."""
    return reader.answering if isinstance(reader, RankedReader) else reader


def _key(chain: Chain) -> tuple[Place, ...]:
    return tuple(map(place_of, chain.hits))
