"""A folder of enclaves, their documents and indexes, and the engine that asks them.

The only place that names concrete classes. A workspace holds:

    answerable.toml   settings, enclaves and askers: yours to edit
    store.sqlite      documents, passages and vectors: the only truth; with `[store] url` pairs alone, as pairs.sqlite
    indexes/          made from the store; safe to remove, `index` makes them again
    journal.jsonl     every search that was sent or refused (`privacy.audit_records`)
    grants.json       what may be sent besides, until when (`privacy.grants`)
    askers.json       who may ask over HTTP, and what they may read (`workspace.askers`)
    chats/            conversations that have a name (`workspace.chats`)
    remembered/       answers that were called good or bad (`workspace.remembered`)
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import Unpack

from answerable.chains.linking import Linked, link
from answerable.chains.plan import Planned
from answerable.corpora.attached import with_attached
from answerable.corpora.export import Exported, export
from answerable.corpora.fields import Filter
from answerable.corpora.imap import Mailbox
from answerable.corpora.store import Store
from answerable.encoders.encoder import Encoder
from answerable.engine import Engine
from answerable.errors import AnswerableError, EnclaveError, UsageError
from answerable.indexes.index import Progress, silent
from answerable.indexes.manifest import faults
from answerable.indexes.sources import SearchableEnclave
from answerable.privacy.audit_log import JOURNAL, AuditLog
from answerable.privacy.enclaves import EnclaveTable
from answerable.privacy.flow import first_query
from answerable.privacy.grant_file import GRANTS, GrantFile
from answerable.privacy.granting import new_rule
from answerable.privacy.grants import Grant
from answerable.readers.reader import Reader
from answerable.readers.spelling import spelling_for
from answerable.retriever import Retriever, Watch
from answerable.selective.calibrate import Calibration
from answerable.text import check_text, checked_question
from answerable.types import PUBLIC, Answer, Asker, Privacy, Reading
from answerable.workspace import late
from answerable.workspace.askers import ASKERS, AskerFile
from answerable.workspace.chats import CHATS, Chat, ChatFolder, stands
from answerable.workspace.declarations import UNLABELLED, Declaration, Kind
from answerable.workspace.enclaves import Places
from answerable.workspace.library import Library
from answerable.workspace.models import asked_of, encoder_of, predictor_of, provenance_of, reader_of
from answerable.workspace.parts import check_kept
from answerable.workspace.remembered import REMEMBERED, Judging, RememberedAnswers
from answerable.workspace.settings import Settings, declare, declare_remote, declared_since
from answerable.workspace.status import EnclaveStatus, Indexed, Status, status_of
from answerable.workspace.stores import open_pairs, open_store
from answerable.workspace.terms import Asking, asker_of, terms_of, with_problems
from answerable.workspace.values import convert

INDEXES = "indexes"


class Workspace(Judging, AbstractContextManager["Workspace"]):
    """Documents of several enclaves, indexed and askable. Close it, or use it in a `with` block.

    Asking is safe from several threads; one process at a time may write. Made by `answerable.open`."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder, self.settings = folder, settings
        self.journal = AuditLog(folder / JOURNAL, settings.journal)
        self._grants, self.askers = GrantFile(folder / GRANTS), AskerFile(folder / ASKERS)
        self._store = open_store(folder, settings.store)
        self._kept = open_pairs(folder, self._store)
        self.library = Library(lambda: self.settings, self._store, self._kept)
        self._preparing = RLock()
        self._encoder: Encoder | None = None
        self._reader: tuple[Reader, Calibration] | None = None
        self._retriever: Retriever | None = None
        self._engine: Engine | None = None
        self._pairs: late.QAPairs | None = None
        self._desk: late.DocumentReader | None = None
        self._scout: late.SetSearch | None = None
        self._places = Places(self._store, folder / INDEXES)
        self._find = lambda passage: self._places.document(self.settings, passage)
        self.remembered = RememberedAnswers(folder / REMEMBERED, self, self._store, self._retriever_now)
        self.chats = ChatFolder(folder / CHATS, lambda cited: stands(cited, self.settings, self._store))

    def resume(self) -> None:
        """Finish a deletion that was stopped. If that cannot be done now, whoever writes next is told why."""
        if self._store.unpurged():
            with suppress(AnswerableError), self._writing() as builder:
                builder.settle(seconds=0.0)

    def close(self) -> None:
        """Close the store and every connection. Closing twice does no harm."""
        self._places.close()
        self._kept.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def enclaves(self) -> EnclaveTable:
        """The declared enclaves, in the order in which they are searched."""
        return self.settings.table()

    def asker(self, name: str | None) -> Asker:
        """A declared asker; without a name the owner, who may read everything. Raises `UsageError` when unknown."""
        return asker_of(self.settings, name)

    def ask(self, question: str, asker: Asker | str | None = None, **asking: Unpack[Asking]) -> Answer:
        """Answer a question with evidence, or say why not. `asking`: privacy, hops, grants and more; what is not given
        is as in the settings (`workspace.terms.Asking`). Raises `UsageError` for what cannot be used."""
        terms, own = terms_of(self.settings, self.grants(), asker, **asking)
        for one in own:
            self.journal.granted(one, checked_question(one.text or question))
        with self.journal.flushing():
            answer = self.engine().ask(question, terms)
            answer = with_problems(answer, terms, self._places.problems, self._places.unfinished)
        if "said" not in asking:  # a conversation keeps what it keeps itself
            self.remembered.note(question, terms, answer)
        return answer

    def search(self, question: str, asker: Asker | str | None = None, **asking: Unpack[Asking]) -> Answer:
        """The passages that one search with the question finds: an answer with `passages` and without text."""
        terms, _ = terms_of(self.settings, self.grants(), asker, **asking)
        with self.journal.flushing():
            return self.engine().search(question, terms)

    def chat(self, name: str | None = None, asker: Asker | str | None = None) -> Chat:
        """A conversation: its `ask` answers questions that follow on others. With a name it is kept, and goes on from
        where it was; without, nothing is kept. `chats` lists those that are kept, and deletes them."""
        return Chat(self, self.chats, asker_of(self.settings, asker), name)

    def plan(self, question: str, asker: Asker | str | None = None, **asking: Unpack[Asking]) -> tuple[Planned, ...]:
        """What `ask` would send where, as far as it is known. Nothing is sent or written down. Raises as `ask` does."""
        terms, _ = terms_of(self.settings, self.grants(), asker, **asking)
        return self.engine().plan(question, terms)

    def find(
        self,
        query: str | None = None,
        expression: late.Expression | str | None = None,
        limit: int | None = None,
        asker: Asker | str | None = None,
        privacy: Privacy | str | None = None,
        evidence: bool = True,
        filter: Filter | None = None,
        watch: Watch | None = None,
        exhaustive: bool = False,
    ) -> late.Finding:
        """Find everything that a query asks for, each member with the sentences that show why.

        Iterate over it for members as they become certain; its `found` is the whole set, and waits for it.
        `expression`: how to read the query, such as `("tools" or "libraries") minus "for children"`; the query may then
        be left out. `limit`: members, at most. `evidence`: look for sentences. `filter`, `watch`: as for `ask`.
        `exhaustive`: look at all that could be a member. Raises `UsageError`, and later what is wrong with an index.
        """
        terms, _ = terms_of(self.settings, self.grants(), asker, privacy=privacy, filter=filter, watch=watch)
        scout = self._scout_now()  # first: it learns which indexes cannot be used
        return scout.begin(query, expression, terms, limit, evidence, self._places.problems, exhaustive)

    def grants(self) -> tuple[Grant, ...]:
        """Every standing grant, in the order of adding; also those that were revoked or have ended."""
        return self._grants.all()

    def grant(
        self,
        lifts: Iterable[str],
        to: str,
        asker: Asker | str | None = None,
        until: datetime | None = None,
        reason: str = "",
    ) -> Grant:
        """Let an asker's queries that carry text of the enclaves `lifts` be sent to the enclave `to`.

        `until`: local time if it has no zone; None: for a day. Raises as `privacy.granting.new_rule`."""
        who = asker_of(self.settings, asker)
        made = new_rule(self.settings.hosts(), who, lifts, to, datetime.now(UTC), until and until.astimezone(), reason)
        self._grants.add(made)
        self.journal.granted(made)
        return made

    def revoke(self, grant: str) -> Grant:
        """Take back a standing grant, at once and for good. Raises `UsageError` for an id that no grant has."""
        self.journal.revoked(gone := self._grants.revoke(grant, datetime.now(UTC)))
        return gone

    def link(self, text: str, asker: Asker | str | None = None, k: int = 1) -> Linked:
        """The names in a text, in order, and for each the k best pages of the enclaves that the asker may read.

        The text goes where a question would go under the workspace's privacy. Raises `UsageError` for a text that
        cannot be used or an encoder that does not link, `IndexMismatch` when there are no pages to link to."""
        check_text(text, "text")
        who, door = asker_of(self.settings, asker), self._retriever_now()
        asked = first_query(text, who, door.privacy, door.enclaves)
        query = provenance_of(self.settings).asked(asked, door.enclaves)
        self._places.check_links(door, who)
        with self.journal.flushing():
            return link(query, door.under(door.privacy, self.grants(), datetime.now(UTC)), k)

    def read(
        self,
        document: Path | str,
        question: str,
        asker: Asker | str | None = None,
        enclave: str | None = None,
        scenario: str = "",
        history: Sequence[late.Turn] = (),
    ) -> Reading:
        """Answer a question from one document, or give a reason for not answering.

        `scenario`: what the asker says of their own case. `history`: questions put to the asker before, with answers.
        Nothing is sent anywhere. Raises as `DocumentReader.converse`, and `UsageError` for an empty question."""
        line, who = checked_question(question), asker_of(self.settings, asker)
        return self.desk().converse(document, who, enclave, scenario, history).say(line)

    def index(
        self,
        paths: Path | str | Mailbox | Sequence[Path | str | Mailbox],
        enclave: str,
        kind: Kind | str | None = None,
        progress: Progress | None = None,
        as_if_elsewhere: bool = False,
    ) -> Indexed:
        """Add files under `paths`, and mails of a `Mailbox`; drop what is gone there since the last time.

        A new enclave is private unless `kind` says otherwise. It lies here, so it may be asked anything, unless
        `as_if_elsewhere`, which is to experiment. Text is found by words once it is read, by meaning when all is done.
        `progress` is told a stage, what is done and the total (0: not known). Stopped, the same call resumes. Private
        text of an export goes into private enclaves only. Raises `EnclaveError` for another `kind` than was declared,
        `UsageError`, `RemoteError`."""
        started, skipped = time.perf_counter(), list[str]()
        given = [paths] if isinstance(paths, Path | str | Mailbox) else paths
        places = [Path(path) if isinstance(path, str) else path for path in given]
        if missing := next((one for one in places if isinstance(one, Path) and not one.exists()), None):
            raise UsageError(f"{missing} does not exist")
        self.settings.check_held_here(enclave)
        with self._writing() as builder:
            wanted, known = convert("kind", kind, Kind | None), self.settings.enclaves.get(enclave)
            if wanted in UNLABELLED:  # the same, of text that lies here
                wanted = known.kind if known and known.kind in UNLABELLED else Kind.PUBLIC
            declared = declare(self.folder, enclave, wanted, PUBLIC if as_if_elsewhere else None)
            self.settings = replace(self.settings, enclaves={**self.settings.enclaves, enclave: declared})
            provenance_of(self.settings).check_shown(declared.enclave().label)
            builder.renew_pairs = lambda name: self.pairs.refresh(name, progress or silent)
            files = builder.run(places, enclave, progress or silent, skipped.append, declared.kind is not Kind.PRIVATE)
            if self._store.pair_count(enclave):
                builder.renew_pairs(enclave)
        held, seconds = self._store.holdings(enclave), time.perf_counter() - started
        return Indexed(enclave, declared.kind, files, held.documents, held.passages, tuple(skipped), seconds)

    def delete(self, names: Sequence[str] | None, enclave: str) -> int:
        """Delete documents by id or source (a file), mails with what is attached to them; None: all of the enclave.
        Nothing of them stays in the store or in any index. Returns how many. Raises `UsageError`."""
        self.settings.check_held_here(self.enclaves().find(enclave).name)
        with self._writing() as builder:
            builder.renew_pairs = lambda name: self.pairs.refresh(name)
            return builder.delete(enclave, names and with_attached(self._store, enclave, names))

    def status(self) -> Status:
        """What each enclave holds, declared ones first. Nobody may read one that is in the store and not declared."""
        encoder, places = self._encoder_now(), self._places
        with self._preparing:
            places.open(self.settings, encoder)
        return status_of(self.folder, self.settings, self._store, encoder.name, places.problems, places.remotes)

    def faults(self, enclave: str) -> list[str]:
        """Check all of an enclave: what is not as it was stored or made. It names documents, so it is for the owner."""
        stored = self._kept.faults(enclave, self.journal.roots().get(enclave))
        return [*stored, *faults(self.folder / INDEXES, enclave)]

    def reopen(self) -> bool:
        """Have the next ask see what another process indexed or declared. False, and no change, while it is at it."""
        new = declared_since(self.settings)
        if ready := self._places.ready((*self.settings.enclaves.values(), *new), self._encoder_now()):
            self._use(*new)
        return ready

    def export(self, target: Path | str, enclave: str) -> Exported:
        """Write one enclave as JSONL: a file when `target` ends in `.jsonl`, else a folder (see `corpora.export`)."""
        self.settings.check_held_here(self.enclaves().find(enclave).name)
        return export(self._store, self.enclaves()[enclave], Path(target))

    def add_remote(self, declaration: Declaration) -> EnclaveStatus:
        """Declare an enclave that another machine serves, and return what it says of itself; it may be down.
        Raises `EnclaveError` when the name is declared or holds documents here, `SettingsError` for a wrong address."""
        self._check_empty(declaration.name)
        declare_remote(self.folder, declaration)
        self._use(declaration)
        return next(row for row in self.status().enclaves if row.name == declaration.name)

    def attach(
        self, name: str, index: SearchableEnclave, kind: Kind | str | None = None, admits: Iterable[str] | None = None
    ) -> None:
        """Search an enclave by an index of your own, until this is closed. The same rule decides what it is sent.

        A new enclave is private, and on your machine, unless `kind` and `admits` say otherwise, as in answerable.toml.
        Raises `UsageError` for what is no index, `EnclaveError` when the name is used by something else."""
        check_kept("the index", index, SearchableEnclave)
        self.settings.check_held_here(name)
        self._check_empty(name)
        words = None if admits is None else frozenset(admits)
        self._use(replace(declare(self.folder, name, convert("kind", kind, Kind | None), words), index=index))

    def _check_empty(self, enclave: str) -> None:
        if self._store.holdings(enclave).documents:
            raise EnclaveError(f"enclave {enclave} holds documents here", hint="choose another name")

    def _use(self, *declared: Declaration) -> None:
        """Have the next ask go over the indexes as they are now, and over what was declared besides."""
        with self._preparing:
            self.settings = replace(self.settings, enclaves={**self.settings.enclaves, **{d.name: d for d in declared}})
            self._retriever = self._engine = self._scout = self._pairs = None

    def served(self, enclave: str) -> late.Served:
        """An enclave of this workspace, for a server. Raises `IndexMismatch` when its index cannot be used."""
        provenance_of(self.settings).check_served(self.enclaves().find(enclave))
        self.settings.check_held_here(enclave)
        return late.Served(self._store, self.folder / INDEXES, enclave, self._encoder_now())

    def desk(self) -> late.DocumentReader:
        """Where long documents are read, under the settings as they are now; `converse` there begins a conversation."""
        with self._preparing:
            self._desk = self._desk or late.DocumentReader(self.settings, self._store)
            self._desk.settings = self.settings
            return self._desk

    @property
    def pairs(self) -> late.QAPairs:
        """Where question-answer pairs are made, kept and answered from."""
        how = (self._kept, self._retriever_now, self._find, lambda: self._writing(self._kept), self.grants)
        with self._preparing:
            self._pairs = self._pairs or late.QAPairs(self.folder, self.settings, *how)
            return self._pairs

    def engine(self) -> Engine:
        """The engine over the indexes as they are now."""
        with self._preparing:
            if self._engine is None:
                self._reader = self._reader or reader_of(self.settings)
                reader, calibration = self._reader
                given, pairs = self.settings, self.pairs if self._kept.pair_enclaves() else None
                door, shortcuts = pairs.shortcut(reader) if pairs else (self._retriever_now(), ())
                self._places.problems = {**(pairs.problems if pairs else {}), **self._places.problems}
                how = (given.beam, given.ask, predictor_of(given), provenance_of(given), shortcuts)
                said, mending = (*asked_of(given), self.remembered), spelling_for(reader)
                beside = late.beside(given, reader)
                self._engine = Engine(door, reader, calibration, self._find, *how, *said, mending, beside)
            return self._engine

    def _scout_now(self) -> late.SetSearch:
        """What finds sets over the indexes as they are now."""
        with self._preparing:
            self._scout = self._scout or late.SetSearch(self.settings, self._retriever_now(), self._store, self._find)
            return self._scout

    def _retriever_now(self) -> Retriever:
        """The door to them."""
        with self._preparing:
            if self._retriever is None:
                given, encoder, table = self.settings, self._encoder_now(), self.enclaves()
                how = (self._places.open(given, encoder), encoder, given.ask.privacy, given.search, self.journal)
                self._retriever = Retriever(table, *how, modes=given.modes(), own=self._places.own)
            return self._retriever

    def _encoder_now(self) -> Encoder:
        with self._preparing:
            self._encoder = self._encoder or encoder_of(self.settings)
            return self._encoder

    @contextmanager
    def _writing(self, store: Store | None = None) -> Iterator[late.IndexBuilder]:
        """The one writer to a store among threads and processes; the engine is made anew after. Raises `BusyError`."""
        encoder, given = self._encoder_now(), self.settings
        own = (self.folder, self.folder / INDEXES, self.folder / JOURNAL)
        try:
            with late.hands(given, self._store) as those, ExitStack() as after:
                builder = late.index_builder(store or self._store, own, encoder, those, lambda: self.settings)
                after.enter_context(builder.writing())
                after.callback(lambda: self.journal.stored(self._store.roots()))
                after.callback(self.chats.settle)
                after.callback(self.remembered.settle)
                yield builder
        finally:
            self._use()
        if store is None and self._kept.late():
            self.pairs.catch_up()
