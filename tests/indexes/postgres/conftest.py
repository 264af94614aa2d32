"""A store in a database of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from answerable.corpora.store import Store
from answerable.workspace.stores import StoreSettings, open_store


@pytest.fixture
def store(database: str, tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path, StoreSettings(database)) as opened:
        yield opened
