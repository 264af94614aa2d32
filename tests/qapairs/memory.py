"""Pairs and a matcher in memory, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from answerable.encoders.encoder import Vectors
from answerable.encoders.hashed import HashedEncoder
from answerable.types import Passage, QAPair, Skill


class WordMatcher:
    """Questions by their words, each encoded alone."""

    def __init__(self, dimension: int = 256) -> None:
        self._encoder = HashedEncoder(dimension)
        self.name, self.dimension = self._encoder.name, dimension
        self.texts: list[str] = []

    def encode_questions(self, questions: Sequence[str]) -> Vectors:
        self.texts += questions
        rows = [self._encoder.encode_query(one, Skill.MATCH) for one in questions]
        return np.array(rows, np.float32).reshape(-1, self.dimension)


@dataclass
class MemoryPairs:
    """The pairs of one enclave; `sent` is all it was sent."""

    pairs: Sequence[QAPair]
    matcher: str = "hashed-256"
    sent: list[tuple[bytes, int]] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.pairs)

    def search(self, vectors: Vectors, k: int) -> list[list[tuple[QAPair, float]]]:
        self.sent += [(row.tobytes(), k) for row in vectors]
        held = WordMatcher().encode_questions([pair.question for pair in self.pairs])
        found = []
        for row in vectors:
            scores = [float((one * row).sum()) for one in held]
            ranked = sorted(zip(self.pairs, scores, strict=True), key=lambda one: (-one[1], one[0].id))
            found.append(ranked[:k])
        return found


def pair(question: str, answer: str, source: Passage, score: float = 0.5) -> QAPair:
    """A pair of a passage that holds its answer."""
    start = source.text.index(answer)
    return QAPair(f"{source.id}:{question}", question, (answer,), source.id, source.enclave, score, start,
                  start + len(answer))  # fmt: skip
