"""The standing grants of a workspace: one small file, read at every ask, so that what is revoked ends at once.

Without the file there are none. Grants that were revoked or are over stay in it, to be listed.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from answerable.errors import UsageError
from answerable.privacy.grants import Grant
from answerable.privacy.small_files import SmallFile

GRANTS = "grants.json"
"""Its name in the workspace."""


class GrantFile(SmallFile[Grant]):
    """Grants on disk. Every method raises as `SmallFile`."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, Grant, "grants", "remove it: every grant in it then ends")

    def add(self, grant: Grant) -> None:
        """Keep one more."""
        with self.changing() as held:
            held.append(grant)

    def revoke(self, id: str, at: datetime) -> Grant:
        """Take one back for good, and return it. Raises `UsageError` for an id that no grant has."""
        with self.changing() as held:
            names = [grant.id for grant in held]
            if id not in names:
                raise UsageError(f"no grant is called {id!r}", hint=f"known: {', '.join(names) or 'none'}")
            number = names.index(id)
            held[number] = held[number].withdrawn(at)
            return held[number]
