"""Small files of a workspace that are read and written whole, each for its owner alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from answerable.errors import WorkspaceError
from answerable.printing import replacing


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
