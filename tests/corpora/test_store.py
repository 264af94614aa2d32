"""The store: what goes in comes out, all or nothing, and nothing is left of what was deleted."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from threading import Timer

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.corpora.store import Store
from answerable.corpora.transaction import FileState, KeptBook, encoder_of, entity_side
from answerable.corpora.units import codes, units
from answerable.errors import BusyError, FormatError, IndexMismatch, UsageError
from answerable.types import Document, Passage, Section
from tests.indexes.samples import occurs, passage, put, remove, texts


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "store.sqlite") as opened:
        yield opened


def test_a_document_comes_back_whole(store: Store) -> None:
    sections = (Section("Häuser", 1, 0, 12), Section("Türme", 2, 5, 12))
    document = Document(
        "a#1", "private", "Ein Titel", "Zwölf Türme.", "a", "mail", sections, {"date": "1844", "to": ["x"]}
    )
    with store.write("private") as transaction:
        assert transaction.put(document, [passage(document, 6, 11)]) == "added"
    assert store.document("private", "a#1") == document
    assert store.document("public", "a#1") is None
    assert store.passages("private", ["a#1@6-11"])[0].text == "Türme"


def test_passages_come_in_the_order_asked_and_unknown_ones_are_left_out(store: Store) -> None:
    put(store, {"a": "first text", "b": "second text"})
    assert [p.document_id for p in store.passages("public", ["b@0-11", "nothing", "a@0-10"])] == ["b", "a"]
    assert store.passages("elsewhere", ["b@0-11"]) == []


def test_openings_are_the_first_passages_of_documents_that_have_any(store: Store) -> None:
    document = Document("long", "public", "Long", "one two three", "long")
    with store.write("public") as transaction:
        transaction.put(document, [passage(document, 0, 3), passage(document, 4, 7), passage(document, 8, 13)])
        transaction.put(Document("bare", "public", "Bare", "", "bare"), [])
    put(store, {"a": "first text"})
    found = store.openings("public", ["a", "long", "bare", "nothing"])
    assert {id: one.text for id, one in found.items()} == {"a": "first text", "long": "one"}
    assert store.passages("public", [found["long"].id]) == [found["long"]]
    assert store.openings("elsewhere", ["a"]) == {}


@settings(max_examples=40, deadline=None)
@given(
    st.text(min_size=1, max_size=60).filter(lambda t: not any(0xD800 <= ord(c) <= 0xDFFF for c in t)),
    st.booleans(),
    st.data(),
)
def test_offsets_cut_the_same_text_in_the_store_as_here(text: str, long: bool, data: st.DataObject) -> None:
    text = text + ("\n0123456789" * 2000 if long else "")
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    document = Document("d", "public", "", text, "d")
    with Store(Path(":memory:")) as store:
        with store.write("public") as transaction:
            transaction.put(document, [passage(document, start, end)])
        assert store.passages("public", [f"d@{start}-{end}"])[0].text == text[start:end]
        assert store.document("public", "d") == document


def test_a_passage_that_is_not_its_text_is_refused_and_nothing_is_kept(store: Store) -> None:
    document = Document("d", "public", "", "some text", "d")
    wrong = Passage("d@0-4", "d", "public", "", "else", 0, 4)
    with pytest.raises(UsageError, match="d@0-4"), store.write("public") as transaction:
        transaction.put(document, [wrong])
    assert store.holdings("public").documents == 0


def test_text_that_is_no_unicode_is_refused_without_quoting_it(store: Store) -> None:
    document = Document("d", "public", "", "secret \udcff", "d")
    with store.write("public") as transaction, pytest.raises(FormatError) as caught:
        transaction.put(document, [passage(document)])
    assert "secret" not in str(caught.value)
    assert store.holdings("public").passages == 0


def test_an_error_inside_a_transaction_undoes_all_of_it(store: Store) -> None:
    put(store, {"a": "kept"})
    before = store.holdings("public")
    document = Document("b", "public", "", "lost", "b")
    wrong = Passage("c@0-9", "c", "public", "", "elsewhere", 0, 9)
    with pytest.raises(UsageError), store.write("public") as transaction:  # noqa: PT012
        assert transaction.put(document, [passage(document)]) == "added"
        transaction.put(Document("c", "public", "", "lost", "c"), [wrong])
    assert store.holdings("public") == before
    assert store.document("public", "b") is None


def test_fingerprint_depends_on_the_passages_alone(tmp_path: Path) -> None:
    with Store(tmp_path / "a") as one, Store(tmp_path / "b") as other:
        put(one, {"x": "first", "y": "second"})
        put(other, {"y": "second"})
        put(other, {"z": "third"})
        put(other, {"x": "first"})
        assert one.holdings("public").fingerprint != other.holdings("public").fingerprint
        remove(other, ["z"])
        assert one.holdings("public") == other.holdings("public")
        assert one.fingerprint_up_to("public", one.last_key("public")) == one.holdings("public").fingerprint
        remove(one, ["x", "y"])
        assert one.holdings("public").fingerprint == Store(tmp_path / "c").holdings("public").fingerprint


def test_editions_keep_replace_and_retire(store: Store) -> None:
    def at(id: str, text: str) -> tuple[Document, list[Passage]]:
        document = Document(id, "public", "t", text, "file", meta={"record": 3})
        return document, [passage(document)]

    with store.write("public") as transaction:
        assert [transaction.put(*at(id, f"text {id}"), 1) for id in "abc"] == ["added"] * 3
        assert transaction.put(*at("a", "other"), 1) == "taken"
        transaction.put_vectors("public", "e", [1, 2, 3], np.ones((3, 4), np.float32))
    with store.write("public") as transaction:
        moved = Document("a", "public", "t", "text a", "file", meta={"record": 9})
        assert transaction.put(moved, [passage(moved)], 2) == "kept"
        assert transaction.put(*at("b", "changed"), 2) == "replaced"
        assert transaction.retire("public", "file", 2) == 1
    assert [id for id, _, _ in store.documents("public")] == ["a", "b"]
    assert store.document("public", "b").text == "changed"
    assert store.vector_counts("public") == {"e": 1}
    elsewhere = Document("a", "public", "t", "text a", "another file")
    with store.write("public") as transaction:
        assert transaction.put(elsewhere, [passage(elsewhere)], 9) == "taken"


def test_keys_are_never_used_twice(store: Store) -> None:
    put(store, {"a": "one"})
    first = store.last_key("public")
    remove(store, ["a"])
    put(store, {"a": "one"})
    assert store.last_key("public") > first


def test_vectors_are_kept_in_half_precision_and_replaced_by_another_encoder(store: Store) -> None:
    put(store, texts(3))
    matrix = units(codes(np.random.default_rng(0).standard_normal((3, 8))))
    keys = [row.key for row in store.without_vectors("public", "one", 0, 10)]
    with store.write("public") as transaction:
        transaction.put_vectors("public", "one", keys, matrix)
    got_keys, ids, got = store.vectors("public", "one", 8)
    some = store.vectors_of("public", "one", 8, [ids[2], "gone", ids[0]])
    assert set(some) == {ids[0], ids[2]} and np.array_equal(some[ids[2]], got[2])
    assert store.vectors_of("private", "one", 8, ids) == {}
    assert got_keys.tolist() == keys
    np.testing.assert_array_equal(got, matrix)
    assert store.without_vectors("public", "one", 0, 10) == []
    assert len(store.without_vectors("public", "two", 0, 10)) == 3
    with store.write("public") as transaction:
        transaction.put_vectors("public", "two", keys[:1], matrix[:1, :4])
    assert store.vector_counts("public") == {"one": 2, "two": 1}
    with pytest.raises(IndexMismatch, match="8 dimensions"):
        store.vectors("public", "two", 8)
    with pytest.raises(IndexMismatch):
        store.vectors_of("public", "two", 8, ids)


def test_an_encoder_keeps_two_vectors_of_a_passage_and_another_takes_the_place_of_both(store: Store) -> None:
    put(store, texts(3))
    rows = store.without_vectors("public", "one", 0, 10)
    keys, matrix = [row.key for row in rows], np.ones((3, 4), np.float32)
    assert store.without_vectors("public", entity_side("one"), 0, 10, first_only=True) == rows
    assert encoder_of(entity_side("one")) == encoder_of("one") == "one"
    for _ in range(2):  # in either order, and again
        for name in ("one", entity_side("one")):
            with store.write("public") as transaction:
                transaction.put_vectors("public", name, keys, matrix)
    assert store.vector_counts("public") == {"one": 3, entity_side("one"): 3}
    with store.write("public") as transaction:
        transaction.put_vectors("public", "two", keys[:1], matrix[:1])
    assert store.vector_counts("public") == {"one": 2, entity_side("one"): 2, "two": 1}
    remove(store, ["doc00001"])
    assert store.vector_counts("public") == {"one": 1, entity_side("one"): 1, "two": 1}
    assert store.first_passages("public") == 2


def test_what_is_deleted_is_in_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    folder.mkdir()
    with Store(folder / "store.sqlite") as store:
        put(store, texts(400))
        secret = "the quincunx of Ramsholt " * 3000
        put(store, {"secret": secret, "short": "a quincunx in one line"})
        put(store, {f"after{n}": text for n, text in enumerate(texts(200, seed=2).values())})
        assert occurs(folder, b"quincunx")
        remove(store, ["secret", "short", "doc00007"])
        assert store.unpurged() == ["public"]
        store.purge("public")
        assert store.unpurged() == []
        assert occurs(folder, b"quincunx") == []
        assert occurs(folder, b"doc00007") == []
        assert len(store.passages("public", [row.id for row in store.rows("public")])) == 599


def test_a_purge_waits_for_readers_and_stays_due(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("answerable.corpora.database.BUSY_SECONDS", 0.05)
    with Store(tmp_path / "s") as store:
        put(store, texts(50))
        other = sqlite3.connect(tmp_path / "s")
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM documents").fetchone()
        remove(store, ["doc00001"])
        with pytest.raises(BusyError):
            store.purge("public")
        assert store.unpurged() == ["public"]
        other.close()
        store.purge("public")
        assert store.unpurged() == []


def test_a_purge_leaves_no_free_page_and_goes_on_beside_open_readers(tmp_path: Path) -> None:
    """A reader in this process that is not done when it begins, and is before it ends."""
    with Store(tmp_path / "s") as store:
        put(store, texts(2000))
        rows = store.rows("public")
        next(rows)
        remove(store, list(texts(1500)))
        late = Timer(0.3, lambda: [*rows])
        late.start()
        store.purge("public", seconds=20)
        late.join()
        assert store._reader.execute("PRAGMA freelist_count").fetchone() == (0,)
        assert len([*store.rows("public")]) == 500 and store.holdings("public").passages == 500


def test_files_are_remembered(store: Store) -> None:
    assert store.file("public", "a.txt") is None
    state = FileState(
        "12-34", "ab", edition=2, records=7, complete=True, problem="skipped a.txt: broken", place="/in/a.txt"
    )
    with store.write("public") as transaction:
        transaction.put_file("public", "a.txt", state)
    assert store.file("public", "a.txt") == state
    assert list(store.files("public")) == [("a.txt", state)]
    with store.write("public") as transaction:
        transaction.forget_file("public", "a.txt")
    assert store.file("public", "a.txt") is None


def test_enclaves_are_apart(store: Store) -> None:
    put(store, {"same": "public words"})
    put(store, {"same": "private words"}, enclave="private")
    assert [(h.enclave, h.documents, h.passages) for h in store.enclaves()] == [("private", 1, 1), ("public", 1, 1)]
    remove(store, ["same"])
    assert store.document("private", "same").text == "private words"
    assert store.named("private", "same") == ["same"]
    assert store.named("public", "same") == []


def book(seed: int = 1, sentences: int = 40, wholes: int = 9) -> KeptBook:
    rng = np.random.default_rng(seed)
    made = (rng.normal(size=(count, 8)).astype(np.float16) for count in (sentences, wholes))
    return KeptBook(bytes([seed] * 16), *made)


def test_a_book_comes_back_for_its_document_and_navigator_alone(store: Store) -> None:
    put(store, {"a": "first text", "b": "second text"})
    kept = book()
    with store.write("public") as transaction:
        assert transaction.put_book("public", "a", "walker", kept)
        assert not transaction.put_book("public", "nothing", "walker", kept)
    found = store.book("public", "a", "walker", 8)
    assert found is not None and found.digest == kept.digest
    np.testing.assert_array_equal(found.sentences, kept.sentences)
    np.testing.assert_array_equal(found.wholes, kept.wholes)
    for other in (("public", "b", "walker", 8), ("public", "a", "other", 8), ("elsewhere", "a", "walker", 8)):
        assert store.book(*other) is None
    assert store.book("public", "a", "walker", 7) is None
    with store.write("public") as transaction:  # another navigator's takes its place
        transaction.put_book("public", "a", "other", book(2))
    assert store.book("public", "a", "walker", 8) is None


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_book_goes_with_its_document_and_leaves_no_byte(tmp_path: Path, how: str) -> None:
    folder = tmp_path / "w"
    folder.mkdir()
    with Store(folder / "store.sqlite") as store:
        put(store, {"a": "first text", "b": "second text"})
        before = store.holdings("public")
        kept = book(sentences=2000)
        with store.write("public") as transaction:
            transaction.put_book("public", "a", "walker", kept)
            transaction.put_book("public", "b", "walker", book(2))
        assert store.holdings("public") == before and store.vector_counts("public") == {}
        middle = kept.sentences[900].tobytes()
        assert occurs(folder, middle)
        if how == "removed":
            remove(store, ["a"])
        else:
            with store.write("public") as transaction:
                transaction.put(Document("a", "public", "", "another text", "a"), [], edition=2)
        store.purge("public")
        assert store.book("public", "a", "walker", 8) is None and store.book("public", "b", "walker", 8)
        for row in (*kept.sentences[::500], *kept.wholes[::4]):
            assert occurs(folder, row.tobytes()) == []
