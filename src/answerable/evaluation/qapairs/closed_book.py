"""Exact match of answers given with no book, in all and by what training had of each question (PAQ, table 7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from answerable.datasets.examples import Example
from answerable.evaluation.metrics.answers import exact
from answerable.evaluation.qapairs.overlap import Overlap

Answering = Callable[[Sequence[str]], Sequence[tuple[str, float]]]
"""Questions to answers, each with a confidence."""


def measured(examples: Sequence[Example], splits: Sequence[Overlap], answering: Answering) -> dict[str, Any]:
    """EM (0 to 1) and the number of questions, in all under `total` and by split; of an empty split, EM is None."""
    said = answering([example.question for example in examples])
    right = [exact(text, example.answers) for (text, _), example in zip(said, examples, strict=True)]
    by_split = {one: [score for score, split in zip(right, splits, strict=True) if split is one] for one in Overlap}
    return {"total": _mean(right), **{one.value: _mean(scores) for one, scores in by_split.items()}}


def _mean(scores: Sequence[float]) -> dict[str, Any]:
    return {"questions": len(scores), "EM": fmean(scores) if scores else None}
