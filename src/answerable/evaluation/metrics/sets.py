"""Precision, recall and F1 of a set of documents, as QUEST's script computes them for each query.

    precision = |said ∩ gold| / |said|     recall = |said ∩ gold| / |gold|     F1 = 2PR / (P + R); all 0 for no overlap

The averages are over queries, of F1 too: the average F1 is not the F1 of the averages.

Source: Malaviya et al. 2023, section 4.2 and tables 3 and 5; language/quest/eval/run_eval.py. MRecall at k, of the same
paper, is in `ranking`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from answerable.errors import UsageError


@dataclass(frozen=True, slots=True)
class SetScores:
    """Precision, recall and F1 of one query, each 0 to 1."""

    precision: float
    recall: float
    f1: float


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
