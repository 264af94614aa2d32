"""Making the index of an enclave's pairs: choose its shape, encode what is new, write it, put it in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from answerable.corpora.store import Store
from answerable.errors import IndexMismatch, ModelError, WorkspaceError
from answerable.indexes.index import Progress, silent
from answerable.indexes.manifest import (
    PAIRS,
    VERSION,
    Manifest,
    check_files,
    current_pairs,
    discard_others,
    publish,
    read_manifest,
)
from answerable.qapairs.index.budget import OVERHEAD, Shape, choose, in_words, shape_of
from answerable.qapairs.index.flat import write_flat
from answerable.qapairs.index.graph import write_graph
from answerable.qapairs.index.listing import Listing, Older, dictionary, listing, nodes_of, older_index, sizes
from answerable.qapairs.index.numbers import applied, learn, new_map
from answerable.qapairs.index.opened import PLACES, PROJECTION, ROWS, STARTS, About, OpenedPairs, folder_bytes
from answerable.qapairs.index.texts import write_texts
from answerable.qapairs.lookup import Matcher
from answerable.qapairs.pair_settings import PairSettings
from answerable.work.spread import cores

BLOCK = 512
"""Questions encoded together."""
_LEARNED_FROM = 65_536
"""Vectors that a rotation is learned from, at most."""
_GRAPH_GROWTH = 2.0
"""Times as many questions, up to which a graph is added to; beyond, by what it is walked is learned anew."""


@dataclass(frozen=True, slots=True)
class BuiltPairs:
    """What became of an index. `pairs` it holds, `of` those there are; `bytes` on disk; `why` this shape, in words.

    `encoded`: questions that had to be. A budget covers `bytes` and `model`.
    """

    enclave: str
    pairs: int
    of: int
    questions: int
    encoded: int
    shape: Shape | None
    bytes: int
    model: int
    why: str


def build_pair_index(
    store: Store,
    folder: Path,
    enclave: str,
    matcher: Matcher,
    settings: PairSettings,
    budget: int | None = None,
    progress: Progress = silent,
    model: int = 0,
    threads: int = 0,
) -> BuiltPairs:
    """Bring the index of an enclave's pairs in `folder` up to date with the store; for the one writer.

    `budget`: bytes that the index and the `model` bytes of the matcher may take together; None: as the settings say.
    Questions that an older index has are not encoded again where its vectors are good enough. Raises `UsageError` for a
    budget that not one pair fits in.
    """
    asked = {"index": settings.index, "numbers": settings.numbers, "budget": budget, "model": model if budget else 0}
    before = current_pairs(store, folder, enclave)
    if before is not None and (same := _as_asked(before, enclave, matcher, asked, model)):
        return same
    listed = listing(store, enclave)
    if not len(listed):
        discard_others(folder, enclave, PAIRS, keep=None)
        return BuiltPairs(enclave, 0, 0, 0, 0, None, 0, model, "there are no pairs")
    total, shared = len(listed), dictionary(store, listed)
    if budget is None:
        shape = shape_of(settings, matcher.dimension, len(np.unique(listed.hashes)))
        why = f"as the settings say: {shape.words}"
    else:
        measured, ordered = sizes(store, listed, shared)
        choice = choose(settings, matcher.dimension, measured, budget, model)
        shape, why = choice.shape, choice.why
        if choice.pairs < total:
            listed = ordered.rows(np.arange(choice.pairs))
    fingerprint = store.pair_fingerprint(enclave)
    last = int(listed.keys.max())
    manifest = Manifest(PAIRS, enclave, matcher.name, matcher.dimension, fingerprint, len(listed), last)
    made = _Making(store, folder, matcher, shape, listed, progress, threads or cores())

    def make(target: Path) -> None:
        learned_from = made.write(target, shared)
        about = About(shape, matcher.dimension, made.questions, len(listed), total, learned_from, asked)
        about.write(target)
        if budget is not None and (takes := folder_bytes(target) + OVERHEAD // 8 + model) > budget:
            raise WorkspaceError(
                f"the pair index of enclave {enclave!r} takes {in_words(takes)} with its model, over the budget",
                hint="give a larger budget",
            )

    final = publish(folder, manifest, make)
    size = folder_bytes(final)
    return BuiltPairs(enclave, len(listed), total, made.questions, made.encoded, shape, size, model, why)


def _as_asked(path: Path, enclave: str, matcher: Matcher, asked: Mapping[str, object], model: int) -> BuiltPairs | None:
    """What is there, if it is by this matcher, was asked to be the same, and is sound."""
    try:
        manifest = read_manifest(path)
        manifest.require(PAIRS, enclave, matcher.name, matcher.dimension)
        if manifest.version != VERSION:
            return None
        check_files(path, manifest, whole=True)
        about, size = OpenedPairs(path, manifest).about, folder_bytes(path)
    except IndexMismatch:
        return None
    if about.asked != asked:
        return None
    why = f"it was up to date: {about.shape.words}"
    return BuiltPairs(enclave, about.pairs, about.of, about.questions, 0, about.shape, size, model, why)


class _Making:
    def __init__(
        self,
        store: Store,
        folder: Path,
        matcher: Matcher,
        shape: Shape,
        listed: Listing,
        progress: Progress,
        threads: int,
    ) -> None:
        self._store, self._matcher, self._shape, self._listed = store, matcher, shape, listed
        self._progress, self._threads = progress, threads
        older = older_index(folder, listed.enclave, matcher.name, matcher.dimension)
        if older is not None and not older.fits(shape, len(np.unique(listed.hashes))):
            older = None
        self._older: Older | None = older
        self._node_of, self._kept = nodes_of(listed.hashes, older.hashes if older else None)
        self.questions = int(self._node_of.max()) + 1
        self.encoded = self.questions - len(self._kept)

    def write(self, target: Path, shared: bytes) -> int:
        """Fill a folder; how many questions something was learned from, 0 for nothing."""
        with self._vectors(target) as (vectors, learned_from):
            self._write_vectors(target, vectors)
        write_texts(target, self._listed.pairs(self._store), shared)
        places = np.empty(len(self._listed), np.uint32)
        places[self._listed.by_id()] = np.arange(len(self._listed))
        np.save(target / PLACES, places)
        if not np.array_equal(self._node_of, np.arange(len(self._listed))):
            counts = np.bincount(self._node_of, minlength=self.questions)
            np.save(target / STARTS, np.concatenate(([0], np.cumsum(counts))).astype(np.uint32))
            np.save(target / ROWS, np.argsort(self._node_of, kind="stable").astype(np.uint32))
        return learned_from

    @contextmanager
    def _vectors(self, target: Path) -> Iterator[tuple[np.ndarray, int]]:
        """(questions, d) float16 unit rows, turned and cut if they are to be, on disk for the length of the block."""
        shape, whole, cut = self._shape, target / "whole.tmp", target / "cut.tmp"
        dimension = self._matcher.dimension
        try:
            projects = shape.projected(dimension)
            if self._older and self._older.projects(shape):
                projection = self._older.opened.projection
                vectors = new_map(cut, np.float16, (self.questions, shape.dimension))
                self._fill(vectors, projection)
                learned_from = self._older.opened.about.learned_from
            else:
                vectors = new_map(whole, np.float16, (self.questions, dimension))
                self._fill(vectors, None)
                projection, learned_from = None, 0
                if projects:
                    step = -(-self.questions // _LEARNED_FROM)
                    projection = learn(vectors[::step].astype(np.float32), shape.dimension)
                    learned_from = self.questions
                    turned = new_map(cut, np.float16, (self.questions, shape.dimension))
                    for start in range(0, self.questions, 8 * BLOCK):
                        rows = vectors[start : start + 8 * BLOCK].astype(np.float32)
                        turned[start : start + len(rows)] = applied(projection, rows)
                    vectors = turned
            if projection is not None:
                np.save(target / PROJECTION, projection)
            yield vectors, learned_from
        finally:
            vectors = None  # type: ignore[assignment]
            whole.unlink(missing_ok=True)
            cut.unlink(missing_ok=True)

    def _fill(self, vectors: np.ndarray, projection: np.ndarray | None) -> None:
        """Vectors of all questions: from the older index, and encoded anew."""
        if self._older is not None:
            for places, rows in self._older.vectors(self._kept):
                vectors[places] = rows
        first = np.full(self.questions, len(self._listed), np.int64)
        np.minimum.at(first, self._node_of, np.arange(len(self._listed)))
        for start in range(len(self._kept), self.questions, BLOCK):
            listed = self._listed.rows(first[start : start + BLOCK])
            rows = self._encoded([pair.question for pair in listed.pairs(self._store)])
            vectors[start : start + len(rows)] = applied(projection, rows)
            self._progress("pair-vectors", start + len(rows) - len(self._kept), self.encoded)

    def _encoded(self, questions: list[str]) -> np.ndarray:
        rows = self._matcher.encode_questions(questions)
        if rows.shape != (len(questions), self._matcher.dimension) or not np.isfinite(rows).all():
            raise ModelError(
                f"the matcher {self._matcher.name} gave unusable vectors for {len(questions)} questions",
                hint="check the model with 'answerable doctor'",
            )
        return rows

    def _write_vectors(self, target: Path, vectors: np.ndarray) -> None:
        if self._shape.searched == "graph":
            write_graph(target, vectors, self._shape, self._threads, self._progress, self._graph_base())
        else:
            write_flat(target, vectors, self._shape.numbers)

    def _graph_base(self) -> Path | None:
        """The folder of an older graph of the same shape all of whose questions are here still, and not too few."""
        older = self._older
        if older is None or older.opened.about.shape != self._shape or len(self._kept) != len(older.hashes):
            return None
        if self.questions > _GRAPH_GROWTH * len(self._kept):
            return None
        return older.folder
