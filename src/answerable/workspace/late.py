"""What of a workspace is loaded when it is first used: most commands need one of these, and the shell waits for all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from answerable.corpora.store import Store
    from answerable.documents.settle import Turn as Turn
    from answerable.indexes.build import IndexBuilder as IndexBuilder
    from answerable.serving.served import Served as Served
    from answerable.sets.expression import Expression as Expression
    from answerable.sets.finding import Finding as Finding
    from answerable.workspace.documents import DocumentReader as DocumentReader
    from answerable.workspace.qapairs import QAPairs as QAPairs
    from answerable.workspace.sets import SetSearch as SetSearch


def index_builder(store: Store, *given: Any, **named: Any) -> IndexBuilder:
    """As `IndexBuilder`."""
    from answerable.indexes.build import IndexBuilder
    from answerable.indexes.shared import SharedStore

    if isinstance(store, SharedStore):
        return store.builder(*given, **named)

    return IndexBuilder(store, *given, **named)


def served(*given: Any) -> Served:
    """As `Served`."""
    from answerable.serving.served import Served

    return Served(*given)


def document_reader(*given: Any) -> DocumentReader:
    """As `DocumentReader`."""
    from answerable.workspace.documents import DocumentReader

    return DocumentReader(*given)


def pairs(*given: Any) -> QAPairs:
    """As `QAPairs`."""
    from answerable.workspace.qapairs import QAPairs

    return QAPairs(*given)


def set_search(*given: Any) -> SetSearch:
    """As `SetSearch`."""
    from answerable.workspace.sets import SetSearch

    return SetSearch(*given)
