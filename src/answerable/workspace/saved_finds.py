"""Finds kept in a workspace by a name, with the members of the last time, so that what is new can be told.

Each asker has their own: what others look for, and what they found, is theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from answerable.corpora.fields import Filter
from answerable.privacy.small_files import SmallFiles
from answerable.sets.expression import printed
from answerable.sets.members import Found, Place

FILE = "finds.json"


@dataclass(frozen=True, slots=True)
class Saved:
    """A query, how it was read, its filter, and the places of the members it had."""

    query: str
    expression: str
    filter: Filter
    members: tuple[Place, ...]


_FILES = SmallFiles[dict[str, dict[str, Saved]]](
    dict[str, dict[str, Saved]], {}, "saved finds", "delete it, and save them again"
)


def saved(folder: Path, asker: str) -> Mapping[str, Saved]:
    """The finds that an asker kept, by name. Raises `WorkspaceError` where they cannot be read."""
    return _FILES.read(folder / FILE).get(asker, {})


def save(folder: Path, asker: str, name: str, found: Found, wanted: Filter) -> None:
    """Keep a find by a name, in place of what was kept by it. Raises as `saved`, and `OSError` where it cannot be."""
    one = Saved(found.query, printed(found.expression), wanted, tuple(sorted(one.place for one in found.members)))
    held = _FILES.read(folder / FILE)
    _FILES.write(folder / FILE, held | {asker: held.get(asker, {}) | {name: one}})
