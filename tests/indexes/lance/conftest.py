"""A store in a folder of tables of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from answerable.corpora.store import Store
from answerable.workspace.stores import StoreSettings, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    pytest.importorskip("lancedb")
    with open_store(tmp_path / "w", StoreSettings(f"lance://{tmp_path}/shared")) as opened:
        yield opened
