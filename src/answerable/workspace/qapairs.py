"""Where the question-answer pairs of a workspace are made, kept and answered from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from answerable.corpora.citations import FindDocument
from answerable.corpora.store import Store
from answerable.engine import OWNER
from answerable.errors import AnswerableError, BusyError, IndexMismatch, UsageError
from answerable.indexes.build import IndexBuilder
from answerable.indexes.index import Progress, silent
from answerable.indexes.manifest import current_pairs
from answerable.indexes.sources import SearchablePairs
from answerable.printing import counted
from answerable.privacy.flow import readable
from answerable.privacy.grants import Grant
from answerable.qapairs.answering import PairAnswer, PairEngine
from answerable.qapairs.build import Built, build_pairs
from answerable.qapairs.calibration import open_calibration
from answerable.qapairs.early_exit import EarlyReader, open_early_calibration, open_several
from answerable.qapairs.exchange import ExportedPairs, ImportedPairs, export_pairs, import_pairs
from answerable.qapairs.generation.stages import BLOCK
from answerable.qapairs.index.budget import parse_bytes
from answerable.qapairs.index.build import BuiltPairs, build_pair_index
from answerable.qapairs.index.opened import PairStats, asked_budget, open_pair_index, pair_stats
from answerable.qapairs.pair_settings import PairSettings
from answerable.qapairs.shortcut import PairShortcut
from answerable.qapairs.verify import Verifier, by_words
from answerable.readers.reader import Reader
from answerable.retriever import Retriever
from answerable.text import checked_question
from answerable.types import Asker, Enclave, Privacy
from answerable.work.spread import ALONE, cores, workers
from answerable.workspace.models import matcher_of, provenance_of, verifier_of
from answerable.workspace.pair_stages import Wanted, matcher_bytes, parts_of, recipe_of
from answerable.workspace.settings import Settings
from answerable.workspace.terms import terms_of

INDEXES = "indexes"
"""Where they lie in the folder of a workspace."""
REFRESHED = 50_000
"""Pairs up to which an index is made anew with what is indexed or deleted: seconds, where it has their vectors."""


@dataclass(frozen=True, slots=True)
class PairPlaces:
    """What answers from pairs, None where no enclave has some that can be searched; and why not, by enclave."""

    engine: PairEngine | None
    problems: dict[str, str]


class QAPairs:
    """The pairs of one workspace. `retriever` gives the door to its indexes, without pairs; `find` looks up stored
    documents; `writing` makes this the one writer. `grants`: the standing ones.
    """

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        store: Store,
        retriever: Callable[[], Retriever],
        find: FindDocument,
        writing: Callable[[], AbstractContextManager[IndexBuilder]],
        grants: Callable[[], tuple[Grant, ...]] = tuple,
    ) -> None:
        self.folder = folder
        self.settings = settings
        self._store = store
        self._retriever = retriever
        self._find = find
        self._places: dict[frozenset[str] | None, PairPlaces] = {}
        self._writing = writing
        self._grants = grants

    def build(
        self,
        enclave: str,
        wanted: Wanted | None = None,
        processes: int = 0,
        keep: bool = False,
        budget: str | int | None = None,
        progress: Progress | None = None,
        replacing: bool = False,
    ) -> tuple[Built, BuiltPairs]:
        """Make pairs of the passages of an enclave that have none yet, and index all that it has.

        `processes`: 0 as `work.processes`, or else one a processor, as far as there is work for them; parts that were
        handed in work in this one alone. `budget`: as for `index`. `replacing`: pairs that were made otherwise go, a
        passage's own as soon as new ones are there. Stopped at any moment, the same call goes on. Raises `EnclaveError`
        for an enclave that is not there or elsewhere, `UsageError` for one without passages, for pairs that would go
        and for what is not possible, `ModelError`, `MissingExtraError`, `BusyError`, and as `build_pairs` does.
        """
        what, settings, size = wanted or Wanted(), self.settings, self._bytes(budget)
        target = settings.table().find(enclave)
        settings.check_held_here(enclave)
        passages = self._store.holdings(enclave).passages
        if not passages:
            raise UsageError(f"nothing is indexed in {enclave}", hint=f"answerable index PATH --enclave {enclave}")
        recipe = recipe_of(settings, target, what)
        others = sum(
            pairs
            for name, imported, pairs, _ in self._store.pair_origins(enclave)
            if not imported and name != recipe.made_by
        )
        if others and not replacing:
            raise UsageError(
                f"{counted(others, 'pair')} of {enclave} made in another way would go",
                hint="pairs build as before, or --replace",
            )
        matcher, _ = matcher_of(settings)
        work = ALONE if settings.own else replace(settings.work, processes=processes or settings.work.processes)
        tell = progress or silent
        with self._writing() as builder, workers(work, min(cores(), passages // BLOCK)) as those:
            parts = parts_of(settings, self.folder.absolute(), target, recipe, those.here)
            self._follow(builder, enclave)
            made = build_pairs(self._store, enclave, recipe, parts, those, target.label, keep, tell)
            self._follow(builder, enclave)  # of what others changed meanwhile, nothing stays
            model = matcher_bytes(settings)
            how = (matcher, settings.pairs, size, tell, model, settings.models.threads)
            return made, build_pair_index(self._store, builder.folder, enclave, *how)

    def stats(self, enclave: str | None = None) -> list[PairStats]:
        """What is kept of the pairs of one enclave, or of each that has some or could have. Raises `EnclaveError`."""
        names = [self._held(enclave).name] if enclave else self._names()
        with suppress(BusyError):
            self.catch_up()
        return [pair_stats(self._store, self._indexes, name) for name in names]

    def export(self, target: Path | str, enclave: str) -> ExportedPairs:
        """Write the pairs of one enclave to a file in the format of PAQ's metadata (see `pairs.exchange`)."""
        held = self._held(enclave)
        self.catch_up()
        return export_pairs(self._store, held, Path(target))

    def import_(
        self, path: Path | str, enclave: str, source: str | None = None, progress: Progress = silent
    ) -> ImportedPairs:
        """Keep the pairs of a file in one of PAQ's formats, in place of those of the same source.

        They are found once `index` ran. Raises as `qapairs.exchange.import_pairs` does, and `BusyError`.
        """
        held = self._held(enclave)
        with self._writing() as builder:
            self._follow(builder, enclave)
            done = import_pairs(self._store, held, Path(path), source, progress)
            builder.settle()
        return done

    def remove(self, enclave: str, source: str) -> int:
        """Remove the pairs that were imported from a source; how many. Nothing of them stays in the store or any index.

        Raises `UsageError` when none came from there.
        """
        name = self._held(enclave).name
        self.catch_up()
        with self._writing() as builder:
            with self._store.write(name) as transaction:
                removed = transaction.remove_pairs(name, source)
            builder.settle()
        if not removed:
            raise UsageError(f"enclave {name!r} has no pairs from {source!r}", hint="see 'answerable pairs stats'")
        return removed

    def refresh(self, enclave: str, progress: Progress = silent) -> bool:
        """Index the pairs of an enclave anew where some came or went, unless they are more than `REFRESHED`, for which
        `index` is to be called; for the one writer. Whether their index is up to date now: what stands in the way is
        told whoever asks. Questions that the index before it has are not encoded again, and its budget holds.
        """
        if current_pairs(self._store, self._indexes, enclave) is None:
            if self._store.pair_count(enclave) > REFRESHED:
                return False
            try:
                size = asked_budget(self._indexes, enclave) or self._bytes(None)
                self._index([enclave], size, progress)
            except AnswerableError:
                return False
        return True

    def index(
        self, enclave: str | None = None, budget: str | int | None = None, progress: Progress = silent
    ) -> list[BuiltPairs]:
        """Bring the index of one enclave's pairs up to date, or of each that has some.

        `budget`: what index and matcher may take together, as "500MB" or in bytes; None: as the settings say.
        """
        size = self._bytes(budget)
        self.catch_up(progress)
        names = [self._held(enclave).name] if enclave else self._store.pair_enclaves()
        with self._writing():
            return self._index(names, size, progress)

    def catch_up(self, progress: Progress = silent) -> None:
        """Let go of pairs whose text others changed or deleted in a store that is shared, and index the rest anew."""
        if late := self._store.late():
            with self._writing() as builder:
                self._follow(builder, *late, progress=progress)

    def _follow(self, builder: IndexBuilder, *enclaves: str, progress: Progress = silent) -> None:
        for name in enclaves:
            self._store.follow(name)
        builder.renew_pairs = lambda name: self.refresh(name, progress)
        builder.settle()

    def _index(self, names: Sequence[str], size: int | None, progress: Progress) -> list[BuiltPairs]:
        """Bring the indexes of these enclaves' pairs up to date, each in at most `size` bytes."""
        table = self.settings.table()
        private = frozenset(name for name in names if name not in table or table[name].private)
        provenance_of(self.settings).check_shown(private)
        matcher, _ = matcher_of(self.settings)
        given = (matcher, self.settings.pairs, size, progress, matcher_bytes(self.settings))
        threads = self.settings.models.threads
        return [build_pair_index(self._store, self._indexes, name, *given, threads) for name in names]

    @property
    def _indexes(self) -> Path:
        return self.folder / INDEXES

    def _bytes(self, budget: str | int | None) -> int | None:
        """A budget as it was given, or as the settings have it. Raises `UsageError`."""
        given = self.settings.pairs.budget if budget is None else budget
        return parse_bytes(given) if isinstance(given, str) else given

    def _held(self, enclave: str) -> Enclave:
        """A declared enclave that lies here. Raises `EnclaveError`."""
        found = self.settings.table().find(enclave)
        self.settings.check_held_here(found.name)
        return found

    def _names(self) -> list[str]:
        """Enclaves that lie here, and those that nobody declares and that have pairs."""
        here = [name for name in self.settings.table() if not self.settings.enclaves[name].remote]
        return [*here, *(name for name in self._store.pair_enclaves() if name not in here)]

    def ask(
        self,
        question: str,
        asker: Asker | str | None = None,
        privacy: Privacy | str | None = None,
        grant: Mapping[str, Iterable[str]] | None = None,
    ) -> PairAnswer:
        """Answer a question from pairs alone, or give a reason for not answering; the rest as in `Workspace.ask`.

        Raises `UsageError` where there are no pairs, `IndexMismatch` where none of them can be searched.
        """
        line = checked_question(question)
        terms, own = terms_of(self.settings, self._grants(), asker, privacy=privacy, grant=grant)
        pairs = self.engine(terms.asker)
        if pairs.door.journal:
            for one in own:
                pairs.door.journal.granted(one, line)
        with pairs.door.flushing():
            return pairs.answer(line, terms)

    def ask_many(
        self,
        questions: Sequence[str],
        asker: Asker | str | None = None,
        privacy: Privacy | str | None = None,
        citing: bool = True,
    ) -> list[PairAnswer]:
        """Many questions at once, much faster than one by one; without `citing`, faster still. Raises as `ask`."""
        lines = [checked_question(one) for one in questions]
        terms, _ = terms_of(self.settings, self._grants(), asker, privacy=privacy)
        pairs = self.engine(terms.asker)
        with pairs.door.flushing():
            return pairs.answer_many(lines, terms, citing)

    def engine(self, asker: Asker = OWNER) -> PairEngine:
        """What answers an asker from the pairs there are now that they may read: of others they are told nothing.

        Raises as `ask`.
        """
        table = self._retriever().enclaves
        found = self._opened(frozenset(name for name, one in table.items() if readable(asker, one).allowed))
        if found.engine is not None:
            return found.engine
        if found.problems:
            raise IndexMismatch("; ".join(found.problems.values()))
        raise UsageError("there are no pairs to answer from", hint="answerable pairs build --enclave NAME makes some")

    def shortcut(self, reader: Reader) -> tuple[Retriever, tuple[PairShortcut, ...]]:
        """The door, with pairs where the settings say that an ask answers from them, and the shortcut they then are."""
        settings = self.settings
        if not settings.pairs.answer or (pairs := self._opened().engine) is None:
            return self._retriever(), ()
        matcher = pairs.door.matcher.name if pairs.door.matcher else ""
        early = None if settings.asks else early_reader(reader, matcher, settings.pairs, pairs.verify)
        return pairs.door, (PairShortcut(pairs, early, settings.ask.threshold or 0.0),)

    @property
    def problems(self) -> dict[str, str]:
        """Why pairs cannot be searched that an ask would look among, by enclave."""
        return self._opened().problems if self.settings.pairs.answer else {}

    def _opened(self, among: frozenset[str] | None = None) -> PairPlaces:
        """The pairs of these enclaves, or of all, behind a door of their own."""
        if among not in self._places:
            self._places[among] = self._open(among)
        return self._places[among]

    def _open(self, among: frozenset[str] | None) -> PairPlaces:
        """Raises `UsageError` and `ModelError` as `matcher_of`, where there are pairs at all."""
        with suppress(BusyError):  # what is late all the same gives nothing
            self.catch_up()
        settings, retriever = self.settings, self._retriever()
        table = retriever.enclaves
        names = [name for name in self._store.pair_enclaves() if name in table and not table[name].remote]
        names = [name for name in names if among is None or name in among]
        if not names:
            return PairPlaces(None, {})
        matcher, reranker = matcher_of(settings)
        indexes: dict[str, SearchablePairs] = {}
        problems: dict[str, str] = {}
        for name in names:
            try:
                indexes[name] = open_pair_index(self._store, self._indexes, name, matcher.name, settings.models.threads)
            except IndexMismatch as error:
                problems[name] = str(error)
        if not indexes:
            return PairPlaces(None, problems)
        door = replace(retriever, pairs=indexes, matcher=matcher)
        reads = reranker if settings.pairs.rerank else None
        calibration = open_calibration(matcher.name, reads.name if reads else "")
        how = (verifier_of(settings), calibration, settings.pairs, self._find, provenance_of(settings))
        return PairPlaces(PairEngine(door, reads, *how), problems)


def early_reader(
    reader: Reader, matcher: str, settings: PairSettings, verify: Verifier = by_words
) -> EarlyReader | None:
    """What reads the first passages found, where it is known how far to trust it."""
    known, several = open_early_calibration(matcher, reader.name), open_several(matcher)
    if not settings.early or known is None or several is None:
        return None
    return EarlyReader(reader, known, settings.early, several, settings.early_threshold, verify)
