"""The mails of a server on their way into the store: what is new is fetched, and what is gone there is forgotten."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from answerable.corpora.formats import Found
from answerable.corpora.imap import Opened
from answerable.corpora.sources import Faults, Report
from answerable.corpora.store import Store
from answerable.corpora.transaction import FileState
from answerable.corpora.worker import Worker
from answerable.errors import FormatError
from answerable.types import Document, Passage

Documents = Callable[[], Iterator[tuple[Document, list[Passage]]]]
"""Reads documents with their passages, in order."""
_PLACE = ".mail-"


class Fetched:
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
        gone = [id for id in ids if id.removeprefix(begins) not in here]
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
                try:
                    yield from self._parsed(Found(file, f"{self._source}#{uid}", "mail"), uid, report)
                except FormatError:
                    faults.add(f"mail {uid}", "its header or its encoding is broken")

    def _parsed(self, found: Found, uid: int, report: Report) -> Iterator[tuple[Document, list[Passage]]]:
        for document, passages in self._worker.read(found, self._enclave, report):
            meta = {**document.meta, "record": uid, "folder": document.meta.get("folder") or self._held.mailbox.name}
            yield replace(document, source=self._source, meta=meta), passages
