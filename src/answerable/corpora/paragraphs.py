"""Documents to paragraphs of sentences: the two levels at which a long document is walked (DocHopper, section 3.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from answerable.text import sentences
from answerable.types import Document

Span = tuple[int, int]
"""Characters [start, end) of the document."""
_GAP = re.compile(r"\n[ \t\r]*\n")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Characters [start, end) of a document, under a path of headings, and its sentences in order, all of them inside.

    A row of a table is a paragraph too; its cells, and the sentences of what they link to, are its sentences.
    """

    start: int
    end: int
    path: tuple[str, ...]
    sentences: tuple[Span, ...]


def paragraphs(document: Document) -> tuple[Paragraph, ...]:
    """The paragraphs of a document in order; none of them is empty, and headings stand in their paths alone."""
    return tuple(_paragraphs(document))


def _paragraphs(document: Document) -> Iterator[Paragraph]:
    cursor = 0
    text = document.text
    for start, end in [*(match.span() for match in _GAP.finditer(text)), (len(text), len(text))]:
        spans = tuple((cursor + a, cursor + b) for a, b in sentences(text[cursor:start]))
        if spans:
            path = tuple(s.title for s in document.sections if s.start <= cursor < s.end)
            yield Paragraph(spans[0][0], spans[-1][1], path, spans)
        cursor = end
