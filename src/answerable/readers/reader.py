"""What a reader promises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from answerable.types import Candidate, Chain


@runtime_checkable
class Reader(Protocol):
    """Proposes answers from chains of passages."""

    name: str
    """Identifies the weights: what was fitted to a reader is found by it."""

    def read(self, question: str, chains: Sequence[Chain]) -> list[Candidate]:
        """Candidates of every chain, best first, ties by text. None when nothing can be read: an ordinary outcome."""
        ...
