"""The systems that answer by pairs, or in their place, opened by name over a workspace and its pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from answerable.corpora.store import Store
from answerable.datasets.examples import Example
from answerable.encoders.choose import HASHED, MINILM
from answerable.errors import UsageError
from answerable.evaluation.names import PairSystemName
from answerable.evaluation.qapairs.systems import (
    ByEarly,
    ByEngine,
    ByPairs,
    ByVectors,
    ByWords,
    Nearest,
    PairSystem,
)
from answerable.evaluation.tasks.asking import settings_of
from answerable.indexes.sources import SearchablePairs
from answerable.qapairs.answering import PairEngine
from answerable.qapairs.calibration import FILE, open_calibration
from answerable.qapairs.lookup import Matcher, PairReranker
from answerable.qapairs.pair_settings import PairSettings
from answerable.qapairs.same import SameTest
from answerable.retriever import Retriever
from answerable.types import Passage, QAPair
from answerable.workspace.models import matcher_of, open_matcher, same_of
from answerable.workspace.pair_indexes import early_reader
from answerable.workspace.workspace import STORE, Workspace

TRAINING = "training"


@dataclass(frozen=True, slots=True)
class Held:
    """The pairs of a workspace, and what may be needed to answer by them."""

    workspace: Workspace
    pairs: tuple[QAPair, ...]
    training: tuple[QAPair, ...] = ()


def pairs_of(workspace: Workspace) -> tuple[QAPair, ...]:
    """The pairs of all enclaves of a workspace. Raises `UsageError` when there are none."""
    with Store(workspace.folder / STORE) as store:
        names = [name for name in store.pair_enclaves() if name in workspace.enclaves()]
        found = tuple(pair for name in names for _, pair in store.pairs(name))
    if not found:
        raise UsageError("the workspace has no pairs", hint="answerable pairs build makes some")
    return found


def passages_of(workspace: Workspace, pairs: Iterable[QAPair]) -> dict[str, Passage]:
    """The passages that pairs were made of, by id."""
    wanted: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.passage_id:
            wanted.setdefault(pair.enclave, []).append(pair.passage_id)
    with Store(workspace.folder / STORE) as store:
        return {one.id: one for name, ids in wanted.items() for one in store.passages(name, list(dict.fromkeys(ids)))}


def as_pairs(examples: Iterable[Example]) -> tuple[QAPair, ...]:
    """Questions with their answers as pairs without a passage."""
    return tuple(QAPair(one.id, one.question, one.answers, "", TRAINING, 1.0) for one in examples if one.answers)


def open_system(name: PairSystemName, held: Held) -> PairSystem:
    """Raises `UsageError` where what it needs was not given, and as `workspace.models.open_matcher` and
    `QAPairs.engine`."""
    models = held.workspace.settings.models
    if name is PairSystemName.ENGINE:
        return ByEngine(held.workspace)
    if name is PairSystemName.WORDS:
        return Nearest(ByWords(held.pairs))
    if name is PairSystemName.VECTORS:
        plain, _ = open_matcher(HASHED if models.matcher == HASHED else MINILM, models.threads)
        return Nearest(ByVectors(held.pairs, plain))
    matcher, reranker = matcher_of(held.workspace.settings)
    if name is PairSystemName.TRAINING:
        if not held.training:
            raise UsageError("there are no training questions", hint="--training FILE")
        return Nearest(ByVectors(held.training, matcher, TRAINING))
    if name is PairSystemName.RERANK and reranker is None:
        raise UsageError(f"the matcher {matcher.name} does not rerank", hint="leave out --system rerank")
    reads = reranker if name is PairSystemName.RERANK else None
    door = held.workspace.pairs.engine().door
    if name is PairSystemName.EARLY:
        return by_early(held.workspace, door.pairs, matcher, reranker, held.workspace.settings.pairs)
    given = held.workspace.settings
    return by_pairs(door, door.pairs, matcher, reads, same_of(given), given.pairs)


def exactly(pairs: Sequence[QAPair], matcher: Matcher) -> dict[str, ByVectors]:
    """The pairs of each enclave, every one of them compared with a question."""
    by_enclave: dict[str, list[QAPair]] = {}
    for pair in pairs:
        by_enclave.setdefault(pair.enclave, []).append(pair)
    return {name: ByVectors(ones, matcher) for name, ones in by_enclave.items()}


def by_pairs(
    door: Retriever,
    indexes: Mapping[str, SearchablePairs],
    matcher: Matcher,
    reranker: PairReranker | None,
    same: SameTest,
    settings: PairSettings = PairSettings(),
    path: Path = FILE,
) -> ByPairs:
    """What answers from the pairs in `indexes` as the workspace of the door would; nothing goes into its journal.

    `path`: the file of calibrations.
    """
    read = reranker.name if reranker else ""
    given = replace(settings, rerank=settings.rerank or PairSettings().rerank)
    inner = replace(door, pairs=indexes, matcher=matcher, journal=None)
    engine = PairEngine(inner, reranker, same, open_calibration(matcher.name, read, path), given)
    told = {"matcher": matcher.name} | ({"reranker": read} if reranker else {})
    return ByPairs(engine, (PairSystemName.RERANK if reranker else PairSystemName.RETRIEVE).value, told)


def by_early(
    workspace: Workspace,
    indexes: Mapping[str, SearchablePairs],
    matcher: Matcher,
    reranker: PairReranker | None,
    settings: PairSettings = PairSettings(),
) -> ByEarly:
    """The same, and then what stands in the first passages found, as an ask of this workspace reads them.

    Raises `UsageError` where nothing was fitted to this matcher and the workspace's reader.
    """
    engine, same = workspace.engine(), same_of(workspace.settings)
    pairs = by_pairs(engine.retriever, indexes, matcher, reranker, same, settings)
    early = early_reader(engine.reader, matcher.name, settings)
    if early is None:
        raise UsageError("it is not known how far to trust what this reader reads early")
    return ByEarly(pairs.engine, early, engine.beam.k, pairs.models)


def about(held: Held) -> dict[str, Any]:
    """What an answer by pairs depends on, for a run's header."""
    given = held.workspace.settings
    with Store(held.workspace.folder / STORE) as store:
        kept = {name: [store.pair_count(name), store.pair_fingerprint(name)] for name in store.pair_enclaves()}
    return {
        "matcher": given.own.name("matcher") or given.models.matcher,
        "pairs": kept,
        "enclaves": settings_of(held.workspace)["enclaves"],
    }
