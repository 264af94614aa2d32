"""Files into the store: each read once, gone on with where a run was killed, and brought up to date when it changed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import partial
from hashlib import blake2b
from pathlib import Path

from answerable.corpora.ahead import Ahead, stamp_of
from answerable.corpora.duplicates import Duplicates
from answerable.corpora.fetching import Documents, Fetched
from answerable.corpora.formats import Found, Limits, Report, find_files
from answerable.corpora.imap import Mailbox
from answerable.corpora.names import Names, place_of, real, within
from answerable.corpora.store import Store
from answerable.corpora.transaction import FileState
from answerable.corpora.worker import Worker, borrowed
from answerable.errors import FormatError
from answerable.types import Document, Label, Passage
from answerable.work.spread import HERE, Workers

_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_MANY = ("mbox", "maildir", "mail", "jsonl", "export")
"""Kinds of files that hold many documents, or say themselves when they are from."""

BATCH_DOCUMENTS = 500
"""Documents of one transaction, at most; what a killed run reads again."""
_BATCH_CHARACTERS = 4_000_000
_BLOCK_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of the files and documents of one run; `duplicates` counts passages of mail that repeat others,
    `gone` documents of files that are there no more."""

    files: int = 0
    unchanged: int = 0
    failed: int = 0
    added: int = 0
    kept: int = 0
    replaced: int = 0
    removed: int = 0
    duplicates: int = 0
    gone: int = 0

    def __add__(self, other: Ingested) -> Ingested:
        return Ingested(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def ingest(
    store: Store,
    given: Sequence[Path | Mailbox],
    enclave: str,
    limits: Limits,
    report: Report,
    progress: Callable[[int], None],
    public: bool = False,
    own: Collection[Path] = (),
    workers: Workers = HERE,
    label: Label | None = None,
) -> Ingested:
    """Bring an enclave up to date with the files under the paths that are `given`, and with mailboxes of servers.

    A file with the stamp or the content it had is passed over; of a changed one, documents that are the same stay,
    others are replaced or removed. A file that cannot be read, or not to its end, gets one line in `report`, and what
    was read of it stays. A file keeps its name (`Names`); one that is gone from below a path that is given is dropped
    with its documents. `progress` is told how many documents were looked at. A `public` enclave takes no record that
    an export says is private text. What is or lies in the workspace's `own` files and folders is left alone, unless a
    path lies deeper in one of them. The files of a `public` enclave get no day: when a copy was made says nothing of
    an encyclopaedia. Small files are read by `workers`, who must be cleared for `label` (None: the enclave's).
    """
    looked_at = 0

    def count(documents: int) -> None:
        nonlocal looked_at
        looked_at += documents
        progress(looked_at)

    with borrowed(limits) as worker:
        with store.claim(enclave, "files", wait=True):  # what files are called is settled by one at a time
            met, plan, total = _planned(store, enclave, given, report, own, worker)
        seen = _Seen(store, enclave, {found.source: state.edition for found, state in plan})
        whose = frozenset({enclave}) if label is None else label
        with closing(Ahead(plan, enclave, whose, workers, worker)) as ahead:
            for found, state in _in_turn(store, enclave, plan):
                if state.complete:
                    total += Ingested(files=1, unchanged=1)
                    continue
                read = partial(ahead.read, found, state, report)
                total += _File(store, enclave, found.source, state, seen, public).read(read, report, count)
        for mailbox in (one for one in given if isinstance(one, Mailbox)):
            with store.claim(enclave, mailbox.url, wait=True):
                total += _fetched(store, enclave, mailbox, worker, seen, public, report, count)
    if not public:
        _date(store, enclave, met)
    return total


Plan = list[tuple[Found, FileState]]


def _planned(
    store: Store,
    enclave: str,
    given: Sequence[Path | Mailbox],
    report: Report,
    own: Collection[Path],
    worker: Worker,
) -> tuple[list[Found], Plan, Ingested]:
    """All files under the paths, those of them that are to be read, and what became of the others."""
    paths = [one for one in given if isinstance(one, Path)]
    names = Names((source, state.place) for source, state in store.files(enclave))
    places, mine = [place_of(real(path)) for path in paths], {place_of(real(path)) for path in own}
    inner = {place for place in mine if not any(within(root, (place,)) for root in places)}
    total = _dropped(store, enclave, names.gone(places, inner))
    plan: Plan = []
    met: list[Found] = []
    for found in find_files(paths, report, names, mine):
        met.append(found)
        try:
            state = _state(store, enclave, found)
        except (OSError, FormatError) as error:
            reason = error.strerror or "it cannot be read" if isinstance(error, OSError) else error
            report(f"skipped {found.source}: {reason}")
            total += Ingested(files=1, failed=1)
            continue
        if state.complete:
            total += Ingested(files=1, unchanged=1)
        else:
            worker.start()
            plan.append((found, state))
    if store.shared and plan:
        with store.write(enclave) as transaction:
            for found, state in plan:
                transaction.put_file(enclave, found.source, state)
    return met, plan, total


def _in_turn(store: Store, enclave: str, plan: Plan) -> Iterator[tuple[Found, FileState]]:
    """Each file, and how far it is, as long as nobody else reads it; those that another process reads come last."""
    later = []
    for found, state in plan:
        with store.claim(enclave, found.source) as mine:
            if mine:
                yield found, _now(store, enclave, found, state)
            else:
                later.append((found, state))
    for found, state in later:
        with store.claim(enclave, found.source, wait=True):
            yield found, _now(store, enclave, found, state)


def _now(store: Store, enclave: str, found: Found, state: FileState) -> FileState:
    """The state of a file that was planned to be read, which another process may have read since."""
    known = store.file(enclave, found.source) if store.shared else None
    return known if known and (known.digest, known.edition) == (state.digest, state.edition) else state


def _fetched(
    store: Store,
    enclave: str,
    mailbox: Mailbox,
    worker: Worker,
    seen: _Seen,
    public: bool,
    report: Report,
    progress: Callable[[int], None],
) -> Ingested:
    """Bring an enclave up to date with a mailbox of a server."""
    with mailbox.opened() as held:
        fetched = Fetched(held, store, enclave, worker)
        into = _File(store, enclave, mailbox.url, fetched.state, seen, public)
        done = into.read(partial(fetched.read, report), report, progress)
        return replace(done, gone=fetched.forget())


def _dropped(store: Store, enclave: str, sources: Sequence[str]) -> Ingested:
    """Forget files and remove their documents, all at once."""
    if not sources:
        return Ingested()
    with store.write(enclave) as transaction:
        removed = [transaction.retire(enclave, source) for source in sources]
        for source in sources:
            transaction.forget_file(enclave, source)
    return Ingested(gone=sum(removed))


def _date(store: Store, enclave: str, met: Iterable[Found]) -> None:
    """Keep the day of each file that is one document: the one that its name says, else that of its last change."""
    undated = store.undated(enclave)
    days = {}
    for one in met:
        if one.source in undated and one.kind not in _MANY:
            with suppress(OSError, ValueError, OverflowError):
                days[one.source] = date.fromtimestamp(one.path.stat().st_mtime).isoformat()
            with suppress(IndexError, ValueError):
                days[one.source] = date.fromisoformat(_DAY.findall(one.path.name)[0]).isoformat()
    if days:
        with store.write(enclave) as transaction:
            transaction.put_days(enclave, days)


def _state(store: Store, enclave: str, found: Found) -> FileState:
    """Where to go on with a file. Raises `OSError` when it cannot be read."""
    known = store.file(enclave, found.source)
    stamp = stamp_of(found.path)
    place = place_of(found.path)
    if known and known.complete and known.stamp == stamp and known.place == place and not known.problem:
        return known
    digest = _digest(found.path, stamp)
    if known is None or known.digest != digest:
        return FileState(stamp, digest, known.edition + 1 if known else 1, place=place)
    # A file that could not be read is tried again each time: permissions, limits and parsers change.
    state = replace(known, stamp=stamp, place=place, complete=known.complete and not known.problem, problem=None)
    if state.complete:
        with store.write(enclave) as transaction:
            transaction.put_file(enclave, found.source, state)
    return state


class _Seen:
    """What the mails of an enclave have said, read from the store when the first mail comes.

    Files that are about to be read again count with what was read of them anew, so that a run that was killed goes on
    with what it would have known.
    """

    def __init__(self, store: Store, enclave: str, editions: Mapping[str, int]) -> None:
        self._store = store
        self._enclave = enclave
        self._editions = editions
        self._duplicates: Duplicates | None = None

    def admit(self, document: Document, passages: list[Passage]) -> list[Passage]:
        """The passages to keep."""
        if document.kind != "mail":
            return passages
        if self._duplicates is None:
            self._duplicates = Duplicates()
            self._duplicates.remember(
                passage
                for source, edition, passage in self._store.passages_of_kind(self._enclave, "mail")
                if edition >= self._editions.get(source, 0)
            )
        return self._duplicates.admit(document, passages)


def _digest(path: Path, stamp: str) -> str:
    """A hash of a file's bytes; a folder's stamp serves as its own."""
    if path.is_dir():
        return stamp
    sums = blake2b(digest_size=16)
    with open(path, "rb") as file:
        while block := file.read(_BLOCK_BYTES):
            sums.update(block)
    return sums.hexdigest()


class _File:
    """One file, or a mailbox, on its way into the store, some documents at a time."""

    def __init__(self, store: Store, enclave: str, source: str, state: FileState, seen: _Seen, public: bool) -> None:
        self._store = store
        self._enclave = enclave
        self._source = source
        self._state = state
        self._seen = seen
        self._public = public
        self._batch: list[tuple[Document, list[Passage]]] = []
        self._characters = 0
        self._counts = Counter(files=1)

    def read(self, documents: Documents, report: Report, progress: Callable[[int], None]) -> Ingested:
        problem = None
        try:
            for document, passages in documents():
                if self._public and (label := document.meta.get("label")):
                    whose = ", ".join(label)
                    raise FormatError(
                        f"{self._source} holds private text of {whose}, and {self._enclave} is public",
                        hint="index it into a private enclave",
                    )
                self._take(document, passages)
                if len(self._batch) >= BATCH_DOCUMENTS or self._characters >= _BATCH_CHARACTERS:
                    self._commit(report, progress)
        except FormatError as error:
            problem = f"skipped {self._source}: {error}"
            report(problem)
            self._counts["failed"] += 1
        self._commit(report, progress)
        with self._store.write(self._enclave) as transaction:
            # What could not be read cannot be said to be gone.
            gone = 0 if problem else transaction.retire(self._enclave, self._source, self._state.edition)
            transaction.put_file(self._enclave, self._source, replace(self._state, complete=True, problem=problem))
        return Ingested(removed=gone, **self._counts)

    def _take(self, document: Document, passages: list[Passage]) -> None:
        kept = self._seen.admit(document, passages)
        self._counts["duplicates"] += len(passages) - len(kept)
        self._batch.append((document, kept))
        self._characters += len(document.text)

    def _commit(self, report: Report, progress: Callable[[int], None]) -> None:
        """Store the batch, and where to go on after it, in one transaction."""
        if not self._batch:
            return
        state = replace(self._state, records=self._batch[-1][0].meta["record"] + 1)
        counts: Counter[str] = Counter()
        faults = []
        with self._store.write(self._enclave) as transaction:
            transaction.foresee(self._enclave, [document.id for document, _ in self._batch])
            for document, passages in self._batch:
                try:
                    outcome = transaction.put(document, passages, state.edition)
                except FormatError as error:
                    faults.append(f"skipped a record of {self._source}: {error}")
                    continue
                if outcome == "taken":
                    faults.append(f"skipped a record of {self._source}: another document has the id {document.id!r}")
                else:
                    counts[outcome] += 1
            transaction.put_file(self._enclave, self._source, state)
        for fault in faults:
            report(fault)
        self._state = state
        self._counts.update(counts)
        progress(len(self._batch))
        self._batch.clear()
        self._characters = 0
