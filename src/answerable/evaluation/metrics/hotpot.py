"""Answer, supporting-fact and joint scores, as HotpotQA's script computes them (hotpot_evaluate_v1.py).

    answer       EM and word overlap as in SQuAD 1.1, but yes, no and noanswer share words with nothing but themselves
    supporting   EM and overlap of sets of facts; a fact is a title and the number of a sentence
    joint        precision and recall are products of the two, F1 = 2PR / (P + R), EM the product of both

As in the script two empty answers match exactly with an F1 of 0, and so do two empty sets of facts. What was not
predicted counts 0: `MISSING`. Yang et al. 2018, section 5.2. QUEST averages precision, recall and F1 of sets over
queries: Malaviya et al. 2023, section 4.2; language/quest/eval/run_eval.py.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from answerable.errors import UsageError
from answerable.evaluation.metrics.answers import overlap
from answerable.text import normalise_answer

ALONE = ("yes", "no", "noanswer")


@dataclass(frozen=True, slots=True)
class Scores:
    """Exact match, F1, precision and recall of one question, each 0 to 1."""

    em: float
    f1: float
    precision: float
    recall: float


MISSING = Scores(0.0, 0.0, 0.0, 0.0)


def answer_scores(said: str, gold: str | Sequence[str]) -> Scores:
    """How near an answer is to the gold one; of several gold answers the nearest counts (best EM, then best F1).

    HotpotQA itself has one gold answer a question. Raises `UsageError` when there is none.
    """
    answers = (gold,) if isinstance(gold, str) else gold
    if not answers:
        raise UsageError("a question without a gold answer has no HotpotQA score", hint="leave it out of the data")
    return max(
        (_answer(normalise_answer(said), normalise_answer(answer)) for answer in answers),
        key=lambda one: (one.em, one.f1),
    )


def set_scores(said: Iterable[Hashable], gold: Iterable[Hashable]) -> Scores:
    """How near a set of facts (title, number of the sentence), or of documents, is to the gold set; repetitions count
    once."""
    ours, theirs = {*said}, {*gold}
    both = len(ours & theirs)
    precision = both / len(ours) if ours else 0.0
    recall = both / len(theirs) if theirs else 0.0
    return Scores(float(ours == theirs), _harmonic(precision, recall), precision, recall)


def joint_scores(answer: Scores, supporting: Scores) -> Scores:
    """Answer and facts as one: only both right is right."""
    precision, recall = answer.precision * supporting.precision, answer.recall * supporting.recall
    return Scores(answer.em * supporting.em, _harmonic(precision, recall), precision, recall)


def _answer(said: str, gold: str) -> Scores:
    if said != gold and (said in ALONE or gold in ALONE):
        return MISSING
    f1, precision, recall = overlap(said.split(), gold.split())
    return Scores(float(said == gold), f1, precision, recall)


def _harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
