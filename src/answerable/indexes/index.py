"""What an index promises."""

from __future__ import annotations

from typing import Protocol

Ranking = list[tuple[str, float]]
"""(passage id, score) pairs: finite scores, best first, ties by passage id."""


class LexicalIndex(Protocol):
    """Ranks passages by their words."""

    def search(self, text: str, k: int) -> Ranking:
        """The k best passages for a query text; fewer, or none, when fewer share a word with it."""
        ...


class VectorIndex(Protocol):
    """Ranks passages by inner product."""

    def search(self, vector: object, k: int) -> Ranking:
        """The k best passages for a (d,) float32 unit vector."""
        ...
