"""What an index promises, and rankings fused by rank alone, because scores of different indexes do not compare."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol

from answerable.errors import UsageError

Mode = Literal["hybrid", "dense", "lexical"]
"""By words and vectors fused by rank, by vectors alone, by words alone."""

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

    def search(self, text: str, k: int, boosts: Mapping[str, float] | None = None) -> Ranking:
        """The k best passages for a query text; fewer, or none, when fewer share a word with it.

        `boosts` multiplies what single words are worth (1 without it).
        """
        ...


RANK_OFFSET = 60


def fuse(rankings: Sequence[Ranking], k: int, weights: Sequence[float] | None = None) -> Ranking:
    """Reciprocal rank fusion (Cormack et al. 2009): the sum over rankings of weight / (60 + rank), ranks from 1.

    The k best, ties by id. Weights are 1 unless given, one for each ranking; raises `UsageError` when they are not.
    """
    if weights is None:
        weights = [1.0] * len(rankings)
    if len(weights) != len(rankings):
        raise UsageError(f"{len(weights)} weights were given for {len(rankings)} rankings", hint="give one for each")
    sums: defaultdict[str, float] = defaultdict(float)
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, (id, _) in enumerate(ranking, start=1):
            sums[id] += weight / (RANK_OFFSET + rank)
    return best(list(sums.items()), k)


def placed(ranking: Ranking) -> Ranking:
    """The same ranking with scores by place alone, 2 / (60 + rank), so that it can be held against another index's.

    As if words and vectors had both ranked so (`fuse` of the ranking with itself): what is weighed against such scores,
    as a reranker's are, counts as much as beside a hybrid ranking.
    """
    return fuse([ranking, ranking], len(ranking))


def best(scored: Ranking, k: int) -> Ranking:
    """The k highest scores, ties by id."""
    return sorted(scored, key=lambda item: (-item[1], item[0]))[: max(k, 0)]
