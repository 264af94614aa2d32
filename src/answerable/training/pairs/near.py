"""Fit how sure what is read near pairs is (`pairs.near`), on questions whose answers are known.

The threshold is the lowest at which answers read so are as often right as the engine's to the same questions (PAQ,
section 5.2.4: back-off at equal accuracy). Where both together are right most often would be another choice, but hangs
on a question or two. Confidences that choose it come from weights that were fitted to the other half.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from answerable.errors import FormatError
from answerable.evaluation.metrics.answers import exact
from answerable.pairs.answering import PairEngine
from answerable.pairs.calibration import PairCalibration
from answerable.pairs.near import NAMES, NearReader
from answerable.selective.calibrate import fit
from answerable.training.selector import Asked


@dataclass(frozen=True, slots=True)
class NearRecord:
    """What was read for a question that no pair was sure of: its features, whether it is right, and whether the
    engine is (exact match)."""

    features: tuple[float, ...]
    right: bool
    engine: bool


def near_records(
    pairs: PairEngine, near: NearReader, asked: Sequence[Asked], ask: Callable[[str], str]
) -> list[NearRecord]:
    """Each question that goes on from pairs to reading, and may end there, judged.

    `ask`: the engine's best answer, '' for none.
    """
    made = []
    found = pairs.answer_many([one.question for one in asked], citing=False, lazily=True)
    for one, known in zip(asked, found, strict=True):
        read = near.read(known) if known.text is None else None
        if read is not None and not read.differs:
            right = exact(read.choice.text, one.answers) == 1.0, exact(ask(one.question), one.answers) == 1.0
            made.append(NearRecord(read.features, *right))
    return made


def fitted_near(found: Sequence[NearRecord], matcher: str, reader: str, on: str = "") -> PairCalibration:
    """Weights from these records, and the threshold. Raises `FormatError` unless there are right and wrong ones."""
    halves = found[::2], found[1::2]
    if any(len({one.right for one in half}) < 2 for half in halves):
        raise FormatError("a calibration needs questions answered rightly and questions answered wrongly")
    judged = []
    for own, other in (halves, halves[::-1]):
        known = _weighed(other, matcher, reader, on)
        judged += [(known.confidence(one.features), one) for one in own]
    return replace(_weighed(found, matcher, reader, on), threshold=as_right(judged))


def as_right(judged: Sequence[tuple[float, NearRecord]]) -> float:
    """The lowest confidence from which on what was read is right as often as the engine; 1 where there is none."""
    best, gain = 1.0, 0
    ordered = sorted(judged, key=lambda one: -one[0])
    for place, (confidence, one) in enumerate(ordered):
        gain += one.right - one.engine
        tied = place + 1 < len(ordered) and ordered[place + 1][0] == confidence
        if gain >= 0 and not tied:
            best = confidence
    return best


def _weighed(found: Sequence[NearRecord], matcher: str, reader: str, on: str) -> PairCalibration:
    weights, bias = fit([one.features for one in found], [one.right for one in found])
    return PairCalibration(weights, bias, 1.0, matcher, reader, on, NAMES)
