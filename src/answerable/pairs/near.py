"""Reading where the nearest pairs come from, before anything is searched.

PAQ backs off from pairs to a full system at once (section 5.2.4). Between the two lies a cheaper step: a question like
the one asked was made of some passage, so the answer often stands there even where no pair asks the same. A few of
these passages are read with the question as it was asked, and what is read is given where it is sure enough; else the
engine searches and reads as ever. No more is looked at than what the pairs found, so nothing new is sent.

A reader finds the year of the opening also for a question about the closing. Where a pair has the answer that was read
and the rules say that it asks for something else, more than in other words, that answer is not given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from answerable.pairs.answering import PairAnswer
from answerable.pairs.calibration import PairCalibration, read_calibrations
from answerable.pairs.features import answer_key, pair_of
from answerable.pairs.verify import Verifier, verify
from answerable.readers.reader import Reader
from answerable.selective.features import NAMES as READ
from answerable.selective.features import Choice, choices
from answerable.text import normalise_answer
from answerable.types import Chain, Hit

NAMES = (*READ, "nearest", "match", "same", "borne_out", "foremost", "passages", "pair")
"""The features, in order: those of what was read (`selective.features`), then
nearest: the matcher's inner product with the nearest pair.
match: the same of the passage that the answer was read in.
same: the same of the pairs that give this answer, 0 where none does.
borne_out: share of the pairs found that give this answer.
foremost: 1 where it is the answer of the first of them in the order of choosing.
passages: share of the pairs found that come from the passage that the answer was read in.
pair: how sure the answer of a pair was, 0 where no pair asks the same."""
OTHER_WORDS = "word"
"""The verdict on a pair that may ask the same in other words."""
FILE = Path(__file__).parent / "near_calibrations.json"


@dataclass(frozen=True, slots=True)
class Near:
    """What was read where the nearest pairs come from: the best answer, the chains, the features of its confidence.

    `differs`: what a pair with this answer asks for instead, as `verify.Verdict.kind` has it; "" for nothing else.
    """

    choice: Choice
    chains: tuple[Chain, ...]
    features: tuple[float, ...]
    differs: str = ""


@dataclass(frozen=True, slots=True)
class NearReader:
    """Reads the passages of the nearest pairs, at most `most` of them. `calibration` is of `NAMES`.

    `threshold`: least confidence of an answer that is given; None: as calibrated.
    """

    reader: Reader
    calibration: PairCalibration
    most: int
    threshold: float | None = None
    verify: Verifier = verify

    @property
    def least(self) -> float:
        """The threshold that holds."""
        return self.calibration.threshold if self.threshold is None else self.threshold

    def read(self, known: PairAnswer) -> Near | None:
        """The best that stands there, whether or not it is sure enough; None where nothing can be read."""
        hits = _in_order(known)
        chains = _chains(known, hits)[: self.most]
        found = choices(known.question, self.reader.read(known.question, chains), chains) if chains else []
        if not found:
            return None
        return Near(found[0], tuple(chains), features(known, hits, found[0]), self._differs(known, hits, found[0].text))

    def confidence(self, near: Near) -> float:
        """Probability, 0 to 1, that this answer is right; 0 for the answer to something else."""
        return 0.0 if near.differs else self.calibration.confidence(near.features)

    def _differs(self, known: PairAnswer, hits: Sequence[Hit], text: str) -> str:
        """How the question of the nearest pair with this answer differs from the one asked, if not by words alone."""
        for pair in map(pair_of, hits):
            if answer_key(pair) == _key(text):
                verdict = self.verify(known.question, pair.question, pair.answers[0])
                return "" if verdict.same or verdict.kind == OTHER_WORDS else verdict.kind
        return ""


def features(known: PairAnswer, hits: Sequence[Hit], choice: Choice) -> tuple[float, ...]:
    """Those of an answer that was read in a passage of one of `hits`, which are in the order of choosing."""
    key = _key(choice.text)
    answers = [answer_key(pair_of(hit)) for hit in hits]
    here = _place(choice.candidate.chain.hits[0])
    from_here = [hit.score for hit in hits if _place(hit) == here]
    giving = [hit.score for hit, answer in zip(hits, answers, strict=True) if answer == key]
    return (
        *choice.features,
        max(hit.score for hit in hits),
        max(from_here),
        max(giving, default=0.0),
        len(giving) / len(hits),
        float(answers[0] == key),
        len(from_here) / len(hits),
        known.confidence,
    )


def open_near_calibration(matcher: str, reader: str, path: Path = FILE) -> PairCalibration | None:
    """The one fitted to what these two say; None where there is none, and nothing can be read so.

    Raises `ModelError` where the file cannot be read.
    """
    return read_calibrations(path, NAMES).get((matcher, reader))


def _in_order(known: PairAnswer) -> list[Hit]:
    """The hits of the pairs found, in the order of choosing."""
    by_pair = {pair_of(hit).id: hit for hop in known.hops for hit in hop.hits}
    return [by_pair[pair.id] for pair, _ in known.matched]


def _chains(known: PairAnswer, hits: Sequence[Hit]) -> list[Chain]:
    """Their passages, each once, the one of the nearest pair first."""
    first: dict[tuple[str, str], Hit] = {}
    for hit in hits:
        if hit.passage.id:
            first.setdefault(_place(hit), hit)
    return [Chain((hit,), hit.score, known.label | hit.label) for hit in first.values()]


def _key(text: str) -> str:
    return normalise_answer(text) or text


def _place(hit: Hit) -> tuple[str, str]:
    return hit.passage.enclave, hit.passage.id
