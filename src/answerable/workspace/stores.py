"""Where what is indexed is kept: in the workspace's folder, in a database, or in a folder or bucket that is shared."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from answerable.corpora.database import MEMORY
from answerable.corpora.own_pairs import OwnPairs
from answerable.corpora.store import Store
from answerable.errors import MissingExtraError, SettingsError
from answerable.records import setting

STORE = "store.sqlite"
PAIRS = "pairs.sqlite"
_POSTGRES = ("postgresql", "postgres")
_LANCE = ("lance", "s3", "gs", "az")


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Raises `SettingsError` for a `url` of something else, or with a password: settings are shown to people."""

    url: str | None = setting(
        None,
        "a place that others share, which holds what is indexed: postgresql://USER@HOST/DATABASE, lance:///FOLDER, or "
        "s3://BUCKET/PREFIX (also gs, az); empty: this folder",
    )

    def __post_init__(self) -> None:
        parts = urlsplit(self.url or "")
        if self.url and parts.scheme not in (*_POSTGRES, *_LANCE):
            raise SettingsError("store.url is not the address of a store", hint="postgresql://HOST/NAME, lance:///DIR")
        if parts.scheme == "lance" and (parts.netloc or len(parts.path) < 2):
            raise SettingsError("store.url names no folder", hint="write lance:///FOLDER, with three slashes")
        if parts.scheme in _LANCE[1:] and not parts.netloc:
            raise SettingsError("store.url names no bucket", hint=f"write {parts.scheme}://BUCKET/PREFIX")
        if parts.password or "password" in parse_qs(parts.query):
            raise SettingsError("store.url holds a password", hint="keep it in ~/.pgpass, or in the environment")

    @property
    def place(self) -> str:
        """Who keeps it, as far as the address says."""
        parts = urlsplit(self.url or "")
        if parts.scheme == "lance":
            return f"the folder {parts.path}"
        if parts.scheme in _LANCE:
            return f"{parts.scheme}://{parts.netloc}"
        host = parts.hostname or "".join(parse_qs(parts.query).get("host", [])) or "localhost"
        return f"the database at {host}"


def open_pairs(folder: Path, store: Store) -> Store:
    """The store of the pairs of the workspace in a folder: itself, or where others share it a file of its own."""
    if not store.shared:
        return store
    path = folder / PAIRS
    return OwnPairs(path if path.exists() or os.access(folder, os.W_OK) else MEMORY, store)


def open_store(folder: Path, settings: StoreSettings) -> Store:
    """The store of the workspace in a folder. Raises `WorkspaceError`, and `MissingExtraError` without its engine."""
    if not settings.url:
        return Store(folder / STORE)
    extra = "lance" if urlsplit(settings.url).scheme in _LANCE else "postgres"
    try:
        if extra == "lance":
            from answerable.indexes.lance.store import LanceStore

            return LanceStore(settings.url, folder)
        from answerable.indexes.postgres.store import PostgresStore
    except ImportError as error:
        raise MissingExtraError(f"a store at {urlsplit(settings.url).scheme}://", extra) from error
    return PostgresStore(settings.url, folder)
