"""The best of many scores for many questions at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.encoder import Vectors

Nodes = NDArray[np.int64]
SLACK = 1e-4
"""More than float32 sums over unit vectors of any usual dimension can be wrong by."""
_PENDING = 65_536


class Best:
    """Keeps for each of `questions` the `k` best of what it is offered, and all that come within `SLACK` of them."""

    def __init__(self, questions: int, k: int) -> None:
        self._k = k
        self._floors = np.full(questions, -np.inf, np.float32)
        self._most = max(_PENDING, 2 * questions * k)
        self._parts: list[tuple[Nodes, Nodes, Vectors]] = []
        self._pending = 0

    def offer(self, questions: Nodes, nodes: Nodes, scores: Vectors) -> None:
        """(s, b) scores of b nodes for s of the questions."""
        if scores.shape[1] > self._k and np.isneginf(self._floors[questions]).any():
            worst = scores.shape[1] - self._k
            found = np.partition(scores, worst, axis=1)[:, worst]
            self._floors[questions] = np.maximum(self._floors[questions], found)
        which, where = np.nonzero(scores >= (self._floors[questions] - np.float32(SLACK))[:, None])
        self._keep((questions[which], nodes[where], scores[which, where]))

    def add(self, other: Best) -> None:
        """Offer what another has kept of the same questions."""
        for part in other._parts:
            self._keep(part)

    def chosen(self) -> list[Nodes]:
        """For each question the nodes kept, in no order."""
        self._prune()
        questions, nodes, _ = self._parts[0]
        bounds = np.searchsorted(questions, np.arange(len(self._floors) + 1))
        return [nodes[start:stop] for start, stop in pairwise(bounds)]

    def _keep(self, part: tuple[Nodes, Nodes, Vectors]) -> None:
        self._parts.append(part)
        self._pending += len(part[0])
        if self._pending > self._most:
            self._prune()

    def _prune(self) -> None:
        none = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))
        parts = self._parts or [none]
        questions, nodes, scores = (np.concatenate([part[i] for part in parts]) for i in range(3))
        order = np.lexsort((-scores, questions))
        questions, nodes, scores = questions[order], nodes[order], scores[order]
        starts = np.searchsorted(questions, questions)
        last = np.arange(len(questions)) - starts == self._k - 1
        self._floors[questions[last]] = np.maximum(self._floors[questions[last]], scores[last])
        kept = scores >= self._floors[questions] - np.float32(SLACK)
        self._parts = [(questions[kept], nodes[kept], scores[kept])]
        self._pending = int(kept.sum())
        self._most = max(self._most, 2 * self._pending)
