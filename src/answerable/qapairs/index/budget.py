"""What an index of pairs is made of, and what fits into so many bytes: the model, the vectors and the texts together.

Where not all pairs fit in the smallest shape, the least probable are left out (PAQ, section 5.2.2 and appendix A.4).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from math import isqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from answerable.errors import UsageError
from answerable.indexes.vectors import EXACT_LIMIT
from answerable.qapairs.index.texts import BLOCK
from answerable.qapairs.pair_settings import PairSettings

Searched = Literal["flat", "graph"]
"""Every vector compared, or a graph walked (HNSW)."""
Numbers = Literal["f16", "i8"]
"""Two bytes a number, or one."""

WALKED = 128
"""Numbers that stand in for a vector in a graph, where it has half as many again or more."""
_GRAPH_LINKS = 280  # bytes of a node of a graph beside its vector; 276.3 measured
_GRAPH_SPREAD = 256  # more of them by chance, times the root of their number
_GRAPH_HEAD = 4096


@dataclass(frozen=True, slots=True)
class Shape:
    """`dimension`: numbers kept of a vector; fewer than the matcher's are its rotation's first."""

    searched: Searched
    numbers: Numbers
    dimension: int

    @property
    def walked(self) -> int:
        """By how many numbers of a vector a graph is walked."""
        return WALKED if 2 * self.dimension >= 3 * WALKED else self.dimension

    @property
    def words(self) -> str:
        """As it is told to people."""
        return f"{self.searched}, {self.dimension} {self.numbers} numbers"

    def projected(self, dimension: int) -> bool:
        """Whether vectors of this dimension are rotated before they are kept."""
        return self.dimension != dimension

    def vector_bytes(self, questions: int, dimension: int) -> int:
        """At most how many bytes the vectors of so many questions take, by a matcher of `dimension`."""
        fixed = 4 * dimension * self.dimension if self.projected(dimension) else 0
        row = self.dimension * (2 if self.numbers == "f16" else 1)
        if self.searched == "graph":
            fixed += _GRAPH_HEAD + (4 * self.dimension * self.walked if self.walked < self.dimension else 0)
            row += self.walked + _GRAPH_LINKS
            return fixed + questions * row + _GRAPH_SPREAD * (isqrt(questions) + 1)
        return fixed + questions * (row + (4 if self.numbers == "i8" else 0))


OVERHEAD = 8192
"""Bytes of what describes an index, at most."""
ROW_BYTES = 12
"""Bytes of a pair beside its vector and its texts: which question it has, and its place among equals."""
_UNITS = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "ki": 1024, "mi": 1024**2, "gi": 1024**3}
_STEP = 16  # what dimensions are a multiple of


@dataclass(frozen=True, slots=True)
class Sizes:
    """What pairs take as they are kept, all of them or the most probable.

    `texts`: bytes of all of them in the order they came. `blocks`: (b + 1) sums of the bytes of whole blocks, the most
    probable pairs first. `part`: bytes of the first so many pairs of a block of these. `questions`: (n + 1) how many
    questions the first n of these have. `dictionary`: bytes it takes beside them.
    """

    texts: int
    blocks: NDArray[np.int64]
    part: Callable[[int, int], int]
    questions: NDArray[np.int64]
    dictionary: int

    @property
    def pairs(self) -> int:
        """How many there are."""
        return len(self.questions) - 1


@dataclass(frozen=True, slots=True)
class Choice:
    """A shape, how many pairs it holds, and why."""

    shape: Shape
    pairs: int
    why: str


def parse_bytes(text: str) -> int:
    """ "500MB", "2 GB", "1.5GiB" or a plain number as bytes. Raises `UsageError`."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmg]i?)?b?\s*", text, re.IGNORECASE | re.ASCII)
    if found is None:
        raise UsageError(f"{text!r} is no amount of memory", hint="write it as 500MB or 2GB")
    size = int(float(found[1]) * _UNITS[(found[2] or "").lower()])
    if size < 1:
        raise UsageError(f"{text!r} is no memory at all", hint="write it as 500MB or 2GB")
    return size


def in_words(size: int) -> str:
    """Bytes for people."""
    for unit, name in ((1000**3, "GB"), (1000**2, "MB"), (1000, "kB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size} B"


def graphs() -> bool:
    """Whether the library that makes and reads graphs is installed (extra `pairs`)."""
    return find_spec("usearch") is not None


def shape_of(settings: PairSettings, dimension: int, questions: int) -> Shape:
    """The shape that the settings ask for, without a budget."""
    return Shape(_searched(settings, questions), "f16" if settings.numbers == "f16" else "i8", dimension)


def choose(settings: PairSettings, dimension: int, sizes: Sizes, budget: int, model: int) -> Choice:
    """The most precise shape in which all pairs fit, or the one in which most do. More bytes never mean fewer pairs.

    `budget` and `model` in bytes. Raises `UsageError` when not one pair fits; it says what would do.
    """
    room = budget - model - OVERHEAD - sizes.dictionary
    whole = int(sizes.questions[-1])
    shapes = _shapes(settings, dimension, _searched(settings, whole))
    for shape in shapes:
        takes = sizes.texts + ROW_BYTES * sizes.pairs + shape.vector_bytes(whole, dimension)
        if takes <= room:
            return Choice(shape, sizes.pairs, f"all pairs fit as {shape.words}")
    held = [(_most(shape, dimension, sizes, room), -rank) for rank, shape in enumerate(shapes)]
    pairs, rank = max(held)
    if not pairs:
        one = min(shape.vector_bytes(1, dimension) for shape in shapes) + sizes.part(0, 1) + ROW_BYTES
        least = one + budget - room
        raise UsageError(
            f"{in_words(budget)} cannot hold the model and one pair", hint=f"give a budget of at least {least} bytes"
        )
    shape = shapes[-rank]
    return Choice(shape, pairs, f"only the {pairs} most probable of {sizes.pairs} pairs fit, as {shape.words}")


def _most(shape: Shape, dimension: int, sizes: Sizes, room: int) -> int:
    """How many of the most probable pairs fit in a shape."""

    def takes(pairs: int, texts: int) -> int:
        return texts + ROW_BYTES * pairs + shape.vector_bytes(int(sizes.questions[pairs]), dimension)

    low, high = 0, sizes.pairs // BLOCK
    while low < high:
        middle = (low + high + 1) // 2
        if takes(middle * BLOCK, int(sizes.blocks[middle])) <= room:
            low = middle
        else:
            high = middle - 1
    first = low * BLOCK
    for more in range(min(BLOCK, sizes.pairs - first), 0, -1):
        if takes(first + more, int(sizes.blocks[low]) + sizes.part(low, more)) <= room:
            return first + more
    return first


def _shapes(settings: PairSettings, dimension: int, searched: Searched) -> list[Shape]:
    """From the most precise down, beginning with the numbers that the settings name; without a graph where that alone
    takes too much, unless they name one."""
    cuts = dict.fromkeys((dimension, _cut(dimension, 2, 3), _cut(dimension, 1, 3)))
    rows = [Shape(searched, "f16", dimension), *(Shape(searched, "i8", kept) for kept in cuts)]
    rows = rows if settings.numbers == "f16" else rows[1:]
    return rows + [replace(one, searched="flat") for one in rows if settings.index == "auto" and searched == "graph"]


def _searched(settings: PairSettings, questions: int) -> Searched:
    if settings.index == "auto":
        return "graph" if questions >= EXACT_LIMIT and graphs() else "flat"
    return settings.index


def _cut(dimension: int, of: int, parts: int) -> int:
    """A share of a dimension as a multiple of 16, or all of a small one."""
    return max(min(_STEP, dimension), dimension * of // parts // _STEP * _STEP)
