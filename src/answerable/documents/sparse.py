"""Words that a question and a paragraph share: the sparse feature of equation 8, and BM25 within one document."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.encoder import Vectors
from answerable.text import words

K1, B = 1.2, 0.75
"""As in the indexes of words."""


class Wording:
    """The words of p paragraphs as numbers, to be compared with questions in milliseconds whatever their length."""

    def __init__(self, paragraphs: Sequence[str]) -> None:
        """`paragraphs` are their texts, headings included."""
        self._known: dict[str, int] = {}
        numbers: list[int] = []
        lengths = []
        for text in paragraphs:
            found = [self._known.setdefault(word, len(self._known)) for word in words(text)]
            numbers += [*found, -1]  # no run of words crosses from one paragraph to the next
            lengths.append(len(found))
        self._numbers = np.array(numbers, np.int32)
        self._lengths = np.array(lengths, np.int64)
        self._paragraph = np.repeat(np.arange(len(lengths)), self._lengths + 1)

    def features(self, question: str) -> Vectors:
        """(2, p) float32: the longest run and BM25, either of which can be the sparse feature of equation 8."""
        return np.stack([self.longest_run(question), self.bm25(question)])

    def longest_run(self, question: str) -> Vectors:
        """(p,) float32: how many words the longest run has that stands in the question and the paragraph alike.

        The longest common substring of equation 8, in words rather than characters.
        """
        best = np.zeros(len(self._lengths), np.float32)
        before = np.zeros(len(self._numbers) + 1, np.int32)
        for word in words(question):
            number = self._known.get(word, -2)
            run = np.where(self._numbers == number, before[:-1] + 1, 0)
            if run.any():
                np.maximum.at(best, self._paragraph[run > 0], run[run > 0].astype(np.float32))
            before[1:] = run
        return best

    def bm25(self, question: str) -> Vectors:
        """(p,) float32: BM25 of each paragraph, with the statistics of this document (Robertson and Zaragoza 2009)."""
        count = len(self._lengths)
        scores = np.zeros(count, np.float64)
        if not count:
            return scores.astype(np.float32)
        norm = K1 * (1.0 - B + B * self._lengths / max(1.0, float(self._lengths.mean())))
        for word in dict.fromkeys(words(question)):
            number = self._known.get(word)
            if number is None:
                continue
            times: NDArray[np.int64] = np.bincount(self._paragraph[self._numbers == number], minlength=count)
            held = int((times > 0).sum())
            scores += math.log(1.0 + (count - held + 0.5) / (held + 0.5)) * times * (K1 + 1.0) / (times + norm)
        return scores.astype(np.float32)

    def idf(self, word: str) -> float:
        """How rare a word is among the paragraphs, as BM25 weighs it; 0 for one that stands in none."""
        number = self._known.get(word)
        if number is None:
            return 0.0
        held = len(np.unique(self._paragraph[self._numbers == number]))
        return math.log(1.0 + (len(self._lengths) - held + 0.5) / (held + 0.5))
