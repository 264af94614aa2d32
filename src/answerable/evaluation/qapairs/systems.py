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
from answerable.evaluation.tasks.asking import guess, models_of
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
from answerable.workspace.qapairs import early_reader
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


def as_pairs(examples: Iterable[Example]) -> tuple[QAPair, ...]:
    """Questions with their answers as pairs without a passage."""
    return tuple(QAPair(one.id, one.question, one.answers, "", "training", 1.0) for one in examples if one.answers)


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
    return ByPairs(engine, "rerank" if reranker else "retrieve", told)


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
