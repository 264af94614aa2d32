"""What an encoder promises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from answerable.types import Skill

Vectors = NDArray[np.float32]
Passages = Sequence[tuple[str, str]]
"""(title, text) of each."""
Asked = tuple[str, Skill, Passages]
"""What `encode_query` is given."""
Span = tuple[int, int]
"""Characters [start, end) of a text."""


@runtime_checkable
class Encoder(Protocol):
    """Texts to unit vectors whose inner product is a similarity.

    Equal inputs give equal vectors. `encode_query` takes one text at a time on purpose: with dynamic quantisation the
    vector of a text depends a little on the texts beside it in a batch, and a public query must not depend on a
    private one.
    """

    name: str
    """Identifies the weights; an index refuses vectors of another name."""
    dimension: int

    def encode_query(self, text: str, skill: Skill, passages: Passages = ()) -> Vectors:
        """One query to a (dimension,) float32 unit vector; `passages` are what it is expanded by."""
        ...

    def encode_queries(self, queries: Sequence[Asked]) -> Vectors:
        """(n, dimension): each as `encode_query` gives it, several at a time on different processors where it can."""
        return np.array([self.encode_query(*one) for one in queries], np.float32).reshape(-1, self.dimension)

    def encode_passages(self, texts: Passages) -> Vectors:
        """(title, text) pairs to (n, dimension) float32 unit rows, in order."""
        ...


@runtime_checkable
class Linker(Protocol):
    """An encoder that also finds what a text names, and the pages so named (Chain-of-Skills, section 3.1)."""

    def propose(self, text: str) -> list[tuple[Span, float]]:
        """Spans that name something, in order, none overlapping another; each with its score above the threshold."""
        ...

    def encode_mentions(self, text: str, spans: Sequence[Span]) -> Vectors:
        """(n, dimension) float32 unit rows, one for each span as it is used in `text`."""
        ...

    def encode_entities(self, texts: Passages) -> Vectors:
        """(title, text) descriptions of pages to (n, dimension) float32 unit rows that mentions find, in order."""
        ...


class Decides(Protocol):
    """What decides a question for yes or no by passages: `encoders.deciding.Decider`."""

    def decide(self, question: str, told: str, passages: Passages) -> Vectors:
        """(n, 4) float32: how likely each of `encoders.deciding.DECISIONS` is by each (headings, text) alone."""
        ...


@runtime_checkable
class Navigator(Protocol):
    """An encoder of the sentences of a paragraph, each among the others (DocHopper, sections 3.1 to 3.3)."""

    name: str
    dimension: int

    def encode_paragraphs(self, paragraphs: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[Vectors, Vectors]]:
        """(headings, sentences) of each paragraph to ((n, dimension), (dimension,)) float32: sentences and the whole.

        Rows have length 1. What it gives depends on the list, so documents are encoded one at a time.
        """
        ...

    def encode_asked(self, sentences: Sequence[str], nulls: int) -> Vectors:
        """(n + nulls, dimension) float32: a question of n sentences, then `nulls` dummy ones that see all of it."""
        ...
