"""Files that others read while this process stores those before them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path

from answerable.corpora.formats import Found
from answerable.corpora.sources import Limits, Report
from answerable.corpora.transaction import FileState
from answerable.corpora.worker import Worker
from answerable.errors import FormatError
from answerable.types import Document, Label, Passage
from answerable.work.spread import Task, Workers, in_order

WHOLE = 8 * 2**20
"""Bytes of a file, at most, that is read by others, whose text is then held whole."""
_Read = tuple[list[tuple[Document, list[Passage]]], list[str], tuple[str, str | None] | None]
"""Documents with their passages, what there was to report, and why it could not be read to its end."""


@dataclass(frozen=True, slots=True)
class _Unread:
    """A file, from which record on it is read, for which enclave, and how it looked here."""

    found: Found
    start: int
    enclave: str
    stamp: str


@contextmanager
def reading_ahead(
    plan: Sequence[tuple[Found, FileState]], enclave: str, label: Label, workers: Workers, worker: Worker
) -> Iterator[Callable[[Found, FileState, Report], Iterator[tuple[Document, list[Passage]]]]]:
    """What reads the files of a plan in their turn: small ones by `workers`, who begin with what comes later.

    Only paths travel there, and text comes back. What is not the same file where a worker is, this process reads. It
    gives the documents of a file with their passages, as `Worker.read`; the next file of the plan must come next.
    """
    small = [(found, state) for found, state in plan if not workers.here and _is_small(found.path)]
    sources = {found.source for found, _ in small}
    tasks = (
        Task(f"the file {found.source}", label, _Unread(found, state.records, enclave, state.stamp))
        for found, state in small
    )

    def read(found: Found, state: FileState, report: Report) -> Iterator[tuple[Document, list[Passage]]]:
        done = next(elsewhere) if found.source in sources else None
        if done is None:
            yield from worker.read(found, enclave, report, state.records)
            return
        documents, reports, problem = done
        yield from documents
        for line in reports:
            report(line)
        if problem:
            raise FormatError(*problem)

    with closing(in_order(workers.map(partial(_reading, worker.limits), tasks))) as elsewhere:
        yield read


def stamp_of(path: Path) -> str:
    """Size and time of a file; of a folder, those of all files in it."""
    if not path.is_dir():
        about = path.stat()
        return f"{about.st_size}-{about.st_mtime_ns}"
    sums = blake2b(digest_size=16)
    for file in sorted(p for p in path.rglob("*") if p.is_file()):
        about = file.stat()
        sums.update(
            f"{file.relative_to(path)!s}\0{about.st_size}\0{about.st_mtime_ns}\0".encode(errors="surrogateescape")
        )
    return sums.hexdigest()


def _is_small(path: Path) -> bool:
    with suppress(OSError):
        return path.is_file() and path.stat().st_size <= WHOLE
    return False


def _reading(limits: Limits) -> Callable[[_Unread], _Read | None]:
    """What reads files, wherever it is; nothing comes of one that is not there, or is another."""
    worker = Worker(limits)

    def read(given: _Unread) -> _Read | None:
        documents, reports = list[tuple[Document, list[Passage]]](), list[str]()
        with suppress(OSError):
            if stamp_of(given.found.path) == given.stamp:
                try:
                    documents += worker.read(given.found, given.enclave, reports.append, given.start)
                except FormatError as error:
                    return documents, reports, (str(error.args[0]), error.hint)
                return documents, reports, None
        return None

    return read
