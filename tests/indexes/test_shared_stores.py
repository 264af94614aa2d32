"""Stores that are shared keep to what one in a file keeps to: the same tests, over each engine."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from answerable.corpora.formats import Found
from answerable.corpora.ingest import _Run, ingest
from answerable.corpora.sources import Limits
from answerable.corpora.store import FileState, Store
from answerable.types import Document
from answerable.workspace.stores import StoreSettings, open_store
from tests.corpora.test_store import (  # noqa: F401 - with the stores of this file
    test_a_book_comes_back_for_its_document_and_navigator_alone,
    test_a_document_comes_back_whole,
    test_a_passage_that_is_not_its_text_is_refused_and_nothing_is_kept,
    test_an_encoder_keeps_two_vectors_of_a_passage_and_another_takes_the_place_of_both,
    test_an_error_inside_a_transaction_undoes_all_of_it,
    test_editions_keep_replace_and_retire,
    test_enclaves_are_apart,
    test_files_are_remembered,
    test_keys_are_never_used_twice,
    test_openings_are_the_first_passages_of_documents_that_have_any,
    test_passages_come_in_the_order_asked_and_unknown_ones_are_left_out,
    test_text_that_is_no_unicode_is_refused_without_quoting_it,
    test_vectors_are_kept_in_half_precision_and_replaced_by_another_encoder,
)
from tests.corpora.test_store_lookups import (  # noqa: F401
    test_a_book_of_broken_rows_is_none,
    test_documents_that_have_a_passage_are_counted_once,
    test_fields_and_passages_of_documents,
    test_no_vectors_are_an_array_all_the_same,
    test_rows_after_a_key,
    test_vectors_of_another_dimension_are_named_with_their_enclave,
)
from tests.indexes.samples import passage, put


@pytest.fixture(params=["lancedb", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "lancedb":
        pytest.importorskip("lancedb")
        url = f"lance://{tmp_path}/shared"
    else:
        url = request.getfixturevalue("database")
    with open_store(tmp_path / "w", StoreSettings(url)) as opened:
        yield opened


def test_any_character_comes_back_and_offsets_count_the_same(store: Store) -> None:
    text = "null \0, tab \t, back\\slash \\N, 100 %s ?1, 🗼 é " + "long \0 " * 4000
    document = Document("d\0?", "public", "ti\ttle", text, "d")
    with store.write("public") as transaction:
        transaction.put(document, [passage(document, 3, 30), passage(document, 5, 9000)])
    assert store.document("public", "d\0?") == document
    assert [one.text for one in store.passages("public", ["d\0?@5-9000", "d\0?@3-30"])] == [text[5:9000], text[3:30]]
    assert [*store.faults("public")] == []


def test_what_another_process_finished_meanwhile_is_not_read_again(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "note.md"
    file.write_text("# A note\n\nThe pier is closed.\n", "utf8")
    looked_up, lines = list[FileState](), list[str]()
    own = _Run._state

    def state(run: _Run, found: Found) -> FileState:
        looked_up.append(own(run, found))
        return looked_up[0]  # as it was before the other went on

    monkeypatch.setattr(_Run, "_state", state)
    first, second = (ingest(store, [file], "public", Limits(), lines.append, lambda _: None) for _ in range(2))
    assert (first.added, second.added, second.unchanged, lines) == (1, 0, 1, [])
    ((_, kept),) = store.files("public")
    assert kept.complete


def test_documents_that_were_foreseen_are_put_as_others_are(store: Store) -> None:
    put(store, {"a": "as it was", "b": "first"})
    documents = [Document(id, "public", f"About {id}", text, id) for id, text in (("a", "as it was"), ("b", "second"))]
    with store.write("public") as transaction:
        transaction.foresee("public", ["a", "b", "c", "c"])
        assert [transaction.put(one, [passage(one)], 2) for one in documents] == ["kept", "replaced"]
        new = Document("c", "public", "", "third", "c")
        assert [transaction.put(new, [passage(new)], 2) for _ in range(2)] == ["added", "taken"]
    texts = [one.text for one in store.passages("public", ["a@0-9", "b@0-6", "c@0-5"])]
    assert texts == ["as it was", "second", "third"]
    assert [*store.faults("public")] == []


def test_what_is_asked_of_one_enclave_is_asked_there(store: Store) -> None:
    """Every method that names an enclave first leads to it, or is one of the store as a whole."""
    for name, method in inspect.getmembers(Store, inspect.isfunction):
        if not name.startswith("_") and "enclave" in inspect.signature(method).parameters:
            routed = getattr(type(store), name)
            pairs = name in ("unpaired", "pair_numbers", "pair_origins", "current", "follow")  # kept beside it
            assert pairs or routed is not method, name
