"""The reranker of what a table may say to a question: a cross-encoder that reads both, without torch, int8 ONNX.

Made by `answerable.training.table_reranking`; what it computes is `training.qapairs.model.MatchModel`, by an expert of
its own, of rows `[CLS] question [SEP] what is said, of which rows, and the answer [SEP]`.
"""

from __future__ import annotations

from collections.abc import Sequence

from answerable.encoders.encoder import Vectors
from answerable.encoders.questions import AskedRow, side_by_side, together
from answerable.encoders.session import Expert
from answerable.encoders.wordpieces import WordPieces

PROGRAM, GRAPH = "program", "program.onnx"
"""What the manifest says of it is under this key, in a folder that has the graph."""
QUESTION_TOKENS, SAID_TOKENS = 48, 64
"""The most tokens read of each, [CLS] and [SEP] counted."""
_BATCH = 1024


def rows(pieces: WordPieces, question: str, said: Sequence[str]) -> list[AskedRow]:
    """The rows of a question and each of what may be said to it, in words."""
    (asked,), told = pieces.ids([question], QUESTION_TOKENS), pieces.ids(said, SAID_TOKENS)
    return [together(asked, one) for one in told]


class TableReranker(Expert):
    """Tells how well what a table may say answers a question."""

    key, lacking = PROGRAM, "reranks nothing"

    def logits(self, question: str, said: Sequence[str]) -> Vectors:
        """(n,) float32: the higher, the likelier it is what was asked for; comparable for one question alone."""
        found: Vectors = self._outputs(rows(self._pieces, question, said), side_by_side, _BATCH, 1)[:, 0]
        return found
