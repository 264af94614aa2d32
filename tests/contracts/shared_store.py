"""What every engine that keeps enclaves must keep to: the rankings of indexes in files, whatever came and went.

A test module of an engine gives a fixture `kept`, an empty `SharedStore`, and inherits.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from answerable.corpora.store import Store
from answerable.encoders.hashed import HashedEncoder
from answerable.errors import AbsentError, IndexMismatch
from answerable.indexes.enclave import EnclaveIndex, open_enclave_index
from answerable.indexes.index import Ranking, SearchMode, Statistics, merged
from answerable.indexes.shared import SharedStore, builder_of
from answerable.indexes.terms import asked
from answerable.languages import ENGLISH
from answerable.testing import SearchableEnclaveContract
from answerable.types import Document, Passage, Skill
from tests.indexes.building import ENCODER, QUERIES, builder
from tests.indexes.samples import put, remove, texts

MODES: tuple[SearchMode, ...] = ("lexical", "dense", "hybrid", "entity")
FAR = 10**9
"""More vectors than there are: none of them is in a graph."""
_numbers = count()


def refreshed(store: Store, enclave: str = "public", exact_limit: int = FAR) -> EnclaveIndex:
    """An enclave with all its stages done."""
    folder = store.path.parent / "indexes"
    builder_of(store, folder, ENCODER, exact_limit=exact_limit, linking=True).refresh(enclave)
    return open_enclave_index(store, folder, enclave, ENCODER)


def everything(index: EnclaveIndex, modes: Sequence[SearchMode] = MODES) -> list[Ranking]:
    """What every kind of search finds, to the last digit."""
    return [index.search(q, ENCODER.encode_query(q, Skill.SINGLE), mode, 12) for q in QUERIES for mode in modes]


@cache
def _made(store: Store, texts: tuple[tuple[str, str], ...]) -> EnclaveIndex:
    """An enclave of these texts, which is only asked: the same whoever asks."""
    enclave = f"made{next(_numbers)}"
    with store.write(enclave) as transaction:
        transaction.foresee(enclave, [id for id, _ in texts])
        for id, text in texts:
            transaction.put(Document(id, enclave, "", text, id), [Passage(id, id, enclave, "", text, 0, len(text))])
    return refreshed(store, enclave)


class WordsContract(SearchableEnclaveContract):
    """An enclave of the store is one as any other, searched by words."""

    mode: SearchMode = "lexical"

    @pytest.fixture(autouse=True)
    def place(self, kept: Store) -> None:
        """Where enclaves are made."""
        self.store = kept

    def make(self, folder: Path, texts: Mapping[str, str]) -> EnclaveIndex:
        """As `RankingContract.make`."""
        return _made(self.store, tuple(texts.items()))

    def ask(self, index: EnclaveIndex, text: str, k: int) -> Ranking:
        """As `RankingContract.ask`."""
        return index.search(text, ENCODER.encode_query(text, Skill.SINGLE), self.mode, k)


class HybridContract(WordsContract):
    """The same by words and vectors."""

    mode = "hybrid"


class SharedStoreContract:
    """What came, went and changed is found as in files."""

    def test_rankings_are_those_of_indexes_in_files_to_the_last_digit(self, kept: Store, tmp_path: Path) -> None:
        given = texts(150) | {"odd": "Quincunx 1531 in the harbour, in the harbour!", "same": texts(1)["doc00000"]}
        put(kept, given, "public")
        with Store(tmp_path / "store.sqlite") as store:
            put(store, given)
            builder(store).refresh("public")
            files = open_enclave_index(store, tmp_path / "indexes", "public", ENCODER)
            index = refreshed(kept)
            assert everything(index) == everything(files)
            queries = ["quincunks of the harbor", "hrabour 1531", "the of", "", "zzzz", " ".join(texts(5).values())]
            for text in queries:
                assert index.search(text, None, "lexical", 9) == files.search(text, None, "lexical", 9)
            for k in (3, 151):
                ranking, vectors = index.fetch("lamp", ENCODER.encode_query("lamp", Skill.SINGLE), "hybrid", k)
                assert set(vectors) == {id for id, _ in ranking}

    def test_two_parts_with_statistics_in_common_rank_as_the_whole(self, kept: Store) -> None:
        given = texts(60)
        parts = [dict(list(given.items())[at::3]) for at in range(3)]
        for name, some in (("whole", given), ("first", parts[0]), ("second", parts[1] | parts[2])):
            put(kept, some, name)
        whole, *shards = (refreshed(kept, name) for name in ("whole", "first", "second"))
        for query in [*QUERIES, "hrabour zzzz", " ".join(texts(3).values())]:
            words = [form for term in asked(query, (ENGLISH,)) for form in term]
            shared = Statistics.of([one.statistics(words) for one in shards])
            own = whole.statistics(words)
            assert (shared.passages, shared.length, shared.having) == (own.passages, own.length, own.having)
            vector = ENCODER.encode_query(query, Skill.SINGLE)
            for mode in MODES:
                found = merged([one.weigh(query, vector, mode, 9, shared) for one in shards], mode, 9)
                wanted = whole.search(query, vector, mode, 9)
                assert dict(found) == pytest.approx(dict(wanted), rel=1.1e-4)

    def test_what_is_deleted_and_changed_leaves_what_a_fresh_build_has(self, kept: Store) -> None:
        given, chance = texts(80), random.Random(5)
        put(kept, given, "one")
        refreshed(kept, "one")
        gone = chance.sample(sorted(given), 30)
        remove(kept, gone[:20], "one")
        put(kept, {id: f"{given[id]} quincunx" for id in gone[20:]}, "one", edition=2)
        new = {id: f"{given[id]} quincunx" for id in gone[20:]}
        put(kept, {id: text for id, text in given.items() if id not in gone} | new, "other")
        index = refreshed(kept, "one")
        assert everything(index) == everything(refreshed(kept, "other"))
        assert kept.holdings("one").fingerprint == kept.holdings("other").fingerprint
        assert len(index.search("quincunx", None, "lexical", 20)) == 10
        assert [*kept.faults("one")] == []

    def test_deleting_leaves_nothing_of_it(self, kept: Store, tmp_path: Path) -> None:
        put(kept, texts(30) | {"secret": "the quincunx of Ramsholt"}, "less")
        refreshed(kept, "less")
        build = builder_of(kept, tmp_path / "indexes", ENCODER)
        with pytest.raises(AbsentError):
            build.delete("less", ["nothing"])
        assert build.delete("less", ["secret"]) == 1 and kept.unpurged() == []
        index = open_enclave_index(kept, tmp_path, "less", ENCODER)
        assert index.search("quincunx", None, "lexical", 3) == [] and kept.named("less", "secret") == []
        assert build.delete("less", None) == 30 and kept.holdings("less").passages == 0
        index = open_enclave_index(kept, tmp_path, "less", ENCODER)
        assert index.search("lamp", None, "lexical", 3) == []

    def test_a_graph_is_made_once_there_are_many_and_finds_what_comes_later(self, kept: Store) -> None:
        put(kept, texts(60), "many")
        exact = everything(refreshed(kept, "many"), MODES[:3])
        index = refreshed(kept, "many", exact_limit=50)
        assert isinstance(kept, SharedStore) and all(kept.held("many").parts(ENCODER)[1:])
        assert everything(index, MODES[:3]) == exact
        put(kept, {"later": "a zebra in the lantern room"}, "many")
        index = refreshed(kept, "many", exact_limit=50)
        found = index.search("", ENCODER.encode_query("a zebra in the lantern room", Skill.SINGLE), "dense", 1)
        assert found[0][0].startswith("later@")

    def test_vectors_of_another_encoder_are_refused(self, kept: Store) -> None:
        put(kept, texts(3), "third")
        refreshed(kept, "third")
        with pytest.raises(IndexMismatch, match="were made by"):
            open_enclave_index(kept, kept.path.parent / "indexes", "third", HashedEncoder(32))
        with pytest.raises(IndexMismatch, match="nothing is indexed"):
            open_enclave_index(kept, kept.path.parent / "indexes", "nowhere", ENCODER)

    def test_whoever_looks_again_sees_that_something_came(self, kept: Store) -> None:
        before = kept.changes()
        put(kept, {"a": "a lamp"}, "news")
        assert kept.changes() != before

    def test_a_vector_of_a_passage_that_is_gone_is_not_kept(self, kept: Store) -> None:
        put(kept, texts(3), "brief")
        keys = [row.key for row in kept.without_vectors("brief", "one", 0, 9)]
        remove(kept, ["doc00000"], "brief")
        with kept.write("brief") as transaction:
            transaction.put_vectors("brief", "one", keys, np.ones((3, 4), np.float32))
        assert kept.vector_counts("brief") == {"one": 2}
