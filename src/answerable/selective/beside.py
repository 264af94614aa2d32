"""What answers beside the reader: each is handed what was decided so far, and puts its own in its place where surer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from answerable.corpora.citations import FindDocument
from answerable.selective.calibrate import Calibration
from answerable.selective.decide import Decision
from answerable.types import Candidate, Chain, Citation, Via


@dataclass(frozen=True, slots=True)
class Case:
    """What is to be decided: the question as it is meant and the chains that were read, in the order of retrieval.

    `find`: the document a passage is of. `least`: how sure an answer must be that is given, by a calibration of its own
    or else by the reader's. `allowed`: whether an answer may be given at all. `rest`: what else to say where none is.
    `again`: what a question that follows on names, and the question that it asks again of that (`chains.following`).
    """

    question: str
    chains: Sequence[Chain]
    find: FindDocument
    least: Callable[[Calibration | None], float]
    allowed: Callable[[Candidate], bool] = lambda _: True
    rest: str = ""
    again: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision, and how it came about: `citations` of what brings its own, sentences for the asker, and by what."""

    decision: Decision
    citations: tuple[Citation, ...] = ()
    notes: tuple[str, ...] = ()
    via: Via = "search"


class Beside(Protocol):
    """Answers from what was found, as the reader does. All searching is over by then and nothing is sent."""

    def weigh(self, case: Case, settled: Decided) -> Decided:
        """What is settled, with its own answer where that is surer."""
        ...
