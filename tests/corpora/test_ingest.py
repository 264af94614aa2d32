"""Files into the store: read once, resumed, kept up to date; a bad file does not stop the others."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from answerable.corpora import ingest as module
from answerable.corpora import parser
from answerable.corpora.fields import Filter
from answerable.corpora.formats import Limits
from answerable.corpora.ingest import Ingested, ingest
from answerable.corpora.store import Store
from answerable.errors import WorkspaceError
from tests.indexes.samples import sentences


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.sqlite") as opened:
        yield opened


HERE = Limits(max_seconds=0)
"""Files are read in this process, so that a test may stand in for what reads them."""


def run(store: Store, *paths: Path, lines: list[str] | None = None, limits: Limits | None = None) -> Ingested:
    report = (lines if lines is not None else []).append
    return ingest(store, paths, "public", limits or Limits(), report, lambda _: None)


def jsonl(path: Path, records: dict[str, str]) -> Path:
    path.write_text("".join(json.dumps({"_id": id, "title": id, "text": text}) + "\n" for id, text in records.items()))
    return path


def mbox(path: Path, *bodies: str) -> Path:
    mails = [
        f"From a@b.example Mon Jan  1 10:00:0{n} 2024\nMessage-ID: <{hash(body) & 0xFFFFFF}@b.example>\n"
        f"From: a@b.example\nTo: c@d.example\nSubject: Mail {n}\nDate: Mon, 1 Jan 2024 10:00:0{n} +0000\n\n{body}\n\n"
        for n, body in enumerate(bodies)
    ]
    path.write_text("".join(mails))
    return path


def content(store: Store) -> dict[str, str]:
    return {id: store.document("public", id).text for id, _, _ in store.documents("public")}


def snapshot(store: Store) -> tuple[object, ...]:
    return store.holdings("public"), content(store), [row.id for row in store.rows("public")]


def test_files_are_read_once(store: Store, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("A lamp burns on the rock.")
    (tmp_path / "in" / "b.md").write_text("# Reef\n\nA bell rings on the reef.")
    assert run(store, tmp_path / "in") == Ingested(files=2, added=2)
    before = snapshot(store)
    assert run(store, tmp_path / "in") == Ingested(files=2, unchanged=2)
    os.utime(tmp_path / "in" / "a.txt", (1, 1))
    assert run(store, tmp_path / "in") == Ingested(files=2, unchanged=2)
    assert snapshot(store) == before


def test_a_changed_file_is_brought_up_to_date_and_what_is_the_same_stays(store: Store, tmp_path: Path) -> None:
    path = jsonl(tmp_path / "p.jsonl", {"a": "first", "b": "second", "c": "third"})
    run(store, path)
    keys = {row.id: row.key for row in store.rows("public")}
    jsonl(path, {"new": "zeroth", "a": "first", "b": "changed"})
    assert run(store, path) == Ingested(files=1, added=1, kept=1, replaced=1, removed=1)
    assert content(store) == {"p.jsonl#a": "first", "p.jsonl#b": "changed", "p.jsonl#new": "zeroth"}
    now = {row.id: row.key for row in store.rows("public")}
    assert {id for id in keys if now.get(id) == keys[id]} == {"p.jsonl#a@0-5"}


class Killed(Exception):
    """Stands for a kill between two transactions."""


@pytest.mark.parametrize("at_once", [True, False])
def test_a_file_never_takes_the_place_of_another_of_its_name(store: Store, tmp_path: Path, at_once: bool) -> None:
    first, second = tmp_path / "a" / "docs", tmp_path / "b" / "docs"
    for folder, text in ((first, "A lamp burns on the rock."), (second, "A bell rings on the reef.")):
        folder.mkdir(parents=True)
        (folder / "note.txt").write_text(text)
    lines: list[str] = []
    for call in ([first, second],) if at_once else ([first], [second]):
        run(store, *call, lines=lines)
    named = {"docs/note.txt": "A lamp burns on the rock.", "b/docs/note.txt": "A bell rings on the reef."}
    assert content(store) == named and not lines
    (first / "note.txt").rename(tmp_path / "gone")
    assert run(store, second) == Ingested(files=1, unchanged=1)
    assert content(store) == named


def test_a_folder_that_moved_is_the_same_folder(store: Store, tmp_path: Path) -> None:
    old, new = tmp_path / "old" / "docs", tmp_path / "new" / "docs"
    old.mkdir(parents=True)
    (old / "note.txt").write_text("A lamp burns on the rock.")
    run(store, old)
    new.parent.mkdir()
    old.rename(new)
    assert run(store, new) == Ingested(files=1, unchanged=1)
    (new / "note.txt").write_text("A lamp burns on the reef.")
    assert run(store, new).replaced == 1


@pytest.mark.parametrize("after", [1, 2, 3])
@pytest.mark.parametrize("edition", [1, 2])
def test_a_killed_run_goes_on_in_the_middle_of_a_file(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int, edition: int
) -> None:
    monkeypatch.setattr(module, "BATCH_DOCUMENTS", 10)
    path = tmp_path / "p.jsonl"
    if edition == 2:
        run(store, jsonl(path, {f"r{n}": text for n, text in enumerate(sentences(35, seed=9))}))
    jsonl(path, {f"r{n}": text for n, text in enumerate(sentences(45))})
    committed = 0

    def stop(_: int) -> None:
        nonlocal committed
        committed += 1
        if committed == after:
            raise Killed

    with pytest.raises(Killed):
        ingest(store, [path], "public", Limits(), lambda _: None, stop)
    assert store.file("public", "p.jsonl").records == 10 * after
    resumed = run(store, path)
    assert resumed.added + resumed.replaced + resumed.kept == 45 - 10 * after
    with Store(tmp_path / "other.sqlite") as other:
        run(other, path)
        assert other.holdings("public") == store.holdings("public")
        assert content(other) == content(store)


@pytest.mark.parametrize("after", [1, 2, 3, 4])
def test_mail_said_twice_is_kept_once_however_often_a_run_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    monkeypatch.setattr(module, "BATCH_DOCUMENTS", 2)
    bodies = [". ".join(sentences(6, seed=n, length=10)) + "." for n in range(6)]
    one, two = mbox(tmp_path / "one.mbox", *bodies[:4]), mbox(tmp_path / "two.mbox", *bodies[2:])
    with Store(tmp_path / "whole") as whole, Store(tmp_path / "killed") as killed:
        assert run(whole, one, two).duplicates >= 2
        calls = iter(range(1, 100))

        def stop(_: int) -> None:
            if next(calls) == after:
                raise Killed

        with pytest.raises(Killed):
            ingest(killed, [one, two], "public", Limits(), lambda _: None, stop)
        run(killed, one, two)
        assert snapshot(killed) == snapshot(whole)
        assert len(list(killed.documents("public"))) == 8


def test_a_mailbox_that_grew_keeps_its_mails(store: Store, tmp_path: Path) -> None:
    bodies = [". ".join(sentences(6, seed=n, length=10)) + "." for n in range(4)]
    path = mbox(tmp_path / "in.mbox", *bodies[:3])
    run(store, path)
    before = {row.id for row in store.rows("public")}
    mbox(path, *bodies)
    counts = run(store, path)
    assert (counts.kept, counts.added, counts.removed, counts.replaced) == (3, 1, 0, 0)
    assert before < {row.id for row in store.rows("public")}


def test_a_bad_file_is_told_and_the_others_are_read(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.txt").write_text(f"The text of {name}.")
    reading = parser.read_documents

    def faulty(found, *rest):
        if found.path.name == "b.txt":
            raise ValueError("secret text")
        yield from reading(found, *rest)

    monkeypatch.setattr(parser, "read_documents", faulty)
    lines: list[str] = []
    assert run(store, folder, lines=lines, limits=HERE) == Ingested(files=3, failed=1, added=2)
    assert lines == ["skipped in/b.txt: it cannot be read (ValueError)"]
    monkeypatch.undo()
    assert run(store, folder) == Ingested(files=3, unchanged=2, added=1)


def test_what_was_read_before_a_fault_stays_and_is_not_thought_gone(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = jsonl(tmp_path / "p.jsonl", {"a": "first", "b": "second"})
    run(store, path)
    jsonl(path, {"a": "changed", "b": "second"})
    reading = parser.read_documents

    def faulty(*given):
        yield next(reading(*given))
        raise RecursionError

    monkeypatch.setattr(parser, "read_documents", faulty)
    assert run(store, path, limits=HERE) == Ingested(files=1, failed=1, replaced=1)
    assert content(store) == {"p.jsonl#b": "second", "p.jsonl#a": "changed"}


def test_a_full_disk_ends_the_run_and_the_next_goes_on(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH_DOCUMENTS", 5)
    path = jsonl(tmp_path / "p.jsonl", {f"r{n}": text for n, text in enumerate(sentences(30))})
    pages = store._reader.execute("PRAGMA page_count").fetchone()[0]
    store._reader.execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(WorkspaceError, match="full"):
        run(store, path)
    store._reader.execute("PRAGMA max_page_count = 1000000")
    run(store, path)
    assert store.holdings("public").documents == 30

    def no_room(*_):
        raise OSError(errno.ENOSPC, "No space left on device")
        yield

    monkeypatch.setattr(parser, "read_documents", no_room)
    with pytest.raises(WorkspaceError, match="full"):
        run(store, jsonl(tmp_path / "q.jsonl", {"a": "x"}), limits=HERE)


@pytest.mark.skipif(os.name == "nt", reason="file names are text there")
def test_a_file_name_that_is_no_text_does_not_stop_the_others(store: Store, tmp_path: Path) -> None:
    odd = tmp_path / "in" / os.fsdecode(b"b\xff.txt")
    for path in (odd, odd.with_name("a.txt"), odd.parent / os.fsdecode(b"box\xfe") / "c.txt"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("The lamp burns.")
    lines: list[str] = []
    assert run(store, tmp_path / "in", lines=lines) == Ingested(files=3, added=3)
    assert sorted(content(store)) == ["in/a.txt", "in/box\ufffd/c.txt", "in/b\ufffd.txt"]
    assert run(store, tmp_path / "in") == Ingested(files=3, unchanged=3)
    assert run(store, odd) == Ingested(files=1, unchanged=1)
    assert not lines


def test_the_day_of_a_file_is_that_of_its_name_or_of_its_last_change_and_public_files_have_none(
    store: Store, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("2024-03-11 plumber.md", "2024-99-99 plans.md", "walks.txt"):
        (folder / name).write_text(f"# About {name}\n\nWords of {name}.\n")
        os.utime(folder / name, (1_600_000_000, 1_600_000_000))  # September 2020
    jsonl(folder / "wiki.jsonl", {"a": "an article"})
    run_as = {"mine": False, "wiki": True}
    for enclave, public in run_as.items():
        ingest(store, [folder], enclave, HERE, lambda _: None, lambda _: None, public)
    known = {id: store.document("mine", id).meta for id, _, _ in store.documents("mine")}
    assert {id: (meta.get("date"), meta.get("changed")) for id, meta in known.items()} == {
        "notes/2024-03-11 plumber.md": ("2024-03-11", None),
        "notes/2024-99-99 plans.md": (None, "2020-09-13"),
        "notes/walks.txt": (None, "2020-09-13"),
        "notes/wiki.jsonl#a": (None, None),
    }
    public = [store.document("wiki", id).meta for id, _, _ in store.documents("wiki")]
    assert not any({"date", "changed"} & meta.keys() for meta in public)
    os.utime(folder / "walks.txt", (1_700_000_000, 1_700_000_000))  # touched: its text is as old as before
    ingest(store, [folder], "mine", HERE, lambda _: None, lambda _: None)
    assert store.document("mine", "notes/walks.txt").meta["changed"] == "2020-09-13"
    assert len(Filter(after="2024").fitting(store.fields("mine")) or ()) == 1


def test_files_that_were_indexed_before_days_were_kept_get_theirs_at_the_next_run(store: Store, tmp_path: Path) -> None:
    note = tmp_path / "2024-03-11.md"
    note.write_text("# A note\n\nOf March.\n")
    ingest(store, [note], "mine", HERE, lambda _: None, lambda _: None)
    with store.write() as transaction:
        transaction._run("UPDATE fields SET day = ''")
    again = ingest(store, [note], "mine", HERE, lambda _: None, lambda _: None)
    assert again.unchanged == 1 and store.document("mine", "2024-03-11.md").meta["date"] == "2024-03-11"


def test_files_that_were_read_otherwise_are_read_again_and_what_is_the_same_stays(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("One.")
    run(store, tmp_path / "in")
    assert run(store, tmp_path / "in") == Ingested(files=1, unchanged=1)
    monkeypatch.setattr(module, "READING", "next")
    assert run(store, tmp_path / "in") == Ingested(files=1, kept=1)
    assert run(store, tmp_path / "in") == Ingested(files=1, unchanged=1)
