"""Building and keeping up: resumable, one writer, and what is deleted is gone from every index."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from answerable.corpora.store import Store
from answerable.corpora.units import codes
from answerable.encoders.hashed import HashedEncoder
from answerable.errors import EnclaveError, IndexMismatch, ModelError, UsageError
from answerable.indexes import build as module
from answerable.indexes.enclave import open_enclave_index
from answerable.indexes.index import weighed
from answerable.types import Document, Skill
from tests.indexes.building import ENCODER, PAGES, answers, builder, folders, fresh, jsonl, linked, opened, resealed
from tests.indexes.samples import occurs, passage, put, remove, sentences, texts


def test_from_files_to_answers(store: Store, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    source = jsonl(tmp_path / "p.jsonl", sentences(60))
    counts = builder(store, exact_limit=50).run([source], "public", lambda *told_now: told.append(told_now))
    assert counts.added == 60
    assert list(dict.fromkeys(stage for stage, _, _ in told)) == [
        "ingest", "lexical", "vectors", "entities", "ann", "entity-ann",
    ]  # fmt: skip
    assert all(0 <= done <= total for stage, done, total in told if stage != "ingest")
    assert all(0 < done <= 60 and not total for stage, done, total in told if stage == "ingest")
    index = opened(store)
    assert (index.passage_count, index.vector_count, index.entity_count) == (60, 60, 60)
    assert linked(store, "T7") == ["p.jsonl#7"]
    text = store.passages("public", [next(store.rows("public")).id])[0].text
    for mode in ("lexical", "dense", "hybrid"):
        assert (
            index.search(text, ENCODER.encode_query(text, Skill.SINGLE), mode, 3)[0][0] == next(store.rows("public")).id
        )
    told.clear()
    assert builder(store, exact_limit=50).run([source], "public", lambda *now: told.append(now)).unchanged == 1
    assert told == []


def test_progress_counts_what_a_stage_has_to_do(store: Store) -> None:
    """All passages where an index is made, those that are new where it grows; vectors out of all there are."""
    build, told = builder(store), list[tuple[str, int, int]]()
    for given, made in ((texts(20), 20), ({"x": "one more"}, 1)):
        put(store, given)
        told.clear()
        build.refresh("public", lambda *now: told.append(now))
        total = store.holdings("public").passages
        assert told == [("lexical", made, made), ("vectors", total, total), ("entities", total, total)]


def test_vectors_are_made_block_by_block_to_the_last(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 8)
    put(store, texts(20))
    told: list[tuple[str, int, int]] = []
    builder(store).refresh("public", lambda *now: told.append(now))
    assert [now for now in told if now[0] != "lexical"] == [
        *(("vectors", done, 20) for done in (8, 16, 20)),
        *(("entities", done, 20) for done in (8, 16, 20)),
    ]
    assert (opened(store).vector_count, opened(store).entity_count) == (20, 20)


def test_from_so_many_vectors_on_there_is_a_graph_and_a_deletion_says_what_it_does(store: Store) -> None:
    put(store, texts(50))
    build, told = builder(store, exact_limit=50), set[str]()
    build.refresh("public")
    assert folders(store) == ["ann", "entities", "lexical"]
    build.delete("public", ["doc00003"], lambda stage, *_: told.add(stage))
    assert folders(store) == ["lexical"] and told == {"lexical"}


def test_what_is_fetched_comes_with_its_vectors(store: Store) -> None:
    put(store, texts(20))
    builder(store).refresh("public")
    index, asked = opened(store), ENCODER.encode_query("lamp keeper", Skill.SINGLE)
    for mode in ("lexical", "dense", "hybrid"):
        ranking, vectors = index.fetch("lamp keeper", asked, mode, 3)
        assert ranking == index.search("lamp keeper", asked, mode, 3) and len(ranking) == 3
        assert set(vectors) == (set() if mode == "lexical" else {id for id, _ in ranking})
    _, ids, rows = store.vectors("public", ENCODER.name, 64)
    assert all(np.array_equal(row, rows[ids.index(id)]) for id, row in vectors.items())


def test_words_can_be_searched_before_there_are_vectors(store: Store) -> None:
    put(store, texts(40))
    builder(store).lexical("public")
    index = opened(store)
    assert index.vector_count == 0
    vector = ENCODER.encode_query("lamp", Skill.SINGLE)
    words = index.search("lamp", None, "lexical", 5)
    assert index.search("lamp", vector, "hybrid", 5) == weighed(words, {}, 5) != []
    assert index.search("lamp", vector, "dense", 5) == []


@pytest.mark.parametrize("exact_limit", [10**9, 50])
def test_deleting_leaves_what_a_fresh_build_has(store: Store, tmp_path: Path, exact_limit: int) -> None:
    given = texts(120)
    put(store, given)
    build = builder(store, exact_limit)
    build.refresh("public")
    gone = random.Random(3).sample(sorted(given), 40)
    assert build.delete("public", gone) == 40
    left = {id: text for id, text in given.items() if id not in gone}
    assert answers(store) == fresh(tmp_path, left, exact_limit)
    assert folders(store) == (["ann", "entities", "lexical"] if exact_limit == 50 else ["lexical"])


def test_nothing_of_a_deleted_document_is_in_any_file(store: Store) -> None:
    put(store, texts(150) | {"quincunx-note": "the quincunx of Ramsholt was orlop and gamboge"})
    build = builder(store, exact_limit=50)
    build.refresh("public")
    workspace = store.path.parent
    vector, page = (codes(store.vectors("public", name, 64)[2])[-1].tobytes() for name in (ENCODER.name, PAGES))
    words = [b"quincunx", b"gamboge", b"gambog", b"orlop", b"ramsholt", b"Ramsholt", vector, page]
    assert all(occurs(workspace, word) for word in (words[0], words[2], vector, page))
    build.delete("public", ["quincunx-note"])
    assert [word for word in words if occurs(workspace, word)] == []


def test_a_deletion_that_was_killed_is_finished_by_the_next_run(store: Store) -> None:
    put(store, texts(80) | {"note": "the quincunx of Ramsholt"})
    builder(store, exact_limit=50).refresh("public")
    remove(store, ["note"])  # and then the process died
    with pytest.raises(IndexMismatch, match="answerable index"):
        opened(store)
    builder(store, exact_limit=50).refresh("public")
    assert occurs(store.path.parent, b"quincunx") == []
    assert opened(store).search("quincunx", None, "lexical", 3) == []
    assert opened(store).entity_count == 80 and "note" not in linked(store, "About note", 80)


@pytest.mark.parametrize("step", ["settle", "ingest"])
def test_whatever_is_done_next_takes_what_was_deleted_out_of_every_index(
    store: Store, tmp_path: Path, step: str
) -> None:
    """The graphs of passages and of pages hold its vectors, which tell of its text, though no search would give it."""
    put(store, texts(80) | {"note": "the quincunx of Ramsholt"})
    builder(store, exact_limit=50).refresh("public")
    words = [
        b"quincunx",
        *(codes(store.vectors("public", name, 64)[2])[-1].tobytes() for name in (ENCODER.name, PAGES)),
    ]
    remove(store, ["note"])  # and then the process died
    assert folders(store) == ["ann", "entities", "lexical"] and all(occurs(store.path.parent, one) for one in words)
    again = builder(store, exact_limit=50)
    again.settle() if step == "settle" else again.ingest([jsonl(tmp_path / "p.jsonl", [])], "public")
    assert folders(store) == [] and not any(occurs(store.path.parent, one) for one in words)
    assert store.unpurged() == []


def test_what_reading_files_alone_deletes_is_gone_at_once(store: Store, tmp_path: Path) -> None:
    source = jsonl(tmp_path / "p.jsonl", ["the quincunx of Ramsholt", *sentences(9)])
    build = builder(store)
    build.run([source], "public")
    build.ingest([jsonl(source, sentences(10))], "public")
    assert occurs(store.path.parent, b"quincunx") == [] and store.unpurged() == []


def test_deleting_everything_leaves_no_index(store: Store) -> None:
    put(store, texts(80))
    build = builder(store, exact_limit=50)
    build.refresh("public")
    assert build.delete("public", None) == 80
    assert folders(store) == []
    assert answers(store) == [[]] * 20
    assert store.vector_counts("public") == {}


def test_an_unknown_name_deletes_nothing(store: Store) -> None:
    put(store, texts(5))
    build = builder(store)
    build.refresh("public")
    before = answers(store)
    with pytest.raises(UsageError, match="nobody"):
        build.delete("public", ["doc00001", "nobody"])
    assert answers(store) == before


def test_a_deleted_file_comes_back_when_it_is_indexed_again(store: Store, tmp_path: Path) -> None:
    source = jsonl(tmp_path / "p.jsonl", sentences(10))
    build = builder(store)
    build.run([source], "public")
    assert build.delete("public", ["p.jsonl"]) == 10
    assert build.run([source], "public").added == 10
    assert build.delete("public", None) == 10
    assert build.run([source], "public").added == 10
    assert build.delete("public", ["p.jsonl#3"]) == 1
    assert build.run([source], "public").unchanged == 1
    assert store.holdings("public").documents == 9


@pytest.mark.parametrize("exact_limit", [10**9, 50])
def test_adding_gives_what_a_fresh_build_has(store: Store, tmp_path: Path, exact_limit: int) -> None:
    first, more = texts(100), {f"x{id}": text for id, text in texts(20, seed=4).items()}
    put(store, first)
    build = builder(store, exact_limit)
    build.refresh("public")
    put(store, more)
    assert opened(store).search("lamp", None, "lexical", 3)  # the older index serves until the next is there
    build.refresh("public")
    for mine, theirs in zip(answers(store), fresh(tmp_path, first | more, exact_limit), strict=True):
        assert {id: pytest.approx(score, rel=1e-4) for id, score in mine} == dict(theirs)


def test_a_changed_document_is_found_by_its_new_words_only(store: Store, tmp_path: Path) -> None:
    source = jsonl(tmp_path / "p.jsonl", ["an old quincunx", *sentences(30)])
    build = builder(store)
    build.run([source], "public")
    jsonl(source, ["a new gamboge", *sentences(30)])
    counts = build.run([source], "public")
    assert (counts.replaced, counts.kept) == (1, 30)
    index = opened(store)
    assert index.search("quincunx", None, "lexical", 3) == []
    assert len(index.search("gamboge", None, "lexical", 3)) == 1
    assert occurs(store.path.parent, b"quincunx") == []


@pytest.mark.parametrize("exact_limit", [10**9, 5])
def test_a_document_with_other_data_beside_the_same_text_is_still_found(store: Store, exact_limit: int) -> None:
    put(store, texts(20))
    build = builder(store, exact_limit)
    build.refresh("public")
    before = answers(store, 30)
    for edition, changed in enumerate((["doc00003"], sorted(texts(20))), start=2):
        with store.write() as transaction:
            for id in changed:
                document = Document(id, "public", f"About {id}", texts(20)[id], id, meta={"edition": edition})
                assert transaction.put(document, [passage(document)], edition) == "replaced"
        build.refresh("public")
        assert answers(store, 30) == before


def test_an_open_index_goes_on_while_another_is_made(store: Store) -> None:
    put(store, texts(100))
    build = builder(store, exact_limit=50)
    build.refresh("public")
    index = opened(store)
    query = ("lamp", ENCODER.encode_query("lamp", Skill.SINGLE), "hybrid", 10)
    before = index.search(*query)
    build.delete("public", [before[0][0].split("@")[0]])
    after = index.search(*query)
    assert before[0][0] not in dict(after)
    assert after


def test_another_encoder_is_refused_and_then_takes_over(store: Store) -> None:
    put(store, texts(60))
    builder(store, exact_limit=50).refresh("public")
    other = HashedEncoder(32)
    with pytest.raises(IndexMismatch, match=r"made by hashed-64, not by hashed-32.*answerable index"):
        opened(store, other)
    builder(store, exact_limit=50, encoder=other).refresh("public")
    assert (opened(store, other).vector_count, opened(store, other).entity_count) == (60, 60)
    assert store.vector_counts("public") == {"hashed-32": 60, "hashed-32/entity": 60}
    with pytest.raises(IndexMismatch, match="hashed-32"):
        opened(store)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 0}, "format 0"),
        ({"enclave": "other"}, "other"),
        ({"kind": "else"}, "else"),
        ({"fingerprint": "00"}, "changed since"),
        ({"count": 7}, "holds 60 passages, not 7"),
        ({"count": "many"}, "no readable manifest"),
        ({"last_key": None}, "no readable manifest"),
        (None, "no readable manifest"),
    ],
)
def test_an_index_that_does_not_match_is_refused_and_built_again(store: Store, change: object, message: str) -> None:
    put(store, texts(60))
    builder(store).refresh("public")
    before = answers(store)
    (path,) = (store.path.parent / "indexes" / "public").glob("lexical-*/manifest.json")
    if change is None:
        path.write_text("{")
    else:
        resealed(path, **change)
    with pytest.raises(IndexMismatch, match=message) as caught:
        opened(store)
    assert "answerable index" in str(caught.value)
    builder(store).refresh("public")
    assert answers(store) == before


@pytest.mark.parametrize("kind", ["lexical", "ann", "entities"])
def test_a_damaged_index_is_built_again(store: Store, kind: str) -> None:
    put(store, texts(60))
    builder(store, exact_limit=50).refresh("public")
    before = answers(store)
    (folder,) = (store.path.parent / "indexes" / "public").glob(f"{kind}-*")
    path = max(folder.iterdir(), key=lambda file: file.stat().st_size)
    path.write_bytes(path.read_bytes()[:20])
    builder(store, exact_limit=50).refresh("public")
    assert answers(store) == before


def test_no_index_yet_is_told(store: Store) -> None:
    put(store, texts(3))
    with pytest.raises(IndexMismatch, match="none was made"):
        opened(store)


def test_an_unknown_enclave_is_empty(store: Store) -> None:
    index = open_enclave_index(store, store.path.parent / "indexes", "nobody", ENCODER)
    assert (index.passage_count, index.vector_count) == (0, 0)
    assert index.search("lamp", None, "lexical", 5) == []


@pytest.mark.parametrize("name", ["", "..", "../w", "a/b", ".hidden"])
def test_a_name_that_leads_elsewhere_is_refused(store: Store, name: str) -> None:
    with pytest.raises(EnclaveError):
        builder(store).lexical(name)


def test_wrong_searches_are_refused(store: Store) -> None:
    put(store, texts(10))
    builder(store).refresh("public")
    index = opened(store)
    for mode in ("dense", "hybrid", "entity"):
        with pytest.raises(UsageError, match="vector"):
            index.search("lamp", None, mode, 3)
        with pytest.raises(IndexMismatch, match="64 dimensions"):
            index.search("lamp", np.zeros(3, np.float32), mode, 3)
    with pytest.raises(UsageError, match="no search mode"):
        index.search("lamp", np.zeros(64, np.float32), "psychic", 3)  # type: ignore[arg-type]


def test_an_encoder_that_fails_is_named(store: Store) -> None:
    class Broken(HashedEncoder):
        def encode_passages(self, texts):
            return np.full((len(texts), 64), np.nan, np.float32)

    put(store, texts(5))
    with pytest.raises(ModelError, match="hashed-64"):
        builder(store, encoder=Broken(64)).vectors("public")
    assert store.vector_counts("public") == {}
