"""A document opened for walking: its paragraphs and the vectors of all their sentences (DocHopper, section 3.4).

It is kept with its vectors in float16 and a digest of the text and the structure that they are of.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from answerable.corpora.paragraphs import Paragraph
from answerable.corpora.transaction import KeptBook
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

    @property
    def encoded(self) -> bool:
        """Whether its vectors were made; without them it is not walked."""
        return bool(self.wholes.shape[1])

    def paragraph(self, sentence: int) -> int:
        """The number of the paragraph that a sentence, by its row, is in."""
        return int(np.searchsorted(self.firsts, sentence, side="right")) - 1

    def span(self, sentence: int) -> tuple[int, int]:
        """The characters of the document that a sentence, by its row, has."""
        number = self.paragraph(sentence)
        return self.paragraphs[number].sentences[sentence - int(self.firsts[number])]

    def said(self, sentence: int) -> str:
        """A sentence, by its row."""
        return self.document.text[slice(*self.span(sentence))]


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


def plain_book(document: Document, paragraphs: Sequence[Paragraph]) -> Book:
    """A document taken apart, without vectors."""
    firsts = np.cumsum([0, *(len(one.sentences) for one in paragraphs)])
    none = np.zeros((0, 0), np.float32)
    return Book(document, tuple(paragraphs), none, none, firsts)


def digest(document: Document, structure: Sequence[Paragraph]) -> bytes:
    """128 bits of all that a document's vectors are made from, but for the navigator."""
    spans = json.dumps([[one.path, one.sentences] for one in structure])
    parts = "\0".join((document.title, spans, document.text))
    return blake2b(parts.encode(errors="surrogatepass"), digest_size=16).digest()


def keep(book: Book) -> KeptBook:
    """A book's vectors as they are stored, at half their size."""
    halves = (one.astype(np.float16) for one in (book.sentences, book.wholes))
    return KeptBook(digest(book.document, book.paragraphs), *halves)


def reopen(document: Document, structure: Sequence[Paragraph], kept: KeptBook) -> Book | None:
    """The book that was kept; None where the document, or how it is taken apart, is another by now."""
    firsts = np.cumsum([0, *(len(one.sentences) for one in structure)])
    same = kept.digest == digest(document, structure)
    if not same or (len(kept.sentences), len(kept.wholes)) != (int(firsts[-1]), len(structure)):
        return None
    sentences, wholes = (one.astype(np.float32) for one in (kept.sentences, kept.wholes))
    return Book(document, tuple(structure), sentences, wholes, firsts)
