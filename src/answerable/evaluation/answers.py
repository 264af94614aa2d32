"""Exact match and F1 of answers, as the SQuAD evaluation script computes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from answerable.text import normalise_answer


def exact(said: str, gold: Sequence[str]) -> float:
    """1.0 when the answer equals one of the gold answers after normalisation. No gold answer: the right one is ''."""
    return float(any(normalise_answer(said) == normalise_answer(g) for g in (gold or ("",))))


def f1(said: str, gold: Sequence[str]) -> float:
    """The best word overlap F1 with any gold answer; yes, no and '' count only when equal (HotpotQA's script)."""
    best = 0.0
    for answer in gold or ("",):
        a, b = normalise_answer(said), normalise_answer(answer)
        if a == b:
            return 1.0
        if not a or not b or a in ("yes", "no") or b in ("yes", "no"):
            continue
        common = sum((Counter(a.split()) & Counter(b.split())).values())
        if common:
            best = max(best, 2 * common / (len(a.split()) + len(b.split())))
    return best
