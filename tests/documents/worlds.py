"""Made-up books, weights and documents to walk through."""

from __future__ import annotations

import numpy as np

from answerable.corpora.paragraphs import Paragraph
from answerable.documents.encoded import Book
from answerable.documents.weights import WalkWeights
from answerable.encoders.encoder import Vectors
from answerable.types import Document

WIDTH = 8


def unit(rows: Vectors) -> Vectors:
    """The rows, each of length 1."""
    made: Vectors = (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)
    return made


def book(rng: np.random.Generator, sizes: list[int]) -> Book:
    """A book of random vectors, with as many sentences in each paragraph as `sizes` says."""
    text, paragraphs = "", []
    for number, size in enumerate(sizes):
        spans = []
        for one in range(size):
            sentence = f"Sentence {one} of paragraph {number} is here."
            spans.append((len(text), len(text) + len(sentence)))
            text += sentence + " "
        paragraphs.append(Paragraph(spans[0][0], spans[-1][1], (f"Part {number}",), tuple(spans)))
        text += "\n\n"
    document = Document("book", "shelf", "A book", text, "book.txt")
    vectors = unit(rng.normal(size=(sum(sizes), WIDTH)))
    return Book(
        document, tuple(paragraphs), vectors, unit(rng.normal(size=(len(sizes), WIDTH))), np.cumsum([0, *sizes])
    )


def weights(rng: np.random.Generator) -> WalkWeights:
    """Random weights of a walk."""

    def some(*shape: int) -> Vectors:
        return rng.normal(size=shape).astype(np.float32)

    return WalkWeights(
        scale=np.array([7.0], np.float32),
        mix_query=0.1 * some(WIDTH, WIDTH),
        mix_sentence=some(WIDTH, WIDTH),
        chosen=some(WIDTH),
        classed=some(WIDTH),
        classes=some(WIDTH, 4),
        classes_bias=some(4),
        stop=some(WIDTH),
        stop_bias=some(1),
        paragraph=np.array([0.7, 0.2], np.float32),
        sparse=np.array([0.3, 0.1], np.float32),
        trust=np.array([0.5], np.float32),
        confidence=some(3),
    )
