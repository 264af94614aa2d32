"""Tables read together with what their cells link to: what is found is cited in the document it really stands in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from answerable.corpora.linked_rows import Origin, placed, with_linked
from answerable.types import Citation, Document


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
        text = real.text[start:end]
        return replace(citation, text=text, document=id, start=start, end=end, title=real.title, source=real.source)


def composed(document: Document, find: Callable[[str], Document | None]) -> Composed:
    """A document as it is read: a table with what its cells link to, where `find` knows that; any other as it is."""
    if document.kind != "table" or not document.meta.get("links"):
        return Composed(document)
    parts = {document.id: document}

    def linked(target: str) -> Document | None:
        found = find(target)
        if found is not None:
            parts[found.id] = found
        return found

    text, origins = with_linked(document, linked)
    return Composed(text, origins, parts) if len(parts) > 1 else Composed(document)


def placed_all(made: Composed, citations: Sequence[Citation]) -> tuple[Citation, ...]:
    """The citations that can be placed, each once."""
    found = (made.cited(one) for one in citations)
    return tuple(dict.fromkeys(one for one in found if one is not None))
