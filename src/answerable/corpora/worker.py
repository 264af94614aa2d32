"""Files read by a process of our own beside this one (`corpora.parser`), so that none of them can stall or kill it."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from threading import Timer
from typing import Any

from answerable.corpora.formats import MAILS, Found
from answerable.corpora.parser import LENGTH, guarded
from answerable.corpora.passages import passage_of
from answerable.corpora.sources import Limits, Report
from answerable.errors import FormatError, WorkspaceError
from answerable.types import Document, Passage, Section

_STEP = 4 * 2**20
"""Bytes of a file for which it may take `max_seconds`, and as long again for each further ones."""
_START_SECONDS = 60
_PATIENCE = 10 if hasattr(signal, "setitimer") else 1
"""How many times longer than it may work a file may take: other processes work too, and disks are waited for."""
_PACKED, _UNPACKS = (".gz", ".zip", ".epub"), 8  # what a packed file is counted for


class _Ended(FormatError):
    """A file ended the process that read it."""


class Worker:
    """Reads one file after the other in a process that is started when it is needed, and anew when a file ended it.

    A file that takes longer or more memory than the limits say, or crashes its parser, is a `FormatError` like any
    other. With `max_seconds` 0 files are read in this process, without these limits. For one thread at a time.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.owner = os.getpid()
        self._process: subprocess.Popen[bytes] | None = None
        self._used = False  # whether it has said that it is there

    def start(self) -> None:
        """Have the process start, if there is none; it comes up while others go on."""
        if not self.limits.max_seconds or (self._process is not None and self._process.poll() is None):
            return
        self.close()
        root = str(Path(__file__).parents[2])
        path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        # -P: nothing that lies in the folder we are in is taken for a module.
        command = [sys.executable, "-P", "-m", "answerable.corpora.parser", json.dumps(asdict(self.limits))]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        try:
            self._process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}, **pipes)
        except OSError as error:
            raise _unstartable() from error

    def read(
        self, found: Found, enclave: str, report: Report, start: int = 0
    ) -> Iterator[tuple[Document, list[Passage]]]:
        """The documents of a file with their passages, as `parser.guarded` gives them. Where something attached to a
        mail ends what reads it, the other mails are read without what is attached to them."""
        if not self.limits.max_seconds:
            yield from guarded(found, enclave, self.limits, report, start)
            return
        attached = True
        while True:
            try:
                for document, passages in self._read(found, enclave, report, start, attached):
                    start = document.meta["record"] + 1
                    yield document, passages
                return
            except _Ended as error:
                if not attached or found.kind not in MAILS:
                    raise
                reason = str(error.args[0]).removeprefix(f"{found.source} ")
                report(f"from mail {start + 1} of {found.source} on what is attached is left out: {reason}")
                attached = False

    def _read(
        self, found: Found, enclave: str, report: Report, start: int, attached: bool
    ) -> Iterator[tuple[Document, list[Passage]]]:
        """The same, but that it raises `_Ended` where a file ended the process."""
        allowed = self.limits.max_seconds * (1 + _size(found.path) // _STEP)
        request: dict[str, Any] = {"path": str(found.path), "source": found.source, "kind": found.kind, "start": start}
        request |= {"seconds": allowed, "attached": attached}
        left = allowed * _PATIENCE
        began = time.monotonic()
        try:
            frame = self._begin(json.dumps(request).encode() + b"\n", left)
        except BaseException:  # what it was asked for must not answer the next request
            self.close()
            raise
        process, ended = self._process, False
        try:
            while True:
                left -= time.monotonic() - began  # what is done here with the documents does not count
                if frame is None:
                    raise self._broken(found, allowed, late=left <= 0)
                documents, reports, end = frame
                ended = end is not None
                for row in documents:
                    yield _document(row, found, enclave)
                for line in reports:
                    report(line)
                if end:
                    raise FormatError(end[0], end[1] or None)
                if ended:
                    return
                began = time.monotonic()
                frame = self._frame(left)
        finally:
            if not ended and self._process is process:
                self.close()

    def close(self) -> None:
        """End the process."""
        if self._process is not None and self.owner == os.getpid():
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                with suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]
        self._process, self._used = None, False

    def _begin(self, request: bytes, seconds: float) -> Any:
        """Send a request; the first frame that comes. A process that has read before may just have ended itself."""
        used = self._used
        self.start()
        assert self._process is not None and self._process.stdin is not None
        if not self._used and self._frame(_START_SECONDS) is None:
            self.close()
            raise _unstartable()
        self._used = True
        began = time.monotonic()
        with suppress(BrokenPipeError):
            self._process.stdin.write(request)
            self._process.stdin.flush()
        frame = self._frame(seconds)
        if frame is None and used and time.monotonic() - began < seconds:
            self.close()
            return self._begin(request, seconds)
        return frame

    def _frame(self, seconds: float) -> Any:
        """What comes next; None when the process has ended, or was ended after so many seconds."""
        assert self._process is not None and self._process.stdout is not None
        stream, timer = self._process.stdout, Timer(max(seconds, 0), self._process.kill)
        timer.start()
        try:
            head = stream.read(LENGTH.size)
            size = LENGTH.unpack(head)[0] if len(head) == LENGTH.size else 0
            data = stream.read(size)
        finally:
            timer.cancel()
        return json.loads(data.decode("utf-8", "surrogatepass")) if data and len(data) == size else None

    def _broken(self, found: Found, allowed: float, late: bool) -> _Ended:
        """Why a file could not be read to its end."""
        assert self._process is not None
        self._process.kill()
        code = self._process.wait()
        if late or code == -getattr(signal, "SIGPROF", 0) != 0:
            return _Ended(f"{found.source} took longer than {allowed:g} s", "raise limits.max_seconds")
        by = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return _Ended(f"{found.source} cannot be read: it ended what reads it ({by})")


def _document(row: list[Any], found: Found, enclave: str) -> tuple[Document, list[Passage]]:
    """What `parser` sent of a document. Which file and enclave it is of, is known here."""
    id, title, text, kind, sections, meta, cuts = row
    parts = tuple(Section(*section) for section in sections)
    document = Document(id, enclave, title, text, found.source, kind, parts, meta)
    return document, [passage_of(document, start, end, section) for start, end, section in cuts]


def _size(path: Path) -> int:
    """Bytes of a file, or of those in a folder, as they count for its time."""
    try:
        if path.is_dir():
            return sum(file.lstat().st_size for file in path.rglob("*"))
        return path.stat().st_size * (_UNPACKS if path.suffix.lower() in _PACKED else 1)
    except OSError:
        return 0


def _unstartable() -> WorkspaceError:
    hint = "set limits.max_seconds to 0 to read them in this one, without limits of time and memory"
    return WorkspaceError("no process could be started to read files", hint=hint)


_spare: list[Worker] = []


@contextmanager
def borrowed(limits: Limits) -> Iterator[Worker]:
    """A worker; afterwards it is kept for whoever comes next."""
    worker = _spare.pop() if _spare else Worker(limits)
    if worker.limits != limits or worker.owner != os.getpid():
        worker.close()
        worker = Worker(limits)
    try:
        yield worker
    finally:
        _spare.append(worker)


@atexit.register
def _close_all() -> None:
    while _spare:
        _spare.pop().close()
