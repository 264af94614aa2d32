"""Reading what the first search finds, before anything more is searched: between pairs and the full system, to which
PAQ backs off at once (section 5.2.4).

The first passages are read one after another, and the first answer that is sure enough, by them and by the pairs near
the question, ends the ask. Nothing is read for a yes or a no, nor for a question of several hops, which a logistic
regression on the vector that pairs are found by tells. No answer is given whose passage lacks a name or a number of the
question, or which only a near miss of the question has among the pairs.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from answerable.encoders.encoder import Vectors
from answerable.errors import ModelError
from answerable.qapairs.answering import PairAnswer
from answerable.qapairs.calibration import PairCalibration, answer_key, pair_of, read_calibrations, read_rows
from answerable.qapairs.verify import Verifier, by_words
from answerable.readers.reader import Reader, best_first
from answerable.selective.features import OWN, Choice, choices, squash
from answerable.text import normalise_answer, words
from answerable.types import Candidate, Chain, Hit, Passage

SEVERAL = Path(__file__).parent / "several.json"
LIKELY = 0.5
"""From this probability on a question is one of several hops."""


@dataclass(frozen=True, slots=True)
class Several:
    """One weight for each number of the vectors of the matcher of this name."""

    weights: tuple[float, ...]
    bias: float
    matcher: str = ""
    fitted_on: str = ""

    def __post_init__(self) -> None:
        if not self.weights or not all(map(math.isfinite, (*self.weights, self.bias))):
            raise ModelError("what tells questions of several hops holds no numbers", hint="fit it again")

    def probability(self, vector: Vectors) -> float:
        """That a question with this (dimension,) vector needs several passages, 0 to 1.

        Raises `ValueError` for one of another dimension.
        """
        return squash(self.bias + math.fsum(w * x for w, x in zip(self.weights, vector.tolist(), strict=True)))

    def likely(self, vector: Vectors) -> bool:
        """Whether it more likely does than not."""
        return self.probability(vector) >= LIKELY


def open_several(matcher: str, path: Path = SEVERAL) -> Several | None:
    """The one fitted to the vectors of this matcher, if there is one. Raises `ModelError`."""
    return _read_several(path).get(matcher)


def write_several(one: Several, path: Path) -> None:
    """Put one into a file, in the place of that of the same matcher."""
    held = _read_several(path) | {one.matcher: one}
    path.write_text(json.dumps([asdict(held[name]) for name in sorted(held)]) + "\n", encoding="utf8")


def _read_several(path: Path) -> dict[str, Several]:
    return {one.matcher: one for one in read_rows(path, Several)}


NAMES = (*OWN, "nearest", "match", "same", "borne_out", "foremost", "passages", "pair", "soon")
"""The features, in order: those of what was read (`selective.features`), then
nearest: the matcher's inner product with the nearest pair.
match: the same of the pairs of the passage that the answer was read in, 0 where it has none.
same: the same of the pairs that give this answer, 0 where none does.
borne_out: share of the pairs found that give this answer.
foremost: 1 where it is the answer of the first of them in the order of choosing.
passages: share of the pairs found that come from the passage that the answer was read in.
pair: how sure the answer of a pair was, 0 where no pair asks the same.
soon: 1 / the number of passages read."""
LACKING, TURNED = "lacking", "turned"
"""What an answer is withheld for: its passage lacks a name or a number of the question, or a question has it that is
put nearly the same way and asks something else."""
NEAR, UNLIKE = 0.9, 0.05
"""By the matcher's score what is put nearly the same way, and by its probability what asks something else."""
_TOLD = re.compile(r"\d[\w.,:]*\b|(?<=\s)[^\W\d_a-z][\w’']*")
"""A number, or a word with a capital that is not the first."""
FILE = Path(__file__).parent / "early_calibrations.json"


@dataclass(frozen=True, slots=True)
class Early:
    """The best that stands in the passages read so far: the answer, the chains, the features of its confidence.

    `differs`: why it is the answer to something else, `LACKING` or `TURNED`; "" for nothing.
    """

    choice: Choice
    chains: tuple[Chain, ...]
    features: tuple[float, ...]
    differs: str = ""


@dataclass(frozen=True, slots=True)
class EarlyReader:
    """Reads at most `most` passages of the first search. `calibration` is of `NAMES`.

    `several`: tells questions that need more than one passage. `threshold`: least confidence of an answer that is
    given; None: as calibrated.
    """

    reader: Reader
    calibration: PairCalibration
    most: int
    several: Several
    threshold: float | None = None
    verify: Verifier = by_words

    @property
    def least(self) -> float:
        """The threshold that holds."""
        return self.calibration.threshold if self.threshold is None else self.threshold

    def first(self, known: PairAnswer, hits: Iterable[Hit], least: float) -> Early | None:
        """The first that is so sure; no passage is read after it. None where none is."""
        return next((one for one in self.reads(known, hits) if self.confidence(one) >= least), None)

    def reads(self, known: PairAnswer, hits: Iterable[Hit]) -> Iterator[Early]:
        """The best after each passage: of one, of two and so on, each read as it is asked for.

        Nothing where no pair was found, since the confidence rests on them.
        """
        by_pair = {pair_of(hit).id: hit for hop in known.hops for hit in hop.hits}
        pairs = [by_pair[pair.id] for pair, _ in known.matched]
        found: list[Candidate] = []
        best = sorted(hits, key=lambda hit: (-hit.score, _place(hit)))[: self.most] if pairs else []
        chains = [Chain((hit,), hit.score, known.label | hit.label) for hit in best]
        for count, chain in enumerate(chains, 1):
            found = best_first([*found, *self.reader.read(known.question, [chain])])
            made = choices(known.question, found, chains[:count])
            if made:
                own = features(pairs, made[0], known.confidence, count)
                yield Early(made[0], tuple(chains[:count]), own, self._differs(known.question, pairs, made[0]))

    def confidence(self, early: Early) -> float:
        """Probability, 0 to 1, that this answer is right; 0 for the answer to something else."""
        return 0.0 if early.differs else self.calibration.confidence(early.features)

    def _differs(self, asked: str, pairs: Sequence[Hit], choice: Choice) -> str:
        """Whether the passage lacks what is asked about, or the nearest question with this answer is a near miss."""
        if not about(asked, choice.candidate.chain.hits[0].passage):
            return LACKING
        giving = [hit for hit in pairs if answer_key(pair_of(hit)) == _key(choice.text) and hit.score >= NEAR]
        told = [self.verify(asked, pair_of(hit).question).probability for hit in giving]
        return TURNED if told and max(told) < UNLIKE else ""


def about(question: str, passage: Passage) -> bool:
    """Whether a passage has all the names and numbers of a question."""
    there = {*words(f"{passage.heading} {passage.text}")}
    return all(word in there for told in _TOLD.findall(question) for word in words(told))


def features(pairs: Sequence[Hit], choice: Choice, sure: float, read: int) -> tuple[float, ...]:
    """Those of an answer that is the best of `read` passages. `pairs`: hits in the order of choosing; `sure`: of one
    that asks the same."""
    key, here = _key(choice.text), _place(choice.candidate.chain.hits[0])
    answers = [answer_key(pair_of(hit)) for hit in pairs]
    from_here = [hit.score for hit in pairs if _place(hit) == here]
    giving = [hit.score for hit, answer in zip(pairs, answers, strict=True) if answer == key]
    return (
        *choice.features[: len(OWN)],
        max(hit.score for hit in pairs),
        max(from_here, default=0.0),
        max(giving, default=0.0),
        len(giving) / len(pairs),
        float(answers[0] == key),
        len(from_here) / len(pairs),
        sure,
        1 / read,
    )


def open_early_calibration(matcher: str, reader: str, path: Path = FILE) -> PairCalibration | None:
    """The one fitted to what these two say; None where there is none, and nothing can be read so.

    Raises `ModelError` where the file cannot be read.
    """
    return read_calibrations(path, NAMES).get((matcher, reader))


def _key(text: str) -> str:
    return normalise_answer(text) or text


def _place(hit: Hit) -> tuple[str, str]:
    return hit.passage.enclave, hit.passage.id
