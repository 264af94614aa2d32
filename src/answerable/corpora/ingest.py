"""Files into the store: each read once, gone on with where a run was killed, and brought up to date when it changed."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import cached_property, partial
from hashlib import blake2b, file_digest
from pathlib import Path
from tempfile import TemporaryDirectory

from answerable.corpora.ahead import reading_ahead, stamp_of
from answerable.corpora.duplicates import Duplicates
from answerable.corpora.fields import day_named
from answerable.corpora.formats import Found, Limits, Report, find_files
from answerable.corpora.imap import Mailbox, Opened
from answerable.corpora.names import Names, place_of, real, within
from answerable.corpora.sources import Faults, skipped
from answerable.corpora.store import Store
from answerable.corpora.transaction import FileState
from answerable.corpora.worker import Worker, borrowed
from answerable.errors import FormatError
from answerable.types import Document, Label, Passage
from answerable.work.spread import HERE, Workers

_MANY = ("mbox", "maildir", "mail", "jsonl", "export", "cards")
"""Kinds of files that hold many documents, or say themselves when they are from."""

READING = "7"
"""Of what reads files: another one than a file was read by has it read again, of which documents that are the same
stay. To be raised with whatever gives other documents."""
Documents = Callable[[], Iterator[tuple[Document, list[Passage]]]]
"""Reads documents with their passages, in order."""
_PLACE = ".mail-"
"""How folders begin, beside the store, in which a mail lies while it is parsed."""
BATCH_DOCUMENTS = 500
"""Documents of one transaction, at most; what a killed run reads again."""
_BATCH_CHARACTERS = 4_000_000


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

    A file with the stamp or the content it had is passed over, if it was read as it would be now (`READING`); of
    another, documents that are the same stay, others are replaced or removed. A file that cannot be read, or not to its
    end, gets one line in `report`, and what was read of it stays. A file keeps its name (`Names`); one that is gone
    from below a path that is given is dropped with its documents. `progress` is told how many documents were looked at.
    A `public` enclave takes no record that an export says is private text. What is or lies in the workspace's `own`
    files and folders is left alone, unless a path lies deeper in one of them. The files of a `public` enclave get no
    day: when a copy was made says nothing of an encyclopaedia. Small files are read by `workers`, who must be cleared
    for `label` (None: the enclave's).
    """
    with borrowed(limits) as worker:
        run = _Run(store, enclave, report, progress, public, worker)
        with store.claim(enclave, "files", wait=True):  # what files are called is settled by one at a time
            met, plan = run.planned(given, own)
        run.editions = {found.source: state.edition for found, state in plan}
        whose = frozenset({enclave}) if label is None else label
        with reading_ahead(plan, enclave, whose, workers, worker) as read:
            for found, state in run.in_turn(plan):
                if state.complete:
                    run.total += Ingested(files=1, unchanged=1)
                    continue
                run.total += _File(run, found.source, state).read(partial(read, found, state, report))
        for mailbox in (one for one in given if isinstance(one, Mailbox)):
            with store.claim(enclave, mailbox.url, wait=True):
                run.fetch(mailbox)
    if not public:
        run.date(met)
    return run.total


Plan = list[tuple[Found, FileState]]


class _Run:
    """One call of `ingest`: what it is to do it with, and what became of files and documents so far."""

    def __init__(
        self, store: Store, enclave: str, report: Report, progress: Callable[[int], None], public: bool, worker: Worker
    ) -> None:
        self.store, self.enclave, self.report, self.public, self.worker = store, enclave, report, public, worker
        self.total = Ingested()
        self.editions: Mapping[str, int] = {}
        self._progress, self._looked_at = progress, 0

    @cached_property
    def mails(self) -> Duplicates:
        """What the mails of the enclave have said, read from the store when the first mail comes.

        Files that are about to be read again, in their `editions`, count with what was read of them anew, so that a run
        that was killed goes on with what it would have known.
        """
        met = Duplicates()
        met.remember(
            passage
            for source, edition, passage in self.store.passages_of_kind(self.enclave, "mail")
            if edition >= self.editions.get(source, 0)
        )
        return met

    def count(self, documents: int) -> None:
        """Tell that so many more documents were looked at."""
        self._looked_at += documents
        self._progress(self._looked_at)

    def planned(self, given: Sequence[Path | Mailbox], own: Collection[Path]) -> tuple[list[Found], Plan]:
        """All files under the paths, and those of them that are to be read."""
        paths = [one for one in given if isinstance(one, Path)]
        names = Names((source, state.place) for source, state in self.store.files(self.enclave))
        places, mine = [place_of(real(path)) for path in paths], {place_of(real(path)) for path in own}
        inner = {place for place in mine if not any(within(root, (place,)) for root in places)}
        self._drop(names.gone(places, inner))
        plan: Plan = []
        met: list[Found] = []
        for found in find_files(paths, self.report, names, mine):
            met.append(found)
            try:
                state = self._state(found)
            except (OSError, FormatError) as error:
                reason = error.strerror or "it cannot be read" if isinstance(error, OSError) else error
                self.report(skipped(found.source, reason))
                self.total += Ingested(files=1, failed=1)
                continue
            if state.complete:
                self.total += Ingested(files=1, unchanged=1)
            else:
                self.worker.start()
                plan.append((found, state))
        if self.store.shared and plan:
            with self.store.write(self.enclave) as transaction:
                for found, state in plan:
                    now = self._now(found, state)  # somebody may have gone on with it since its state was looked up
                    if (now.records, now.complete) <= (state.records, state.complete):
                        transaction.put_file(self.enclave, found.source, state)
        return met, plan

    def in_turn(self, plan: Plan) -> Iterator[tuple[Found, FileState]]:
        """Each file, and how far it is, as long as nobody else reads it; those that another process reads come last."""
        later = []
        for found, state in plan:
            with self.store.claim(self.enclave, found.source) as mine:
                if mine:
                    yield found, self._now(found, state)
                else:
                    later.append((found, state))
        for found, state in later:
            with self.store.claim(self.enclave, found.source, wait=True):
                yield found, self._now(found, state)

    def fetch(self, mailbox: Mailbox) -> None:
        """Bring the enclave up to date with a mailbox of a server."""
        with mailbox.opened() as held:
            fetched = _Fetched(held, self.store, self.enclave, self.worker)
            done = _File(self, mailbox.url, fetched.state).read(partial(fetched.read, self.report))
            self.total += replace(done, gone=fetched.forget())

    def date(self, met: Iterable[Found]) -> None:
        """Keep the day of each file that is one document: the one that its name says, else that of its last change."""
        undated = self.store.undated(self.enclave)
        days = {}
        for one in met:
            if one.source in undated and one.kind not in _MANY:
                with suppress(OSError, ValueError, OverflowError):
                    changed = date.fromtimestamp(one.path.stat().st_mtime).isoformat()
                    days[one.source] = day_named(one.source) or changed
        if days:
            with self.store.write(self.enclave) as transaction:
                transaction.put_days(self.enclave, days)

    def _now(self, found: Found, state: FileState) -> FileState:
        """The state of a file that was planned to be read, which another process may have read since."""
        known = self.store.file(self.enclave, found.source) if self.store.shared else None
        return known if known and (known.digest, known.edition) == (state.digest, state.edition) else state

    def _drop(self, sources: Sequence[str]) -> None:
        """Forget files and remove their documents, all at once."""
        if sources:
            with self.store.write(self.enclave) as transaction:
                removed = [transaction.retire(self.enclave, source) for source in sources]
                for source in sources:
                    transaction.forget_file(self.enclave, source)
            self.total += Ingested(gone=sum(removed))

    def _state(self, found: Found) -> FileState:
        """Where to go on with a file. Raises `OSError` when it cannot be read."""
        known = self.store.file(self.enclave, found.source)
        stamp, place = stamp_of(found.path), place_of(found.path)
        same = known and known.stamp == stamp and known.place == place and known.digest.startswith(f"{READING}-")
        if known and same and known.complete and not known.problem:
            return known
        digest = _digest(found.path, stamp)
        if known is None or known.digest != digest:
            return FileState(stamp, digest, known.edition + 1 if known else 1, place=place)
        # A file that could not be read is tried again each time: permissions, limits and parsers change.
        state = replace(known, stamp=stamp, place=place, complete=known.complete and not known.problem, problem=None)
        if state.complete:
            with self.store.write(self.enclave) as transaction:
                transaction.put_file(self.enclave, found.source, state)
        return state


def _digest(path: Path, stamp: str) -> str:
    """How a file is read, and a hash of its bytes; a folder's stamp serves as its own."""
    if path.is_dir():
        return f"{READING}-{stamp}"
    with open(path, "rb") as file:
        return f"{READING}-{file_digest(file, partial(blake2b, digest_size=16)).hexdigest()}"


class _File:
    """One file, or a mailbox, on its way into the store, some documents at a time."""

    def __init__(self, run: _Run, source: str, state: FileState) -> None:
        self._run, self._store, self._enclave = run, run.store, run.enclave
        self._source, self._state = source, state
        self._batch: list[tuple[Document, list[Passage]]] = []
        self._characters = 0
        self._counts = Counter(files=1)

    def read(self, documents: Documents) -> Ingested:
        problem = None
        try:
            for document, passages in documents():
                if self._run.public and (label := document.meta.get("label")):
                    whose = ", ".join(label)
                    raise FormatError(
                        f"{self._source} holds private text of {whose}, and {self._enclave} is public",
                        hint="index it into a private enclave",
                    )
                full = len(self._batch) >= BATCH_DOCUMENTS or self._characters >= _BATCH_CHARACTERS
                if full and document.meta["record"] != self._batch[-1][0].meta["record"]:
                    self._commit()  # a mail and what is attached to it are one record
                self._take(document, passages)
        except FormatError as error:
            problem = skipped(self._source, error)
            self._run.report(problem)
            self._counts["failed"] += 1
        self._commit()
        with self._store.write(self._enclave) as transaction:
            # What could not be read cannot be said to be gone.
            gone = 0 if problem else transaction.retire(self._enclave, self._source, self._state.edition)
            transaction.put_file(self._enclave, self._source, replace(self._state, complete=True, problem=problem))
        return Ingested(removed=gone, **self._counts)

    def _take(self, document: Document, passages: list[Passage]) -> None:
        kept = self._run.mails.admit(document, passages) if document.kind == "mail" else passages
        self._counts["duplicates"] += len(passages) - len(kept)
        self._batch.append((document, kept))
        self._characters += len(document.text)

    def _commit(self) -> None:
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
            self._run.report(fault)
        self._state = state
        self._counts.update(counts)
        self._run.count(len(self._batch))
        self._batch.clear()
        self._characters = 0


class _Fetched:
    """A mailbox beside what an enclave holds of it. Its mails are numbered by their UIDs, so that fetching goes on
    where it was; where the server has given them anew, all are fetched again. `state`: from where on."""

    def __init__(self, held: Opened, store: Store, enclave: str, worker: Worker) -> None:
        self._held, self._store, self._enclave, self._worker = held, store, enclave, worker
        self._source, self._sizes = held.mailbox.url, held.sizes()
        known, validity = store.file(enclave, self._source), str(held.validity)
        self._same = known is not None and known.digest == validity
        if known is None or not self._same:
            known = FileState("", validity, known.edition + 1 if known else 1)
        self.state = replace(known, complete=False, problem=None)

    def forget(self) -> int:
        """Remove mails that are there no more; how many."""
        if not self._same:
            return 0
        begins, here = f"{self._source}#", {*map(str, self._sizes)}
        ids = [id for id, source, _ in self._store.documents(self._enclave) if source == self._source]
        gone = [id for id in ids if id.removeprefix(begins).partition("/")[0] not in here]
        if gone:
            with self._store.write(self._enclave) as transaction:
                transaction.remove(self._enclave, gone)
        return len(gone)

    def read(self, report: Report) -> Iterator[tuple[Document, list[Passage]]]:
        """The mails that are new, each parsed where files are. Raises `FormatError` where the server ends it."""
        folder, limit = self._store.path.parent.absolute(), self._worker.limits.max_record
        for left in folder.glob(f"{_PLACE}*"):  # by a process that was killed
            shutil.rmtree(left, ignore_errors=True)
        new = {uid: size for uid, size in self._sizes.items() if uid >= self.state.records}
        with Faults(self._source, report) as faults, TemporaryDirectory(prefix=_PLACE, dir=folder) as place:
            for uid in (uid for uid, size in new.items() if size > limit):
                faults.add(f"mail {uid}", "it is longer than the limit for a record")
            for uid, raw in self._held.mails({uid: size for uid, size in new.items() if size <= limit}):
                file = Path(place, "mail.eml")
                file.write_bytes(raw)
                found = Found(file, f"{self._source}#{uid}", "mail")
                try:
                    for document, passages in self._worker.read(found, self._enclave, report):
                        known = document.meta
                        meta = {**known, "record": uid, "folder": known.get("folder") or self._held.mailbox.name}
                        yield replace(document, source=self._source, meta=meta), passages
                except FormatError:
                    faults.add(f"mail {uid}", "its header or its encoding is broken")
