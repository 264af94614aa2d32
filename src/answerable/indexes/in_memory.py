"""Passages in memory, ranked by words and vectors as the index of an enclave ranks its own.

BM25 (Robertson and Zaragoza 2009) with the statistics of these passages alone: words that all of them share, such as
those of the query that found them, count for little.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from answerable.corpora.store import HalfVectors
from answerable.encoders.encoder import Vectors
from answerable.indexes.fusion import best, weighed
from answerable.indexes.index import Mode, Ranking
from answerable.indexes.lexical import analyzer
from answerable.indexes.vectors import checked, score_rows
from answerable.types import Passage

_K1, _B = 1.2, 0.75


class HeldPassages:
    """Passages of one enclave, some or all of them with a vector. Never changes once made."""

    def __init__(self, passages: Sequence[Passage], vectors: Mapping[str, HalfVectors]) -> None:
        """`vectors`: (d,) float16 unit vectors by passage id, all by the encoder of the queries."""
        self._passages = {passage.id: passage for passage in passages}
        self._ids = [id for id in self._passages if id in vectors]
        self._rows = np.stack([vectors[id] for id in self._ids]) if self._ids else None

    def __len__(self) -> int:
        """How many passages there are."""
        return len(self._passages)

    def search(self, query_text: str, vector: Vectors | None, mode: Mode, k: int) -> Ranking:
        """The k best passages, by the ranking that the mode names; by words where none of them has a vector."""
        if mode == "lexical" or vector is None or self._rows is None:
            words = self._by_words(query_text)
            return weighed(words, {}, k) if mode == "hybrid" else best(words, k)
        scores = score_rows(self._rows, checked(vector, self._rows.shape[1]))
        by_vector = list(zip(self._ids, scores, strict=True))
        return best(by_vector, k) if mode == "dense" else weighed(self._by_words(query_text), dict(by_vector), k)

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The passages with these ids, in that order."""
        return [self._passages[id] for id in ids if id in self._passages]

    def _by_words(self, text: str) -> Ranking:
        """Every passage that shares a word with the text, with its share of the most that one could have; unordered."""
        words = dict.fromkeys(analyzer(stop=True).analyze(text) or analyzer(stop=False).analyze(text))
        scores: defaultdict[str, float] = defaultdict(float)
        most = sum((_K1 + 1) * self._words.rarity(word) for word in words)
        for word in words:
            for id, weight in self._words.weights(word):
                scores[id] += weight / most
        return list(scores.items())

    @cached_property
    def _words(self) -> _Words:
        return _Words({id: f"{passage.heading}\n{passage.text}" for id, passage in self._passages.items()})


class _Words:
    """The words of all passages."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        every = analyzer(stop=False)
        self._counts = {id: Counter(every.analyze(text)) for id, text in texts.items()}
        self._lengths = {id: counts.total() for id, counts in self._counts.items()}
        self._mean = sum(self._lengths.values()) / max(1, len(texts))
        self._weights: dict[str, Ranking] = {}

    def weights(self, word: str) -> Ranking:
        """What a word adds to the score of each passage that has it; worked out once."""
        if word not in self._weights:
            found = [(id, counts[word]) for id, counts in self._counts.items() if word in counts]
            self._weights[word] = [(id, self.rarity(word) * self._saturated(id, count)) for id, count in found]
        return self._weights[word]

    def rarity(self, word: str) -> float:
        """Its idf."""
        having = sum(word in counts for counts in self._counts.values())
        return math.log1p((len(self._counts) - having + 0.5) / (having + 0.5))

    def _saturated(self, id: str, count: int) -> float:
        return count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * self._lengths[id] / self._mean))
