"""The probability that a match is right, which is known before its answer is given (PAQ, section 5.2.4).

The paper decides by the score alone. Here a logistic regression does, as in `selective.calibrate`, on what bears a
match out: one for each matcher and reranker, since scores of different weights mean different things.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from answerable.errors import ModelError
from answerable.records import of_record
from answerable.selective.features import squash
from answerable.text import normalise_answer, words
from answerable.types import Hit, QAPair

T = TypeVar("T")
NAMES = tuple("score gap margin agreeing reranked rerank_margin rank covered added equal asked length same".split())
"""The features, in order:
score: the matcher's inner product with the pair's question.
gap: how far the next pair is below it (negative where a nearer one was passed over).
margin: the same to the best pair with another answer; 1 where all agree.
agreeing: share of the five best pairs that give this answer.
reranked: the reranker's score, squashed to (0, 1); 0 without one.
rerank_margin: its difference to the best pair with another answer, squashed; 0 without one.
rank: 1 / (1 + place among the pairs found).
covered: share of the words asked that stand in the pair's question or answer.
added: share of the words of the pair's question that were not asked.
equal: 1 where both questions have the same words in the same order.
asked: the pair's own score: how likely somebody asks it, and it is right.
length: words of the question, of 30.
same: the log-odds that both questions ask the same (`verify`), from -6 to 6."""
AGREEING = 5
_SUREST = 6.0
_COMMON = frozenset(
    "a an the of in on at to for by is are was were be been do does did has have had what which who whom whose when "
    "where how why that this it its s and".split()
)


def features(
    question: str, hits: Sequence[Hit], place: int, reranked: Sequence[float], same: float
) -> tuple[float, ...]:
    """Those of the hit at `place` among `hits`, which are in the order of choosing; `reranked` is theirs, or empty.

    `same`: the probability that its question asks the same.
    """
    chosen = pair_of(hits[place])
    own = answer_key(chosen)
    others = [number for number in range(len(hits)) if number != place]
    against = [number for number in others if answer_key(pair_of(hits[number])) != own]
    asked, said = words(question), words(chosen.question)
    wanted, held = {*asked} - _COMMON, {*said} - _COMMON
    answering = held | {word for answer in chosen.answers for word in words(answer)}
    foremost = [answer_key(pair_of(hit)) for hit in hits[:AGREEING]]
    score = hits[place].score
    return (
        score,
        score - max((hits[number].score for number in others), default=0.0),
        score - max(hits[number].score for number in against) if against else 1.0,
        sum(key == own for key in foremost) / len(foremost),
        squash(reranked[place]) if reranked else 0.0,
        squash(reranked[place] - max((reranked[number] for number in against), default=-8.0)) if reranked else 0.0,
        1 / (1 + place),
        len(wanted & answering) / len(wanted) if wanted else 0.0,
        len(held - wanted) / len(held) if held else 0.0,
        float(asked == said),
        chosen.score,
        min(len(asked), 30) / 30,
        log_odds(same),
    )


def log_odds(probability: float) -> float:
    """Of a probability, 0 and 1 among them: from -6 to 6."""
    return max(-_SUREST, min(_SUREST, math.log(max(probability, 1e-9) / max(1.0 - probability, 1e-9))))


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


_PLAIN = dict.fromkeys(NAMES, 0.0) | {"score": 20.0, "covered": 8.0, "added": -8.0, "same": 1.0}
PLAIN = PairCalibration((*_PLAIN.values(),), -28.0, 0.8, fitted_on="nothing: shared words")
"""For matchers that nothing was fitted to: two questions that share all their words are as good as one, and three
quarters of them are not enough."""


def open_calibration(matcher: str, reranker: str = "", path: Path = FILE) -> PairCalibration:
    """The one fitted to these weights, or `PLAIN`. Raises `ModelError` where the file cannot be read."""
    return read_calibrations(path).get((matcher, reranker), PLAIN)


def read_calibrations(path: Path, weighed: tuple[str, ...] = NAMES) -> dict[tuple[str, str], PairCalibration]:
    """All in a file, by matcher and reranker; none where there is no file. Raises `ModelError`."""
    found = read_rows(path, PairCalibration)
    if other := next((one for one in found if one.weighed != weighed), None):
        raise ModelError(f"a calibration for {other.matcher} was fitted on other features", hint="fit it again")
    return {(one.matcher, one.reranker): one for one in found}


def read_rows(path: Path, kind: type[T]) -> list[T]:
    """What was fitted, from a file of JSON; nothing where there is none. Raises `ModelError`."""
    try:
        return [of_record(kind, row) for row in (json.loads(path.read_text(encoding="utf8")) if path.exists() else ())]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"the file {path.name} cannot be read", hint="reinstall answerable") from error


def write_calibration(one: PairCalibration, path: Path) -> None:
    """Put one into a file in the place of that of the same weights."""
    held = read_calibrations(path, one.weighed) | {(one.matcher, one.reranker): one}
    rows = [asdict(held[key]) for key in sorted(held)]
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf8")
