"""What an index of pairs is made of, and how many bytes that takes."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Literal

Searched = Literal["flat", "graph", "lists"]
"""Every vector compared, a graph walked (HNSW), or the nearest of several lists compared."""
Numbers = Literal["f16", "i8", "pq"]
"""Two bytes a number, one, or fewer: a byte for several numbers together (product quantisation)."""

LISTS_FROM = 20_000
"""Questions from which codes lie in more lists than one."""
CODEWORDS = 256
WALKED = 128
"""Numbers that stand in for a vector in a graph, where it has half as many again or more."""
_GRAPH_LINKS = 280  # bytes of a node of a graph beside its vector; 276.3 measured
_GRAPH_SPREAD = 256  # more of them by chance, times the root of their number
_GRAPH_HEAD = 4096


@dataclass(frozen=True, slots=True)
class Shape:
    """`dimension`: numbers kept of a vector; fewer than the matcher's are its rotation's first.

    With `numbers` "pq" `code` bytes stand for a vector, and `refined` keeps it in one byte a number beside them.
    """

    searched: Searched
    numbers: Numbers
    dimension: int
    code: int = 0
    refined: bool = False

    @property
    def walked(self) -> int:
        """By how many numbers of a vector a graph is walked."""
        return WALKED if 2 * self.dimension >= 3 * WALKED else self.dimension

    @property
    def words(self) -> str:
        """As it is told to people."""
        if self.numbers == "pq":
            beside = f", refined with {self.dimension} i8 numbers" if self.refined else ""
            return f"codes of {self.code} bytes for {self.dimension} dimensions{beside}"
        return f"{self.searched}, {self.dimension} {self.numbers} numbers"

    def projected(self, dimension: int) -> bool:
        """Whether vectors of this dimension are rotated before they are kept."""
        return self.numbers == "pq" or self.dimension != dimension

    def vector_bytes(self, questions: int, dimension: int) -> int:
        """At most how many bytes the vectors of so many questions take, by a matcher of `dimension`."""
        fixed = 4 * dimension * self.dimension if self.projected(dimension) else 0
        if self.numbers == "pq":
            words = min(CODEWORDS, questions)
            lists = list_count(self, questions)
            fixed += 4 * words * self.dimension + (4 * self.dimension + 8) * lists
            return fixed + questions * (self.code + 4 + (self.dimension + 4 if self.refined else 0))
        row = self.dimension * (2 if self.numbers == "f16" else 1)
        if self.searched == "graph":
            fixed += _GRAPH_HEAD + (4 * self.dimension * self.walked if self.walked < self.dimension else 0)
            row += self.walked + _GRAPH_LINKS
            return fixed + questions * row + _GRAPH_SPREAD * (isqrt(questions) + 1)
        return fixed + questions * (row + (4 if self.numbers == "i8" else 0))


def list_count(shape: Shape, questions: int) -> int:
    """How many lists codes lie in: about twice the root of their number, or one where all are compared."""
    if shape.searched != "lists" or questions < LISTS_FROM:
        return 1
    return 2 * isqrt(questions)
