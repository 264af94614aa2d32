"""Building that something stops: another writer, a full disk, a kill at any moment."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from answerable.corpora.store import Store
from answerable.errors import BusyError, WorkspaceError
from answerable.indexes import build as module
from tests.indexes.building import answers, builder, folders, jsonl, opened
from tests.indexes.samples import put, sentences, texts


def test_a_second_writer_is_told_who_writes(store: Store) -> None:
    with builder(store).writing(), Store(store.path) as again, pytest.raises(BusyError, match=str(os.getpid())):
        builder(again).refresh("public")
    builder(store).refresh("public")


def test_of_a_writer_that_has_not_said_who_it_is_nothing_is_made_up(store: Store) -> None:
    with builder(store).writing(), Store(store.path) as again:
        (builder(store).folder / "writer.pid").write_text("")
        with pytest.raises(BusyError, match="is being written by another process"):
            builder(again).refresh("public")


def test_a_full_disk_while_indexing_is_one_clear_error(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_: object) -> None:
        raise OSError(28, "No space left on device")

    put(store, texts(20))
    with monkeypatch.context() as patched:
        patched.setattr(module, "build_bm25", no_room)
        with pytest.raises(WorkspaceError, match="is full"):
            builder(store).refresh("public")
    assert folders(store) == []
    builder(store).refresh("public")
    assert opened(store).search("lamp", None, "lexical", 3)


def started(folder: Path, source: Path) -> subprocess.Popen[str]:
    """The builder in a process that has begun."""
    command = [sys.executable, "-m", "tests.indexes.killable", str(folder), str(source), "200"]
    root = Path(__file__).parents[2]
    environment = os.environ | {"PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"}
    process = subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "started\n"
    return process


def test_killed_at_any_moment_it_ends_up_the_same(tmp_path: Path) -> None:
    source = jsonl(tmp_path / "p.jsonl", sentences(600))
    results = []
    for name in ("calm", "killed"):
        folder = tmp_path / name
        folder.mkdir()
        chance = random.Random(7)
        committed = 0
        for _ in range(4 if name == "killed" else 0):
            process = started(folder, source)
            time.sleep(chance.uniform(0.0, 0.35))
            process.send_signal(signal.SIGKILL)
            process.communicate()
            with Store(folder / "store.sqlite") as store:
                state = store.holdings("public").passages + sum(store.vector_counts("public").values())
                assert state >= committed
                committed = state
        if name == "killed":
            assert started(folder, source).communicate()[0] == "done\n"
        with Store(folder / "store.sqlite") as store:
            if name == "calm":
                builder(store, 200).run([source], "public")
            results.append((store.holdings("public"), answers(store), [row.id for row in store.rows("public")]))
    assert results[0] == results[1]
