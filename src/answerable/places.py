"""The enclaves of a workspace opened for searching: those that lie here, and those that other machines hold."""

from __future__ import annotations

from pathlib import Path

from answerable.corpora.store import Store
from answerable.corpora.transaction import entity_side
from answerable.encoders.encoder import Encoder, Linker
from answerable.errors import IndexMismatch, UsageError
from answerable.indexes.enclave import open_enclave_index
from answerable.matching import SearchableEnclave
from answerable.privacy.flow import readable
from answerable.remote.client import RemoteEnclave
from answerable.retriever import Retriever
from answerable.settings import FILE_NAME, Settings
from answerable.types import Asker


def open_places(
    settings: Settings, store: Store, folder: Path, encoder: Encoder, remotes: dict[str, RemoteEnclave]
) -> tuple[dict[str, SearchableEnclave], dict[str, str]]:
    """Indexes of the enclaves that have one, and why the others cannot be read, by name.

    `folder`: where indexes lie. `remotes`: connections that are there already, to which new ones are added.
    """
    indexes: dict[str, SearchableEnclave] = {}
    problems: dict[str, str] = {}
    for name in settings.table():
        if place := settings.enclaves[name].remote:
            remote = remotes.get(name) or RemoteEnclave(name, place, encoder, settings.remote)
            indexes[name] = remotes[name] = remote
            continue
        if not store.holdings(name).passages:
            continue
        try:
            indexes[name] = open_enclave_index(store, folder, name, encoder)
        except IndexMismatch as error:
            problems[name] = str(error)
    return indexes, problems


def check_links(retriever: Retriever, asker: Asker, store: Store) -> None:
    """Raise `UsageError` for an encoder that does not link, `IndexMismatch` where nothing readable has pages for it."""
    encoder, table = retriever.encoder, retriever.enclaves
    places = {name: one for name, one in retriever.indexes.items() if readable(asker, table[name]).allowed}
    if not isinstance(encoder, Linker):
        hint = "set encoder under [models] to one that does, linking under [search] to true, and index again"
        raise UsageError(f"the encoder {encoder.name} does not link", hint=hint)
    side = entity_side(encoder.name)
    if not any(isinstance(one, RemoteEnclave) or store.vector_counts(name).get(side) for name, one in places.items()):
        hint = f"set linking under [search] in {FILE_NAME} to true and index again"
        raise IndexMismatch("no readable enclave has pages to link to", hint=hint)
