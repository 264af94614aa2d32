"""What indexed files are called: by their path below what was indexed. A file keeps the name that it was first given.

So one file has one name however its path is typed, and folders of one name are told apart by those that they lie in.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from itertools import chain, count
from pathlib import Path

_ESCAPED = re.compile(rb"\\x([89a-f][0-9a-f])")


def real(path: Path) -> Path:
    """Where a path leads, whichever way it was typed: links are followed, but for a file that is itself a link."""
    return Path(os.path.realpath(path.parent), path.name) if path.is_file() else Path(os.path.realpath(path))


def place_of(path: Path) -> str:
    """Where a file lies, as text that the store can hold: file names may be any bytes."""
    return os.fsencode(path.absolute()).decode("utf8", "backslashreplace")


def printable(name: str) -> str:
    """A name any store and terminal can hold: file names may be any bytes."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def within(place: str, folders: Collection[str]) -> bool:
    """Whether a place is one of the folders or lies below one."""
    return place in folders or any(place.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders)


class Names:
    """The names of an enclave's files and folders, those that this run gives included."""

    def __init__(self, known: Iterable[tuple[str, str]] = ()) -> None:
        """`known`: (name, place) of the files that were indexed before."""
        self._named: dict[str, str] = {}  # places
        self._held: dict[str, str] = {}  # the places of names
        self._folders: dict[str, str] = {}
        resolved = cache(os.path.realpath)
        for name, place in known:
            folder, file = os.path.split(place)
            self._keep(name, str(Path(resolved(folder), file)) if folder else place)

    def folder(self, path: Path) -> str:
        """What a folder that is indexed is called: as it was, or as it lies in one that has a name, or by its own."""
        for above in (path, *path.parents):
            if name := self.named(above):
                return "/".join((name, *map(printable, path.relative_to(above).parts)))
        place = place_of(path)
        return next(name for name in _names(path) if not self._taken(name, place))

    def named(self, folder: Path) -> str | None:
        """What a folder is called, if files in it have names."""
        return self._folders.get(place_of(folder))

    def file(self, path: Path, name: str | None = None) -> str:
        """What a file is called: as it was, else `name`, or more of its path where another file has that."""
        place = place_of(path)
        if place in self._named:
            return self._named[place]
        above = self.named(path.parent)
        first = name or (f"{above}/{printable(path.name)}" if above else printable(path.name))
        chosen = next(one for one in chain((first,), _names(path)) if not _there(self._held.get(one)))
        if (moved := self._held.get(chosen)) and self._named.get(moved) == chosen:
            del self._named[moved]
        self._keep(chosen, place)
        return chosen

    def gone(self, given: Collection[str], own: Collection[str]) -> list[str]:
        """The names of files at or below given places that are there no more, or are `own`, or have a better name."""
        return [
            name
            for name, place in self._held.items()
            if within(place, given) and (not _there(place) or within(place, own) or self._named.get(place) != name)
        ]

    def _keep(self, name: str, place: str) -> None:
        before = self._named.get(place)
        if before is None or before.count("/") < name.count("/"):
            self._named[place] = name
        self._held[name] = place
        folder, above = os.path.split(place)[0], os.path.split(name)[0]
        while above and folder not in self._folders:
            self._folders[folder] = above
            (folder, one), (above, other) = os.path.split(folder), os.path.split(above)
            if one != other:
                break

    def _taken(self, name: str, place: str) -> bool:
        """Whether files elsewhere, which are still there, are called so or as if they lay in a folder called so."""
        below = f"{name}/"
        return any(
            (one == name or one.startswith(below)) and not within(held, (place,)) and _there(held)
            for one, held in self._held.items()
        )


def _names(path: Path) -> Iterator[str]:
    """What something may be called: its name, then more and more of its path."""
    parts = [printable(part) for part in path.parts[1:]] or ["root"]
    yield from ("/".join(parts[-length:]) for length in range(1, len(parts) + 1))
    yield from (f"{'/'.join(parts)}~{number}" for number in count(2))


def _there(place: str | None) -> bool:
    """Whether something lies at a place, as far as that can be told."""
    if not place:
        return False
    for path in {place, os.fsdecode(_ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), place.encode()))}:
        try:
            os.lstat(path)
            return True
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return True
    return False
