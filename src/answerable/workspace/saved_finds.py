"""Finds kept in a workspace by a name, with the members of the last time, so that what is new can be told.

Each asker has their own: what others look for, and what they found, is theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from answerable.corpora.fields import Filter
from answerable.errors import WorkspaceError
from answerable.privacy.small_files import write_file
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


def saved(folder: Path, asker: str) -> Mapping[str, Saved]:
    """The finds that an asker kept, by name. Raises `WorkspaceError` where they cannot be read."""
    return _read(folder).get(asker, {})


def save(folder: Path, asker: str, name: str, found: Found, wanted: Filter) -> None:
    """Keep a find by a name, in place of what was kept by it. Raises as `saved`, and `OSError` where it cannot be."""
    from pydantic import TypeAdapter

    one = Saved(found.query, printed(found.expression), wanted, tuple(sorted(one.place for one in found.members)))
    held = _read(folder)
    held.setdefault(asker, {})[name] = one
    write_file(folder / FILE, TypeAdapter(dict[str, dict[str, Saved]]).dump_json(held, indent=1).decode() + "\n")


def _read(folder: Path) -> dict[str, dict[str, Saved]]:
    from pydantic import TypeAdapter

    try:
        return TypeAdapter(dict[str, dict[str, Saved]]).validate_json((folder / FILE).read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        hint = "delete it, and save them again"
        raise WorkspaceError(f"{folder / FILE} does not hold saved finds", hint=hint) from error
