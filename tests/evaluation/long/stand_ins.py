"""A guide without weights, and a document to ask it about."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from answerable.corpora.paragraphs import Paragraph
from answerable.documents.reader import Guide
from answerable.documents.weights import plain_weights
from answerable.encoders.encoder import Vectors
from answerable.encoders.hashed import HashedEncoder
from answerable.evaluation.long.asked import LongDocument, LongQuestion
from answerable.readers.overlap import OverlapReader
from answerable.text import sentences
from answerable.types import Chain, Document

TEXT = """The harbour of Elm opened in 1871. Its first keeper was Ada Moor.

The tide at Elm rises four metres. Boats wait for it behind the wall.

Ada Moor was born in Kelby. She painted lamps in winter.

Trains stop here on Sundays. The station of Elm closed in 1964."""
EMPTY = LongDocument(Document("empty", "public", "", "", "made"), (), ())


class WordNavigator:
    """Sentences by their own words and some of their paragraph's."""

    name = "words"
    dimension = 128

    def __init__(self) -> None:
        self._encoder = HashedEncoder(self.dimension)

    def encode_paragraphs(self, paragraphs: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[Vectors, Vectors]]:
        """As `Navigator`."""
        return [self._within(f"{headings} {' '.join(some)}", some) for headings, some in paragraphs]

    def encode_asked(self, sentences: Sequence[str], nulls: int) -> Vectors:
        """As `Navigator`."""
        rows, whole = self._within(" ".join(sentences), sentences)
        return np.concatenate([rows, np.tile(whole, (nulls, 1))])

    def _within(self, text: str, sentences: Sequence[str]) -> tuple[Vectors, Vectors]:
        whole = self._encoder.encode_passages([("", text)])[0]
        rows = self._encoder.encode_passages([("", one) for one in sentences]) + 0.3 * whole
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32), whole


class LongestFirst:
    """Ranks chains by how much text they have, so that its order is unlike the walk's."""

    def rank(self, question: str, chains: Sequence[Chain]) -> list[tuple[Chain, float]]:
        """As `Ranker`."""
        scored = [(chain, float(sum(len(hit.passage.text) for hit in chain.hits))) for chain in chains]
        return sorted(scored, key=lambda one: (-one[1], one[0].key))


def guide() -> Guide:
    """Walks by words, and reads by them."""
    navigator = WordNavigator()
    return Guide(navigator, plain_weights(navigator.dimension), OverlapReader())


def harbour(*questions: LongQuestion) -> LongDocument:
    """`TEXT` with questions."""
    document = Document("elm", "public", "Elm", TEXT, "made")
    return LongDocument(document, questions, blocks(TEXT))


def blocks(text: str) -> tuple[Paragraph, ...]:
    """What stands between blank lines, as paragraphs."""
    found = []
    start = 0
    for block in text.split("\n\n"):
        spans = tuple((start + a, start + b) for a, b in sentences(block))
        found.append(Paragraph(spans[0][0], spans[-1][1], (), spans))
        start += len(block) + 2
    return tuple(found)


def span(part: str) -> tuple[int, int]:
    """Where a part of `TEXT` stands."""
    start = TEXT.index(part)
    return start, start + len(part)
