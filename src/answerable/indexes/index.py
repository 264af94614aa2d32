"""What an index promises, and words and vectors made into one score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a ranking by words goes by, of one index or of several together.

    `passages` and `length`: how many there are, and the words in all of them. `languages`: those that they were
    analysed in; `paired`: whether scripts without blanks are indexed by pairs. `having`: in how many passages each of
    some words stands.
    """

    passages: int
    length: int
    languages: tuple[str, ...]
    paired: bool
    having: Mapping[str, int]

    @staticmethod
    def of(several: Sequence[Statistics]) -> Statistics:
        """Those of all the passages of several indexes, none of which is in two."""
        words = dict.fromkeys(word for one in several for word in one.having)
        return Statistics(
            sum(one.passages for one in several),
            sum(one.length for one in several),
            tuple(sorted({name for one in several for name in one.languages})),
            any(one.paired for one in several),
            {word: sum(one.having.get(word, 0) for one in several) for word in words},
        )


class LexicalIndex(Protocol):
    """Ranks passages by their words."""

    def search(self, text: str, k: int, shared: Statistics | None = None) -> Ranking:
        """The k best passages for a query text, each with its share (0 to 1) of the most that one could score.

        Fewer, or none, when fewer share a word with it. `shared`: the statistics of more passages, of which these are
        a part, for all words of the query: then scores are those that they have among all of these.
        """
        ...

    def statistics(self, words: Sequence[str]) -> Statistics:
        """What it goes by itself, for words as they are indexed."""
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


Weights = tuple[Ranking, Mapping[str, float]]
"""What a search weighs: passages with the share of their words, and the inner products of those with a vector."""

_DEPTH = 60
"""Passages of each kind that are weighed, at least."""


def depth(k: int) -> int:
    """How many passages of each kind are weighed for the k best."""
    return max(2 * k, _DEPTH)


def merged(parts: Sequence[Weights], mode: SearchMode, k: int) -> Ranking:
    """The k best of what several indexes weigh, none of whose passages is in two: as of one index of them all.

    Each part has the best of its own by either kind, so that the best of all are among them.
    """
    words = [row for own, _ in parts for row in own]
    near = [row for _, own in parts for row in own.items()]
    if mode != "hybrid":
        return best(words if mode == "lexical" else near, k)
    words, products = best(words, depth(k)), dict(near)
    further = {id: products[id] for id, _ in words if id in products}
    return weighed(words, dict(best(near, depth(k))) | further, k)


def placed(ranking: Ranking) -> Ranking:
    """The same ranking with scores by place alone, so that it can be held against another index's.

    2 / (60 + rank), ranks from 1: as if words and vectors had both ranked so (Cormack et al. 2009).
    """
    return [(id, 2 / (RANK_OFFSET + rank)) for rank, (id, _) in enumerate(ranking, start=1)]


def best(scored: Ranking, k: int) -> Ranking:
    """The k highest scores, ties by id."""
    return sorted(scored, key=lambda item: (-item[1], item[0]))[: max(k, 0)]
