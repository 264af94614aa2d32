"""What of a workspace is loaded when it is first used: most commands need one of these, and the shell waits for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from answerable.corpora.store import Store
    from answerable.documents.settle import Turn as Turn
    from answerable.encoders.encoder import Encoder
    from answerable.indexes.build import IndexBuilder as IndexBuilder
    from answerable.readers.reader import Reader
    from answerable.selective.beside import Beside
    from answerable.serving.served import Served as Served
    from answerable.sets.expression import Expression as Expression
    from answerable.sets.finding import Finding as Finding
    from answerable.work.spread import Workers
    from answerable.workspace.documents import DocumentReader as DocumentReader
    from answerable.workspace.qapairs import QAPairs as QAPairs
    from answerable.workspace.sets import SetSearch as SetSearch
    from answerable.workspace.settings import Settings

_MADE = {
    "DocumentReader": "workspace.documents",
    "QAPairs": "workspace.qapairs",
    "Served": "serving.served",
    "SetSearch": "workspace.sets",
}
"""What a workspace makes, by its class, and the module of that."""


def __getattr__(name: str) -> Any:
    """One of those classes, once it is asked for."""
    if name not in _MADE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"answerable.{_MADE[name]}"), name)


def hands(given: Settings, store: Store) -> AbstractContextManager[Workers]:
    """Who indexes. A database shares work out in its own way, and what was handed in works here."""
    from answerable.work.spread import ALONE, workers

    return workers(ALONE if store.shared or given.own.encoder is not None else given.work)


def index_builder(
    store: Store, own: Sequence[Path], encoder: Encoder, those: Workers, now: Callable[[], Settings]
) -> IndexBuilder:
    """What writes the store's indexes, into the second of the workspace's `own` files and folders, as it is set up.

    `now()`: the settings, with what was declared meanwhile.
    """
    from answerable.indexes.shared import builder_of
    from answerable.workspace.spreading import indexing

    given = now()
    how: dict[str, Any] = {"linking": given.search.linking, "own": own, "spreading": indexing(those, encoder, now)}
    return builder_of(store, own[1], encoder, given.limits, **how)


def beside(given: Settings, reader: Reader) -> tuple[Beside, ...]:
    """What answers beside the reader: texts that ask the same, two things compared, and whole tables."""
    from answerable.readers.comparing import ComparingReader
    from answerable.selective.stated import StatedReader
    from answerable.tables.answering import table_reader
    from answerable.workspace.models import same_question

    return StatedReader(same_question(given)), ComparingReader(reader), table_reader()
