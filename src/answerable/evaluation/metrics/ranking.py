"""Measures of one ranking against judgements, as trec_eval computes them, and QUEST's MRecall.

A ranking is a list of ids, best first; judgements map an id to its relevance, and what is not above 0, or not judged,
is not relevant. With `k` only the first k ids count. A query of which nothing is relevant, and an empty ranking,
measure 0. An id that is repeated is worth something the first time only.

    DCG        sum of rel / log2(rank + 1); nDCG divides by that of the best ranking, cut at k too (ndcg_cut)
    AP         sum over relevant ids found of the precision at their rank, by the number of relevant ids (map, map_cut)
    RR         1 / rank of the first relevant id (recip_rank)
    recall     relevant ids found, by all relevant ids (recall)
    MRecall    1 when every relevant id is found: always 0 for more of them than k (Malaviya et al. 2023, section 5).
               Min et al. 2021, who named it, would in that case ask for k of them only

The order is taken as it stands; trec_eval sorts by score, the higher id first among equals. `relevance` above 1 counts
in nDCG alone. The values of pytrec_eval-terrier are kept as test cases, and agree to the last digit. Järvelin and
Kekäläinen 2002 (nDCG); Voorhees and Harman 2005 (the others); trec_eval 9.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence


def ndcg(ranking: Sequence[str], relevant: Mapping[str, int], k: int | None = None) -> float:
    """Normalised discounted cumulative gain, 0 to 1."""
    best = sorted((gain for gain in relevant.values() if gain > 0), reverse=True)[:k]
    ideal = _dcg(enumerate(best, start=1))
    return _dcg(_hits(ranking, relevant, k)) / ideal if ideal else 0.0


def average_precision(ranking: Sequence[str], relevant: Mapping[str, int], k: int | None = None) -> float:
    """Average precision, 0 to 1; its mean over queries is MAP."""
    total = 0.0
    for found, (rank, _) in enumerate(_hits(ranking, relevant, k), start=1):
        total += found / rank  # added one by one: `sum` rounds differently from Python 3.12 on
    wanted = _wanted(relevant)
    return total / wanted if wanted else 0.0


def reciprocal_rank(ranking: Sequence[str], relevant: Mapping[str, int], k: int | None = None) -> float:
    """1 / rank of the first relevant id, or 0.0; its mean over queries is MRR."""
    return next((1 / rank for rank, _ in _hits(ranking, relevant, k)), 0.0)


def recall(ranking: Sequence[str], relevant: Mapping[str, int], k: int | None = None) -> float:
    """Share of the relevant ids that are found, 0 to 1."""
    found, wanted = sum(1 for _ in _hits(ranking, relevant, k)), _wanted(relevant)
    return found / wanted if wanted else 0.0


def mrecall(ranking: Sequence[str], relevant: Mapping[str, int], k: int | None = None) -> float:
    """1.0 when every relevant id is found, else 0.0; its mean over queries is QUEST's MRecall."""
    return float(recall(ranking, relevant, k) == 1.0)


def _hits(ranking: Sequence[str], relevant: Mapping[str, int], k: int | None) -> Iterator[tuple[int, int]]:
    """Rank, from 1, and relevance of each relevant id in the first k."""
    seen = set()
    for rank, id in enumerate(ranking[:k], start=1):
        gain = relevant.get(id, 0)
        if gain > 0 and id not in seen:
            seen.add(id)
            yield rank, gain


def _dcg(gains: Iterator[tuple[int, int]] | enumerate[int]) -> float:
    total = 0.0
    for rank, gain in gains:
        total += gain / math.log2(rank + 1)
    return total


def _wanted(relevant: Mapping[str, int]) -> int:
    return sum(gain > 0 for gain in relevant.values())
