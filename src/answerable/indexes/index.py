"""What an index promises, and words and vectors made into one score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Mode = Literal["hybrid", "dense", "lexical"]
"""By words and vectors together, by vectors alone, by words alone."""

SearchMode = Literal[Mode, "entity"]
"""One of these for a question, or pages by the vector of a mention that names them."""

Progress = Callable[[str, int, int], None]
"""Called with a stage's name, what is done and the total, 0 while it is not known."""

IdLookup = Callable[[Sequence[int]], Mapping[int, str]]
"""Passage ids by key; keys that are gone are left out."""

Ranking = list[tuple[str, float]]
"""(passage id, score) pairs: finite scores, best first, ties by passage id."""


def silent(*_: object) -> None:
    """Tell nobody: what is called where nobody asked for progress."""


class LexicalIndex(Protocol):
    """Ranks passages by their words."""

    def search(self, text: str, k: int) -> Ranking:
        """The k best passages for a query text, each with its share (0 to 1) of the most that one could score.

        Fewer, or none, when fewer share a word with it.
        """
        ...

    def rarity(self, word: str) -> float:
        """The idf of a word as it is indexed."""
        ...


class VectorIndex(Protocol):
    """Ranks passages by their vectors."""

    def search(self, vector: NDArray[np.float32], k: int) -> Ranking:
        """The k best passages, or about those, for a (d,) unit vector, each by its inner product."""
        ...


OpenVectors = Callable[[], VectorIndex]

WORDS = 0.65
"""What the share of the words counts for; the inner product counts for the rest (`docs/results/engine.md`)."""
RANK_OFFSET = 60


def weighed(words: Ranking, vectors: Mapping[str, float], k: int) -> Ranking:
    """The k best by a convex sum of the share of the words and the inner product of the vectors (Bruch et al. 2023).

    What has only one of them has 0 for the other. A score is of its passage alone, whatever else was found, so that
    rankings of several indexes compare, and together are the ranking of their union.
    """
    shares = dict(words)
    ids = {**shares, **vectors}
    return best([(id, WORDS * shares.get(id, 0.0) + (1 - WORDS) * vectors.get(id, 0.0)) for id in ids], k)


def placed(ranking: Ranking) -> Ranking:
    """The same ranking with scores by place alone, so that it can be held against another index's.

    2 / (60 + rank), ranks from 1: as if words and vectors had both ranked so (Cormack et al. 2009).
    """
    return [(id, 2 / (RANK_OFFSET + rank)) for rank, (id, _) in enumerate(ranking, start=1)]


def best(scored: Ranking, k: int) -> Ranking:
    """The k highest scores, ties by id."""
    return sorted(scored, key=lambda item: (-item[1], item[0]))[: max(k, 0)]
