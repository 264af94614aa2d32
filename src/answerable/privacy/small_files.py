"""Small files of a workspace that are read and written whole, each for its owner alone."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

from answerable.errors import WorkspaceError
from answerable.printing import replacing

T = TypeVar("T")


def write_file(path: Path, text: str | bytes) -> None:
    """Write through a temporary file and a rename, so that the file is never half there."""
    with replacing(path) as file:
        file.write(text if isinstance(text, bytes) else text.encode("utf8"))
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """What goes wrong in writing to `path` as a `WorkspaceError`."""
    try:
        yield
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be written: {error.strerror or type(error).__name__}") from error


@contextmanager
def explained(path: Path, holds: str, way_out: str) -> Iterator[None]:
    """What is wrong with a file as a `WorkspaceError`; `way_out` of its not being what it `holds`."""
    try:
        yield
    except OSError as error:
        hint = "make room, or check the folder's permissions"
        raise WorkspaceError(f"{path} cannot be used: {error.strerror}", hint=hint) from error
    except (ValueError, KeyError, TypeError) as error:
        raise WorkspaceError(f"{path} does not hold {holds}", hint=way_out) from error


class SmallFile(Generic[T]):
    """Values of one kind (a dataclass) on disk, in the order of adding, under the name of what the file `holds`.

    It is written whole and renamed; without it there are none. Every method raises `WorkspaceError` where it is
    unusable, with the `way_out`. `record`: a value for JSON.
    """

    def __init__(
        self, path: Path, kind: type[T], holds: str, way_out: str, record: Callable[[T], Mapping[str, Any]]
    ) -> None:
        self.path = path
        self._kind, self._holds, self._way_out, self._record = kind, holds, way_out, record
        self._read: tuple[object, tuple[T, ...]] = (None, ())

    def all(self) -> tuple[T, ...]:
        """Every value that was ever added. Reads the file only where it has changed."""
        with self._explained():
            try:
                about = self.path.stat()
            except FileNotFoundError:
                return ()
            state = (about.st_ino, about.st_size, about.st_mtime_ns)
            if self._read[0] != state:
                from pydantic import TypeAdapter

                held = TypeAdapter(dict[str, tuple[self._kind, ...]])  # type: ignore[name-defined]
                self._read = (state, held.validate_json(self.path.read_bytes(), strict=True)[self._holds])
            return self._read[1]

    @contextmanager
    def changing(self) -> Iterator[list[T]]:
        """All values, to be changed by one at a time, and written when the block ends."""
        from filelock import FileLock  # takes longer to load than most that only reads

        with self._explained(), FileLock(self.path.with_suffix(".lock"), mode=0o600):
            held = [*self.all()]
            yield held
            told = {self._holds: [self._record(one) for one in held]}
            write_file(self.path, json.dumps(told, indent=1, default=datetime.isoformat))

    def _explained(self) -> AbstractContextManager[None]:
        return explained(self.path, self._holds, self._way_out)
