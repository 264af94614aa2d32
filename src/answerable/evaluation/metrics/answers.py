"""Exact match and F1 of an answer against its gold answers, as the script of SQuAD 2.0 computes them.

Both compare normalised text: lower case, without punctuation, articles and extra spaces. The best gold answer counts.

    exact = 1 when some gold answer has the same normalised text
    F1    = 2PR / (P + R), with P and R the shares of words said and of gold words that are in both, with repetition

For a question without an answer '' is right and everything else wrong. A gold answer of which nothing is left is passed
over, unless all are; two texts of which nothing is left have an F1 of 1, where the script of 1.1 has 0. Rajpurkar et
al. 2016, section 6.1; Rajpurkar et al. 2018, section 5; the script, to the last digit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from answerable.text import normalise_answer

ENOUGH = 0.6
"""Least F1 in words of answers that agree."""
_FIGURE = re.compile(r"\d+")


def exact(said: str, gold: Sequence[str]) -> float:
    """1.0 when `said` is one of the gold answers once both are normalised, else 0.0. No gold answer: '' is right."""
    return max(float(normalise_answer(said) == answer) for answer in _answerable(gold))


def f1(said: str, gold: Sequence[str]) -> float:
    """Overlap in words with the nearest gold answer, 0 to 1. No gold answer: 1.0 for '', else 0.0."""
    ours = normalise_answer(said).split()
    if not ours:
        return float("" in _answerable(gold))
    return max(overlap(ours, answer.split())[0] for answer in _answerable(gold))


def agrees(said: str, gold: Sequence[str]) -> bool:
    """Whether an answer says what one of the gold answers says: most of its words, and no figure that it has not.

    A yes or a no must be just that. No gold answer: nothing agrees.
    """
    return any(
        normalise_answer(said) == normalise_answer(one)
        if normalise_answer(one) in ("yes", "no")
        else f1(said, [one]) >= ENOUGH and set(_FIGURE.findall(said)) <= set(_FIGURE.findall(one))
        for one in gold
    )


def overlap(said: Sequence[str], gold: Sequence[str]) -> tuple[float, float, float]:
    """F1, precision and recall of the words said, each word as often as it is repeated; zeros when none is shared."""
    common = (Counter(said) & Counter(gold)).total()
    if not common:
        return 0.0, 0.0, 0.0
    precision, recall = common / len(said), common / len(gold)
    return 2 * precision * recall / (precision + recall), precision, recall


def _answerable(gold: Sequence[str]) -> list[str]:
    """The normalised gold answers of which something is left, or '' alone."""
    return [text for text in map(normalise_answer, gold) if text] or [""]
