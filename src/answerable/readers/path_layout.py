"""How a question and a path of passages become token ids to be read together (Chain-of-Skills, appendix C.1).

`[CLS] question [SEP] yes no [P] title . text [P] title . text [SEP]`: the vector of a passage's [P] stands for the
passage, the mean over a sentence's tokens for the sentence, [CLS] for the thresholds of both. An answer is a span of a
text, or the word yes or no, or [CLS] where the path does not hold it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from tokenizers import Encoding, Tokenizer

from answerable.errors import ModelError
from answerable.readers.layout import MAX_QUESTION, MAX_TOKENS, Laid, Layout

Span = tuple[int, int]
MARK = "[unused0]"
"""[P]: a token of BERT's vocabulary that no text has, so that marking passages adds no weights."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """Sentence `number` of passage `passage`, as far as it is shown: tokens [start, end) of the layout."""

    passage: int
    number: int
    start: int
    end: int


class PathLayout(Layout):
    """Lays paths out with a WordPiece tokenizer, in at most `most` tokens (the paper: 512)."""

    def __init__(self, tokenizer: Tokenizer, most: int = MAX_TOKENS) -> None:
        """Raises `ModelError` when the tokenizer has no yes, no or token that no text has."""
        super().__init__(tokenizer, most)
        yes, no, mark = (tokenizer.token_to_id(token) for token in ("yes", "no", MARK))
        if yes is None or no is None or mark is None:
            raise ModelError(f"the tokenizer has no yes, no and {MARK}", hint="use that of a BERT model")
        self._polar, self.mark = [yes, no], mark
        self.before, self.after, self.end = [self.mark], [], [self.sep]

    def opening(self, question: Encoding) -> list[int]:
        """The question, and the two answers that no text need hold."""
        return [self.cls, *question.ids[:MAX_QUESTION], self.sep, *self._polar]

    def marks(self, laid: Laid) -> list[int]:
        """Where each passage's [P] stands."""
        return [place for place, token in enumerate(laid.ids) if token == self.mark]

    def polar(self, laid: Laid) -> tuple[int, int]:
        """Where yes and no stand."""
        first = self.marks(laid)[0]
        return first - 2, first - 1


def sentences_in(laid: Laid, offsets: Sequence[Sequence[Span]], sentences: Sequence[Sequence[Span]]) -> list[Sentence]:
    """The sentences that a layout shows, in order, where at least one token of each is shown.

    `offsets` are, for each passage, the characters of its text's tokens, `sentences` those of its sentences.
    """
    found = []
    for passage, ((place, first, shown), ends, spans) in enumerate(zip(laid.places, offsets, sentences, strict=True)):
        begins, stops = [a for a, _ in ends], [b for _, b in ends]
        for number, (start, stop) in enumerate(spans):
            low = max(first, bisect_right(stops, start))
            high = min(first + shown, bisect_left(begins, stop))
            if low < high:
                found.append(Sentence(passage, number, place - first + low, place - first + high))
    return found
