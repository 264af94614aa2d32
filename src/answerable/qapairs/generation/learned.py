"""Questions of a passage by a model that learned to ask them (Lewis et al. 2021, section 3.3).

score     the answer's, times the probability for each token of the question, of each that the beam ends with
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from answerable.encoders.asking import Asker
from answerable.encoders.shipped import open_shipped, taught_label
from answerable.qapairs.generation.asked import asks
from answerable.qapairs.generation.parts import Extracted, Generated
from answerable.types import Label, Passage

BEAMS = 4
"""Questions that are looked for at once, where fewer are kept: PAQ's beam."""
LEAST = 0.5
"""The least probability for a token: of 15 less probable ones that were read none was well put, and 13 were wrong."""


class LearnedGenerator:
    """The questions that a beam search ends with, `most` for each answer: those that do not give it away, and are as
    probable as `least`.

    `label`: the private enclaves that the model was trained on; its questions tell of them.
    """

    def __init__(self, folder: Path, most: int = 2, threads: int = 0, least: float = LEAST) -> None:
        """Open the model in `folder`. Raises `ModelError` where there is none, or it asks no questions."""
        self._asker, self._most, self._least = Asker(open_shipped(folder), threads), most, least
        self.name = self._asker.name
        self.label: Label = taught_label(folder)

    def generate(self, passages: Sequence[Passage], answers: Sequence[Sequence[Extracted]]) -> list[list[Generated]]:
        """As `Generator` promises. Batches hold answers of one passage, so that no other passage changes anything."""
        return [self._asked(passage, ones) for passage, ones in zip(passages, answers, strict=True)]

    def _asked(self, passage: Passage, answers: Sequence[Extracted]) -> list[Generated]:
        spans = [(one.start, one.end) for one in answers]
        asked = self._asker.ask(passage.heading, passage.text, spans, max(BEAMS, self._most))
        made = []
        for one, questions in zip(answers, asked, strict=True):
            likely = [(question, score) for question, score in questions if score >= self._least]
            fit = [(question, score) for question, score in likely if asks(question, one.text)]
            made += [Generated(question, one, one.score * score, self.name) for question, score in fit[: self._most]]
        return made
