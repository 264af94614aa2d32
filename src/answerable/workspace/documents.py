"""The desk at which long documents are read: it finds them, checks who may read them, and keeps what walks them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from threading import RLock

from answerable.corpora.ahead import stamp_of
from answerable.corpora.database import read_only
from answerable.corpora.formats import find_files
from answerable.corpora.names import place_of, real
from answerable.corpora.paragraphs import Paragraph, paragraphs
from answerable.corpora.store import Store
from answerable.corpora.worker import borrowed
from answerable.documents.conversation import Conversation
from answerable.documents.encoded import Book, Done, keep, open_book, plain_book, reopen
from answerable.documents.linked import Composed, composed
from answerable.documents.reader import Guide, Shelved, shelved
from answerable.documents.settle import Turn
from answerable.engine import OWNER
from answerable.errors import AbsentError, BusyError, EnclaveError, FormatError, UsageError
from answerable.privacy.flow import readable
from answerable.selective.calibrate import Calibration
from answerable.text import check_text
from answerable.types import PUBLIC, Asker, Document, Label
from answerable.workspace.alone import alone
from answerable.workspace.models import guides_provenance, open_guide
from answerable.workspace.settings import Settings

HELD = 4
"""Documents that stay open between questions."""
_NAMED = 3  # documents named in a hint
_LINKED_FILES = 50  # in which the page of a link is looked for


class DocumentReader:
    """Reads documents of a store, and for the owner also files that are in none, of which nothing is kept.

    Nothing is ever sent anywhere. Reading is safe from several threads.
    """

    def __init__(self, settings: Settings, store: Store | None = None) -> None:
        self.settings = settings
        self._store = store
        self._preparing = RLock()
        self._reads: tuple[Guide, Calibration] | None = None
        self._held: OrderedDict[tuple[str, str], Shelved] = OrderedDict()

    def guide(self) -> Guide:
        """What walks and reads. Raises `ModelError` when the model does not walk."""
        return self._opened()[0]

    def _opened(self) -> tuple[Guide, Calibration]:
        with self._preparing:
            self._reads = self._reads or open_guide(self.settings)
            return self._reads

    def converse(
        self,
        document: Path | str,
        asker: Asker = OWNER,
        enclave: str | None = None,
        scenario: str = "",
        history: Sequence[Turn] = (),
        progress: Done | None = None,
    ) -> Conversation:
        """A conversation about a document: the path of a file, or the id or source of an indexed document.

        What is said carries the document's label, the asker's and the models'; a file that is in no enclave has none
        of its own. `progress`: told how far a document is that takes long to be made ready. Raises `UsageError` where
        there is no such document, or several, or what is said cannot be used; `EnclaveError` for an enclave that is not
        there or that the asker may not read; `FormatError` for a file that cannot be read; `ModelError`.
        """
        for text in filter(None, (scenario, *(part for turn in history for part in turn))):
            check_text(text, "scenario")
        table = self.settings.table()
        table.check_asker(asker)
        taught = guides_provenance(self.settings)
        taught.check(asker, table)
        found = self._found(str(document), asker, enclave)
        label: Label = asker.label | taught.reader | (table[found.enclave].label if found.enclave else PUBLIC)
        return Conversation(self.guide(), self.open(found, progress), label, scenario, history)

    def open(self, document: Document, progress: Done | None = None) -> Shelved:
        """The document with its vectors: held open, or as they were kept, or made now and kept."""
        place = (document.enclave, document.id)
        with self._preparing:
            held, made = self._held.get(place), self._composed(document)
            if held is None or held.book.document != made.document:
                structure = paragraphs(made.document)
                if made.origins:
                    book = open_book(made.document, structure, self.guide().navigator, progress)
                    held = replace(shelved(book), composed=made)
                elif not self.settings.read.walk:
                    guide, calibration = self._opened()
                    ask = alone(self.settings, guide.reader, calibration, document)
                    held = replace(shelved(plain_book(document, structure)), ask=ask)
                else:
                    held = shelved(self._kept(document, structure) or self._made(document, structure, progress))
            self._held[place] = held
            self._held.move_to_end(place)
            while len(self._held) > HELD:
                self._held.popitem(last=False)
            return held

    def _composed(self, document: Document) -> Composed:
        """The document as it is read: a table with what it links to in its own enclave and in no other, so that what is
        found carries that enclave's label alone. Its vectors are not kept: they would outlive documents it links to."""
        store = self._store
        if store is None or not document.enclave:
            return Composed(document)

        def linked(target: str) -> Document | None:
            """By its id, or as a record of the table's own file or of another."""
            others = (source for source, _ in islice(store.files(document.enclave), _LINKED_FILES))
            names = (target, *(f"{source}#{target}" for source in (document.source, *others)))
            found = (store.document(document.enclave, name) for name in names)
            return next((one for one in found if one is not None), None)

        return composed(document, linked)

    def _kept(self, document: Document, structure: Sequence[Paragraph]) -> Book | None:
        """The vectors that are kept of a document, if they are of what it says now."""
        navigator = self.guide().navigator
        if self._store is None or not document.enclave:
            return None
        kept = self._store.book(document.enclave, document.id, navigator.name, navigator.dimension)
        return reopen(document, structure, kept) if kept else None

    def _made(self, document: Document, structure: Sequence[Paragraph], progress: Done | None = None) -> Book:
        """A document's vectors, made now; kept with it where it is stored, unless another process is writing."""
        kept = keep(open_book(document, structure, self.guide().navigator, progress))
        if self._store is not None and document.enclave and not read_only(self._store.path):
            with suppress(BusyError), self._store.write(document.enclave) as transaction:
                transaction.put_book(document.enclave, document.id, self.guide().navigator.name, kept)
        book = reopen(document, structure, kept)  # as it will be the next time, so that it answers alike
        assert book is not None
        return book

    def _found(self, name: str, asker: Asker, enclave: str | None) -> Document:
        """The document called `name` among those the asker may read; without being told so nobody learns of others."""
        table = self.settings.table()
        if enclave is not None:
            decision = readable(asker, table.find(enclave))
            if not decision.allowed:
                raise EnclaveError(decision.reason)
            self.settings.check_held_here(enclave)
        near = [
            one.name
            for one in table.values()
            if enclave in (None, one.name)
            and readable(asker, one).allowed
            and not self.settings.enclaves[one.name].remote
        ]
        path, owner = Path(name), asker.clearance is None
        is_file = owner and path.is_file()
        placed = self._placed(path, near) if is_file else []
        matches = placed or self._named(name, near) if enclave or not is_file else placed
        enclaves = sorted({within for within, _ in matches})
        if len(enclaves) > 1:
            hint = f"say which enclave: {', '.join(enclaves)}"
            raise UsageError(f"{name} is in {len(enclaves)} enclaves", hint=hint)
        if len(matches) > 1:
            some = ", ".join(id for _, id in matches[:_NAMED])
            raise UsageError(f"{name} holds {len(matches):,} documents", hint=f"name one by its id, such as {some}")
        if matches and self._store and (document := self._store.document(*matches[0])):
            return document
        outside = owner and enclave is None
        if outside and path.exists():
            return self._outside(path)
        where = f"in {enclave}" if enclave else "here"
        called = self._called(name, near)
        if len(called) == 1 and self._store and (document := self._store.document(*called[0])):
            return document
        hint = "give the id of a document that is indexed" + ", or the path of a file" * outside
        hint = f"give its id: {' or '.join(id for _, id in called[:_NAMED])}" if called else hint
        raise AbsentError(f"there is no document {name!r} {where}", hint=hint)

    def _called(self, name: str, near: Sequence[str]) -> list[tuple[str, str]]:
        """(enclave, id) of the stored documents whose path ends so, with the ending of its file or without."""
        if not name or self._store is None:
            return []
        ids = ((within, id) for within in near for id, _, _ in self._store.documents(within))
        return [
            (within, id)
            for within, id in ids
            if any(f"/{one}".endswith(f"/{name}") for one in (id, id.removesuffix(Path(id).suffix)))
        ]

    def _named(self, name: str, near: Sequence[str]) -> list[tuple[str, str]]:
        """(enclave, id) of the stored documents whose id or source is `name`."""
        if self._store is None:
            return []
        held = name.encode(errors="replace").decode()  # the name of a file may be any bytes
        return [(within, id) for within in near for id in self._store.named(within, held)]

    def _placed(self, path: Path, near: Sequence[str]) -> list[tuple[str, str]]:
        """(enclave, id) of the stored documents that were read from a file which is still what it was."""
        found: list[tuple[str, str]] = []
        for enclave, source, state in self._store.placed(place_of(real(path))) if self._store else ():
            if enclave in near and state.complete and state.stamp == stamp_of(path):
                found += self._named(source, [enclave])
        return found

    def _outside(self, path: Path) -> Document:
        """The one document of a file that is in no enclave."""
        if path.is_dir():
            raise UsageError(f"{path} is a folder", hint="give one of its files, or index it and name a document")
        faults: list[str] = []
        found = next(find_files([path], faults.append), None)
        if found is None:
            raise UsageError(faults[0].removeprefix("skipped "))
        with borrowed(self.settings.limits) as worker:
            documents = [one for one, _ in islice(worker.read(found, "", faults.append), 2)]
        if len(documents) > 1 and "attached_to" not in documents[1].meta:
            hint = f"answerable index {path} --enclave NAME, then read one by its id"
            raise UsageError(f"{path} holds several documents", hint=hint)
        if not documents:
            raise FormatError(faults[0] if faults else f"{path} holds no document")
        return documents[0]
