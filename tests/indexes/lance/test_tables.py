"""Two who write at once lose nothing, what is deleted is in no byte, and what goes wrong is said in a sentence."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from answerable.corpora.store import Store
from answerable.corpora.transaction import FileState
from answerable.errors import BusyError, MissingExtraError, SettingsError, WorkspaceError
from answerable.indexes.enclave import open_enclave_index
from answerable.indexes.index import silent
from answerable.indexes.lance import search, tables
from answerable.indexes.lance.store import LanceEnclave, LanceStore
from answerable.indexes.lance.tables import explained
from answerable.indexes.lance.transaction import vectors_by
from answerable.indexes.shared import builder_of
from answerable.workspace.stores import StoreSettings, open_store
from tests.contracts.shared_store import MODES, everything, refreshed
from tests.indexes.building import ENCODER, jsonl
from tests.indexes.samples import occurs, put, remove, sentences, texts


def others(tmp_path: Path, count: int) -> list[LanceStore]:
    """The same store, as so many other machines open it."""
    return [LanceStore(f"lance://{tmp_path}/shared", tmp_path / f"w{n}") for n in range(count)]


def test_all_that_several_write_at_once_is_there(store: Store, tmp_path: Path) -> None:
    put(store, texts(2))

    def write(n: int) -> None:
        for part in range(3):
            put(here[n], {f"own{n}-{part}": f"lamp {n} {part}", "same": f"lamp of {n}"}, edition=2 + 10 * part + n)
            with here[n].write("public") as transaction:
                transaction.put_file("public", f"file{n}-{part}", FileState("1-1", "ab"))

    here = others(tmp_path, 3)
    with ThreadPoolExecutor() as pool:
        [*pool.map(write, range(3))]
    held = store.holdings("public")
    assert (held.documents, held.passages) == (2 + 9 + 1, 12)
    assert len([*store.files("public")]) == 9
    keys = [row.key for row in store.rows("public")]
    assert len({*keys}) == len(keys) == 12
    assert [*store.faults("public")] == [] and refreshed(store).search("lamp", None, "lexical", 99)
    one = here[0].held("public")
    assert isinstance(one, LanceEnclave) and len(search.LanceWords(one.tables).indexed().keys) == 12


def test_two_machines_that_index_at_once_make_what_one_would(store: Store, tmp_path: Path) -> None:
    sources = tmp_path / "in"
    sources.mkdir()
    for n in range(3):
        jsonl(sources / f"part{n}.jsonl", sentences(12, seed=n))
    here = others(tmp_path, 2)
    builders = [builder_of(one, one.path.parent / "i", ENCODER, linking=True) for one in here]
    with ThreadPoolExecutor() as pool:
        [*pool.map(lambda build: build.run([sources], "public"), builders)]
    builder_of(store, tmp_path / "i", ENCODER, linking=True).run([sources], "alone")
    refreshed(store, "public")
    assert store.holdings("public").fingerprint == store.holdings("alone").fingerprint
    assert store.vector_counts("public") == store.vector_counts("alone")
    found = [everything(open_enclave_index(store, tmp_path, name, ENCODER), MODES) for name in ("public", "alone")]
    assert found[0] == found[1]


@pytest.mark.parametrize("large", [False, True])
def test_what_is_deleted_is_in_no_file(
    store: Store, tmp_path: Path, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_INDEXED", 10 if large else 10**9)
    put(store, texts(40))
    put(store, {"secret": "the quincunx of Ramsholt " * 30, "short": "a quincunx in one line"})
    refreshed(store, exact_limit=20 if large else 10**9)
    folder = tmp_path / "shared"
    (vector,) = store.vectors_of("public", ENCODER.name, ENCODER.dimension, ["short@0-22"]).values()
    assert occurs(folder, b"quincunx") and occurs(folder, vector.tobytes())
    remove(store, ["secret", "short", "doc00007"])
    assert store.unpurged() == ["public"]
    store.purge("public")
    assert store.unpurged() == []
    for needle in (b"quincunx", b"Ramsholt", b"doc00007", vector.tobytes()):
        assert occurs(folder, needle) == []
    assert len([*store.rows("public")]) == 39 == store.vector_counts("public")[ENCODER.name]
    assert isinstance(store, LanceStore) and [*store.faults("public")] == []
    assert [*map(bool, store.held("public").parts(ENCODER)[1:])] == [large, large]
    assert refreshed(store).search("lamp", None, "lexical", 3)


def test_segments_are_put_together_and_count_once_what_stands_in_two(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "_FEW", 2)
    given = texts(40)
    for at in range(0, 40, 10):
        put(store, dict([*given.items()][at : at + 10]))
        index = refreshed(store)
    held = store.of("public") if isinstance(store, LanceStore) else None
    assert isinstance(held, LanceEnclave)
    words = search.LanceWords(held.tables)
    assert held.tables.count(tables.WORDS, "word = ''") <= 2 and len(words.indexed().keys) == 40
    words._add(words.live()[:15], silent)  # as another does who looked at the same moment
    put(store, given, "other")
    assert everything(index) == everything(refreshed(store, "other"))


def test_a_passage_that_left_without_a_note_is_forgotten_all_the_same(store: Store) -> None:
    put(store, texts(3) | {"odd": "quincunx"})
    index = refreshed(store)
    remove(store, ["odd"])
    held = store.of("public") if isinstance(store, LanceStore) else None
    assert isinstance(held, LanceEnclave)
    held.tables.delete(tables.TEXTS, "what = 'gone'")
    assert index.search("quincunx", None, "lexical", 3) == []
    refreshed(store)
    assert held.tables.count(tables.WORDS, "word = 'quincunx'") == 0


def test_what_was_edited_behind_the_back_is_not_read(store: Store) -> None:
    put(store, {"a": "a lamp", "b": "a reef"})
    held = store.of("public") if isinstance(store, LanceStore) else None
    assert isinstance(held, LanceEnclave)
    held.tables.open(tables.TEXTS).update(where="row = 'd:a'", values={"text": "the quincunx of Rumsholt"})
    with pytest.raises(WorkspaceError, match="damaged or edited"):
        store.document("public", "a")
    assert "not as stored: a" in next(iter(store.faults("public")))
    keys = [row.key for row in store.without_vectors("public", "one", 0, 9)]
    with store.write("public") as transaction:
        transaction.put_vectors("public", "one", keys, np.eye(2, 4, dtype=np.float32))
    assert len([*store.faults("public")]) == 1
    (name,) = held._vector_tables()
    held.tables.open(name).update(where=f"key = {keys[0]}", values={"check": 7})
    assert "1 vector is not as stored" in str([*store.faults("public")])
    with pytest.raises(WorkspaceError, match="a vector of enclave"):
        store.vectors("public", "one", 4)


def test_addresses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for url in ("lance:///", "lance://folder", "s3:///x", "mysql://host/base", "s3://me:secret@bucket/x"):
        with pytest.raises(SettingsError, match=r"store\.url") as caught:
            StoreSettings(url)
        assert "secret" not in str(caught.value)
    assert StoreSettings("lance:///srv/team").place == "the folder /srv/team"
    assert StoreSettings("s3://bucket/team").place == "s3://bucket"
    monkeypatch.setitem(__import__("sys").modules, "answerable.indexes.lance.store", None)
    with pytest.raises(MissingExtraError):
        open_store(tmp_path, StoreSettings("lance:///srv/team"))


def test_what_lancedb_would_say_on_its_own_is_not_said(store: Store, capfd: pytest.CaptureFixture[str]) -> None:
    put(store, {"a": "the quincunx of Ramsholt"})
    refreshed(store, exact_limit=1)
    held = store.of("public") if isinstance(store, LanceStore) else None
    assert isinstance(held, LanceEnclave)
    table = held.tables.open(vectors_by(ENCODER.name))
    table.search(np.ones(64, np.float32)).limit(1).select(["key"]).to_arrow()  # what it warns of otherwise
    assert capfd.readouterr().err == ""


def test_what_goes_wrong_is_said_without_its_words(store: Store, tmp_path: Path) -> None:
    cases = {OSError: WorkspaceError, RuntimeError: WorkspaceError, ValueError: WorkspaceError}
    for raised, told in cases.items():
        with pytest.raises(told) as caught, explained("s3://bucket"):
            raise raised("the quincunx of Ramsholt")
        assert "quincunx" not in str(caught.value)
    with pytest.raises(BusyError, match="run it again"), explained("s3://bucket"):
        raise RuntimeError("Too many concurrent writers")
    put(store, {"a": "text"})
    held = store.of("public") if isinstance(store, LanceStore) else None
    assert isinstance(held, LanceEnclave)
    with pytest.raises(WorkspaceError, match="cannot be used"):
        held.tables.rows(tables.TEXTS, "no such column = 3", ["row"])
    assert isinstance(held.tables.read("nowhere", None, ["row"]), pa.Table)
