"""Words and vectors in PostgreSQL: the contract of engines, and what is the database's alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from answerable.corpora.store import Store
from answerable.indexes.postgres.store import EnclaveStore, PostgresStore
from answerable.workspace.stores import StoreSettings, open_store
from tests.contracts.shared_store import HybridContract, SharedStoreContract, WordsContract, refreshed
from tests.indexes.samples import put, remove, texts


@pytest.fixture(scope="module")
def kept(postgres: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    from tests.postgres import address, new_database

    where = StoreSettings(address(postgres, new_database(postgres)))
    with open_store(tmp_path_factory.mktemp("w"), where) as opened:
        yield opened


class TestWords(WordsContract):
    pass


class TestWordsAndVectors(HybridContract):
    pass


class TestStore(SharedStoreContract):
    pass


def test_words_are_forgotten_and_counted_as_passages_go(kept: Store) -> None:
    put(kept, texts(20) | {"odd": "quincunx"}, "words")
    index = refreshed(kept, "words")
    remove(kept, ["odd", "doc00003"], "words")
    assert index.search("quincunx", None, "lexical", 3) == []  # it sees what is there now
    held = kept.held("words") if isinstance(kept, PostgresStore) else None
    assert isinstance(held, EnclaveStore)
    assert held._all("SELECT count(*) FROM words WHERE word = 'quincunx'") == [(0,)]
    assert held._all("SELECT sum(length) - (SELECT words FROM word_totals) FROM passage_words") == [(0,)]
