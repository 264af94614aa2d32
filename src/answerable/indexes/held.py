"""Passages in memory, ranked by words and vectors as the index of an enclave ranks its own.

BM25 over titles and texts (Robertson and Zaragoza 2009), with the statistics of these passages alone: words that all
of them share, such as those of the query that found them, count for little.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from answerable.corpora.store import HalfVectors
from answerable.encoders.encoder import Vectors
from answerable.indexes.fusion import best, fuse
from answerable.indexes.index import Mode, Ranking
from answerable.indexes.lexical import analyzer
from answerable.indexes.vectors import checked, score_rows
from answerable.types import Passage

_K1, _B = 1.2, 0.75
_FIELDS: tuple[Callable[[Passage], str], ...] = (lambda passage: passage.heading, lambda passage: passage.text)


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
            return best(self._by_words(query_text), k)
        scores = score_rows(self._rows, checked(vector, self._rows.shape[1]))
        by_vector = best(list(zip(self._ids, scores, strict=True)), len(self))
        return by_vector[:k] if mode == "dense" else fuse([best(self._by_words(query_text), len(self)), by_vector], k)

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The passages with these ids, in that order."""
        return [self._passages[id] for id in ids if id in self._passages]

    def _by_words(self, text: str) -> Ranking:
        """Every passage that shares a word with the text, in no order."""
        words = dict.fromkeys(analyzer(stop=True).analyze(text) or analyzer(stop=False).analyze(text))
        scores: defaultdict[str, float] = defaultdict(float)
        for weights in self._weights:
            for word in words:
                for id, weight in weights.get(word, ()):
                    scores[id] += weight
        return list(scores.items())

    @cached_property
    def _weights(self) -> list[dict[str, list[tuple[str, float]]]]:
        """For each field and word what the word adds to the score of each passage that has it."""
        return [self._weights_in(field) for field in _FIELDS]

    def _weights_in(self, field: Callable[[Passage], str]) -> dict[str, list[tuple[str, float]]]:
        every = analyzer(stop=False)
        counted = {id: Counter(every.analyze(field(passage))) for id, passage in self._passages.items()}
        lengths = {id: counts.total() for id, counts in counted.items()}
        mean = sum(lengths.values()) / len(lengths) if any(lengths.values()) else 1.0
        found: dict[str, list[tuple[str, int]]] = {}
        for id, counts in counted.items():
            for word, count in counts.items():
                found.setdefault(word, []).append((id, count))
        weights = {}
        for word, within in found.items():
            rarity = math.log1p((len(counted) - len(within) + 0.5) / (len(within) + 0.5))
            weights[word] = [
                (id, rarity * count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * lengths[id] / mean)))
                for id, count in within
            ]
        return weights
