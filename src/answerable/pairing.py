"""Where the question-answer pairs of a workspace are made, kept and answered from."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from answerable.corpora.store import Store
from answerable.engine import Engine
from answerable.indexes.build import IndexBuilder
from answerable.settings import Settings


class PairDesk:
    """The pairs of one workspace. `engine` gives the engine as it is now; `writing` makes this the one writer."""

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        store: Store,
        engine: Callable[[], Engine],
        writing: Callable[[], AbstractContextManager[IndexBuilder]],
    ) -> None:
        self.folder = folder
        self.settings = settings
        self._store = store
        self._engine = engine
        self._writing = writing
