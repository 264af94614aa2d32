"""The standing grants of a workspace: one small file, read at every ask, so that what is revoked ends at once.

Without the file there are none. Grants that were revoked or are over stay in it, to be listed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path

from filelock import FileLock

from answerable.errors import UsageError
from answerable.privacy.grants import Grant, grant_of, grant_record
from answerable.privacy.small_files import explained, write_file

GRANTS = "grants.json"
"""Its name in the workspace."""


class GrantFile:
    """Grants on disk, written whole and renamed. Every method raises `WorkspaceError` for a file that is unusable."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = FileLock(path.with_suffix(".lock"), mode=0o600)

    def all(self) -> tuple[Grant, ...]:
        """Every grant that was ever added, in the order of adding."""
        with self._explained():
            try:
                text = self.path.read_text(encoding="utf8")
            except FileNotFoundError:
                return ()
            return tuple(grant_of(record) for record in json.loads(text)["grants"])

    def add(self, grant: Grant) -> None:
        """Keep one more."""
        with self._explained(), self._lock:
            self._write([*self.all(), grant])

    def revoke(self, id: str, at: datetime) -> Grant:
        """Take one back for good, and return it. Raises `UsageError` for an id that no grant has."""
        with self._explained(), self._lock:
            held = {grant.id: grant for grant in self.all()}
            if id not in held:
                raise UsageError(f"no grant is called {id!r}", hint=f"known: {', '.join(held) or 'none'}")
            held[id] = held[id].withdrawn(at)
            self._write([*held.values()])
            return held[id]

    def _write(self, grants: Sequence[Grant]) -> None:
        write_file(self.path, json.dumps({"grants": [grant_record(grant) for grant in grants]}, indent=1))

    def _explained(self) -> AbstractContextManager[None]:
        return explained(self.path, "grants", "remove it: every grant in it then ends")
