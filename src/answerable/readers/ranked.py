"""Paths ranked by one reader and answered from by another: the paper's two models (Chain-of-Skills, appendix C.1).

The expert of reading tells good paths from bad ones; the span reader, trained on far more questions, is the better at
finding the answer in a good one. Only the best few paths are answered from, so that this costs little more than
reading all of them once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from answerable.readers.foreseeing import Place, place_of
from answerable.readers.paths import PathReader, ReadPath, behind
from answerable.readers.reader import Reader
from answerable.text import normalise_answer, overlap
from answerable.types import Candidate, Chain

ANSWERED = 3
"""How many of the best paths are answered from."""
ALIKE = 0.6
"""From which F1 of their words on two answers of one chain are one."""
UNSAID = -10.0
"""What stands for the log-odds of what is not among the best answers of a path."""


class RankedReader:
    """Answers of the best paths, in the order of the paths."""

    name, english = "ranked", True

    def __init__(self, ranking: PathReader, answering: Reader) -> None:
        """`ranking` orders the chains, `answering` finds the answers."""
        self._ranking, self.answering = ranking, answering

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        """The answers of the `ANSWERED` best chains, best first. `chains` come as the search ranked them.

        A score is the other reader's, less what its path lies below the best one; `second` is the ranking reader's.
        """
        order = self._ranking.best(question, chains, ANSWERED)
        paths = {_key(path.chain): (path, behind(order, score)) for path, score in order}
        found = []
        for one in self.answering.read(question, [path.chain for path, _ in order]):
            path, lost = paths[_key(one.chain)]
            found.append(replace(one, score=one.score - lost, second=seconded(one.text, path)))
        return sorted(found, key=lambda one: (-one.score, one.text, one.chain.key))


def seconded(text: str, path: ReadPath) -> tuple[float, float]:
    """The log-odds that a path as it was read gives these words, and the best others; `UNSAID` where it has none."""
    words, scores = normalise_answer(text).split(), {True: UNSAID, False: UNSAID}
    for other in path.candidates:
        same = overlap(normalise_answer(other.text).split(), words)[0] >= ALIKE
        scores[same] = max(scores[same], other.score)
    return scores[True], scores[False]


def alone(reader: Reader) -> Reader:
    """What of a reader answers from a passage alone, where there is nothing to rank."""
    return reader.answering if isinstance(reader, RankedReader) else reader


def _key(chain: Chain) -> tuple[Place, ...]:
    return tuple(map(place_of, chain.hits))
