"""Two texts read together by a model of Hugging Face: how well a passage suits a question, what a text says of a claim.

A cross-encoder (Nogueira and Cho 2019) reranks passages. A model of natural-language inference tells whether a text
entails a claim, contradicts it, or neither (Bowman et al. 2015).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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


class Entailment:
    """What texts say of a claim. `name` identifies the weights."""

    def __init__(self, named: str, threads: int = 0) -> None:
        """Open the model. Raises as `Pretrained`, and `ModelError` for one whose labels are not those of inference."""
        self._model = Pretrained(named, _HEAD, threads)
        self.name = self._model.name
        told = self._model.config.get("id2label")
        labels = {str(label).lower()[:6]: int(row) for row, label in told.items()} if isinstance(told, dict) else {}
        if not {"entail", "contra", "neutra"} <= {*labels}:
            what = f"{self._model.folder} does not tell entailment, contradiction and neither apart"
            raise ModelError(what, hint="a model of natural-language inference that names its labels so")
        self._rows = [labels[name] for name in ("entail", "contra", "neutra")]

    def weigh(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """(n, 3) log-probabilities that the first text of each pair entails the second, contradicts it, or neither."""
        logits = _logits(self._model, pairs)[:, self._rows].astype(np.float64)
        told: NDArray[np.float64] = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
        return told


def _logits(model: Pretrained, pairs: Sequence[tuple[str, str]]) -> Vectors:
    """(n, labels) float32, each pair a batch of its own: no score depends on another pair."""
    read = model.encoded(pairs)
    found = [outputs for _, outputs, _ in model.run([one.ids for one in read], [one.type_ids for one in read], True)]
    if any("logits" not in one for one in found):
        raise ModelError(f"the model in {model.folder} judges no pairs", hint="a cross-encoder")
    return np.concatenate([np.zeros((0, found[0]["logits"].shape[1] if found else 1), np.float32),
                           *(one["logits"] for one in found)])  # fmt: skip
