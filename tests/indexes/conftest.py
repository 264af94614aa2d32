"""A store in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from answerable.corpora.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    (tmp_path / "w").mkdir()
    with Store(tmp_path / "w" / "store.sqlite") as opened:
        yield opened
