"""An extractive reader of Hugging Face: start and end of the answer, against none at the first mark (SQuAD 2.0).

Windows, chains and spans are those of the span reader; what differs is the marks between question and passages.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from tokenizers import Encoding

from answerable.encoders.pretrained import Pretrained
from answerable.errors import ModelError
from answerable.readers.layout import MAX_QUESTION, MAX_TOKENS, Laid, Layout
from answerable.readers.span import Floats, SpanReader
from answerable.text import is_polar
from answerable.types import Candidate, Chain


class ExtractiveReader(SpanReader):
    """Reads chains with a model of `AutoModelForQuestionAnswering`. Questions that ask yes or no it leaves alone."""

    def __init__(self, named: str, threads: int = 0) -> None:
        """Open the model. Raises as `Pretrained`, and `ModelError` for one that points at no spans."""
        self._model = model = Pretrained(named, "AutoModelForQuestionAnswering", threads)
        self.name = model.name
        self._layout = PairLayout(model.tokenizer, min(MAX_TOKENS, model.most))
        (question,) = self._layout.tokens(["a"])
        self._logits([self._layout.lay(question, [(question, question)], lambda *_: 0)])

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        """As `SpanReader.read`. A model that was never shown a question without an answer knows no "not here"."""
        return [] if is_polar(question) else super().read(question, chains)

    def _logits(self, laid: Sequence[Laid]) -> list[tuple[Floats, Floats, Floats | None]]:
        found: dict[int, tuple[Floats, Floats, Floats | None]] = {}
        for batch, outputs, _ in self._model.run([one.ids for one in laid], [one.types for one in laid]):
            if not {"start_logits", "end_logits"} <= {*outputs}:
                raise ModelError(f"the model in {self._model.folder} points at no answers", hint="an extractive reader")
            for row, number in enumerate(batch):
                found[number] = (outputs["start_logits"][row], outputs["end_logits"][row], None)
        return [found[number] for number in range(len(laid))]


class PairLayout(Layout):
    """A layout with the marks that a tokenizer puts around a pair of texts; passages follow one another without."""

    def __init__(self, tokenizer: Any, most: int) -> None:
        """Raises `ModelError` for a tokenizer that marks neither the beginning of a pair nor its middle."""
        pair = tokenizer.encode("a", "a")
        tokenizer.no_truncation()
        runs = [
            (sequence, [id_ for id_, _ in run])
            for sequence, run in groupby(zip(pair.ids, pair.sequence_ids, strict=True), key=lambda one: one[1])
        ]
        if [sequence for sequence, _ in runs][:4] != [None, 0, None, 1]:
            raise ModelError("the tokenizer puts no marks around a question and a passage", hint="another model")
        self.tokenizer, self.most = tokenizer, most
        self._first, self._middle = runs[0][1], runs[2][1]
        self.before, self.after, self.end = [], [], runs[4][1] if len(runs) > 4 else []

    def opening(self, question: Encoding) -> list[int]:
        """The question between its marks."""
        return [*self._first, *question.ids[:MAX_QUESTION], *self._middle]
