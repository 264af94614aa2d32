"""Fit how sure an answer from a pair is, and one that is read early, on questions whose answers are known.

Source: Lewis et al. 2021, section 5.2.4 and appendix A.6.

`pair_calibration.py` does, and writes the files that the package reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from answerable.chains.beam import BeamSettings
from answerable.encoders.encoder import Vectors
from answerable.errors import FormatError
from answerable.evaluation.metrics.answers import exact
from answerable.qapairs.answering import PairAnswer, PairEngine
from answerable.qapairs.calibration import NAMES, PairCalibration, answer_key, pair_of
from answerable.qapairs.early_exit import NAMES as EARLY
from answerable.qapairs.early_exit import EarlyReader, Several
from answerable.qapairs.shortcut import begun
from answerable.selective.calibrate import fit, threshold_for_risk
from answerable.training.selector import Asked

ACCURACY = 0.9
"""Of the answers given, the share that is to be right."""
LET_THROUGH = 0.02
"""Of near misses, the share that may be answered."""
MEANT = dict.fromkeys(NAMES, 1) | {"added": -1, "length": 0}
"""Which way each feature speaks: 1 for a right answer, -1 against it, 0 either way."""
_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Record:
    """The features of the pair that was chosen for a question, and whether its answer is right (exact match).

    `near`: the question is a near miss, which has no answer among the pairs.
    """

    features: tuple[float, ...]
    right: bool
    near: bool = False


def records(engine: PairEngine, asked: Sequence[Asked]) -> list[Record]:
    """Each question that a pair was chosen for, judged; the others are never answered, whatever the threshold."""
    made = []
    for start in range(0, len(asked), _AT_ONCE):
        part = asked[start : start + _AT_ONCE]
        for one, answer in zip(part, engine.answer_many([one.question for one in part], citing=False), strict=True):
            if answer.hit is not None:
                made.append(Record(answer.features, judged(answer, one.answers), not one.answers))
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
    """Weights from these records, and a threshold (`threshold_for`).

    A feature whose weight would speak against what it means (`MEANT`) counts nothing: another, beside which it says
    nothing more, has more than its own share then. Raises `FormatError` unless there are right and wrong ones.
    """
    right = [one.right for one in found]
    if len({*right}) < 2:
        raise FormatError("a calibration needs questions answered rightly and questions answered wrongly")
    weights, bias = _as_meant(np.asarray([one.features for one in found], np.float64), right)
    raw = PairCalibration(weights, bias, 1.0, matcher, reranker, on)
    return replace(raw, threshold=threshold_for(raw, found, accuracy))


def threshold_for(calibration: PairCalibration, found: Sequence[Record], accuracy: float = ACCURACY) -> float:
    """The lowest confidence at which at least this share of the answers to these records is right, and no more than
    `LET_THROUGH` of the near misses are answered; 1 for never."""
    told = [(calibration.confidence(one.features), one) for one in found]
    near = sorted((sure for sure, one in told if one.near), reverse=True)
    most = near[int(LET_THROUGH * len(near))] if near else -1.0
    above = [(sure, one.right) for sure, one in told if sure > most]
    return min(1.0, threshold_for_risk([sure for sure, _ in above], [right for _, right in above], 1.0 - accuracy))


def _as_meant(rows: Vectors, right: Sequence[bool]) -> tuple[tuple[float, ...], float]:
    """Weights and bias of a fit, without the features that would count against what they mean, the worst first."""
    left, spread = [*range(len(NAMES))], rows.std(axis=0)
    while True:
        found, bias = fit(rows[:, left], right)
        against = {n: MEANT[NAMES[n]] * weight * spread[n] for n, weight in zip(left, found, strict=True)}
        worst = min(against, key=against.__getitem__)
        if against[worst] >= 0:
            weights = dict(zip(left, found, strict=True))
            return tuple(weights.get(n, 0.0) for n in range(len(NAMES))), bias
        left.remove(worst)


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


LOSES = 0.02
"""Of the questions of a group, the share that may be answered worse early than by the engine."""
STEPS = 100
"""Thresholds tried: the hundredths from 0 to 1."""
RUN = 10
"""Thresholds in a row that must hold: by chance a single one may."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Step:
    """The best after some of the passages: its features and whether it is right (exact match)."""

    features: tuple[float, ...]
    right: bool


@dataclass(frozen=True, slots=True)
class EarlyRecord:
    """What was read for a question, passage after passage, and whether the engine is right.

    No steps: a question that a pair answers, or that nothing is read early for.
    """

    group: str
    question: str
    steps: tuple[Step, ...]
    engine: bool


Judged = tuple[str, bool, Sequence[tuple[float, bool]]]
"""The group of a question, whether the engine is right, and for each step how sure it is and whether it is right."""


def early_records(
    pairs: PairEngine,
    early: EarlyReader,
    asked: Sequence[Asked],
    ask: Callable[[str], str],
    group: str,
    beam: BeamSettings,
) -> list[EarlyRecord]:
    """Each question, judged. `ask`: the engine's best answer, '' for none; `beam`: how it searches."""
    made = []
    for one in asked:
        _, reads = begun(pairs, early, one.question, beam)
        steps = tuple(
            Step(read.features, exact(read.choice.text, one.answers) == 1.0) for read in reads if not read.differs
        )
        made.append(EarlyRecord(group, one.question, steps, exact(ask(one.question), one.answers) == 1.0))
    return made


def fitted_early(found: Sequence[EarlyRecord], matcher: str, reader: str, on: str = "") -> PairCalibration:
    """Weights from these records, and the threshold. Raises `FormatError` unless there are right and wrong ones.

    The threshold is the lowest from which on answers are as often right as the engine's, one group of questions with
    another (PAQ, section 5.2.4: back-off at equal accuracy), and no group loses more than one in fifty: one passage is
    better than the engine for some and worse for others. Confidences that choose it come from weights fitted to the
    other half.
    """
    places = {question: place for place, question in enumerate(dict.fromkeys(one.question for one in found))}
    halves = [[one for one in found if places[one.question] % 2 == half] for half in (0, 1)]
    if any(len({step.right for one in half for step in one.steps}) < 2 for half in halves):
        raise FormatError("a calibration needs questions answered rightly and questions answered wrongly")
    both = ((own, _weighed(other, matcher, reader, on)) for own, other in (halves, halves[::-1]))
    told = [one for own, known in both for one in how_sure(own, known)]
    return replace(_weighed(found, matcher, reader, on), threshold=as_right(told))


def how_sure(found: Iterable[EarlyRecord], known: PairCalibration) -> list[Judged]:
    """How sure a calibration is of each step of these records."""
    return [
        (one.group, one.engine, [(known.confidence(step.features), step.right) for step in one.steps]) for one in found
    ]


def as_right(ones: Sequence[Judged]) -> float:
    """The lowest threshold at which groups lose nothing on average, and none more than `LOSES`, nor at the next `RUN`;
    1 where there is none."""
    groups = [[one for one in ones if one[0] == group] for group in dict.fromkeys(group for group, _, _ in ones)]
    held = 0
    for step in range(1, STEPS + RUN):
        gains = [gain(group, step / STEPS) for group in groups]
        held = held + 1 if sum(gains) >= -_ROUNDING and min(gains) >= -LOSES - _ROUNDING else 0
        if held == RUN:
            return (step - RUN + 1) / STEPS
    return 1.0


def gain(ones: Iterable[Judged], least: float) -> float:
    """How many more are right, as a share of the questions, where the first so sure takes the engine's place."""
    total = count = 0
    for _, engine, steps in ones:
        count += 1
        total += next((right - engine for sure, right in steps if sure >= least), 0)
    return total / max(1, count)


def _weighed(found: Sequence[EarlyRecord], matcher: str, reader: str, on: str) -> PairCalibration:
    steps = [step for one in found for step in one.steps]
    weights, bias = fit([step.features for step in steps], [step.right for step in steps])
    return PairCalibration(weights, bias, 1.0, matcher, reader, on, EARLY)
