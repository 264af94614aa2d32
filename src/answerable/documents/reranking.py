"""Pairs of evidence put in order by a reader that reads both pieces together (DocHopper, section 4.2).

The walk takes four sentences of each step, and the sixteen pairs of them are read as paths of two passages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from answerable.documents.encoded import Book
from answerable.documents.walk import Walked
from answerable.types import Chain, Hit, Label, Passage, Skill


class Ranker(Protocol):
    """Says how good chains are as evidence; the path reader does."""

    def rank(self, question: str, chains: Sequence[Chain]) -> list[tuple[Chain, float]]:
        """The chains, given best first, with their scores, best first."""
        ...


@dataclass(frozen=True, slots=True)
class Reranked:
    """Pairs of evidence in a new order.

    `order`: the chains of their windows with their scores, best first; `pairs` (first, second, score): of what each is.
    """

    order: tuple[tuple[Chain, float], ...]
    pairs: tuple[tuple[int, int, float], ...]


def rerank(
    ranker: Ranker,
    window: Callable[[Book, int], Passage],
    book: Book,
    question: str,
    walked: Walked,
    label: Label,
) -> Reranked:
    """The pairs that a walk came to, in the ranker's order. Of those that read alike, the walk's best stands for it."""
    chains: dict[tuple[str, ...], Chain] = {}
    trail: dict[tuple[str, ...], tuple[int, int]] = {}
    for first, second, score in walked.pairs:
        windows = dict.fromkeys(window(book, one) for one in (first, second))
        chain = Chain(tuple(Hit(one, score, label, Skill.NAVIGATE) for one in windows), score, label)
        if chain.key not in chains:
            chains[chain.key], trail[chain.key] = chain, (first, second)
    order = tuple(ranker.rank(question, list(chains.values())))
    return Reranked(order, tuple((*trail[chain.key], score) for chain, score in order))
