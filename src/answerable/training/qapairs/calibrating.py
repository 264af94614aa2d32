"""Fit how sure an answer from a pair is, on questions whose answers are known (PAQ, section 5.2.4 and appendix A.6).

`benchmarks/pair_calibration.py` does, and writes the file that the package reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from answerable.encoders.encoder import Vectors
from answerable.errors import FormatError
from answerable.evaluation.metrics.answers import exact
from answerable.qapairs.answering import PairAnswer, PairEngine
from answerable.qapairs.calibration import PairCalibration, answer_key, pair_of
from answerable.qapairs.early_exit import Several
from answerable.selective.calibrate import fit, threshold_for_risk
from answerable.training.selector import Asked

ACCURACY = 0.9
"""Of the answers given, the share that is to be right."""
_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Record:
    """The features of the pair that was chosen for a question, and whether its answer is right (exact match)."""

    features: tuple[float, ...]
    right: bool


def records(engine: PairEngine, asked: Sequence[Asked]) -> list[Record]:
    """Each question that a pair was chosen for, judged; the others are never answered, whatever the threshold."""
    made = []
    for start in range(0, len(asked), _AT_ONCE):
        part = asked[start : start + _AT_ONCE]
        for one, answer in zip(part, engine.answer_many([one.question for one in part], citing=False), strict=True):
            if answer.hit is not None:
                made.append(Record(answer.features, judged(answer, one.answers)))
    return made


def judged(answer: PairAnswer, gold: Sequence[str]) -> bool:
    """Whether the first answer of the chosen pair is one of the gold ones, given or not."""
    return bool(gold) and answer.hit is not None and exact(answer_text(answer), gold) == 1.0


def answer_text(answer: PairAnswer) -> str:
    """The chosen pair's first answer."""
    assert answer.hit is not None
    return pair_of(answer.hit).answers[0] or answer_key(pair_of(answer.hit))


def fitted(
    found: Sequence[Record], accuracy: float = ACCURACY, matcher: str = "", reranker: str = "", on: str = ""
) -> PairCalibration:
    """Weights from these records, and the lowest threshold at which such a share of their answers is right.

    Raises `FormatError` unless there are right and wrong ones.
    """
    right = [one.right for one in found]
    if len({*right}) < 2:
        raise FormatError("a calibration needs questions answered rightly and questions answered wrongly")
    weights, bias = fit([one.features for one in found], right)
    raw = PairCalibration(weights, bias, 1.0, matcher, reranker, on)
    return replace(raw, threshold=threshold_for(raw, found, accuracy))


def threshold_for(calibration: PairCalibration, found: Sequence[Record], accuracy: float = ACCURACY) -> float:
    """The lowest confidence at which at least this share of the answers to these records is right; 1 for never."""
    sure = [calibration.confidence(one.features) for one in found]
    return min(1.0, threshold_for_risk(sure, [one.right for one in found], 1.0 - accuracy))


RIDGE = 3.0
"""How much the weights are shrunk: there are hundreds, beside a few thousand questions."""
DIGITS = 4
"""Decimals kept of a weight; probabilities change in the fourth."""


def fitted_several(several: Vectors, single: Vectors, matcher: str, on: str = "") -> Several:
    """From the vectors (n, d) of questions of several hops and (m, d) of one. Raises `FormatError` without either."""
    if not len(several) or not len(single):
        raise FormatError("questions of several hops and questions of one are needed")
    rows = [*several, *single]
    weights, bias = fit(rows, [True] * len(several) + [False] * len(single), RIDGE)
    return Several(tuple(round(weight, DIGITS) for weight in weights), round(bias, DIGITS), matcher, on)


def shares(one: Several, vectors: Vectors) -> float:
    """The share of these questions that it takes for such of several hops."""
    return sum(one.likely(row) for row in vectors) / max(1, len(vectors))
