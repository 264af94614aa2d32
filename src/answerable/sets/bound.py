"""What a constraint bounds, a time or a size, and what a text says of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from answerable.text import sentences

YEAR = "years"
"""The kind of a time: its amount is a year."""


class Size(NamedTuple):
    """A size or a time that stands in a text: of what kind (a unit's, or what is counted), how much, which ways it is
    said to go, by the words beside it, and how far beyond it what is meant may go ("the 1990s")."""

    kind: str
    amount: float
    ways: frozenset[str] = frozenset()
    beyond: float = 0.0


class Bound(NamedTuple):
    """What a constraint bounds, and where it says so. `least`, `most`: what fits. `told`: what a text says first of it,
    by its title and what stands below that."""

    start: int
    end: int
    size: Size
    least: float
    most: float
    told: Callable[[str, str], Sequence[Size]]

    def fits(self, title: str, text: str) -> bool:
        """Whether a text says first of such a size that it is within the bound."""
        return any(map(self.holds, self.told(title, text)))

    def holds(self, size: Size) -> bool:
        """Whether a size is within the bound."""
        return self.least <= size.amount + size.beyond and size.amount <= self.most

    def of(self, amount: float) -> Bound:
        """The same bound of another amount."""
        least, most = ends(amount, math.isinf(self.most), self.size.amount in (self.least, self.most))
        return self._replace(size=self.size._replace(amount=amount), least=least, most=most)


def ends(amount: float, upward: bool, itself: bool) -> tuple[float, float]:
    """The least and the most that are on one side of an amount, perhaps with it."""
    end = math.inf if upward else -math.inf
    first = amount if itself else math.nextafter(amount, end)
    return min(first, end), max(first, end)


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of a text."""
    return (text[start:end] for start, end in sentences(text))
