"""The enclaves of a workspace opened for searching: those that lie here, and those that other machines hold."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from answerable.corpora.store import Store
from answerable.corpora.transaction import entity_side
from answerable.encoders.encoder import Encoder, Linker
from answerable.errors import AnswerableError, IndexMismatch, UsageError
from answerable.indexes.enclave import open_enclave_index
from answerable.indexes.sources import SearchableEnclave
from answerable.privacy.flow import readable
from answerable.retriever import Retriever
from answerable.types import Asker, Document, Passage
from answerable.workspace.declarations import FILE_NAME, Declaration
from answerable.workspace.settings import Settings

if TYPE_CHECKING:
    from answerable.remote.client import RemoteEnclave
    from answerable.remote.sharded import ShardedEnclave


class Places:
    """Where the enclaves of one workspace are searched, and where their documents are. `folder`: where indexes lie.

    `remotes`: connections to other machines; `problems`: why enclaves cannot be read, by name, as of the last `open`.
    `unfinished`: those of which not every passage has the vector that it is ranked by, as of then.
    `own`: whether any is searched by an index that was handed in.
    """

    def __init__(self, store: Store, folder: Path) -> None:
        self.remotes: dict[str, RemoteEnclave | ShardedEnclave] = {}
        self.problems: dict[str, str] = {}
        self.unfinished: tuple[str, ...] = ()
        self.own = False
        self._store, self._folder = store, folder

    def open(self, settings: Settings, encoder: Encoder) -> dict[str, SearchableEnclave]:
        """Indexes of the enclaves that have one; connections that are there already are kept."""
        indexes: dict[str, SearchableEnclave] = {}
        unfinished, modes = [], settings.modes()
        self.problems, self.own = {}, any(one.index is not None for one in settings.enclaves.values())
        for name in settings.table():
            declared = settings.enclaves[name]
            if declared.index is not None:
                indexes[name] = declared.index
            elif declared.remote:
                remote = self.remotes.get(name) or _elsewhere(declared, encoder, settings)
                indexes[name] = self.remotes[name] = remote
            elif self._store.holdings(name).passages:
                try:
                    indexes[name] = index = open_enclave_index(self._store, self._folder, name, encoder)
                except IndexMismatch as error:
                    self.problems[name] = str(error)
                else:
                    by_vector = modes.get(name, settings.search.mode) != "lexical"
                    unfinished += [name] if by_vector and index.vector_count < index.passage_count else []
        self.unfinished = tuple(unfinished)
        return indexes

    def ready(self, declared: Iterable[Declaration], encoder: Encoder) -> bool:
        """Whether the enclaves that lie here can be opened as they are now, but for those that could not before."""
        here = (one.name for one in declared if one.remote is None and one.index is None)
        with suppress(AnswerableError):
            for name in here:
                if name not in self.problems and self._store.holdings(name).passages:
                    open_enclave_index(self._store, self._folder, name, encoder)
            return True
        return False

    def document(self, settings: Settings, passage: Passage) -> Document | None:
        """The document of a passage; of one that is not stored here, what came of it."""
        declared = settings.enclaves.get(passage.enclave)
        if remote := self.remotes.get(passage.enclave):
            return remote.document(passage)
        if declared is not None and declared.index is not None:
            p = passage
            return Document(p.document_id, p.enclave, p.title, p.text, p.document_id, offset=p.start)
        return self._store.document(passage.enclave, passage.document_id)

    def check_links(self, retriever: Retriever, asker: Asker) -> None:
        """Raise `UsageError` for an encoder that does not link, `IndexMismatch` for no pages that may be read."""
        encoder, table = retriever.encoder, retriever.enclaves
        places = [name for name in retriever.indexes if readable(asker, table[name]).allowed]
        if not isinstance(encoder, Linker):
            hint = "set encoder under [models] to one that does, linking under [search] to true, and index again"
            raise UsageError(f"the encoder {encoder.name} does not link", hint=hint)
        side = entity_side(encoder.name)
        if not any(name in self.remotes or self._store.vector_counts(name).get(side) for name in places):
            hint = f"set linking under [search] in {FILE_NAME} to true and index again"
            raise IndexMismatch("no readable enclave has pages to link to", hint=hint)

    def close(self) -> None:
        """Close the connections."""
        for remote in self.remotes.values():
            remote.close()


def _elsewhere(declared: Declaration, encoder: Encoder, settings: Settings) -> RemoteEnclave | ShardedEnclave:
    """An enclave that one other machine holds, or several together."""
    from answerable.remote.client import RemoteEnclave
    from answerable.remote.sharded import ShardedEnclave

    if len(declared.places) == 1:
        return RemoteEnclave(declared.name, declared.places[0], encoder, settings.remote)
    return ShardedEnclave(declared.name, declared.places, encoder, settings.remote)
