"""Archives that nobody vouches for: what lies in them by name, read with bounds that a bomb cannot pass.

Nothing is ever unpacked to a disk, so that no name in one leads anywhere.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from answerable.corpora.sources import File, Limits, open_file, read_whole
from answerable.errors import FormatError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_RATIO_FREE = 2**20
_MOST_MEMBERS = 200_000
_BROKEN = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    NotImplementedError,
    EOFError,
    zlib.error,
    ValueError,
    RuntimeError,
)


class Members(Protocol):
    """Files by their names, which are paths with slashes."""

    names: tuple[str, ...]

    def read(self, name: str) -> bytes:
        """One of them whole. Raises `FormatError` where there is none, or it is damaged or too large."""


class Archive:
    """The files of a zip archive, in its order. `what` it should be is for the sentence that says that it is not."""

    def __init__(self, packed: zipfile.ZipFile, source: str, limits: Limits, what: str) -> None:
        self._packed, self._source, self._limits, self._what = packed, source, limits, what
        self.names = tuple(one for one in packed.namelist() if not one.endswith("/"))
        if len(self.names) > _MOST_MEMBERS:
            raise FormatError(f"{source} holds more than {_MOST_MEMBERS:,} files")

    def read(self, name: str) -> bytes:
        """As `Members`; never more is unpacked than the limits allow, whatever the header says."""
        try:
            info = self._packed.getinfo(name)
            with self._packed.open(info) as member:
                allowed = min(self._limits.max_bytes, max(self._limits.max_ratio * info.compress_size, _RATIO_FREE))
                data = member.read(allowed + 1)
        except (KeyError, *_BROKEN) as error:
            raise _none(self._source, self._what) from error
        if len(data) > allowed:
            raise FormatError(f"{self._source} unpacks to far more than its size, as only a bomb does")
        return data

    def tree(self, name: str) -> Element:
        """One that holds XML, without namespaces of elements. Entities are refused. Raises `FormatError`."""
        from defusedxml import ElementTree

        try:
            root: Element = ElementTree.fromstring(self.read(name))
        except (ElementTree.ParseError, ValueError) as error:
            raise FormatError(f"{self._source} is no {self._what}: {posixpath.basename(name)} is damaged") from error
        for one in root.iter():
            one.tag = one.tag.rpartition("}")[2] if isinstance(one.tag, str) else ""
        return root

    def inner(self, name: str) -> Archive:
        """An archive in this one. Raises `FormatError`."""
        data = self.read(name)
        try:
            return Archive(zipfile.ZipFile(io.BytesIO(data)), self._source, self._limits, self._what)
        except _BROKEN as error:
            raise _none(self._source, self._what) from error


class Folder:
    """The files below a folder, by name; hidden ones and links are left out."""

    def __init__(self, root: Path, source: str, limits: Limits) -> None:
        self._root, self._source, self._limits = root, source, limits
        found = (path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
        names = sorted(path.relative_to(root).as_posix() for path in found)
        self.names = tuple(name for name in names if not any(part.startswith(".") for part in name.split("/")))

    def read(self, name: str) -> bytes:
        """As `Members`."""
        return read_whole(self._root / name, f"{self._source}/{name}", self._limits)


@contextmanager
def opened(path: File, source: str, limits: Limits, what: str) -> Iterator[Archive]:
    """A zip archive of any size, for the length of the block. Raises `FormatError`."""
    with open_file(path, source) as file:
        try:
            packed = zipfile.ZipFile(file)
        except _BROKEN as error:
            raise _none(source, what) from error
        with packed:
            yield Archive(packed, source, limits, what)


def _none(source: str, what: str) -> FormatError:
    return FormatError(f"{source} is damaged, encrypted or no {what}")
