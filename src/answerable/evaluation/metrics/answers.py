"""Exact match and F1 of an answer against its gold answers, as the scripts of SQuAD 2.0 and 1.1 compute them.

Both compare normalised text: lower case, without punctuation, articles and extra spaces. Of several gold answers the
best counts.

    exact = 1 when some gold answer has the same normalised text
    F1    = 2PR / (P + R), with P and R the shares of words said and of gold words that are in both, with repetition

The two scripts differ only where nothing is left of a text:

- 2.0 has questions without an answer, for which '' is right and everything else wrong. A gold answer of which nothing
  is left is passed over, unless all are; two texts of which nothing is left have an F1 of 1.
- 1.1 wants a gold answer. Two texts of which nothing is left match exactly, and have an F1 of 0 all the same.

A question without a prediction counts 0 in the mean of 1.1, and is left out of the mean of 2.0.

Sources: Rajpurkar et al. 2016, section 6.1; Rajpurkar et al. 2018, section 5; their scripts, to the last digit.

Evidence F1 and answer F1 by type of answer, as QASPER's evaluator computes them.

A question has the annotations of several people; the best score against any of them counts, for the answer and for the
evidence separately.

    evidence F1 = 2PR / (P + R) over paragraphs, compared as strings; 1 when neither side has any
    answer F1   = the F1 of SQuAD 1.1, over words

Where the evaluator is peculiar, so are we: paragraphs shared are counted once, but P and R divide by all paragraphs
listed, repetitions included; two answers of which normalisation leaves nothing have an F1 of 0; and a question counts
under the type of the annotation whose answer came nearest, the first of these when several tie. A question without a
prediction counts 0 in the means of answers and evidence, and under no type.

Source: Dasigi et al. 2021, section 4.1; qasper_evaluator.py, which comes with the data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from answerable.errors import UsageError
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


def f1_v1(said: str, gold: Sequence[str]) -> float:
    """`f1` as the script of SQuAD 1.1 has it. Raises `UsageError` when there is no gold answer."""
    ours = normalise_answer(said).split()
    return max(overlap(ours, normalise_answer(answer).split())[0] for answer in _some(gold))


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


def _some(gold: Sequence[str]) -> Sequence[str]:
    if not gold:
        raise UsageError("a question without a gold answer has no score in SQuAD 1.1", hint="use exact and f1 instead")
    return gold


@dataclass(frozen=True, slots=True)
class Annotation:
    """One person's answer: the text, its type (extractive, abstractive, boolean, none), its evidence (paragraphs)."""

    answer: str
    kind: str
    evidence: tuple[str, ...] = ()


def evidence_f1(said: Sequence[str], gold: Sequence[Sequence[str]]) -> float:
    """The best F1, 0 to 1, of the paragraphs said against those of each annotation.

    Raises `UsageError` when there is no annotation.
    """
    if not gold:
        raise UsageError("a question without annotations has no evidence F1", hint="leave it out of the data")
    return max(_paragraphs(said, evidence) for evidence in gold)


def answer_f1(said: str, gold: Sequence[Annotation]) -> tuple[float, str]:
    """The best F1, 0 to 1, against the answer of each annotation, and the type of the first that has it.

    Raises `UsageError` when there is no annotation.
    """
    if not gold:
        raise UsageError("a question without annotations has no answer F1", hint="leave it out of the data")
    scored = [(f1_v1(said, [one.answer]), one.kind) for one in gold]
    return max(scored, key=lambda pair: pair[0])


def _paragraphs(said: Sequence[str], gold: Sequence[str]) -> float:
    if not said and not gold:
        return 1.0
    both = len(set(said) & set(gold))
    if not both:
        return 0.0
    precision, recall = both / len(said), both / len(gold)
    return 2 * precision * recall / (precision + recall)
