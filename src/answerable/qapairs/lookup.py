"""What looks questions up among pairs: the contracts of its parts (PAQ, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from answerable.encoders.encoder import Vectors
from answerable.indexes.sources import QuestionMatcher


@runtime_checkable
class Matcher(QuestionMatcher, Protocol):
    """A `QuestionMatcher` that tells how long its vectors are."""

    dimension: int


@runtime_checkable
class PairReranker(Protocol):
    """A question, a pair's question and its answer read together (section 4.2.2)."""

    name: str

    def rerank(self, question: str, pairs: Sequence[tuple[str, str]]) -> Vectors:
        """(n,) float32: for each (question, answer) how well it answers `question`; higher is better."""
        ...
