"""Small files of a workspace that are read and written whole, each for its owner alone."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from answerable.errors import WorkspaceError
from answerable.printing import replacing
from answerable.records import of_record, record_of

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


class SmallFiles(Generic[T]):
    """Files that each hold one value, such as a dataclass (`records`): read whole where they have changed, and written
    whole and renamed. `nothing`: what stands for a file that is not there.

    Reading raises `WorkspaceError` for a file that does not hold what it `holds`, with the `way_out`.
    """

    def __init__(self, kind: Any, nothing: T, holds: str, way_out: str) -> None:
        self._kind, self._nothing, self._said = kind, nothing, (holds, way_out)
        self._read: dict[Path, tuple[object, T]] = {}

    def read(self, path: Path) -> T:
        """What is in a file."""
        with self.explained(path):
            try:
                about = path.stat()
            except FileNotFoundError:
                return self._nothing
            state = (about.st_ino, about.st_size, about.st_mtime_ns)
            if self._read.get(path, (None, None))[0] != state:
                self._read[path] = (state, of_record(self._kind, json.loads(path.read_bytes())))
            return self._read[path][1]

    def write(self, path: Path, value: T) -> None:
        """Put a value into a file. Raises `OSError`."""
        write_file(path, json.dumps(record_of(value), indent=1, ensure_ascii=False) + "\n")

    def explained(self, path: Path) -> AbstractContextManager[None]:
        """As `explained`, of these files."""
        return explained(path, *self._said)


class SmallFile(Generic[T]):
    """Values of one kind in a file, in the order of adding, under the name of what the file `holds`. Every method
    raises `WorkspaceError` as `SmallFiles`."""

    def __init__(self, path: Path, kind: type[T], holds: str, way_out: str) -> None:
        self.path, self._holds = path, holds
        several = dict[str, tuple[kind, ...]]  # type: ignore[valid-type]
        self._files = SmallFiles[dict[str, tuple[T, ...]]](several, {holds: ()}, holds, way_out)

    def all(self) -> tuple[T, ...]:
        """Every value that was ever added."""
        with self._files.explained(self.path):
            return self._files.read(self.path)[self._holds]

    @contextmanager
    def changing(self) -> Iterator[list[T]]:
        """All values, to be changed by one at a time, and written when the block ends."""
        from filelock import FileLock  # takes longer to load than most that only reads

        with self._files.explained(self.path), FileLock(self.path.with_suffix(".lock"), mode=0o600):
            held = [*self.all()]
            yield held
            self._files.write(self.path, {self._holds: (*held,)})
