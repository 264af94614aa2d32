"""What indexed files are called: the same however a path is typed, each its own, as long as the file is there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from answerable.corpora.formats import Limits
from answerable.corpora.ingest import Ingested, ingest
from answerable.corpora.names import Names, place_of
from answerable.corpora.store import Store
from answerable.corpora.transaction import FileState
from answerable.types import Document
from tests.corpora.reading import write

FILES = {
    "home/notes/README.md": "notes/README.md",
    "home/notes/boiler.txt": "notes/boiler.txt",
    "home/notes/old/README.md": "notes/old/README.md",
    "work/notes/README.md": "work/notes/README.md",
}
"""Files, and what they are called when both folders are indexed, in this order."""
TARGETS = ("home/notes", "home/notes/old", "home/notes/boiler.txt", "home/notes/old/README.md", "work/notes")
WAYS = (
    lambda path, base: str(path),
    lambda path, base: os.path.relpath(path),
    lambda path, base: f"./{os.path.relpath(path)}",
    lambda path, base: f"{path.parent}/../{path.parent.name}/./{path.name}",
    lambda path, base: f"{path}{os.sep}" if path.is_dir() else str(path),
    lambda path, base: f"{base}/link/{path.relative_to(base)}",
    lambda path, base: "." if path == Path.cwd() else os.path.relpath(path),
)


def index(store: Store, *paths: Path | str, own: Sequence[Path] = (), lines: list[str] | None = None) -> Ingested:
    limits, report = Limits(max_seconds=0), (lines if lines is not None else []).append
    return ingest(store, [Path(path) for path in paths], "box", limits, report, lambda _: None, own=own)


def held(store: Store) -> dict[str, str]:
    return {id: store.document("box", id).text for id, _, _ in store.documents("box")}


def make(base: Path) -> Path:
    for file in FILES:
        write(base / file, f"# {file}")
    (base / "link").symlink_to(base)
    return base.resolve()


typed = st.tuples(st.sampled_from(TARGETS), st.sampled_from(WAYS), st.sampled_from(["", "home", "home/notes"]))


@settings(max_examples=30)
@given(calls=st.lists(typed, min_size=1, max_size=4), again=st.sampled_from(WAYS))
def test_any_way_of_typing_paths_gives_the_same_documents(calls: list[tuple], again) -> None:
    with TemporaryDirectory() as folder:
        base = make(Path(folder))
        with Store(base / "one") as plain, Store(base / "two") as other:
            for target, way, within in calls:
                index(plain, base / target)
                with chdir(base / within):
                    index(other, way(base / target, base))
            assert held(other) == held(plain)
            covered = {file for file in FILES if any(file.startswith(target) for target, _, _ in calls)}
            assert sorted(held(plain).values()) == sorted(f"# {file}" for file in covered)
            with chdir(base / "home"):
                done = index(plain, *(again(base / target, base) for target, _, _ in calls))
            assert done == Ingested(files=done.files, unchanged=done.files) and held(plain) == held(other)


def test_folders_of_one_name_are_told_apart_by_where_they_lie(tmp_path: Path) -> None:
    base = make(tmp_path)
    with Store(tmp_path / "store") as store:
        assert index(store, base / "home/notes", base / "work/notes") == Ingested(files=4, added=4)
        named = {name: f"# {file}" for file, name in FILES.items()}
        assert held(store) == named
        write(base / "work/notes/new.txt", "new")
        assert index(store, base / "work/notes") == Ingested(files=2, added=1, unchanged=1)
        assert held(store) == {**named, "work/notes/new.txt": "new"}
        assert index(store, base) == Ingested(files=5, unchanged=5)


def test_a_file_is_called_as_it_lies_in_a_folder_that_was_indexed(tmp_path: Path) -> None:
    base = make(tmp_path)
    with Store(tmp_path / "store") as store:
        index(store, base / "home")
        write(base / "home/notes/old/late.txt", "late")
        index(store, base / "home/notes/old/late.txt")
        write(base / "home/notes/more/last.txt", "last")
        index(store, base / "home/notes/more")
        assert {"home/notes/old/late.txt", "home/notes/more/last.txt"} < set(held(store))


def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    base = make(tmp_path)
    with Store(tmp_path / "store") as store:
        index(store, *(base / file for file in FILES))
        assert set(held(store)) == {"README.md", "boiler.txt", "old/README.md", "notes/README.md"}


def test_names_that_run_out_are_numbered(tmp_path: Path) -> None:
    there = write(tmp_path / "there", "x")
    every = ["/".join(Path("/a/b").parts[1:][-length:]) for length in (1, 2)]
    names = Names((name, place_of(there.with_name(f"n{number}"))) for number, name in enumerate(every))
    for number in range(2):
        write(tmp_path / f"n{number}", "x")
    assert names.file(Path("/a/b")) == "a/b~2"


def test_what_is_gone_is_dropped_by_the_next_index_of_its_folder_alone(tmp_path: Path) -> None:
    base = make(tmp_path)
    with Store(tmp_path / "store") as store:
        index(store, base / "home/notes", base / "work/notes")
        (base / "home/notes/old/README.md").unlink()
        (base / "work/notes/README.md").unlink()
        assert index(store, base / "home/notes") == Ingested(files=2, unchanged=2, gone=1)
        assert set(held(store)) == {"notes/README.md", "notes/boiler.txt", "work/notes/README.md"}
        assert store.file("box", "notes/old/README.md") is None
        assert index(store, base / "home/notes/boiler.txt") == Ingested(files=1, unchanged=1)


def test_what_cannot_be_looked_at_is_not_thought_gone(tmp_path: Path, monkeypatch) -> None:
    base = make(tmp_path)
    with Store(tmp_path / "store") as store:
        index(store, base / "home/notes")
        (base / "home/notes/boiler.txt").unlink()
        looking = os.lstat

        def refused(path, *rest, **more):
            if str(path).endswith("boiler.txt"):
                raise PermissionError(13, "Permission denied")
            return looking(path, *rest, **more)

        monkeypatch.setattr(os, "lstat", refused)
        assert index(store, base / "home/notes").gone == 0


def test_a_folder_that_moved_keeps_its_names_though_another_is_called_so(tmp_path: Path) -> None:
    base = make(tmp_path)
    with Store(tmp_path / "store") as store:
        index(store, base / "home/notes", base / "work/notes")
        before = held(store)
        (base / "home").rename(base / "house")
        assert index(store, base / "house/notes") == Ingested(files=3, unchanged=3)
        assert held(store) == before


def test_a_workspace_whose_files_were_indexed_by_other_names_is_mended(tmp_path: Path) -> None:
    """Places as they were typed, through a link, and one file by itself and in its folder."""
    base = make(tmp_path)
    with Store(tmp_path / "store") as store:
        with store.write() as transaction:
            for name, place in (("boiler.txt", "home/notes"), ("notes/boiler.txt", "link/home/notes")):
                text, where = "# home/notes/boiler.txt", base / place / "boiler.txt"
                transaction.put(Document(name, "box", "boiler", text, name, "text", (), {"record": 0}), [])
                transaction.put_file("box", name, FileState("0", "0", complete=True, place=str(where)))
        done = index(store, base / "home/notes")
        assert (done.added, done.gone, done.files) == (2, 1, 3)
        assert set(held(store)) == {name for file, name in FILES.items() if "home" in file}
        assert index(store, base / "home/notes") == Ingested(files=3, unchanged=3)


def test_what_is_the_workspaces_own_is_never_indexed(tmp_path: Path) -> None:
    base = make(tmp_path)
    folder = base / "home/notes/kept"
    journal = write(folder / "journal.jsonl", '{"_id": "a", "text": "sent"}')
    write(folder / "mine/note.txt", "mine")
    own = (folder, journal)
    with Store(tmp_path / "store") as store:
        lines: list[str] = []
        index(store, base / "home/notes", own=own, lines=lines)
        assert not any("kept" in id for id in held(store))
        assert lines == ["skipped notes/kept: it is the workspace's own"]
        index(store, folder, own=own)
        assert [id for id in held(store) if "kept" in id] == ["notes/kept/mine/note.txt"]
        assert index(store, journal, own=own) == Ingested()
        assert index(store, folder / "mine", own=own) == Ingested(files=1, unchanged=1)
        assert index(store, base / "home/notes", own=own).gone == 1


def test_a_file_that_is_not_read_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    base = make(tmp_path)
    lines: list[str] = []
    with Store(tmp_path / "store") as store:
        picture = write(base / "photo.png", "x")
        assert index(store, picture, base / "home/notes/boiler.txt", lines=lines) == Ingested(files=1, added=1)
    assert len(lines) == 1 and f"skipped {picture}: it is of a format that is not read" in lines[0]
