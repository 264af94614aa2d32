"""How well a passage suits a question, by a cross-encoder of Hugging Face that reads both (Nogueira and Cho 2019)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from answerable.encoders.encoder import Passages, Vectors
from answerable.encoders.pretrained import Pretrained
from answerable.encoders.wordpieces import passage_text
from answerable.errors import ModelError

_HEAD = "AutoModelForSequenceClassification"


class CrossEncoder:
    """Reranks passages. `name` identifies the weights."""

    def __init__(self, named: str, threads: int = 0) -> None:
        """Open the model. Raises as `Pretrained`, and `ModelError` for one that does not judge pairs by one number."""
        self._model = Pretrained(named, _HEAD, threads)
        self.name = self._model.name
        if (width := _logits(self._model, [("a", "b")]).shape[1]) > 2:
            what = f"{self._model.folder} tells {width} kinds of pairs apart, and ranks none"
            raise ModelError(what, hint="a cross-encoder with one label")

    def rerank(self, question: str, passages: Passages) -> Vectors:
        """(n,) float32 log-odds that each passage suits the question, each read alone; higher is better."""
        logits = _logits(self._model, [(question, passage_text(*one)) for one in passages])
        found: Vectors = (logits[:, -1] - (logits[:, 0] if logits.shape[1] == 2 else 0.0)).astype(np.float32)
        return found


def _logits(model: Pretrained, pairs: Sequence[tuple[str, str]]) -> Vectors:
    """(n, labels) float32, each pair a batch of its own: no score depends on another pair."""
    read = model.encoded(pairs)
    found = [outputs for _, outputs, _ in model.run([one.ids for one in read], [one.type_ids for one in read], True)]
    if any("logits" not in one for one in found):
        raise ModelError(f"the model in {model.folder} judges no pairs", hint="a cross-encoder")
    return np.concatenate([np.zeros((0, found[0]["logits"].shape[1] if found else 1), np.float32),
                           *(one["logits"] for one in found)])  # fmt: skip
