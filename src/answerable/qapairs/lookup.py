"""What looks questions up among pairs: the contracts of its parts (PAQ, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from answerable.encoders.encoder import Vectors
from answerable.types import QAPair

Matched = list[tuple[QAPair, float]]
"""Pairs with finite scores, best first, ties by pair id."""


@runtime_checkable
class Matcher(Protocol):
    """Questions to unit vectors; questions that ask the same lie close (section 4.2.1: one embedding, symmetric)."""

    name: str
    """Identifies the weights; an index refuses vectors of another name."""
    dimension: int

    def encode_questions(self, questions: Sequence[str]) -> Vectors:
        """(n, dimension) float32 unit rows, in order, encoded in batches: for questions of one label at a time.

        One question alone always has the same vector.
        """
        ...


@runtime_checkable
class PairReranker(Protocol):
    """A question, a pair's question and its answer read together (section 4.2.2)."""

    name: str

    def rerank(self, question: str, pairs: Sequence[tuple[str, str]]) -> Vectors:
        """(n,) float32: for each (question, answer) how well it answers `question`; higher is better."""
        ...


class PairIndex(Protocol):
    """The pairs of one enclave by their questions."""

    count: int
    matcher: str
    """The name of the matcher whose vectors these are."""

    def search(self, vectors: Vectors, k: int) -> list[Matched]:
        """For each of (n, dimension) float32 rows the k best pairs; fewer where there are fewer."""
        ...
