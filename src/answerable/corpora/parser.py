"""What reads files in a process of its own: `python -m answerable.corpora.parser LIMITS`, for `corpora.worker`.

Each line that comes in names a file. What goes out are frames, four bytes of length and JSON: first an empty one, then
for each file some of its documents at a time (each with the places of its passages, not their text again), with what
there is to report, until one says how it ended. Nothing of a file can leave by another way: the process opens no
sockets, starts nothing, and writes neither errors nor an image of its memory. It ends with the process that started it,
at once on Linux, elsewhere when it is through with its file.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from answerable.corpora.database import disk_full
from answerable.corpora.formats import Found, read_documents
from answerable.corpora.passages import split
from answerable.corpora.sources import Limits, Report
from answerable.errors import AnswerableError, FormatError
from answerable.types import Document, Passage

LENGTH = struct.Struct("<I")
IDLE_SECONDS = 60
"""Without anything to read for so long, the process ends."""
_PAGE = 4096 if sys.platform == "win32" else os.sysconf("SC_PAGE_SIZE")
_BATCH_DOCUMENTS = 200
_BATCH_CHARACTERS = 500_000
_BATCH_SECONDS = 1.0
_FORBIDDEN = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "os.system")


def guarded(
    found: Found, enclave: str, limits: Limits, report: Report, start: int, attached: bool = True
) -> Iterator[tuple[Document, list[Passage]]]:
    """Documents with their passages; whatever a parser raises on a hostile file comes out as `FormatError`."""
    try:
        for document in read_documents(found, enclave, limits, report, start, attached):
            yield document, split(document)
    except AnswerableError:
        raise
    except MemoryError as error:
        raise FormatError(f"{found.source} takes too much memory to read", "raise limits.max_memory") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise disk_full(found.path) from error
        raise FormatError(f"{found.source} cannot be read: {error.strerror or 'the system gave no reason'}") from error
    except Exception as error:  # the one place where a parser's fault must not end the run for all other files
        raise FormatError(f"{found.source} cannot be read ({type(error).__name__})") from error


class _Frames:
    """Gathers what a file gives and sends it on."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self.reports: list[str] = []
        self._documents: list[Any] = []
        self._characters = 0
        self._sent = time.monotonic()

    def add(self, document: Document, passages: list[Passage]) -> None:
        sections = [(one.title, one.depth, one.start, one.end) for one in document.sections]
        cuts = [(one.start, one.end, one.section) for one in passages]
        self._documents.append(
            (document.id, document.title, document.text, document.kind, sections, dict(document.meta), cuts)
        )
        self._characters += len(document.text)
        full = len(self._documents) >= _BATCH_DOCUMENTS or self._characters >= _BATCH_CHARACTERS
        if full or time.monotonic() - self._sent > _BATCH_SECONDS:
            self.send()

    def send(self, end: tuple[str, ...] | None = None) -> None:
        """All that was gathered; `end`: the file's last, empty or with an error's sentence and hint."""
        frame = json.dumps((self._documents, self.reports, end), ensure_ascii=False, default=str)
        data = frame.encode("utf-8", "surrogatepass")
        self._out.write(LENGTH.pack(len(data)) + data)
        self._out.flush()
        self._documents.clear()
        self.reports.clear()
        self._characters = 0
        self._sent = time.monotonic()


def _read(frames: _Frames, request: dict[str, Any], limits: Limits) -> None:
    """One file, to its end."""
    found = Found(Path(request["path"]), request["source"], request["kind"])
    end: tuple[str, ...] = ()
    _allow(request["seconds"])
    try:
        for document, passages in guarded(
            found, "", limits, frames.reports.append, request["start"], request["attached"]
        ):
            frames.add(document, passages)
    except AnswerableError as error:
        end = (error.args[0], error.hint or "")
    frames.send(end)
    _allow(0)


def _allow(seconds: float) -> None:
    """Have this process end after so many seconds of work, whatever it is at; 0: of any."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _confine(limits: Limits) -> None:
    """Take from this process what no parser needs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it is interrupted too, and ends it
    if sys.platform == "linux":
        import ctypes

        control = ctypes.CDLL(None).prctl
        control(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: even where a parser never lets go
        control(4, 0)  # PR_SET_DUMPABLE: nobody looks into this process, and nothing is left of it
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
        resource.setrlimit(kind, (limits.max_memory, resource.getrlimit(kind)[1]))

    def refuse(event: str, _: object) -> None:
        if event.startswith(_FORBIDDEN):
            raise PermissionError(errno.EPERM, "not while reading files")

    sys.addaudithook(refuse)


def _swollen(limits: Limits) -> bool:
    """Whether so much memory is held that the next file would find too little."""
    if sys.platform != "linux":
        return False
    with open("/proc/self/statm") as file:
        return int(file.read().split()[5]) * _PAGE > limits.max_memory / 2


def _next() -> bytes:
    """The next request; empty when nobody can send any more. Ends the process when there is none for long."""
    if hasattr(signal, "alarm"):
        signal.alarm(IDLE_SECONDS)
    line = sys.stdin.buffer.readline()
    if hasattr(signal, "alarm"):
        signal.alarm(0)
    return line


def main() -> None:
    """Read files as they are asked for."""
    limits = Limits(**json.loads(sys.argv[1]))
    frames = _Frames(os.fdopen(os.dup(1), "wb"))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # what a library prints is no frame
    os.dup2(nowhere, 2)
    _confine(limits)
    frames.send(())
    with suppress(BrokenPipeError):
        while not _swollen(limits) and (line := _next()):
            _read(frames, json.loads(line), limits)
    os._exit(0)


if __name__ == "__main__":
    main()
