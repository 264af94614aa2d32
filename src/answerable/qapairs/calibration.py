"""What is known of a match before its answer is given, and the probability that it is right (PAQ, section 5.2.4).

The paper decides by the score alone. Beside it stands what tells a lone match from one that others bear out, and how
likely it is that both questions ask the same. From these features a logistic regression as in `selective.calibrate`,
one for each matcher and reranker, since scores of different weights mean different things.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from answerable.errors import ModelError
from answerable.selective.features import squash
from answerable.text import normalise_answer
from answerable.types import Hit, QAPair

NAMES = ("same", "score", "gap", "margin", "agreeing", "reranked", "rerank_margin", "rank", "asked")
"""The features, in order:
same: the log-odds that the pair asks the same (`pairs.same`), from -8 to 8.
score: the matcher's inner product with the pair's question.
gap: how far the next pair is below it (negative where a nearer one was passed over).
margin: the same to the best pair with another answer; 1 where all agree.
agreeing: share of the five best pairs that give this answer.
reranked: the reranker's score, squashed to (0, 1); 0 without one.
rerank_margin: its difference to the best pair with another answer, squashed; 0 without one.
rank: 1 / (1 + place among the pairs found).
asked: the pair's own score: how likely somebody asks it."""
AGREEING = 5
FURTHEST = 8.0


def features(hits: Sequence[Hit], place: int, same: float, reranked: Sequence[float]) -> tuple[float, ...]:
    """Those of the hit at `place` among `hits`, which are in the order of choosing; `reranked` is theirs, or empty.

    `same`: the log-odds that its pair asks the same.
    """
    chosen = pair_of(hits[place])
    own = answer_key(chosen)
    others = [number for number in range(len(hits)) if number != place]
    against = [number for number in others if answer_key(pair_of(hits[number])) != own]
    foremost = [answer_key(pair_of(hit)) for hit in hits[:AGREEING]]
    score = hits[place].score
    return (
        max(-FURTHEST, min(FURTHEST, same)),
        score,
        score - max((hits[number].score for number in others), default=0.0),
        score - max(hits[number].score for number in against) if against else 1.0,
        sum(key == own for key in foremost) / len(foremost),
        squash(reranked[place]) if reranked else 0.0,
        squash(reranked[place] - max((reranked[number] for number in against), default=-8.0)) if reranked else 0.0,
        1 / (1 + place),
        chosen.score,
    )


def pair_of(hit: Hit) -> QAPair:
    """The pair of a hit by `Skill.MATCH`. Raises `ValueError` for any other."""
    if hit.pair is None:
        raise ValueError("a hit that is not of a pair")
    return hit.pair


def answer_key(pair: QAPair) -> str:
    """What equal answers have in common."""
    return normalise_answer(pair.answers[0]) or pair.answers[0]


FILE = Path(__file__).parent / "calibrations.json"


@dataclass(frozen=True, slots=True)
class PairCalibration:
    """Weights, one for each feature in `weighed`, and the least confidence of an answer that is given.

    `matcher`, `reranker` ("" for none): the names of the weights whose scores these are; of `early`, the reader's name
    stands in the place of the reranker's.
    """

    weights: tuple[float, ...]
    bias: float
    threshold: float
    matcher: str = ""
    reranker: str = ""
    fitted_on: str = ""
    weighed: tuple[str, ...] = NAMES

    def __post_init__(self) -> None:
        if len(self.weights) != len(self.weighed):
            raise ModelError(f"a calibration of pairs needs {len(self.weighed)} weights, not {len(self.weights)}")
        if not all(map(math.isfinite, (*self.weights, self.bias, self.threshold))):
            raise ModelError("a calibration of pairs holds a number that is not finite", hint="fit it again")

    def confidence(self, found: Sequence[float]) -> float:
        """Probability, 0 to 1, that a pair with these features answers rightly."""
        return squash(self.bias + sum(w * f for w, f in zip(self.weights, found, strict=True)))


PLAIN = PairCalibration(
    tuple(float(name == "same") for name in NAMES), 0.0, 0.8, fitted_on="nothing: the same question"
)
"""For matchers that nothing was fitted to: as sure as it is that the pair asks the same."""


def open_calibration(matcher: str, reranker: str = "", path: Path = FILE) -> PairCalibration:
    """The one fitted to these weights, or `PLAIN`. Raises `ModelError` where the file cannot be read."""
    return read_calibrations(path).get((matcher, reranker), PLAIN)


def read_calibrations(path: Path, weighed: tuple[str, ...] = NAMES) -> dict[tuple[str, str], PairCalibration]:
    """All in a file, by matcher and reranker; none where there is no file. Raises `ModelError`."""
    try:
        rows = json.loads(path.read_text(encoding="utf8")) if path.exists() else []
        read = [_read(row, weighed) for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"the calibration {path.name} cannot be read", hint="reinstall answerable") from error
    return {(one.matcher, one.reranker): one for one in read}


def write_calibration(one: PairCalibration, path: Path) -> None:
    """Put one into a file in the place of that of the same weights."""
    held = read_calibrations(path, one.weighed) | {(one.matcher, one.reranker): one}
    rows = [asdict(held[key]) for key in sorted(held)]
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf8")


def _read(row: Mapping[str, Any], weighed: tuple[str, ...]) -> PairCalibration:
    if tuple(row["weighed"]) != weighed:
        raise ModelError(f"a calibration for {row['matcher']} was fitted on other features", hint="fit it again")
    numbers = (tuple(map(float, row["weights"])), float(row["bias"]), float(row["threshold"]))
    return PairCalibration(*numbers, str(row["matcher"]), str(row["reranker"]), str(row["fitted_on"]), weighed)
