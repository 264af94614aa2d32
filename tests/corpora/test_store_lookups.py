"""What the store is asked for by keys, places and names, at the ends of what can be asked at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from answerable.corpora import database
from answerable.corpora import store as store_module
from answerable.corpora.store import Holdings, Row, Store
from answerable.corpora.transaction import FileState, KeptBook
from answerable.errors import IndexMismatch
from answerable.types import Document
from tests.indexes.samples import passage, put, texts


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.sqlite") as opened:
        yield opened


def test_rows_after_a_key(store: Store) -> None:
    put(store, texts(3))
    put(store, {"b": "later", "a": "later still"})
    put(store, {"z": "of another"}, "mail")
    keys = {row.id: row.key for row in store.rows("public")}
    third = sorted(keys.values())[2]
    assert [row.id for row in store.rows("public", third)] == ["a@0-11", "b@0-5"]
    assert store.holdings("nobody") == Holdings("nobody", 0, 0, "0" * 32)
    assert store.last_key("public") == max(keys.values()) and store.last_key("nobody") == 0
    (row,) = store.rows("mail")
    assert row == Row(row.key, "z@0-10", "About z", "", "of another") and row.heading == "About z"
    assert Row(1, "", "Title", "Section", "").heading == "Title Section"


def test_more_than_fit_into_one_statement_are_found_in_parts(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (database, store_module):
        monkeypatch.setattr(module, "AT_ONCE", 2)
    put(store, texts(5))
    rows = sorted(store.rows("public"), key=lambda row: row.key)
    ids, keys, documents = [row.id for row in rows], [row.key for row in rows], sorted(texts(5))
    with store.write("public") as transaction:
        transaction.put_vectors("public", "one", keys, np.eye(5, 8, dtype=np.float32))
    assert [one.id for one in store.passages("public", ids[::-1])] == ids[::-1]
    assert list(store.openings("public", documents)) == documents
    assert store.ids(keys) == dict(zip(keys, ids, strict=True))
    found = store.vectors_of("public", "one", 8, ids)
    assert {id: int(row.argmax()) for id, row in found.items()} == {id: at for at, id in enumerate(ids)}
    by_key = store.vectors_at("public", "one", 8, [*keys, 10**6])
    assert {key: row.tolist() for key, row in by_key.items()} == {
        key: found[id].tolist() for key, id in zip(keys, ids, strict=True)
    }
    all_keys, all_ids, matrix = store.vectors("public", "one", 8)
    assert (all_keys.tolist(), all_ids, matrix.argmax(axis=1).tolist()) == (keys, ids, [0, 1, 2, 3, 4])


def test_fields_and_passages_of_documents(store: Store) -> None:
    put(store, {"note": "of a lamp"})
    meta = {"from": "Kim <kim@x.example>", "to": ["Lee <lee@y.example>"], "cc": ["Ann"], "date": "2001-05-04T10:00"}
    mail = Document("mail", "public", "A mail", "Of two parts.", "m.mbox", "mail", (), meta)
    with store.write("public") as transaction:
        transaction.put(mail, [passage(mail, 0, 6), passage(mail, 7, 13)])
    told = ("mail", "mail", "kim kim @ x example", "lee lee @ y example\nann", "2001-05-04")
    assert store.fields("public") == [("note", "text", "", "", ""), told]
    assert store.passages_of("public", ["mail", "gone"]) == ["mail@0-6", "mail@7-13"]
    assert store.fields("nobody") == [] and store.passages_of("nobody", ["mail"]) == []


def test_no_vectors_are_an_array_all_the_same(store: Store) -> None:
    keys, ids, matrix = store.vectors("public", "one", 8)
    assert (keys.dtype, keys.shape, ids, matrix.dtype, matrix.shape) == (np.int64, (0,), [], np.float16, (0, 8))
    assert store.vectors_of("public", "one", 8, []) == {} == store.vectors_at("public", "one", 8, [])


def test_vectors_of_another_dimension_are_named_with_their_enclave(store: Store) -> None:
    put(store, texts(1))
    (row,) = store.rows("public")
    with store.write("public") as transaction:
        transaction.put_vectors("public", "one", [row.key], np.ones((1, 8), np.float32))
    for look in (lambda: store.vectors("public", "one", 7), lambda: store.vectors_of("public", "one", 7, [row.id])):
        with pytest.raises(IndexMismatch, match="vectors of enclave 'public' do not have 7 dimensions"):
            look()


@pytest.mark.parametrize("damaged", ["sentences", "wholes"])
def test_a_book_of_broken_rows_is_none(store: Store, damaged: str) -> None:
    put(store, {"a": "text"})
    sizes = {"sentences": 8, "wholes": 8, damaged: 7}
    parts = {name: np.ones((1, size), np.float16) for name, size in sizes.items()}
    with store.write("public") as transaction:
        transaction.put_book("public", "a", "walker", KeptBook(b"digest", **parts))
    assert store.book("public", "a", "walker", 8) is None


def test_files_by_the_place_they_were_read_from(store: Store) -> None:
    first = FileState("1:2", "abc", 3, 4, True, None, "/there/a.md")
    second = FileState("5:6", "def", 1, 0, False, "it is torn", "/there/a.md")
    with store.write("public") as transaction:
        transaction.put_file("public", "b.md", first)
        transaction.put_file("mail", "a.md", second)
        transaction.put_file("public", "a.md", FileState("7:8", "ghi", place="/elsewhere/a.md"))
    assert store.placed("/there/a.md") == [("mail", "a.md", second), ("public", "b.md", first)]
    assert store.placed("/nowhere") == []


def test_passages_that_nothing_was_made_pairs_of(store: Store) -> None:
    put(store, texts(3))
    put(store, {"z": "of another"}, "mail")
    first, second, third = sorted(store.rows("public"), key=lambda row: row.key)
    with store.write("public") as transaction:
        transaction.put_pairs("public", second.id, "maker", [])
    assert store.unpaired("public", "maker") == [first, third]
    assert store.unpaired("public", "maker", first.key) == [third]
    assert store.unpaired("public", "maker", most=1) == [first]
    assert store.unpaired("public", "another") == [first, second, third]


def test_documents_that_have_a_passage_are_counted_once(store: Store) -> None:
    document = Document("long", "public", "Long", "one two", "long")
    with store.write("public") as transaction:
        transaction.put(document, [passage(document, 0, 3), passage(document, 4, 7)])
        transaction.put(Document("bare", "public", "Bare", "", "bare"), [])
    assert (store.first_passages("public"), store.first_passages("mail")) == (1, 0)
    assert [row.text for row in store.without_vectors("public", "one", 0, 9)] == ["one", "two"]
    assert [row.text for row in store.without_vectors("public", "one", 0, 9, first_only=True)] == ["one"]
