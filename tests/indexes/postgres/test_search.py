"""Words and vectors in PostgreSQL: the contract of indexes, and the rankings of those in files."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path

import pytest

from answerable.corpora.store import Store
from answerable.encoders.hashed import HashedEncoder
from answerable.errors import IndexMismatch
from answerable.indexes.enclave import EnclaveIndex, open_enclave_index
from answerable.indexes.index import Ranking, SearchMode
from answerable.indexes.postgres.build import PostgresBuilder
from answerable.indexes.postgres.store import EnclaveStore, PostgresStore
from answerable.testing import SearchableEnclaveContract
from answerable.types import Document, Passage, Skill
from answerable.workspace.stores import StoreSettings, open_store
from tests.indexes.building import ENCODER, QUERIES, builder
from tests.indexes.samples import put, remove, texts

MODES: tuple[SearchMode, ...] = ("lexical", "dense", "hybrid", "entity")
_numbers = count()


@pytest.fixture(scope="module")
def kept(postgres: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    from tests.postgres import address, new_database

    where = StoreSettings(address(postgres, new_database(postgres)))
    with open_store(tmp_path_factory.mktemp("w"), where) as opened:
        yield opened


def refreshed(store: Store, enclave: str = "public", exact_limit: int = 10**9) -> EnclaveIndex:
    folder = store.path.parent / "indexes"
    PostgresBuilder(store, folder, ENCODER, exact_limit=exact_limit, linking=True).refresh(enclave)
    return open_enclave_index(store, folder, enclave, ENCODER)


def everything(index: EnclaveIndex, modes: Sequence[SearchMode] = MODES) -> list[Ranking]:
    return [index.search(q, ENCODER.encode_query(q, Skill.SINGLE), mode, 12) for q in QUERIES for mode in modes]


class TestWords(SearchableEnclaveContract):
    mode: SearchMode = "lexical"
    exact_limit = 10**9

    @pytest.fixture(autouse=True)
    def place(self, kept: Store) -> None:
        self.store = kept

    def make(self, folder: Path, texts: Mapping[str, str]) -> EnclaveIndex:
        enclave = f"made{next(_numbers)}"
        with self.store.write(enclave) as transaction:
            for id, text in texts.items():
                transaction.put(Document(id, enclave, "", text, id), [Passage(id, id, enclave, "", text, 0, len(text))])
        return refreshed(self.store, enclave, self.exact_limit)

    def ask(self, index: EnclaveIndex, text: str, k: int) -> Ranking:
        return index.search(text, ENCODER.encode_query(text, Skill.SINGLE), self.mode, k)


class TestWordsAndVectors(TestWords):
    mode = "hybrid"


def test_rankings_are_those_of_indexes_in_files_to_the_last_digit(kept: Store, tmp_path: Path) -> None:
    given = texts(150) | {"odd": "Quincunx 1531 in the harbour, in the harbour!", "same": texts(1)["doc00000"]}
    put(kept, given, "public")
    with Store(tmp_path / "store.sqlite") as store:
        put(store, given)
        builder(store).refresh("public")
        files = open_enclave_index(store, tmp_path / "indexes", "public", ENCODER)
        index = refreshed(kept)
        assert everything(index) == everything(files)
        asked = ["quincunks of the harbor", "hrabour 1531", "the of", "", "zzzz", " ".join(texts(5).values())]
        for text in asked:
            assert index.search(text, None, "lexical", 9) == files.search(text, None, "lexical", 9)
        for k in (3, 151):
            ranking, vectors = index.fetch("lamp", ENCODER.encode_query("lamp", Skill.SINGLE), "hybrid", k)
            assert set(vectors) == {id for id, _ in ranking}


def test_a_graph_is_made_once_there_are_many_and_finds_what_comes_later(kept: Store) -> None:
    put(kept, texts(60), "many")
    held = kept.of("many") if isinstance(kept, PostgresStore) else None
    assert isinstance(held, EnclaveStore)
    exact = everything(refreshed(kept, "many"), MODES[:3])
    index = refreshed(kept, "many", exact_limit=50)
    graphs = "SELECT count(*) FROM pg_indexes WHERE schemaname = 'answerable_many' AND indexdef LIKE '%hnsw%'"
    assert held._all(graphs) == [(2,)]
    assert everything(index, MODES[:3]) == exact
    put(kept, {"later": "a zebra in the lantern room"}, "many")
    index = refreshed(kept, "many", exact_limit=50)
    found = index.search("", ENCODER.encode_query("a zebra in the lantern room", Skill.SINGLE), "dense", 1)
    assert found[0][0].startswith("later@")


def test_what_is_deleted_and_changed_leaves_what_a_fresh_build_has(kept: Store) -> None:
    given, chance = texts(80), random.Random(5)
    put(kept, given, "one")
    index = refreshed(kept, "one")
    gone = chance.sample(sorted(given), 30)
    remove(kept, gone[:20], "one")
    put(kept, {id: f"{given[id]} quincunx" for id in gone[20:]}, "one", edition=2)
    left = {id: text for id, text in given.items() if id not in gone} | {i: f"{given[i]} quincunx" for i in gone[20:]}
    put(kept, left, "other")
    assert everything(refreshed(kept, "one")) == everything(refreshed(kept, "other"))
    assert len(index.search("quincunx", None, "lexical", 20)) == 10  # it sees what is there now
    remove(kept, gone[20:], "one")
    held = kept.of("one") if isinstance(kept, PostgresStore) else None
    assert isinstance(held, EnclaveStore)
    assert held._all("SELECT count(*) FROM words WHERE word = 'quincunx'") == [(0,)]
    assert held._all("SELECT sum(length) - (SELECT words FROM word_totals) FROM passage_words") == [(0,)]


def test_vectors_of_another_encoder_are_refused(kept: Store) -> None:
    put(kept, texts(3), "third")
    refreshed(kept, "third")
    with pytest.raises(IndexMismatch, match="were made by"):
        open_enclave_index(kept, kept.path.parent / "indexes", "third", HashedEncoder(32))
    with pytest.raises(IndexMismatch, match="nothing is indexed"):
        open_enclave_index(kept, kept.path.parent / "indexes", "nowhere", ENCODER)
