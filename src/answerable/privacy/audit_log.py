"""The journal on disk: lines appended one by one, by any number of threads and processes, and safe against a crash.

A search is written down before it is sent, so that nothing leaves that is not written down, whatever happens then. When
that cannot be done, the search is not made. What came back is written with the next line, or at the end of an ask.
"""

from __future__ import annotations

import errno
import os
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from threading import Lock
from typing import IO

from answerable.errors import WorkspaceError
from answerable.privacy.audit_records import (
    FIRST,
    Record,
    Sent,
    Verdict,
    chained,
    found_record,
    granted_record,
    hash_of,
    read_line,
    revoked_record,
    search_record,
    shown,
    stored_record,
    torn_record,
    verified,
)
from answerable.privacy.enclaves import EnclaveTable
from answerable.privacy.flow import Decision
from answerable.privacy.grants import Grant
from answerable.records import setting
from answerable.types import Asker, Enclave, Query, Skill

if sys.platform == "win32":
    from filelock import FileLock
else:
    import fcntl  # a tenth of the time that a lock beside the file takes

JOURNAL = "journal.jsonl"
"""The file of a workspace."""
_BLOCK = 1 << 16  # bytes
_LATEST = 1 << 18  # bytes of its end that are read first where only the latest records are wanted


@dataclass(frozen=True, slots=True)
class JournalSettings:
    """What is written down of searches."""

    keep: bool = setting(
        True, "write down every search that is sent or refused: journal.jsonl, shown by answerable journal"
    )
    text: bool = setting(False, "also write down what was sent, word for word, not only a digest of it")


class AuditLog:
    """The journal of a workspace, one file of lines. Every method raises `WorkspaceError` when it cannot be used."""

    def __init__(self, path: Path, settings: JournalSettings | None = None) -> None:
        self.path = path
        self.settings = settings or JournalSettings()
        self._threads = Lock()
        self._end, self._head = 0, FIRST
        self._waiting: list[Record] = []

    @property
    def kept(self) -> bool:
        """Whether searches are written down: not when the settings say so, or nothing can be written beside it."""
        return self.settings.keep and os.access(self.path.parent, os.W_OK)

    def searches(
        self, ask: str, skill: Skill, enclave: Enclave, asked: Sequence[tuple[Query, Decision, Sent | None]]
    ) -> Sequence[str | None]:
        """Write down what is about to be sent, or with None a refusal: all of it at once, before any of it is sent;
        returns what `found` needs to know of each."""
        if not self.kept or not asked:
            return [None] * len(asked)
        records = []
        for query, decision, sent in asked:
            record = search_record(_now(), ask, query, skill, enclave, decision, sent)
            records.append({**record, "text": sent.text} if sent and self.settings.text else record)
        return self._append(*records)

    def found(self, search: str | None, hits: int, silent: Sequence[str] = ()) -> None:
        """Have written down, with the next line, how many hits came back for a search, and who gave nothing."""
        if search is not None:
            with self._threads:
                self._waiting.append(found_record(_now(), search, hits, silent))

    def granted(self, grant: Grant, question: str | None = None) -> None:
        """Write down a grant; for one question, its digest too."""
        if self.kept:
            self._append(granted_record(_now(), grant, question))

    def revoked(self, grant: Grant) -> None:
        """Write down that a grant was taken back."""
        if self.kept:
            self._append(revoked_record(_now(), grant))

    def stored(self, roots: Mapping[str, str]) -> None:
        """Write down the root over the documents of each enclave where it is not that of the last line about it."""
        known = self.roots()
        new = [stored_record(_now(), name, root) for name, root in roots.items() if known.get(name) != root]
        if new and self.kept:
            self._append(*new)

    def roots(self) -> dict[str, str]:
        """The last root of each enclave that was written down; none where nothing is."""
        kept = self._lines() if self.kept else ()
        lines = (read_line(line) for line in kept if b'"kind":"stored"' in line)
        return {one["enclave"]: one["root"] for one in lines if one and one["kind"] == "stored"}

    def flush(self) -> None:
        """Write down what still waits."""
        if self._waiting and self.kept:
            self._append()

    @contextmanager
    def flushing(self) -> Iterator[None]:
        """Write down what still waits when the block is left, however that is."""
        try:
            yield
        finally:
            self.flush()

    def shown(self, viewer: Asker, enclaves: EnclaveTable, last: int = 0, of: str | None = None) -> list[Record]:
        """What this viewer may see, in order (`audit_records.shown`), of the asker `of` alone where one is named; of it
        the `last`, 0: all. Of a long journal no more is read than its end, as far as these reach."""
        self.flush()
        with _explained(self.path):
            size = self.path.stat().st_size if last and self.path.exists() else 0
        start = max(0, size - _LATEST)
        while True:
            told = [one for one in shown(self._lines(start), viewer, enclaves) if of in (None, one.get("asker"))]
            if not start or len(told) >= last:
                return told[-last:] if last else told
            start = max(0, size - 4 * (size - start))

    def verified(self, noted: str | None = None) -> Verdict:
        """Whether the chain is whole, and where it breaks (`egress.verified`)."""
        return verified(self._lines(), noted)

    def _lines(self, start: int = 0) -> Iterator[bytes]:
        """The lines there are now, from the first that begins after byte `start`; what is appended meanwhile is left
        out."""
        self.flush()
        with _explained(self.path):
            if not self.path.exists():
                return
            with open(self.path, "rb") as file:
                with self._threads, _alone(file, self.path):
                    left = os.fstat(file.fileno()).st_size
                if start:
                    file.seek(start)
                    file.readline()
                    left -= file.tell()
                for line in file:
                    yield line[:left]
                    left -= len(line)
                    if left <= 0:
                        return

    def _append(self, *records: Record) -> list[str]:
        """Write what waits and then these, after the last line there is; returns the hash of each of these."""
        with _explained(self.path), self._threads, self._opened() as file, _alone(file, self.path):
            if os.fstat(file.fileno()).st_size != self._end:  # another process wrote, or this one has just begun
                self._settle(file)
            heads = self._write(file, [*self._waiting, *records])
            self._waiting.clear()
            return heads[len(heads) - len(records) :]

    def _opened(self) -> FileIO:
        """The file, each time anew (it may have been taken away), at its end, and closed to everybody else."""
        return open(self.path, "a+b", buffering=0, opener=lambda path, flags: os.open(path, flags, 0o600))

    def _write(self, file: FileIO, records: Sequence[Record]) -> list[str]:
        """All the lines at once; returns the hash of each."""
        lines, heads, head = [], [], self._head
        for record in records:
            line, head = chained(record, head)
            lines.append(line)
            heads.append(head)
        text = b"".join(lines)
        if file.write(text) != len(text):  # the disk is full: what is there now is cut off by whoever writes next
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._end, self._head = self._end + len(text), head
        return heads

    def _settle(self, file: FileIO) -> None:
        """Find the last line; where a crash left part of one, cut it off and say so in a line of its own."""
        start = size = file.seek(0, os.SEEK_END)
        tail = b""
        while start > 0 and tail[:-1].count(b"\n") < 2:  # the last whole line, and what may be left of another
            step = min(start, _BLOCK)
            start = file.seek(start - step)
            tail = file.read(step) + tail
        whole, torn = tail[: tail.rfind(b"\n") + 1], tail[tail.rfind(b"\n") + 1 :]
        self._end = size - len(torn)
        self._head = hash_of(whole) if whole else FIRST  # it looks at the end alone
        if torn:
            file.truncate(self._end)
            self._write(file, [torn_record(_now(), torn)])


def new_ask() -> str:
    """What the searches of one question have in common in the journal: eight random hexadecimal digits."""
    return secrets.token_hex(4)


def _now() -> datetime:
    return datetime.now(UTC)


@contextmanager
def _alone(file: IO[bytes], path: Path) -> Iterator[None]:
    """The one process that looks at the end of the file."""
    if sys.platform == "win32":
        with FileLock(f"{path}.lock"):
            yield
    else:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """What the system says of the journal, in one sentence with a way out."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        hint = "make room, or check the folder's permissions; keep = false under [journal] does without"
        raise WorkspaceError(f"the journal {path} cannot be used: {reason}", hint=hint) from error
