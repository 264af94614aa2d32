"""The key for an endpoint, from a file: never from the command line, where others could read it."""

from __future__ import annotations

from pathlib import Path

from answerable.errors import UsageError


def key_of(path: Path) -> str:
    """The key in a file. Raises `UsageError` where it cannot be read or is empty."""
    try:
        key = path.read_text("utf-8").strip()
    except (OSError, ValueError):
        raise UsageError(f"{path} cannot be read", hint="a file with the key and nothing else") from None
    if not key or any(c.isspace() for c in key):
        raise UsageError(f"{path} holds no key", hint="a file with the key and nothing else")
    return key
