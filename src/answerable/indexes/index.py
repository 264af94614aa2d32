"""What an index promises."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol

Mode = Literal["hybrid", "dense", "lexical"]
"""By words and vectors together, by vectors alone, by words alone."""

SearchMode = Literal[Mode, "entity"]
"""One of these for a question, or pages by the vector of a mention that names them."""

Progress = Callable[[str, int, int], None]
"""Called with a stage's name, what is done and the total, 0 while it is not known."""

IdLookup = Callable[[Sequence[int]], Mapping[int, str]]
"""Passage ids by key; keys that are gone are left out."""

Ranking = list[tuple[str, float]]
"""(passage id, score) pairs: finite scores, best first, ties by passage id."""


def silent(*_: object) -> None:
    """Tell nobody: what is called where nobody asked for progress."""


class LexicalIndex(Protocol):
    """Ranks passages by their words."""

    def search(self, text: str, k: int) -> Ranking:
        """The k best passages for a query text, each with its share (0 to 1) of the most that one could score.

        Fewer, or none, when fewer share a word with it.
        """
        ...


class VectorIndex(Protocol):
    """Ranks passages by inner product."""

    def search(self, vector: object, k: int) -> Ranking:
        """The k best passages for a (d,) float32 unit vector."""
        ...
