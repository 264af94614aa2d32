"""Rankings made into one by rank alone, because scores of different indexes do not compare."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from answerable.errors import UsageError
from answerable.indexes.index import Ranking

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
