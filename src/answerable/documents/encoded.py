"""A document opened for walking: its paragraphs and the vectors of all their sentences (DocHopper, section 3.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from answerable.corpora.paragraphs import Paragraph
from answerable.encoders.encoder import Navigator, Vectors
from answerable.types import Document

AT_ONCE = 256
"""Paragraphs encoded together, always the same of a document; of a longer one it is told how many are done."""
Done = Callable[[int, int], None]
"""Told how many are done, and of how many."""


@dataclass(frozen=True, slots=True)
class Book:
    """A document with p paragraphs of n sentences in all, and their vectors: the combined table C_d.

    `sentences` (n, d) float32 and `wholes` (p, d) float32: paragraphs as null sentences see them (appendix A.2).
    `firsts` (p + 1,) int64: the sentences of paragraph i are rows `firsts[i]` to `firsts[i + 1]`.
    """

    document: Document
    paragraphs: tuple[Paragraph, ...]
    sentences: Vectors
    wholes: Vectors
    firsts: NDArray[np.int64]

    @property
    def paragraph_of(self) -> NDArray[np.int64]:
        """(n,) int64: the paragraph that each sentence is in."""
        return np.repeat(np.arange(len(self.paragraphs)), np.diff(self.firsts))

    def paragraph(self, sentence: int) -> int:
        """The number of the paragraph that a sentence, by its row, is in."""
        return int(np.searchsorted(self.firsts, sentence, side="right")) - 1

    def span(self, sentence: int) -> tuple[int, int]:
        """The characters of the document that a sentence, by its row, has."""
        number = self.paragraph(sentence)
        return self.paragraphs[number].sentences[sentence - int(self.firsts[number])]


def headings(title: str, paragraph: Paragraph) -> str:
    """What stands before a paragraph's sentences: the document's title, and the path of headings but that title."""
    parts = [title, *(one for one in paragraph.path if one != title)]
    return " > ".join(part for part in parts if part) + " ."


def open_book(
    document: Document, paragraphs: Sequence[Paragraph], navigator: Navigator, progress: Done | None = None
) -> Book:
    """Encode a document's paragraphs. One without paragraphs gives a book of none. `progress`: see `AT_ONCE`."""
    texts = [(headings(document.title, one), [document.text[a:b] for a, b in one.sentences]) for one in paragraphs]
    encoded: list[tuple[Vectors, Vectors]] = []
    for first in range(0, len(texts), AT_ONCE):
        encoded += navigator.encode_paragraphs(texts[first : first + AT_ONCE])
        if progress is not None and len(texts) > AT_ONCE:
            progress(len(encoded), len(texts))
    width = navigator.dimension
    sentences = np.concatenate([rows for rows, _ in encoded]) if encoded else np.zeros((0, width), np.float32)
    wholes = np.stack([whole for _, whole in encoded]) if encoded else np.zeros((0, width), np.float32)
    firsts = np.cumsum([0, *(len(one.sentences) for one in paragraphs)])
    return Book(document, tuple(paragraphs), sentences, wholes, firsts)
