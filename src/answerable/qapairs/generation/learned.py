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


class LearnedGenerator:
    """The questions that a beam search ends with, and that do not give their answer away: `most` for each answer.

    `label`: the private enclaves that the model was trained on; its questions tell of them.
    """

    def __init__(self, folder: Path, most: int = 2, threads: int = 0) -> None:
        """Open the model in `folder`. Raises `ModelError` where there is none, or it asks no questions."""
        self._asker, self._most = Asker(open_shipped(folder), threads), most
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
            fit = [(question, score) for question, score in questions if asks(question, one.text)]
            made += [Generated(question, one, one.score * score, self.name) for question, score in fit[: self._most]]
        return made
