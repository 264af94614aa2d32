"""Words and vectors in LanceDB: the contract of engines."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from answerable.corpora.store import Store
from answerable.workspace.stores import StoreSettings, open_store
from tests.contracts.shared_store import HybridContract, SharedStoreContract, WordsContract


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    pytest.importorskip("lancedb")
    folder = tmp_path_factory.mktemp("w")
    with open_store(folder, StoreSettings(f"lance://{folder}/shared")) as opened:
        yield opened


class TestWords(WordsContract):
    pass


class TestWordsAndVectors(HybridContract):
    pass


class TestStore(SharedStoreContract):
    pass
