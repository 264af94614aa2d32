"""The one enclave that a server serves: its index, kept up with the store, and the encoder for queries sent as text."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from answerable.corpora.store import HalfVectors, Store
from answerable.corpora.transaction import entity_side
from answerable.encoders.encoder import Encoder, Vectors
from answerable.errors import IndexMismatch
from answerable.indexes.enclave import EnclaveIndex, open_enclave_index
from answerable.indexes.index import Statistics, Weights, best
from answerable.remote.wire import About, OtherEncoderError, Search, digest
from answerable.types import Passage, Skill

CHECK = 1.0
"""Seconds between looks at whether the enclave was indexed again."""


class Served:
    """Searches one enclave for others. Safe to use from several threads.

    Documents that are added or deleted while it serves are found, or not found any more, a moment after indexing.
    Raises `IndexMismatch` when the enclave has no index that can be used.
    """

    def __init__(self, store: Store, indexes: Path, enclave: str, encoder: Encoder) -> None:
        self.enclave = enclave
        self._store, self._indexes, self._encoder = store, indexes, encoder
        self._opening = threading.Lock()
        if not store.holdings(enclave).passages:
            raise IndexMismatch(f"enclave {enclave!r} is empty", hint="answerable index PATH --enclave NAME")
        self._state = self._state_now()
        self._index = open_enclave_index(store, indexes, enclave, encoder)
        self._looked = time.monotonic()

    def about(self) -> About:
        """What is served."""
        held, counts = self._store.holdings(self.enclave), self._store.vector_counts(self.enclave)
        name = self._encoder.name
        vectors, pages = counts.get(name, 0), counts.get(entity_side(name), 0)
        return About(self.enclave, name, self._encoder.dimension, held.documents, held.passages, vectors, pages)

    def search(self, sent: Search) -> list[tuple[Passage, float]]:
        """The k best passages with their scores, best first. Raises `OtherEncoderError`."""
        vector, index = self._vector(sent), self._index_now()[0]
        ranking = index.search(sent.text or "", vector, sent.mode, sent.k)
        found = {passage.id: passage for passage in index.passages([id for id, _ in ranking])}
        return [(found[id], score) for id, score in ranking if id in found]

    def statistics(self, words: Sequence[str]) -> tuple[Statistics, str]:
        """What words are ranked by here, and the state that this is of."""
        index, state = self._index_now()
        return index.statistics(words), state

    def weigh(self, sent: Search) -> tuple[list[Passage], Weights, str]:
        """What a search weighs here, as far as it may be among the k best of several servers; and the state of the
        statistics. Raises `OtherEncoderError`."""
        vector, (index, state) = self._vector(sent), self._index_now()
        weights = index.weigh(sent.text or "", vector, sent.mode, sent.k, sent.shared)
        return index.passages(contenders(weights, sent.k)), weights, state

    def _vector(self, sent: Search) -> Vectors | None:
        """The vector that came, or is made of the text where one is needed. Raises `OtherEncoderError`."""
        vector = sent.vector
        if vector is not None and (sent.encoder, len(vector)) != (self._encoder.name, self._encoder.dimension):
            raise OtherEncoderError
        if vector is None and sent.mode != "lexical" and sent.text is not None:
            vector = self._encoder.encode_query(sent.text, Skill.SINGLE)
        return vector

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The passages with these ids; those that are gone are left out."""
        return self._store.passages(self.enclave, list(dict.fromkeys(ids)))

    def vectors(self, ids: Sequence[str]) -> dict[str, HalfVectors]:
        """The vectors of these passages, by the enclave's encoder; those without one are left out."""
        return self._store.vectors_of(self.enclave, self._encoder.name, self._encoder.dimension, ids)

    def _index_now(self) -> tuple[EnclaveIndex, str]:
        """The index, opened again when the store has changed; while indexing is unfinished, the one before. And a name
        for what it is of."""
        if time.monotonic() - self._looked >= CHECK and self._opening.acquire(blocking=False):
            try:
                state = self._state_now()
                if state != self._state:
                    self._index = open_enclave_index(self._store, self._indexes, self.enclave, self._encoder)
                    self._state = state
            except IndexMismatch:
                pass
            finally:
                self._looked = time.monotonic()
                self._opening.release()
        return self._index, digest(repr(self._state).encode())

    def _state_now(self) -> tuple[object, ...]:
        """Differs after every change that a search could show."""
        held = self._store.holdings(self.enclave)
        return held, self._store.last_key(self.enclave), self._store.vector_counts(self.enclave)


def contenders(weights: Weights, k: int) -> list[str]:
    """What of one server may be among the k best of several: all but what k others here come before, by both kinds."""
    words, near = dict(weights[0]), weights[1]
    ids = [*words, *(id for id in near if id not in words)]
    last = len(ids)
    by_words = {id: at for at, id in enumerate(words)}
    by_vectors = {id: at for at, (id, _) in enumerate(best([*near.items()], last))}
    word = np.array([by_words.get(id, last) for id in ids])
    vector = np.array([by_vectors.get(id, last) for id in ids])
    far = np.array([near.get(id, 0.0) < 0 for id in ids])  # it does not come before one without a vector
    kept = []
    for id, own, close in zip(ids, word.tolist(), vector.tolist(), strict=True):
        first = (word < own) | (own == last) & (word == last)
        second = (vector < close) & ~(far & (close == last)) | (close == last) & (vector == last)
        if np.count_nonzero(first & second) < k:
            kept.append(id)
    return kept
