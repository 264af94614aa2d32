"""Answers to questions from the weights of a BART or T5 alone: the paper's closed book, a baseline for pairs.

Source: Lewis et al. 2021, section 4.1; Roberts et al. 2020.
"""

from __future__ import annotations

from collections.abc import Sequence

from answerable.encoders.seq2seq import Seq2Seq
from answerable.types import Label

TASK = "closed book"
"""What the manifest of a model that answers with no book says it does."""
_QUESTION_TOKENS, _ANSWER_TOKENS, _BEAMS = 64, 24, 4


def closed_text(question: str) -> str:
    """A question as a closed book reads it: typed or written, with its mark or without, it is the same."""
    return " ".join(question.split()).rstrip("? ").casefold()


class ClosedBook:
    """A model that answers from what it has learned by heart, trained by `recipes/closed-book.toml`.

    `label`: the private enclaves that it was trained on.
    """

    def __init__(self, name: str, threads: int = 0) -> None:
        """`name` and what it raises as `Seq2Seq` has them; `ModelError` too for one trained for another task."""
        self._model = Seq2Seq(name, threads)
        self._model.require(TASK, "recipes/closed-book.toml")
        self._tokens = int(self._model.about.get("tokens", _QUESTION_TOKENS))
        self._longest = int(self._model.about.get("said", _ANSWER_TOKENS))
        self.name = self._model.name
        self.label: Label = self._model.label

    def answer(self, questions: Sequence[str]) -> list[tuple[str, float]]:
        """For each question the likeliest answer and its probability for each token; ("", 0) where nothing was said."""
        rows = self._model.tokens([closed_text(question) for question in questions], self._tokens)
        said = self._model.say(rows, _BEAMS, self._longest)
        return [ones[0] if ones else ("", 0.0) for ones in said]
