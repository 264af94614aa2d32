"""Made-up pairs, and a matcher that needs no weights."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from answerable.corpora.store import Store
from answerable.encoders.encoder import Vectors
from answerable.types import QAPair
from tests.indexes.samples import WORDS, put


class WordMatcher:
    """Questions that share words lie close: the sum of a random direction for each word."""

    def __init__(self, dimension: int = 32, name: str = "words") -> None:
        self.name, self.dimension = name, dimension
        self.encoded: list[str] = []
        self._direction = lru_cache(None)(self._new_direction)

    def encode_questions(self, questions: Sequence[str]) -> Vectors:
        self.encoded += questions
        rows = np.empty((len(questions), self.dimension), np.float32)
        for row, question in zip(rows, questions, strict=True):
            row[:] = np.sum([self._direction(word) for word in question.lower().split()], axis=0)
            row /= np.linalg.norm(row)
        return rows

    def _new_direction(self, word: str) -> Vectors:
        seed = int.from_bytes(word.encode()[:12].ljust(12), "little")
        return np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)


def made(count: int, seed: int = 1, enclave: str = "public") -> list[QAPair]:
    """Pairs without a passage, each with a question of its own."""
    chance = random.Random(seed)
    pairs = []
    for n in range(count):
        words = " ".join(chance.choice(WORDS) for _ in range(6))
        answers = tuple(chance.choice(WORDS) for _ in range(1 + n % 2))
        id = f"{chance.getrandbits(32):08x}.{seed}.{n}"
        pairs.append(QAPair(id, f"which {words} number{n} of {seed}", answers, "", enclave, round(chance.random(), 3)))
    return pairs


def bring(store: Store, pairs: Sequence[QAPair], source: str = "made", enclave: str = "public") -> None:
    with store.write() as transaction:
        transaction.put_imported(enclave, source, pairs)


def of_passages(store: Store, count: int, enclave: str = "public") -> list[QAPair]:
    """A pair for each of so many passages, which are put into the store with it."""
    texts = {f"d{n}": f"text number {n}" for n in range(count)}
    put(store, texts, enclave)
    pairs = []
    with store.write() as transaction:
        for n, (id, text) in enumerate(texts.items()):
            passage = f"{id}@0-{len(text)}"
            pairs.append(QAPair(f"p{n}", f"which number is text {n}", (str(n),), passage, enclave, 0.5, 12, len(text)))
            transaction.put_pairs(enclave, passage, "maker", pairs[-1:])
    return pairs


def opened(folder: Path) -> Store:
    return Store(folder / "store.sqlite")
