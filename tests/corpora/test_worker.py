"""Files read by a process of their own: what a file that stalls, swells or kills it costs, and nobody else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from answerable.corpora import worker as module
from answerable.corpora.formats import Limits, find_files
from answerable.corpora.ingest import Ingested, ingest
from answerable.corpora.store import Store
from answerable.corpora.worker import Worker, borrowed
from answerable.errors import WorkspaceError
from tests.corpora.attaching import mbox, with_files
from tests.corpora.reading import write

STUB = """
import os, signal, socket, sys, time
from answerable.corpora import formats, parser

def read(found, enclave, limits, report, start, attached):
    what = found.path.read_text().split()[0] if found.kind != "mbox" else ""
    yield from [plain(found, enclave, limits, report, start)] if what == "first" else []
    if found.kind == "mbox":
        for document in plain(found, enclave, limits, report, start, attached):
            if document.title.startswith("crash"):
                os.kill(os.getpid(), signal.SIGSEGV)
            yield document
        return
    while what == "spin":
        pass
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
def test_what_ends_the_process_with_a_mail_costs_what_is_attached_and_no_mail(tmp_path: Path) -> None:
    texts = [("note.txt", b"One."), ("crash.txt", b"Two."), ("last.txt", b"Three.")]
    write(tmp_path / "in" / "box.mbox", mbox(*(with_files(number, one) for number, one in enumerate(texts))))
    done, lines = told(tmp_path / "in", Limits())
    assert lines == [
        "from mail 1 of in/box.mbox on what is attached is left out: cannot be read: it ended what reads it (SIGSEGV)"
    ]
    assert done == Ingested(files=1, added=3)


@pytest.mark.usefixtures("broken")
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_file_that_breaks_its_parser_is_one_line_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 1000)
    folder = tmp_path / "in"
    folder.mkdir()
    for name, what in zip("abcdefghi", "A crash B spin C socket D spawn print".split(), strict=True):
        (folder / f"{name}.txt").write_text(f"{what} text that is nobody else's")
    done, lines = told(folder, Limits(max_seconds=0.25))
    assert (done.files, done.failed, done.added) == (9, 4, 5)
    assert lines == [
        "skipped in/b.txt: it cannot be read: it ended what reads it (SIGSEGV)",
        "skipped in/d.txt: it took longer than 0.25 s (raise limits.max_seconds)",
        "skipped in/f.txt: it cannot be read: not while reading files",
        "skipped in/h.txt: it cannot be read: not while reading files",
    ]


@pytest.mark.usefixtures("broken")
def test_a_file_that_is_waited_for_in_vain_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 2)
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("sleep")
    done, lines = told(folder, Limits(max_seconds=0.25))
    assert done.failed == 1
    assert lines == ["skipped in/a.txt: it took longer than 0.25 s (raise limits.max_seconds)"]


@pytest.mark.usefixtures("broken")
@pytest.mark.skipif(sys.platform != "linux", reason="no limit of memory")
def test_a_file_that_swells_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, what in zip("ab", ("swell", "A"), strict=True):
        (folder / f"{name}.txt").write_text(f"{what} text")
    done, lines = told(folder, Limits(max_memory=2**28))
    assert (done.failed, done.added) == (1, 1), lines
    assert lines == ["skipped in/a.txt: it takes too much memory to read (raise limits.max_memory)"]


def test_what_comes_of_it_is_what_is_read_here(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    rows = [{"_id": f"r{n}", "title": "\ud800 Lamp", "text": "字。 It burns.\n\n" * n} for n in range(1, 200)]
    rows += [{"_id": "t", "header": ["A", "B"], "rows": [["1", {"text": "x", "links": ["r1"]}]]}, {"_id": "none"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = next(find_files([path], print))
    for start in (0, 190):
        faults: tuple[list[str], list[str]] = ([], [])
        here = Worker(Limits(max_seconds=0)).read(found, "wiki", faults[0].append, start)
        with borrowed(Limits()) as worker:
            there = list(worker.read(found, "wiki", faults[1].append, start))
        plain = [(replace(one, meta=json.loads(json.dumps(one.meta))), cuts) for one, cuts in here]
        assert there == plain and len(there) == 200 - start
        assert faults[0] == faults[1] and len(faults[0]) == 1


def test_a_worker_serves_again_after_a_file_was_left_in_the_middle_or_its_process_ended(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text("".join(json.dumps({"_id": str(n), "text": "A lamp burns. " * 100}) + "\n" for n in range(400)))
    found = next(find_files([path], print))
    with borrowed(Limits()) as worker:
        for _ in range(2):
            assert next(worker.read(found, "e", print))[0].id == "p.jsonl#0"
        assert len(list(worker.read(found, "e", print, 390))) == 10
        process = worker._process
        assert process is not None
        process.kill()  # as one ends that had nothing to do for long
        assert len(list(worker.read(found, "e", print, 390))) == 10
        assert worker._process is not process
    with borrowed(Limits()) as again:
        assert again is worker
    with borrowed(Limits(max_pages=7)) as other:
        assert other is not worker
    assert worker._process is None


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kill -9")
def test_its_process_ends_with_the_one_that_started_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A lamp burns.")
    (tmp_path / "json.py").write_text("raise SystemExit('taken for a module')")  # nothing here is run
    code = (
        "import os, signal, sys; sys.path.pop(0); from pathlib import Path\n"
        "from answerable.corpora.formats import *; from answerable.corpora.worker import *\n"
        "worker = Worker(Limits()); found = next(find_files([Path('a.txt')], print))\n"
        "assert [one.text for one, _ in worker.read(found, 'e', print)] == ['A lamp burns.']\n"
        "print(worker._process.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == -signal.SIGKILL, done.stderr
    child = int(done.stdout)
    for _ in range(600):
        if not _runs(child):
            return
        time.sleep(0.1)
    raise AssertionError("it still runs")


def _runs(process: int) -> bool:
    status = Path(f"/proc/{process}/status")
    if status.parent.parent.exists() and sys.platform == "linux":
        return status.exists() and "State:\tZ" not in status.read_text()
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_without_a_process_the_way_out_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("A lamp burns.")
    found = next(find_files([tmp_path / "a.txt"], print))
    for executable in ("", str(tmp_path / "none"), "true"):
        monkeypatch.setattr(sys, "executable", executable)
        with pytest.raises(WorkspaceError, match=r"limits\.max_seconds"):
            next(Worker(Limits()).read(found, "e", print))
    assert next(Worker(Limits(max_seconds=0)).read(found, "e", print))[0].text == "A lamp burns."


def test_what_was_interrupted_answers_no_later_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("kept", "asked"):
        (tmp_path / f"{name}.txt").write_text(f"what {name} says")
    found = {one.source.rpartition("/")[2]: one for one in find_files([tmp_path], print)}
    limits = Limits()
    with borrowed(limits) as first:
        list(first.read(found["kept.txt"], "public", print))
    waiting = Worker._frame

    def interrupted(_: Worker, __: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Worker, "_frame", interrupted)
    with pytest.raises(KeyboardInterrupt), borrowed(limits) as second:
        list(second.read(found["asked.txt"], "private", print))
    monkeypatch.setattr(Worker, "_frame", waiting)
    with borrowed(limits) as third:
        assert [one.text for one, _ in third.read(found["kept.txt"], "public", print)] == ["what kept says"]
