"""Files read by a process of their own: what a file that stalls, swells or kills it costs, and nobody else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from answerable.corpora import worker as module
from answerable.corpora.formats import Limits, find_files
from answerable.corpora.ingest import Ingested, ingest
from answerable.corpora.parser import guarded
from answerable.corpora.store import Store
from answerable.corpora.worker import Worker, borrowed
from answerable.errors import FormatError, WorkspaceError

STUB = """
import os, signal, socket, sys, time
from answerable.corpora import formats, parser

def read(found, enclave, limits, report, start):
    what = found.path.read_text().split()[0]
    yield from [plain(found, enclave, limits, report, start)] if what == "first" else []
    if what == "sleep":
        time.sleep(600)
    if what == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "swell":
        held = bytearray(2**31)
    if what == "socket":
        socket.socket()
    if what == "spawn":
        os.system("true")
    if what == "print":
        print("secret", flush=True), os.write(1, b"secret"), os.write(2, b"secret")
    yield from plain(found, enclave, limits, report, start)

plain, parser.read_documents = parser.read_documents, read
parser.main()
"""
"""Stands in for parsers that a file has broken."""


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The process reads files as `STUB` does."""
    stub = tmp_path / "stub.py"
    stub.write_text(STUB)
    starting = subprocess.Popen

    def start(command: list[str], **rest: object) -> object:
        return starting([sys.executable, str(stub), command[-1]], **rest)

    module._close_all()
    monkeypatch.setattr(subprocess, "Popen", start)
    yield
    module._close_all()


def told(folder: Path, limits: Limits) -> tuple[Ingested, list[str]]:
    lines: list[str] = []
    with Store(folder.parent / "store.sqlite") as store:
        return ingest(store, [folder], "public", limits, lines.append, lambda _: None), lines


@pytest.mark.usefixtures("broken")
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_file_that_breaks_its_parser_is_one_line_and_the_others_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, what in zip("abcdefghi", "A crash B sleep C socket D spawn print".split(), strict=True):
        (folder / f"{name}.txt").write_text(f"{what} text that is nobody else's")
    done, lines = told(folder, Limits(max_seconds=1.5))
    assert (done.files, done.failed, done.added) == (9, 4, 5)
    assert lines == [
        "skipped in/b.txt: in/b.txt cannot be read: it ended what reads it (SIGSEGV)",
        "skipped in/d.txt: in/d.txt took longer than 1.5 s (raise limits.max_seconds)",
        "skipped in/f.txt: in/f.txt cannot be read: Operation not permitted",
        "skipped in/h.txt: in/h.txt cannot be read: Operation not permitted",
    ]


@pytest.mark.usefixtures("broken")
@pytest.mark.skipif(sys.platform != "linux", reason="no limit of memory")
def test_a_file_that_swells_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, what in zip("ab", ("swell", "A"), strict=True):
        (folder / f"{name}.txt").write_text(f"{what} text")
    done, lines = told(folder, Limits(max_memory=2**28))
    assert (done.failed, done.added) == (1, 1)
    assert lines == ["skipped in/a.txt: in/a.txt takes too much memory to read (raise limits.max_memory)"]
