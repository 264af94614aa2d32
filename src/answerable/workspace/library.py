"""What is held, for whoever may read it: enclaves, lists of documents, and their texts.

An enclave that is not there, one that may not be read and one that another machine holds are refused in one sentence,
so that no asker can tell them apart; and so are documents.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path

from answerable.corpora.fields import Filter
from answerable.corpora.store import Store
from answerable.errors import AbsentError, EnclaveError
from answerable.privacy.flow import readable
from answerable.types import Asker, Document, QAPair
from answerable.workspace.settings import Settings


class Library:
    """The documents of a workspace, and their `pairs`. `settings()`: as they are now."""

    def __init__(self, settings: Callable[[], Settings], store: Store, pairs: Store) -> None:
        self._settings, self._store, self._pairs = settings, store, pairs

    def check(self, asker: Asker, *enclaves: str) -> None:
        """Raise `EnclaveError` for an enclave that is not there or that the asker may not read."""
        table = self._settings().table()
        for name in enclaves:
            if name not in table or not readable(asker, table[name]).allowed:
                raise EnclaveError(f"there is no enclave {name!r} that may be read here")

    def documents(self, asker: Asker, enclave: str, skip: int, most: int) -> tuple[int, list[tuple[str, str, str]]]:
        """How many documents an enclave holds here, and (id, source, title) of some, in the order they came.

        Raises as `check`.
        """
        self.check(asker, enclave)
        rows = islice(self._store.documents(enclave), skip, skip + most)
        return self._store.holdings(enclave).documents, [*rows]

    def unnamed(self, asker: Asker, wanted: Filter) -> list[str]:
        """The names of a filter that nobody has, of all that the asker may read and the filter leaves; none where some
        of that lies elsewhere or has an index of its own."""
        settings = self._settings()
        table = settings.table()
        names = [one for one in wanted.enclaves or table if readable(asker, table[one]).allowed]
        if any(settings.enclaves[one].remote or settings.enclaves[one].index for one in names):
            return []
        rows = [row for name in names for row in self._store.fields(name)]
        people = [(one, Filter(sender=(one,))) for one in wanted.sender] + [
            (one, Filter(to=(one,))) for one in wanted.to
        ]
        return [name for name, alone in people if not alone.fitting(rows)]

    def document(self, asker: Asker, enclave: str, id: str) -> Document:
        """A document that is held here, by its id. Raises as `check`, and `UsageError` where there is none."""
        self.check(asker, enclave)
        if found := self._store.document(enclave, id):
            return found
        raise AbsentError(f"there is no document {id!r} in {enclave}", hint="ids are listed by enclave")

    def pairs(self, asker: Asker, enclave: str, id: str, most: int) -> list[QAPair]:
        """Questions worked out before that belong to a document, the likeliest first. Raises as `check`."""
        self.check(asker, enclave)
        return self._pairs.pairs_of(enclave, id, most)

    def changes(self) -> int:
        """Differs after whatever another process has written."""
        return self._pairs.changes()

    def file(self, enclave: str, source: str) -> Path | None:
        """The file that a document was read from, by its `source`; None where it does not lie here any more."""
        state = self._store.file(enclave, source)
        found = Path(state.place) if state and state.place else None
        return found if found and found.is_absolute() and found.is_file() else None
