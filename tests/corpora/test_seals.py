"""What is read from a store is what was stored, whatever became of its file; a look at all of it says what is wrong."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from answerable.corpora.seals import with_check
from answerable.corpora.store import Store
from answerable.corpora.units import is_packed, units, unpacked
from answerable.errors import AnswerableError, IndexMismatch, WorkspaceError
from tests.indexes.building import ENCODER, QUERIES, answers, builder, opened
from tests.indexes.samples import put, remove, texts
from tests.tampering import spoilt

GIVEN = texts(40) | {"long": "The oil was poured at dawn and the lamp was lit. " * 500}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with vectors and an index."""
    (tmp_path / "w").mkdir()
    with Store(tmp_path / "w" / "store.sqlite") as made:
        put(made, GIVEN)
        builder(made).refresh("public")
        yield made


def edited(store: Store, sql: str, *values: object) -> None:
    with sqlite3.connect(store.path) as connection:
        assert connection.execute(sql, values).rowcount > 0


def as_halves(store: Store, kept: Callable[[bytes, int], bytes]) -> None:
    """With vectors of float16, as they were before each number was a byte."""
    with sqlite3.connect(store.path) as connection:
        for key, name, row in connection.execute("SELECT key, encoder, vector FROM vectors").fetchall():
            half = units(np.frombuffer(unpacked(row, key), np.int8)[None]).tobytes()
            connection.execute(
                "UPDATE vectors SET vector = ? WHERE key = ? AND encoder = ?", (kept(half, key), key, name)
            )
        connection.execute("PRAGMA user_version = 4")


def unsealed(store: Store) -> None:
    """As it was written before there were seals."""
    for table in ("sealed", "document_seals", "passage_seals"):
        edited(store, f"DELETE FROM {table}")
    as_halves(store, lambda row, _: row)
    with sqlite3.connect(store.path) as connection:
        for table in ("sealed", "document_seals", "passage_seals"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("PRAGMA user_version = 3")


def told(folder: Path) -> list[object]:
    """All that asks read: rankings, passages and documents."""
    with Store(folder / "store.sqlite") as store:
        index, found = opened(store), answers(store)
        for query in QUERIES:
            passages = index.passages([id for id, _ in index.search(query, None, "lexical", 12)])
            found += [passages, [store.document("public", one.document_id) for one in passages]]
        return found


def test_a_damaged_store_gives_the_same_or_is_refused(store: Store, tmp_path: Path) -> None:
    store.close()
    before, chance = told(tmp_path / "w"), random.Random(11)
    whole, said = store.path.read_bytes(), []
    for number in range(40):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "w", folder)
        (folder / "store.sqlite").write_bytes(spoilt(whole, ("flip", "block", "flip", "cut")[number % 4], chance))
        try:
            assert told(folder) == before
        except AnswerableError as error:
            said.append(str(error))
        shutil.rmtree(folder)
    assert 5 < len(said) < 40 and not any(text[:20] in "".join(said) for text in GIVEN.values())


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE documents SET text = replace(text, 'mirror', 'mirrer') WHERE id = 'doc00003'",
        "UPDATE documents SET title = 'Another' WHERE id = 'doc00003'",
        "UPDATE documents SET source = 'elsewhere' WHERE id = 'doc00003'",
        "UPDATE document_seals SET digest = x'00' WHERE document = 4",
    ],
)
def test_an_edited_document_is_not_given_and_is_named_to_its_owner(store: Store, sql: str) -> None:
    edited(store, sql)
    with pytest.raises(WorkspaceError, match=r"damaged or edited.*answerable doctor") as caught:
        store.document("public", "doc00003")
    assert "mirrer" not in str(caught.value) and "doc00003" not in str(caught.value)
    assert store.document("public", "doc00004")
    assert any("doc00003" in one for one in store.faults("public"))


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE documents SET text = replace(text, 'mirror', 'mirrer'), title = 'x' WHERE id = 'doc00003'",
        "UPDATE passages SET text = 'another' WHERE document = 4",
        "UPDATE passages SET start = 3 WHERE document = 4",
        "UPDATE passages SET section = 'another' WHERE document = 4",
        "UPDATE passages SET document = 5 WHERE document = 4",
        "DELETE FROM passage_seals WHERE passage = 4",
    ],
)
def test_an_edited_passage_is_not_given(store: Store, sql: str) -> None:
    (id,) = (row.id for row in store.rows("public") if row.key == 4)
    edited(store, sql)
    with pytest.raises(WorkspaceError, match="damaged or edited"):
        store.passages("public", [id])
    with pytest.raises(WorkspaceError, match="damaged or edited"):
        list(store.rows("public"))
    assert list(store.faults("public"))


def test_a_passage_does_not_go_over_into_another_enclave(store: Store) -> None:
    with store.write() as transaction:
        transaction.seal("other")
    (id,) = (row.id for row in store.rows("public") if row.key == 4)
    edited(store, "UPDATE passages SET enclave = 'other' WHERE key = 4")
    with pytest.raises(WorkspaceError, match="damaged or edited"):
        store.passages("other", [id])


@pytest.mark.parametrize(
    ("sql", "fault"),
    [
        ("UPDATE vectors SET vector = zeroblob(length(vector)) WHERE key = 7", "vectors"),
        ("DELETE FROM vectors WHERE key = 7", "vectors"),
        ("UPDATE passages SET id = 'doc00001@0-9' WHERE key = 7", "not as stored"),
    ],
)
def test_vectors_are_those_of_their_passages(store: Store, sql: str, fault: str) -> None:
    edited(store, sql)
    with pytest.raises(WorkspaceError, match="damaged or edited"):
        store.vectors("public", ENCODER.name, ENCODER.dimension)
    assert any(fault in one for one in store.faults("public"))


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE enclaves SET passages = 0",
        "UPDATE enclaves SET name = 'other'",
        "UPDATE vector_counts SET count = 1",
        "DELETE FROM vector_counts",
        "DELETE FROM sealed WHERE enclave = 'public'",
    ],
)
def test_counts_that_were_edited_are_noticed_on_opening(store: Store, sql: str) -> None:
    """By them it is settled what is searched at all."""
    edited(store, sql)
    with pytest.raises(WorkspaceError, match="damaged or edited"):
        Store(store.path)


def test_documents_that_were_taken_out_with_all_that_is_theirs_are_missed(store: Store) -> None:
    before = store.roots()["public"]
    assert list(store.faults("public", before)) == []
    for table, column in (("documents", "key"), ("document_seals", "document"), ("editions", "document")):
        edited(store, f"DELETE FROM {table} WHERE {column} = 4")
    edited(store, "DELETE FROM passages WHERE document = 4")
    assert any("taken out" in one for one in store.faults("public"))


def test_an_enclave_that_never_held_anything_is_as_it_was_left(store: Store) -> None:
    assert not [*store.faults("empty")]


def test_seals_that_were_made_anew_are_caught_by_a_root_noted_elsewhere(store: Store) -> None:
    before = store.roots()["public"]
    remove(store, ["doc00003"])
    assert list(store.faults("public")) == []
    assert any("last line about it" in one for one in store.faults("public", before))


def test_what_was_edited_can_be_deleted_and_all_is_well_again(store: Store) -> None:
    edited(store, "UPDATE documents SET text = replace(text, 'mirror', 'mirrer'), title = 'x' WHERE id = 'doc00003'")
    builder(store).delete("public", ["doc00003"])
    assert list(store.faults("public")) == []
    assert all("doc00003" not in str(one) for one in answers(store))


def test_a_store_from_before_seals_opens_and_gets_them_with_the_next_write(store: Store) -> None:
    before = answers(store)
    unsealed(store)
    with Store(store.path) as old:
        assert not old.sealed("public") and answers(old) == before
        with pytest.raises(IndexMismatch):
            old.vectors("public", ENCODER.name, 3)
        builder(old).refresh("public")
        assert old.sealed("public") and answers(old) == before and list(old.faults("public")) == []
    edited(store, "UPDATE documents SET text = 'another' WHERE id = 'doc00003'")
    with Store(store.path) as new, pytest.raises(WorkspaceError):
        new.document("public", "doc00003")


@pytest.mark.parametrize("sealed", [True, False])
def test_a_store_of_longer_vectors_reads_the_same_and_is_made_smaller_once(store: Store, sealed: bool) -> None:
    before, read = answers(store), store.vectors("public", ENCODER.name, ENCODER.dimension)[2]
    if sealed:
        as_halves(store, with_check)
    else:
        unsealed(store)
    store.close()
    with Store(store.path) as again:
        assert answers(again) == before
        again.repack()
        assert all(is_packed(row) for (row,) in again._all("SELECT vector FROM vectors"))
        assert np.array_equal(again.vectors("public", ENCODER.name, ENCODER.dimension)[2], read)
        assert answers(again) == before and list(again.faults("public")) == []
    with Store(store.path) as again:
        builder(again).refresh("public")
        assert again._all("PRAGMA user_version") == [(5,)] and answers(again) == before


def test_a_longer_vector_that_was_edited_is_refused_after_as_before(store: Store) -> None:
    as_halves(store, with_check)
    edited(store, "UPDATE vectors SET vector = zeroblob(length(vector)) WHERE key = 7")
    store.repack()
    with pytest.raises(WorkspaceError, match="damaged or edited"):
        store.vectors("public", ENCODER.name, ENCODER.dimension)
    assert any("vectors" in one for one in store.faults("public"))
