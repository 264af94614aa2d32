"""Precision, recall and F1 of a set of documents, as QUEST's script computes them: for each query, then averaged.

    precision = |said ∩ gold| / |said|     recall = |said ∩ gold| / |gold|     F1 = 2PR / (P + R); all 0 for no overlap

The averages are over queries, of F1 too: the average F1 is not the F1 of the averages. They are given for all queries,
and for the queries of each template ("_ that are not _") or domain ("films").

Source: Malaviya et al. 2023, section 4.2 and tables 3 and 5; language/quest/eval/run_eval.py. MRecall at k, of the same
paper, is in `ranking`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from answerable.errors import UsageError


@dataclass(frozen=True, slots=True)
class SetScores:
    """Precision, recall and F1, each 0 to 1, of one query or on average over `count` queries."""

    precision: float
    recall: float
    f1: float
    count: int = 1


def set_scores(said: Iterable[str], gold: Iterable[str]) -> SetScores:
    """How near a set of documents is to the gold set; repetitions count once, and an empty set said scores 0.

    Raises `UsageError` when the gold set is empty, as the script does.
    """
    ours, theirs = set(said), set(gold)
    if not theirs:
        raise UsageError("a query without gold documents has no set scores", hint="leave it out of the data")
    both = len(ours & theirs)
    if not both:
        return SetScores(0.0, 0.0, 0.0)
    precision, recall = both / len(ours), both / len(theirs)
    return SetScores(precision, recall, 2 * precision * recall / (precision + recall))


def average(scores: Sequence[SetScores]) -> SetScores:
    """The mean of each measure over queries. Raises `UsageError` when there are none."""
    if not scores:
        raise UsageError("there is no query to average over", hint="evaluate at least one")
    n = len(scores)
    return SetScores(
        sum(s.precision for s in scores) / n, sum(s.recall for s in scores) / n, sum(s.f1 for s in scores) / n, n
    )


def grouped(scores: Sequence[SetScores], keys: Sequence[str]) -> dict[str, SetScores]:
    """The averages over the queries of each key (a template, a domain), keys in order of first appearance.

    Raises `UsageError` unless there is one key a query.
    """
    if len(scores) != len(keys):
        raise UsageError(f"{len(keys)} groups were named for {len(scores)} queries", hint="name one a query")
    groups: defaultdict[str, list[SetScores]] = defaultdict(list)
    for one, key in zip(scores, keys, strict=True):
        groups[key].append(one)
    return {key: average(members) for key, members in groups.items()}
