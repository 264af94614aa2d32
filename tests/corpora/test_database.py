"""The file under the store: who may open it, how many at once, and what is said when it cannot be."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from answerable.corpora.store import Store
from answerable.errors import BusyError, WorkspaceError
from tests.indexes.samples import put, texts


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "store.sqlite") as opened:
        yield opened


def test_a_store_is_for_its_owner_alone_also_where_it_was_not(tmp_path: Path) -> None:
    path = tmp_path / "s"
    for _ in range(2):
        with Store(path) as store:
            put(store, texts(5))
            assert {one.stat().st_mode & 0o777 for one in tmp_path.iterdir()} == {0o600}
        path.chmod(0o644)


def test_opening_a_store_again_gives_up_no_lock_that_is_held_on_it(tmp_path: Path) -> None:
    """Whoever then closes it elsewhere takes itself for the last, and takes the log from under those that are open."""
    with Store(tmp_path / "s") as store:
        put(store, texts(5))
        Store(tmp_path / "s").close()
        program = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT * FROM files'); c.close()"
        subprocess.run([sys.executable, "-c", program, tmp_path / "s"], check=True)
        assert (tmp_path / "s-wal").exists()


def test_a_second_writer_is_told_to_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("answerable.corpora.database.BUSY_SECONDS", 0.05)
    with Store(tmp_path / "s") as one, Store(tmp_path / "s") as two, one.write():
        with pytest.raises(BusyError, match="another process"), two.write():
            pass
        assert two.holdings("public").passages == 0


def test_a_store_on_a_disk_without_room_can_be_read(tmp_path: Path) -> None:
    """Nothing can be made there, not even what processes share beside the store."""
    with Store(tmp_path / "s") as store:
        put(store, texts(5))
    program = """
import resource, sys
from pathlib import Path
from answerable.corpora.store import Store
resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
with Store(Path(sys.argv[1])) as store:
    print(store.holdings("public").documents)
"""
    command = [sys.executable, "-c", program, tmp_path / "s"]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "5\n"


def test_a_full_disk_is_one_clear_error_and_loses_nothing(store: Store) -> None:
    put(store, texts(20))
    before = store.holdings("public")
    pages = store._reader.execute("PRAGMA page_count").fetchone()[0]
    store._reader.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(WorkspaceError, match=r"is full.*run the same command again"):
        put(store, {"big": "word " * 50_000})
    assert store.holdings("public") == before
    store._reader.execute("PRAGMA max_page_count = 1000000")
    put(store, {"big": "word " * 50_000})
    assert store.holdings("public").passages == 21


@pytest.mark.parametrize("content", [b"no database " * 500, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "store.sqlite"
    path.write_bytes(content)
    with pytest.raises(WorkspaceError, match=r"store\.sqlite"):
        Store(path)


def test_another_format_is_refused(tmp_path: Path) -> None:
    Store(tmp_path / "s").close()
    connection = sqlite3.connect(tmp_path / "s")
    for version in (4, 99):
        connection.execute(f"PRAGMA user_version = {version}")
        with pytest.raises(WorkspaceError, match=f"format {version}"):
            Store(tmp_path / "s")
    connection.close()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="nowhere"):
        Store(tmp_path / "nowhere" / "s")


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = Store(tmp_path / "s")
    store.close()
    store.close()
    with pytest.raises(WorkspaceError, match="was closed"):
        store.holdings("public")


def test_reading_beside_a_writer_sees_whole_transactions(tmp_path: Path) -> None:
    with Store(tmp_path / "s") as writer, Store(tmp_path / "s") as reader:
        seen: list[int] = []
        done = threading.Event()

        def watch() -> None:
            while not done.is_set():
                seen.append(reader.holdings("public").passages)

        thread = threading.Thread(target=watch)
        thread.start()
        for n in range(10):
            put(writer, {f"{n}-{id}": text for id, text in texts(20).items()})
        done.set()
        thread.join()
        assert {count % 20 for count in seen} == {0}
        assert seen == sorted(seen)


def test_a_store_on_a_read_only_disk_is_read_and_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "with space" / "store.sqlite"
    path.parent.mkdir()
    with Store(path) as store:
        put(store, {"a": "first text"})
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setattr("answerable.corpora.database.os.access", lambda *_: False)
    with Store(path) as store:
        assert store.passages("public", ["a@0-10"])[0].text == "first text"
        with pytest.raises(WorkspaceError, match="cannot be used"):
            put(store, {"b": "second text"})
    assert sorted(tmp_path.rglob("*")) == before


def test_a_store_in_memory_makes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Store(Path(":memory:")) as store:
        assert store.enclaves() == []
        store.purge()
    assert not any(tmp_path.iterdir())
