"""What is read from a store is what was stored, whatever became of its file; a look at all of it says what is wrong."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from answerable.corpora.store import Store
from answerable.errors import AnswerableError, WorkspaceError
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
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        assert connection.execute(sql, values).rowcount > 0


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
