"""What decides a question for yes or no by a passage and what was told, without torch: int8 ONNX.

Made by `answerable.training.deciding`; what it computes is `training.marked.MarkedModel`, of rows `[CLS] question [SEP]
what was told [SEP] headings. passage [SEP]`: a rule's logic shows only where both are read together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from answerable.encoders.encoder import Passages, Vectors
from answerable.encoders.questions import AskedRow, side_by_side
from answerable.encoders.session import Expert
from answerable.encoders.wordpieces import WordPieces, passage_text

DECIDE, GRAPH = "decide", "decide.onnx"
"""What the manifest says of it is under this key, in a folder that has the graph."""
DECISIONS = ("Yes", "No", "Irrelevant", "More")
"""What is decided (DocHopper, section 4.3): with `More` there is something to ask first; `Irrelevant`: the passage says
nothing about what is asked."""
QUESTION, TOLD, PASSAGE = 1, 2, 3
"""In `segments`; 0 is padding."""
QUESTION_TOKENS, TOLD_TOKENS, PASSAGE_TOKENS = 64, 128, 256
"""The most tokens read of each, [CLS] and [SEP] counted."""
BATCH_TOKENS = 1024


def told(scenario: str, history: Sequence[tuple[str, str]] = ()) -> str:
    """What was told, as one text: the situation, and each question that was asked in return with its answer."""
    return " ".join(part for part in (scenario.strip(), *(f"{asked} {reply}" for asked, reply in history)) if part)


def row(question: Sequence[int], told: Sequence[int], passage: Sequence[int]) -> AskedRow:
    """The row of a question, what was told and a passage, each given as token ids, [CLS] and [SEP] included."""
    parts = ((QUESTION, question), (TOLD, told[1:] if len(told) > 2 else ()), (PASSAGE, passage[1:]))
    return AskedRow([one for _, ids in parts for one in ids], [name for name, ids in parts for _ in ids])


def rows(pieces: WordPieces, questions: Sequence[str], told: Sequence[str], passages: Passages) -> list[AskedRow]:
    """The rows of as many questions, what was told with each ("" where nothing was), and (headings, text) passages.

    Of what was told the last is read: of a long situation its end, and what was answered in return.
    """
    asked, whole = pieces.ids(questions, QUESTION_TOKENS), pieces.ids(told, 16 * TOLD_TOKENS)
    said = [[*ids[:1], *ids[1:][1 - TOLD_TOKENS :]] for ids in whole]
    read = pieces.ids([passage_text(*one) for one in passages], PASSAGE_TOKENS)
    return [row(*one) for one in zip(asked, said, read, strict=True)]


class Decider(Expert):
    """Decides questions for yes or no by passages."""

    key, lacking = DECIDE, "decides no questions"

    def decide(self, question: str, told: str, passages: Passages) -> Vectors:
        """(n, 4) float32 probabilities of `DECISIONS` by each (headings, text), alone.

        A row depends a little on the passages it is given with: for passages of one label at a time.
        """
        logits = self.logits([question] * len(passages), [told] * len(passages), passages)
        raised = np.exp(logits - logits.max(-1, keepdims=True))
        found: Vectors = (raised / raised.sum(-1, keepdims=True)).astype(np.float32)
        return found

    def logits(self, questions: Sequence[str], told: Sequence[str], passages: Passages) -> Vectors:
        """What probabilities are made of: (n, 4) float32, of as many questions as passages."""
        laid = rows(self._pieces, questions, told, passages)
        return self._outputs(laid, side_by_side, BATCH_TOKENS, len(DECISIONS))
