"""Waiting for files to change, for `answerable index --watch`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from answerable.errors import MissingExtraError

AGAIN = 5.0
"""Seconds after which what could not be indexed is tried again."""


def changes(paths: Sequence[Path], but: Path) -> Iterator[bool]:
    """Whether anything below the paths has changed, told at once, and where nothing has every `AGAIN` seconds. What
    lies in the folder `but` is passed over: it changes by indexing. Raises `MissingExtraError`, `KeyboardInterrupt`."""
    try:
        from watchfiles import Change, DefaultFilter, watch
    except ImportError:
        raise MissingExtraError("--watch", "watch") from None
    own, usual = but.resolve(), DefaultFilter()

    def counts(change: Change, path: str) -> bool:
        return usual(change, path) and not Path(path).is_relative_to(own)

    places, wait = [path.resolve() for path in paths], int(1000 * AGAIN)
    for changed in watch(*places, watch_filter=counts, rust_timeout=wait, yield_on_timeout=True):
        yield bool(changed)
