"""Tables read together with what their cells link to, as one long document (DocHopper, A.1).

Each cell stands with what it links to; what is found is cited in the document it really stands in.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from answerable.corpora.citations import place_in
from answerable.corpora.paragraphs import CELLS, LINKED, Span, paragraphs, row_heading
from answerable.text import count_words
from answerable.types import Citation, Document

LINKED_WORDS = 500
"""How much of each linked document a row holds, in whole sentences from its beginning. HybridQA links the first
paragraph of a page."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Characters [start, end) of a text stand in the document `document`, from its character `there` on."""

    start: int
    end: int
    document: str
    there: int


def _opening(document: Document, words: int) -> tuple[Span, ...]:
    """The sentences a document begins with, of `words` words together or its first one."""
    kept: list[Span] = []
    for paragraph in paragraphs(document):
        for start, end in paragraph.sentences:
            words -= count_words(document.text[start:end])
            if words < 0 and kept:
                return tuple(kept)
            kept.append((start, end))
    return tuple(kept)


def _written(rows: Sequence[Sequence[tuple[Document, Span]]]) -> tuple[str, tuple[Origin, ...]]:
    """Rows of sentences as a text: a sentence a line, a blank line between rows."""
    parts: list[str] = []
    origins: list[Origin] = []
    length = 0
    for row in rows:
        for index, (document, (start, end)) in enumerate(row):
            gap = "" if not parts else "\n" if index else "\n\n"
            length += len(gap)
            # One character for one, so that offsets go on counting in the document it stands in.
            line = document.text[start:end].replace("\n", " ")
            parts += (gap, line)
            origins.append(Origin(length, length + len(line), document.id, start))
            length += len(line)
    return "".join(parts), tuple(origins)


def placed(origins: Sequence[Origin], start: int, end: int) -> tuple[str, int, int] | None:
    """Where characters [start, end) of the text really stand: (document id, start, end) there.

    They may be several sentences that follow each other in one document. None where they cross from one document to
    another, or begin or end between two sentences. `origins` are in order, as `composed` gives them.
    """
    first, last = _at(origins, start), _at(origins, end - 1)
    if first is None or last is None or start >= end:
        return None
    through = origins[first : last + 1]
    here = through[0].document
    for before, after in pairwise(through):
        if after.document != here or after.there < before.there + before.end - before.start:
            return None
    return here, through[0].there + start - through[0].start, through[-1].there + end - through[-1].start


def _at(origins: Sequence[Origin], character: int) -> int | None:
    index = bisect_right(origins, character, key=lambda origin: origin.start) - 1
    return index if index >= 0 and character < origins[index].end else None


@dataclass(frozen=True, slots=True)
class Composed:
    """`document`: the text that is read. `origins`: where it stands, in the documents `parts`, by id.

    Of a document that links to nothing both are empty, since it is read as it is.
    """

    document: Document
    origins: tuple[Origin, ...] = ()
    parts: Mapping[str, Document] = field(default_factory=dict)

    def cited(self, citation: Citation) -> Citation | None:
        """A citation of the text that is read as one of the document it stands in; None where it is of several.

        The words are those of that document.
        """
        if not self.origins:
            return citation
        place = placed(self.origins, citation.start, citation.end)
        if place is None:
            return None
        id, start, end = place
        real = self.parts[id]
        there = replace(citation, document=id, start=start, end=end, text=real.text[start:end])
        return replace(there, title=real.title, source=real.source, place=place_in(real, start))


def composed(document: Document, find: Callable[[str], Document | None], words: int = LINKED_WORDS) -> Composed:
    """A document as it is read: a table with what its cells link to, where `find` knows that; any other as it is.

    Rows are followed cell by cell by the sentences of what they link to. Its `paragraphs` are a note on the table, if
    there is one, and the rows. `find` gives the document that a target of `meta["links"]` names, or None. What a row
    links to more than once is in it once.
    """
    links: dict[int, list[str]] = {}
    for start, _, target in (document.meta.get("links") or ()) if document.kind == "table" else ():
        links.setdefault(start, []).append(target)
    starts = sorted(links)
    openings: dict[str, tuple[Document, tuple[Span, ...]] | None] = {}

    def opening(target: str) -> tuple[Document, tuple[Span, ...]] | None:
        if target not in openings:
            found = find(target)
            openings[target] = None if found is None or found.id == document.id else (found, _opening(found, words))
        return openings[target]

    def rows() -> Iterator[list[tuple[Document, Span]]]:
        for paragraph in paragraphs(document):
            row: list[tuple[Document, Span]] = []
            seen: set[str] = set()
            for index, (start, end) in enumerate(paragraph.sentences):
                row.append((document, (start, end)))
                # A long cell is several sentences, and what it links to follows the first.
                until = paragraph.sentences[index + 1][0] if index + 1 < len(paragraph.sentences) else paragraph.end
                for place in starts[bisect_right(starts, start - 1) : bisect_right(starts, until - 1)]:
                    for target in links[place]:
                        linked = opening(target)
                        if linked is not None and linked[0].id not in seen:
                            seen.add(linked[0].id)
                            row += ((linked[0], span) for span in linked[1])
            yield row

    found = list(rows()) if links else []
    parts = {one[0].id: one[0] for one in openings.values() if one}
    if not parts:
        return Composed(document)
    text, origins = _written(found)
    kept = {key: value for key, value in document.meta.items() if key not in ("links", "rows")}
    cells = [row_heading(document.text[a:b] for of, (a, b) in row if of is document) for row in found]
    made = replace(document, text=text, kind=LINKED, sections=(), meta={**kept, CELLS: cells})
    return Composed(made, origins, {document.id: document, **parts})


def placed_all(made: Composed, citations: Sequence[Citation]) -> tuple[Citation, ...]:
    """The citations that can be placed, each once."""
    found = (made.cited(one) for one in citations)
    return tuple(dict.fromkeys(one for one in found if one is not None))
