"""Whether a document fits a query, by a T5 that answers "relevant" or "not relevant": the paper's classifier.

    input        query: QUERY document: TITLE. TEXT          (512 tokens)
    probability  P("relevant") / (P("relevant") + P("not relevant"))

where P is the product over the tokens of an answer and its end. Source: Malaviya et al. 2023, section 4.3 and appendix
A; Nogueira and Cho 2019.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.t5 import DOCUMENT_TOKENS, T5Parts
from answerable.encoders.wordpieces import passage_text

ANSWERS = ("relevant", "not relevant")
"""What it says of a document that fits, and of one that does not."""


def asked_text(query: str, title: str, text: str) -> str:
    """What it is given to read."""
    return f"query: {query} document: {passage_text(title, text)}"


class T5Judge:
    """A judge of queries or constraints, trained by `recipes/t5-classifier.toml`."""

    def __init__(self, name: str, threads: int = 0) -> None:
        """Raises as `T5Parts` does."""
        self._parts = T5Parts(name, "T5ForConditionalGeneration", threads)
        self._answers = self._parts.tokens(ANSWERS, 16)
        self.name = self._parts.name

    def judge(self, constraints: Sequence[str], texts: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """(texts, constraints) float32 probabilities, 0 to 1, as `sets.judge.Judge` promises."""
        pairs = [asked_text(constraint, *text) for text in texts for constraint in constraints]
        rows = self._parts.tokens(pairs, DOCUMENT_TOKENS)
        found = np.zeros(len(pairs), np.float32)
        with self._parts.torch.inference_mode():
            for batch, ids, mask in self._parts.batches(rows):
                found[batch] = relevance(self._parts.torch, self._parts.model, ids, mask, self._answers).cpu().numpy()
        return found.reshape(len(texts), len(constraints))


def relevance(torch: Any, model: Any, ids: Any, mask: Any, answers: Sequence[Sequence[int]]) -> Any:
    """(n,) probabilities of the first of two answers, from (n, tokens) ids and mask; read once for both."""
    read = model.get_encoder()(input_ids=ids, attention_mask=mask)
    scores = []
    for answer in answers:
        labels = torch.tensor([list(answer)], device=ids.device).repeat(len(ids), 1)
        said = model(encoder_outputs=read, attention_mask=mask, labels=labels).logits.float().log_softmax(-1)
        scores.append(said.gather(2, labels[:, :, None]).squeeze(2).sum(1))
    return torch.stack(scores, 1).softmax(1)[:, 0]
