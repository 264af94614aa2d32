"""The stand-in encoders: words hashed to signed places (Weinberger et al. 2009, section 2). No weights, no meaning."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from answerable.encoders.encoder import Encoder, Passages, Span, Vectors
from answerable.encoders.expansion import expanded_text, named_spans
from answerable.errors import UsageError
from answerable.text import words
from answerable.types import Skill

_NAME_WORDS = 10
"""How many words of an untitled text stand for its name."""
_SHARE = 0.5
"""What the words around a sentence count for beside its own."""


class HashedEncoder(Encoder):
    """Vectors of words, so that texts that share words are close; links names to the titles that share words.

    Deterministic on every machine and for every grouping of calls; a text without words gets one fixed vector.
    """

    def __init__(self, dimension: int = 256) -> None:
        """`dimension` is at least 1. Raises `UsageError` otherwise."""
        if dimension < 1:
            raise UsageError(f"an encoder cannot have {dimension} dimensions", hint="use 1 or more")
        self.dimension = dimension
        self.name = f"hashed-{dimension}"

    def encode_query(self, text: str, skill: Skill, passages: Passages = ()) -> Vectors:
        """(dimension,) float32, of length 1; the skill makes no difference, and passages add their names."""
        return self._vector(expanded_text(text, passages))

    def encode_passages(self, texts: Passages) -> Vectors:
        """(n, dimension) float32 unit rows, in order; the words of titles count like those of texts."""
        return self._vectors([f"{title} {text}" for title, text in texts])

    def propose(self, text: str) -> list[tuple[Span, float]]:
        """Runs of capitalised words and figures, in order, each with the score 1."""
        return [(span, 1.0) for span in named_spans(text)]

    def encode_mentions(self, text: str, spans: Sequence[Span]) -> Vectors:
        """(n, dimension) float32 unit rows of the words of each span; the words around it make no difference."""
        return self._vectors([text[start:end] for start, end in spans])

    def encode_entities(self, texts: Passages) -> Vectors:
        """(n, dimension) float32 unit rows of the titles, in order; without one, of the first words of the text."""
        return self._vectors([title if words(title) else " ".join(words(text)[:_NAME_WORDS]) for title, text in texts])

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        rows = np.empty((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = self._vector(text)
        return rows

    def _vector(self, text: str) -> Vectors:
        sums = np.zeros(self.dimension, np.float64)
        for word, times in Counter(words(text)).items():
            number = int.from_bytes(blake2b(word.encode(errors="replace"), digest_size=8).digest(), "little")
            sums[(number >> 1) % self.dimension] += (1.0 if number & 1 else -1.0) * (1.0 + math.log(times))
        length = math.sqrt(float(sums @ sums))
        if length == 0.0:  # no words, or words that cancel out
            sums[0] = length = 1.0
        return (sums / length).astype(np.float32)


class HashedNavigator:
    """A `Navigator` by words: a sentence is its own words, and at half their weight those of its paragraph."""

    def __init__(self, dimension: int = 256) -> None:
        """`dimension` is at least 1. Raises `UsageError` otherwise."""
        self._encoder = HashedEncoder(dimension)
        self.dimension = dimension
        self.name = f"{self._encoder.name}-sentences"

    def encode_paragraphs(self, paragraphs: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[Vectors, Vectors]]:
        """(headings, sentences) of each paragraph to ((n, dimension), (dimension,)) float32, of length 1."""
        return [self._within(sentences, " ".join((headings, *sentences))) for headings, sentences in paragraphs]

    def encode_asked(self, sentences: Sequence[str], nulls: int) -> Vectors:
        """(n + nulls, dimension) float32, of length 1: each sentence in its question, then all of it for each dummy."""
        rows, whole = self._within(sentences, " ".join(sentences))
        return np.concatenate([rows, np.tile(whole, (nulls, 1))])

    def _within(self, sentences: Sequence[str], text: str) -> tuple[Vectors, Vectors]:
        """The vectors of sentences among the words of `text`, and that of `text`."""
        whole = self._encoder.encode_passages([("", text)])[0]
        rows = self._encoder.encode_passages([("", sentence) for sentence in sentences]) + _SHARE * whole
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.maximum(lengths, 1e-6)).astype(np.float32), whole


class HashedMatcher:
    """A matcher and a reranker of questions (`qapairs.lookup`) by the words they share."""

    def __init__(self, dimension: int = 256) -> None:
        """`dimension` is at least 1. Raises `UsageError` otherwise."""
        self._encoder = HashedEncoder(dimension)
        self.dimension = dimension
        self.name = f"{self._encoder.name}-questions"

    def encode_questions(self, questions: Sequence[str]) -> Vectors:
        """(n, dimension) float32 unit rows of the words of each, in order."""
        return self._encoder.encode_passages([("", question) for question in questions])

    def rerank(self, question: str, pairs: Passages) -> Vectors:
        """(n,) float32: of the words of both questions, the share that both have; the answer makes no difference."""
        asked = set(words(question))
        theirs = [set(words(one)) for one, _ in pairs]
        return np.array([len(asked & one) / max(1, len(asked | one)) for one in theirs], np.float32)
