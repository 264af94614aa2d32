"""The pairs of a workspace opened for answering: an index for each enclave, and the models that look questions up."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from pathlib import Path

from answerable.corpora.citations import FindDocument
from answerable.corpora.store import Store
from answerable.errors import IndexMismatch
from answerable.indexes.sources import SearchablePairs
from answerable.privacy.provenance import TrainingProvenance
from answerable.qapairs.answering import PairEngine
from answerable.qapairs.calibration import open_calibration
from answerable.qapairs.early_exit import EarlyReader, open_early_calibration, open_several
from answerable.qapairs.index.opened import open_pair_index
from answerable.qapairs.pair_settings import PairSettings
from answerable.qapairs.shortcut import PairShortcut
from answerable.qapairs.verify import Verifier, by_words
from answerable.readers.reader import Reader
from answerable.retriever import Retriever
from answerable.workspace.models import matcher_of, verifier_of
from answerable.workspace.settings import Settings

INDEXES = "indexes"
"""Where they lie in the folder of a workspace."""


@dataclass(frozen=True, slots=True)
class PairPlaces:
    """What answers from pairs, None where no enclave has some that can be searched; and why not, by enclave."""

    engine: PairEngine | None
    problems: dict[str, str]


def open_pairs(
    retriever: Retriever,
    settings: Settings,
    store: Store,
    folder: Path,
    find: FindDocument,
    taught: TrainingProvenance,
    among: Container[str] | None = None,
) -> PairPlaces:
    """The pairs of the enclaves of a retriever, or of some of them, behind its own door. `folder`: where indexes lie.

    Raises `UsageError` and `ModelError` as `workspace.models.matcher_of`, where there are pairs at all.
    """
    table = retriever.enclaves
    names = [name for name in store.pair_enclaves() if name in table and not table[name].remote]
    names = [name for name in names if among is None or name in among]
    if not names:
        return PairPlaces(None, {})
    matcher, reranker = matcher_of(settings)
    indexes: dict[str, SearchablePairs] = {}
    problems: dict[str, str] = {}
    for name in names:
        try:
            indexes[name] = open_pair_index(store, folder, name, matcher.name, settings.models.threads)
        except IndexMismatch as error:
            problems[name] = str(error)
    if not indexes:
        return PairPlaces(None, problems)
    door = replace(retriever, pairs=indexes, matcher=matcher)
    reads = reranker if settings.pairs.rerank else None
    calibration = open_calibration(matcher.name, reads.name if reads else "")
    made = PairEngine(door, reads, verifier_of(settings), calibration, settings.pairs, find, taught)
    return PairPlaces(made, problems)


def pair_shortcut(pairs: PairEngine, reader: Reader, settings: Settings) -> PairShortcut:
    """Pairs as a shortcut of an ask with this reader."""
    matcher = pairs.door.matcher.name if pairs.door.matcher else ""
    early = None if settings.asks else early_reader(reader, matcher, settings.pairs, pairs.verify)
    return PairShortcut(pairs, early, settings.ask.threshold or 0.0)


def early_reader(
    reader: Reader, matcher: str, settings: PairSettings, verify: Verifier = by_words
) -> EarlyReader | None:
    """What reads the first passages found, where it is known how far to trust it."""
    known, several = open_early_calibration(matcher, reader.name), open_several(matcher)
    if not settings.early or known is None or several is None:
        return None
    return EarlyReader(reader, known, settings.early, several, settings.early_threshold, verify)
