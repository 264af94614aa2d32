"""Books as they are kept: vectors in float16, with a digest of the text and the structure that they are of."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from answerable.corpora.paragraphs import Paragraph
from answerable.corpora.transaction import KeptBook
from answerable.documents.encoded import Book
from answerable.types import Document


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
