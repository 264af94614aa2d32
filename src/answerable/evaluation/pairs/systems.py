"""What answers questions by pairs, or in their place: systems that are compared promise the same (PAQ, section 5.2)."""

from __future__ import annotations

import math
import shutil
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Protocol

import numpy as np

from answerable.corpora.store import Row
from answerable.encoders.encoder import Encoder, Vectors
from answerable.indexes.index import silent
from answerable.indexes.lexical import Bm25Index, build_bm25
from answerable.pairs.lookup import Matched, Matcher, PairReranker
from answerable.types import QAPair, Skill

RERANKED = 50
"""Pairs that are read with the question (section 4.2.2)."""


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


class PairSystem(Protocol):
    """Answers questions. `settings` and `models` are all that it depends on, beside the pairs and the text."""

    @property
    def name(self) -> str:
        """As on the command line."""
        ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """Values that JSON can hold."""
        ...

    @property
    def models(self) -> Mapping[str, str]:
        """Names of the models in use, by part."""
        ...

    @property
    def at_once(self) -> int:
        """How many questions it likes to be asked together."""
        ...

    def say(self, questions: Sequence[str]) -> list[Said]:
        """What it says to each question, in order."""
        ...


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


class ByVectors:
    """Inner products of questions, each compared with all of them."""

    def __init__(self, pairs: Sequence[QAPair], matcher: Matcher, name: str = "retrieve") -> None:
        self.name = name
        self.models = {"matcher": matcher.name}
        self._pairs, self._matcher = list(pairs), matcher
        self._rows: Vectors = np.zeros((0, matcher.dimension), np.float32)
        if self._pairs:
            self._rows = matcher.encode_questions([pair.question for pair in self._pairs])

    def rank(self, questions: Sequence[str], k: int) -> list[Matched]:
        """By the inner product; ties by pair id."""
        if not self._pairs or not questions:
            return [[] for _ in questions]
        scores = self._matcher.encode_questions(questions) @ self._rows.T
        return [self._best(row, k) for row in scores]

    def _best(self, scores: Vectors, k: int) -> Matched:
        chosen = np.arange(len(scores))
        if k < len(scores):
            worst = np.partition(scores, len(scores) - k)[len(scores) - k]
            chosen = np.flatnonzero(scores >= worst)
        found = [(self._pairs[i], float(scores[i])) for i in chosen.tolist()]
        return sorted(found, key=lambda one: (-one[1], one[0].id))[:k]

    def sure(self, score: float) -> float:
        """A cosine, from 0 to 1."""
        return min(1.0, max(0.0, (1 + score) / 2))


class Reranked:
    """The best of another ranker, each read with the question."""

    def __init__(self, ranker: Ranker, reranker: PairReranker, read: int = RERANKED) -> None:
        self.name = "rerank"
        self.models = {**ranker.models, "reranker": reranker.name}
        self._ranker, self._reranker, self._read = ranker, reranker, read

    def rank(self, questions: Sequence[str], k: int) -> list[Matched]:
        """By how well each pair answers the question; ties as they were."""
        return [
            self._again(question, found)[:k]
            for question, found in zip(questions, self._ranker.rank(questions, self._read), strict=True)
        ]

    def _again(self, question: str, found: Matched) -> Matched:
        if not found:
            return []
        scores = self._reranker.rerank(question, [(pair.question, pair.answers[0]) for pair, _ in found])
        ones = [(pair, float(score)) for (pair, _), score in zip(found, scores, strict=True)]
        return sorted(ones, key=lambda one: -one[1])

    def sure(self, score: float) -> float:
        """A log-odds."""
        return 1 / (1 + math.exp(-score)) if score >= 0 else 1 - 1 / (1 + math.exp(score))


class Nearest:
    """Answers with the best pair of a ranker: the paper's question answering, without a threshold."""

    def __init__(self, ranker: Ranker, name: str = "", at_once: int = 256) -> None:
        self.name = name or ranker.name
        self.at_once = at_once
        self.settings: Mapping[str, Any] = {}
        self.models = ranker.models
        self._ranker = ranker

    def say(self, questions: Sequence[str]) -> list[Said]:
        """The first answer of the nearest pair."""
        return [
            Said(found[0][0].answers[0], self._ranker.sure(found[0][1]), found[0][0]) if found else NOTHING
            for found in self._ranker.rank(questions, 1)
        ]


class PlainMatcher:
    """An encoder of passages and questions as a matcher: vectors that nobody trained on questions."""

    def __init__(self, encoder: Encoder) -> None:
        self.name, self.dimension = encoder.name, encoder.dimension
        self._encoder = encoder

    def encode_questions(self, questions: Sequence[str]) -> Vectors:
        """(n, dimension) float32 unit rows, in order."""
        return np.concatenate([np.zeros((0, self.dimension), np.float32), *self._blocks(questions)])

    def _blocks(self, questions: Sequence[str]) -> Iterator[Vectors]:
        for start in range(0, len(questions), 512):
            some = questions[start : start + 512]
            yield self._encoder.encode_queries([(one, Skill.SINGLE, ()) for one in some])
