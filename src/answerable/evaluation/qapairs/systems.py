"""What answers questions by pairs, or in their place: systems that are compared promise the same (PAQ, section 5.2)."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Protocol

import numpy as np

from answerable.chains.beam import BeamSettings
from answerable.corpora.store import Row
from answerable.datasets.examples import Example
from answerable.encoders.encoder import Encoder, Vectors
from answerable.errors import UsageError
from answerable.evaluation.names import PairSystemName
from answerable.evaluation.tasks.asking import guess, models_of, settings_of
from answerable.evaluation.tasks.task import System
from answerable.indexes.index import silent
from answerable.indexes.lexical import Bm25Index, build_bm25
from answerable.indexes.sources import Matched, SearchablePairs
from answerable.qapairs.answering import PairAnswer, PairEngine
from answerable.qapairs.calibration import FILE, open_calibration
from answerable.qapairs.early_exit import EarlyReader
from answerable.qapairs.index.numbers import best_of
from answerable.qapairs.lookup import Matcher, PairReranker
from answerable.qapairs.pair_settings import PairSettings
from answerable.qapairs.shortcut import begun
from answerable.qapairs.verify import Verifier, by_words
from answerable.retriever import Retriever
from answerable.types import QAPair
from answerable.workspace.models import encoder_of, matcher_of, verifier_of
from answerable.workspace.qapairs import early_reader
from answerable.workspace.stores import open_pairs, open_store
from answerable.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Said:
    """What a system says to a question: its best answer, '' for none, whether or not it would give it.

    `confidence` (0 to 1) puts the answers of one system in order; those of two systems do not compare. `pair`: the pair
    it comes from, if any. `gives`: whether the system would give it, left to itself.
    """

    answer: str
    confidence: float
    pair: QAPair | None = None
    gives: bool = True


NOTHING = Said("", 0.0, None, False)


class PairSystem(System):
    """Answers questions by pairs, or in their place; likes to be asked `at_once` of them together."""

    at_once: int = 256

    def say(self, questions: Sequence[str]) -> list[Said]:
        """What it says to each question, in order."""
        raise NotImplementedError


class Ranker(Protocol):
    """Finds pairs. Scores put the pairs of one question in order, best first."""

    name: str
    models: Mapping[str, str]

    def rank(self, questions: Sequence[str], k: int) -> list[Matched]:
        """For each question the k best pairs, fewer where there are fewer."""
        ...

    def sure(self, score: float) -> float:
        """A score as a number from 0 to 1, in the same order."""
        ...


class ByWords:
    """BM25 over the questions of pairs, by tantivy, in a folder that lives as long as this."""

    name = "words"
    models: Mapping[str, str] = {}

    def __init__(self, pairs: Sequence[QAPair]) -> None:
        self._pairs = list(pairs)
        folder = Path(mkdtemp(prefix="answerable-pairs-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        rows = (Row(key, str(key), "", "", pair.question) for key, pair in enumerate(self._pairs))
        build_bm25(rows, folder, silent, len(self._pairs))
        self._index = Bm25Index(folder, lambda keys: {key: f"{key:012d}" for key in keys})

    def rank(self, questions: Sequence[str], k: int) -> list[Matched]:
        """By the words that a question shares with theirs; none where it shares none."""
        return [[(self._pairs[int(id)], score) for id, score in self._index.search(one, k)] for one in questions]

    def sure(self, score: float) -> float:
        """Scores of BM25 have no upper bound."""
        return score / (1 + score)


class AsPassages:
    """Questions with the vectors that an encoder gives passages, as one would match them without learning to."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder, self.name, self.dimension = encoder, encoder.name, encoder.dimension

    def encode_questions(self, questions: Sequence[str]) -> Vectors:
        """As `Matcher.encode_questions`."""
        return self._encoder.encode_passages([("", question) for question in questions])


class ByVectors:
    """Inner products of questions, each compared with all of them: an index of pairs that is never written."""

    def __init__(self, pairs: Sequence[QAPair], matcher: Matcher, name: str = "vectors") -> None:
        self.name, self.matcher, self.count = name, matcher.name, len(pairs)
        self.models: Mapping[str, str] = {"matcher": matcher.name}
        self._pairs, self._matcher = list(pairs), matcher
        self._rows: Vectors = np.zeros((0, matcher.dimension), np.float32)
        if self._pairs:
            self._rows = matcher.encode_questions([pair.question for pair in self._pairs])

    def rank(self, questions: Sequence[str], k: int) -> list[Matched]:
        """By the inner product; ties by pair id."""
        return self.search(self._matcher.encode_questions(questions), k) if questions else []

    def search(self, vectors: Vectors, k: int) -> list[Matched]:
        """For each of (n, dimension) rows the k best pairs."""
        if not self._pairs:
            return [[] for _ in vectors]
        scores = vectors @ self._rows.T
        found = [
            [(self._pairs[i], float(row[i])) for i in chosen.tolist()]
            for row, chosen in zip(scores, best_of(scores, k), strict=True)
        ]
        return [sorted(one, key=lambda pair: (-pair[1], pair[0].id))[:k] for one in found]

    def sure(self, score: float) -> float:
        """A cosine, from 0 to 1."""
        return min(1.0, max(0.0, (1 + score) / 2))


class Nearest(PairSystem):
    """Answers with the best pair of a ranker: the paper's question answering, without a threshold."""

    settings: Mapping[str, Any] = {}

    def __init__(self, ranker: Ranker) -> None:
        self.name, self.models, self._ranker = ranker.name, ranker.models, ranker

    def say(self, questions: Sequence[str]) -> list[Said]:
        """The first answer of the nearest pair."""
        return [
            Said(found[0][0].answers[0], self._ranker.sure(found[0][1]), found[0][0]) if found else NOTHING
            for found in self._ranker.rank(questions, 1)
        ]


class ByPairs(PairSystem):
    """`PairEngine`, as a workspace answers: matched, read again, verified, with a calibrated confidence.

    Where no pair asks the same, its answer is that of the nearest all the same, with a confidence of 0.
    """

    def __init__(self, engine: PairEngine, name: str, models: Mapping[str, str]) -> None:
        self.name, self.models = name, models
        self.settings = {"rerank": engine.settings.rerank if engine.reranker else 0, "pair threshold": engine.threshold}
        self.engine = engine

    def say(self, questions: Sequence[str]) -> list[Said]:
        """The answer of the pair that asks the same, or of the nearest."""
        return [_said(one) for one in self.engine.answer_many(questions, citing=False)]


class ByEarly(PairSystem):
    """Pairs, and where none is sure, what stands in the first passages found: an ask before it searches on.

    Where that is not sure enough either, its answer is the best of what was read, not given.
    """

    name, at_once = "early", 1

    def __init__(self, engine: PairEngine, early: EarlyReader, beam: BeamSettings, models: Mapping[str, str]) -> None:
        self.models = {**models, "reader": early.reader.name}
        self.settings = {"early": early.most, "pair threshold": engine.threshold, "least": early.least}
        self._engine, self._early, self._beam = engine, early, beam

    def say(self, questions: Sequence[str]) -> list[Said]:
        """The answer of a pair that is sure, or the best that was read, or that of the nearest pair."""
        return [self._one(question) for question in questions]

    def _one(self, question: str) -> Said:
        known, reads = begun(self._engine, self._early, question, self._beam)
        said = _said(known)
        for read in reads:
            sure = self._early.confidence(read)
            said = Said(read.choice.text, sure, None, sure >= self._early.least)
            if said.gives:
                break
        return said


def _said(one: PairAnswer) -> Said:
    pair = one.pair or (one.matched[0][0] if one.matched else None)
    return NOTHING if pair is None else Said(pair.answers[0], one.confidence, pair, one.text is not None)


class ByEngine(PairSystem):
    """`Workspace.ask` without pairs: one question at a time, its best guess whether or not it would be given."""

    name = "engine"
    at_once = 1

    def __init__(self, workspace: Workspace, hops: int | None = None) -> None:
        """Of a workspace that was opened with `pairs.answer` off. `hops`: as its settings have it, or so many."""
        given, self._hops = workspace.settings, hops
        self.settings = {"hops": hops or given.beam.hops, "mode": given.search.mode, "read": given.ask.read}
        self.models = models_of(workspace)
        self._workspace = workspace

    def say(self, questions: Sequence[str]) -> list[Said]:
        """What is found and read; nothing for a question that cannot be asked."""
        return [self._one(question) for question in questions]

    def _one(self, question: str) -> Said:
        try:
            answer = self._workspace.ask(question, hops=self._hops)
        except UsageError:
            return NOTHING
        return Said(guess(answer), answer.confidence, None, answer.text is not None)


TRAINING = "training"


@dataclass(frozen=True, slots=True)
class Held:
    """The pairs of a workspace, and what may be needed to answer by them."""

    workspace: Workspace
    pairs: tuple[QAPair, ...]
    training: tuple[QAPair, ...] = ()


def pairs_of(workspace: Workspace) -> tuple[QAPair, ...]:
    """The pairs of all enclaves of a workspace. Raises `UsageError` when there are none."""
    with open_pairs(workspace.folder, open_store(workspace.folder, workspace.settings.store)) as store:
        names = [name for name in store.pair_enclaves() if name in workspace.enclaves()]
        found = tuple(pair for name in names for _, pair in store.pairs(name))
    if not found:
        raise UsageError("the workspace has no pairs", hint="answerable pairs build makes some")
    return found


def as_pairs(examples: Iterable[Example]) -> tuple[QAPair, ...]:
    """Questions with their answers as pairs without a passage."""
    return tuple(QAPair(one.id, one.question, one.answers, "", TRAINING, 1.0) for one in examples if one.answers)


def open_system(name: PairSystemName, held: Held) -> PairSystem:
    """Raises `UsageError` where what it needs was not given, and as `workspace.models.open_matcher` and
    `QAPairs.engine`."""
    if name is PairSystemName.ENGINE:
        return ByEngine(held.workspace)
    if name is PairSystemName.WORDS:
        return Nearest(ByWords(held.pairs))
    if name is PairSystemName.VECTORS:
        return Nearest(ByVectors(held.pairs, AsPassages(encoder_of(held.workspace.settings))))
    matcher, reranker = matcher_of(held.workspace.settings)
    if name is PairSystemName.TRAINING:
        if not held.training:
            raise UsageError("there are no training questions", hint="--training FILE")
        return Nearest(ByVectors(held.training, matcher, TRAINING))
    if name is PairSystemName.RERANK and reranker is None:
        raise UsageError(f"the matcher {matcher.name} does not rerank", hint="leave out --system rerank")
    reads = reranker if name is PairSystemName.RERANK else None
    door = held.workspace.pairs.engine().door
    verify = verifier_of(held.workspace.settings)
    if name is PairSystemName.EARLY:
        return by_early(held.workspace, door.pairs, matcher, reranker, held.workspace.settings.pairs, verify)
    return by_pairs(door, door.pairs, matcher, reads, held.workspace.settings.pairs, verify=verify)


def by_pairs(
    door: Retriever,
    indexes: Mapping[str, SearchablePairs],
    matcher: Matcher,
    reranker: PairReranker | None,
    settings: PairSettings = PairSettings(),
    path: Path = FILE,
    verify: Verifier = by_words,
) -> ByPairs:
    """What answers from the pairs in `indexes` as the workspace of the door would; nothing goes into its journal.

    `path`: the file of calibrations.
    """
    read = reranker.name if reranker else ""
    given = replace(settings, rerank=settings.rerank or PairSettings().rerank)
    inner = replace(door, pairs=indexes, matcher=matcher, journal=None)
    engine = PairEngine(inner, reranker, verify, open_calibration(matcher.name, read, path), given)
    told = {"matcher": matcher.name} | ({"reranker": read} if reranker else {})
    return ByPairs(engine, (PairSystemName.RERANK if reranker else PairSystemName.RETRIEVE).value, told)


def by_early(
    workspace: Workspace,
    indexes: Mapping[str, SearchablePairs],
    matcher: Matcher,
    reranker: PairReranker | None,
    settings: PairSettings = PairSettings(),
    verify: Verifier = by_words,
) -> ByEarly:
    """The same, and then what stands in the first passages found, as an ask of this workspace reads them.

    Raises `UsageError` where nothing was fitted to this matcher and the workspace's reader.
    """
    engine = workspace.engine()
    pairs = by_pairs(engine.retriever, indexes, matcher, reranker, settings, verify=verify)
    early = early_reader(engine.reader, matcher.name, settings, verify)
    if early is None:
        raise UsageError("it is not known how far to trust what this reader reads early")
    return ByEarly(pairs.engine, early, engine.beam, pairs.models)


def about(held: Held) -> dict[str, Any]:
    """What an answer by pairs depends on, for a run's header."""
    given = held.workspace.settings
    with open_pairs(held.workspace.folder, open_store(held.workspace.folder, given.store)) as store:
        kept = {name: [store.pair_count(name), store.pair_fingerprint(name)] for name in store.pair_enclaves()}
    return {
        "matcher": given.own.name("matcher") or given.models.matcher,
        "pairs": kept,
        "enclaves": settings_of(held.workspace)["enclaves"],
    }
