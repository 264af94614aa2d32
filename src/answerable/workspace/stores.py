"""Where what is indexed is kept: in the workspace's folder, or in a database that a team runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from answerable.corpora.store import Store
from answerable.errors import MissingExtraError, SettingsError
from answerable.keys import setting

STORE = "store.sqlite"


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Raises `SettingsError` for a `url` of something else, or with a password: settings are shown to people."""

    url: str | None = setting(
        None, "postgresql://USER@HOST/DATABASE, a database that holds what is indexed; empty: this folder"
    )

    def __post_init__(self) -> None:
        parts = urlsplit(self.url or "")
        if self.url and parts.scheme not in ("postgresql", "postgres"):
            raise SettingsError("store.url is not the address of a PostgreSQL database", hint="postgresql://HOST/NAME")
        if parts.password or "password" in parse_qs(parts.query):
            raise SettingsError("store.url holds a password", hint="keep it in ~/.pgpass, or in PGPASSWORD")

    @property
    def host(self) -> str:
        """The machine of the database, as far as the address says."""
        parts = urlsplit(self.url or "")
        return parts.hostname or "".join(parse_qs(parts.query).get("host", [])) or "localhost"


def open_store(folder: Path, settings: StoreSettings) -> Store:
    """The store of the workspace in a folder. Raises `WorkspaceError`, and `MissingExtraError` without psycopg."""
    if not settings.url:
        return Store(folder / STORE)
    try:
        from answerable.indexes.postgres.store import PostgresStore
    except ImportError as error:
        raise MissingExtraError("a store in PostgreSQL", "postgres") from error
    return PostgresStore(settings.url, folder)
