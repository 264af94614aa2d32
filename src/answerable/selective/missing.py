"""Could the missing evidence lie behind a search that the privacy mode refused (Arora et al. 2022, sections 5 and 6.1)?

Under document privacy, whether a step from private text to a public enclave is missing; under query privacy, whether
the public enclave is, at all. A logistic regression answers each, from what the ask itself shows
(`selective.missing_features`), fitted on questions of which the order of hops is known (`training.selector`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from answerable.errors import ModelError
from answerable.privacy.enclaves import QUESTION
from answerable.privacy.flow import readable
from answerable.records import of_record
from answerable.selective import missing_features as signs
from answerable.selective.features import squash
from answerable.types import UNSEARCHED, Barred, Candidate, Enclave, Hop, Label

FILE = "barred.json"
"""Where a predictor lies, beside the calibration of a reader; without it nothing is predicted."""
NAMES = ("confidence", *signs.NAMES)
"""What is weighed: the calibrated confidence of the best answer found (0 where there is none), and the signs."""
Steps = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Regression:
    """Weights, one for each of `NAMES`, and the probability from which it is likely."""

    weights: tuple[float, ...]
    bias: float
    threshold: float

    def __post_init__(self) -> None:
        if len(self.weights) != len(NAMES):
            raise ModelError(f"a predictor needs {len(NAMES)} weights, not {len(self.weights)}")
        if not all(map(math.isfinite, (*self.weights, self.bias, self.threshold))):
            raise ModelError("a predictor holds a number that is not finite", hint="fit it again")

    def probability(self, found: Sequence[float]) -> float:
        """0 to 1, for an ask with these signs."""
        return squash(self.bias + sum(w * f for w, f in zip(self.weights, found, strict=True)))


@dataclass(frozen=True, slots=True)
class Predictor:
    """`step`: for asks of which only what was read was kept back; `question`: where the question itself was, too."""

    step: Regression
    question: Regression
    fitted_on: str = ""

    def predict(
        self,
        question: str,
        hops: Sequence[Hop],
        candidates: Sequence[Candidate],
        confidence: float,
        enclaves: Mapping[str, Enclave],
    ) -> Barred | None:
        """What was barred and how likely it was needed; None where privacy refused nothing.

        `candidates` are the reader's, best first; `confidence` is the calibrated one of the best answer.
        """
        steps = refused_steps(question, hops, enclaves)
        if not steps:
            return None
        chosen = self.question if kept_back(hops, enclaves) else self.step
        found = signs.signs(question, hops, candidates, held_by(steps))
        probability = chosen.probability((confidence, *found))
        return Barred(steps, probability, probability >= chosen.threshold)

    def save(self, path: Path) -> None:
        """Write as JSON."""
        path.write_text(json.dumps({"weighed": NAMES, **asdict(self)}, indent=1) + "\n", encoding="utf8")

    @staticmethod
    def load(path: Path) -> Predictor:
        """Read what `save` wrote. Raises `ModelError` when it is missing, no predictor, or one of other signs."""
        try:
            raw = json.loads(path.read_text(encoding="utf8"))
            if tuple(raw["weighed"]) != NAMES:
                raise ModelError(
                    f"the predictor {path.name} was fitted on other signs", hint="fit it with recipes/selector.toml"
                )
            del raw["weighed"]
            made: Predictor = of_record(Predictor, raw)
            return made
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(f"the predictor {path.name} cannot be read", hint="reinstall answerable") from error


def barred_hops(hops: Iterable[Hop], enclaves: Mapping[str, Enclave]) -> list[Hop]:
    """Those refused by the rule of sending, not for want of an index, a clearance, or an answer from elsewhere."""
    return [
        hop
        for hop in hops
        if hop.refused is not None
        and not hop.refused.endswith(UNSEARCHED)
        and not hop.unreachable
        and readable(hop.query.asker, enclaves[hop.enclave]).allowed
    ]


def kept_back(hops: Iterable[Hop], enclaves: Mapping[str, Enclave]) -> bool:
    """Whether a query was refused before anything was read: the question itself, not what it found."""
    return any(not hop.query.because for hop in barred_hops(hops, enclaves))


def refused_steps(question: str, hops: Sequence[Hop], enclaves: Mapping[str, Enclave]) -> Steps:
    """Pairs of names: what was not told, and the enclave it was not told to; sorted, each once.

    Of an enclave that was not even sent the question, that alone is said.
    """
    told = {hop.enclave for hop in hops if hop.refused is None and not hop.query.because and hop.query.text == question}
    found = set()
    for hop in barred_hops(hops, enclaves):
        beyond = hop.query.label - enclaves[hop.enclave].admits
        if QUESTION in beyond:
            beyond = beyond - {QUESTION} if hop.enclave in told else frozenset({QUESTION})
        found |= {(word, hop.enclave) for word in beyond}
    return tuple(sorted(found))


def held_by(steps: Steps) -> Label:
    """The private enclaves of which text was kept from others."""
    return frozenset(word for word, _ in steps)


def sentence(steps: Steps) -> str:
    """What may be missing and what would allow it, by names of enclaves alone."""
    targets: dict[str, list[str]] = {}
    for word, enclave in steps:
        targets.setdefault(enclave, []).append(word)
    ways = [
        f"{enclave} itself" if QUESTION in words else f"a step from {_either(words)} to {enclave}"
        for enclave, words in targets.items()
    ]
    mirrored = _either(list(targets))
    return f"it may need {_either(ways)}, which this privacy refuses; a mirror of {mirrored} or a grant would allow it"


def _either(words: Sequence[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last
