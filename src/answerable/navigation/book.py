"""A document opened for walking: its paragraphs and the vectors of all their sentences (DocHopper, section 3.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from answerable.corpora.paragraphs import Paragraph
from answerable.encoders.encoder import Vectors
from answerable.types import Document


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
