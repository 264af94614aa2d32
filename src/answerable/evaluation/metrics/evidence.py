"""Evidence F1 and answer F1 by type of answer, as QASPER's evaluator computes them.

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

from collections.abc import Sequence
from dataclasses import dataclass

from answerable.errors import UsageError
from answerable.evaluation.metrics.answers import f1_v1


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
