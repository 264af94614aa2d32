"""Finds kept in the workspace by a name, with the members of the last time, so that what is new can be told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from answerable.cli.show_finding import Place, place
from answerable.corpora.fields import Filter
from answerable.errors import UsageError, WorkspaceError
from answerable.sets.expression import printed
from answerable.sets.members import Found
from answerable.workspace.settings import write_file

FILE = "finds.json"


@dataclass(frozen=True, slots=True)
class Saved:
    """A query, how it was read, its filter, and the places of the members it had."""

    query: str
    expression: str
    filter: Filter
    members: tuple[Place, ...]


def saved(folder: Path, name: str) -> Saved:
    """The find of a name. Raises `UsageError` where there is none, `WorkspaceError` where the file cannot be read."""
    held = _read(folder)
    if name not in held:
        raise UsageError(f"no find is saved as {name!r}", hint=f"saved: {', '.join(sorted(held)) or 'none'}")
    return held[name]


def save(folder: Path, name: str, found: Found, wanted: Filter) -> None:
    """Keep a find by a name, in place of what was kept by it. Raises `WorkspaceError` where it cannot be."""
    from pydantic import TypeAdapter

    one = Saved(found.query, printed(found.expression), wanted, tuple(sorted(map(place, found.members))))
    held = _read(folder) | {name: one}
    write(folder / FILE, TypeAdapter(dict[str, Saved]).dump_json(held, indent=1).decode() + "\n")


def write(path: Path, text: str) -> None:
    """Write a file whole. Raises `WorkspaceError` where it cannot be written."""
    try:
        write_file(path, text)
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be written: {error.strerror or type(error).__name__}") from error


def _read(folder: Path) -> dict[str, Saved]:
    from pydantic import TypeAdapter

    try:
        return TypeAdapter(dict[str, Saved]).validate_json((folder / FILE).read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        hint = "delete it, and save them again"
        raise WorkspaceError(f"{folder / FILE} does not hold saved finds", hint=hint) from error
