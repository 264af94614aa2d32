"""An index of pairs in its folder, opened: vectors, texts, which pairs have which question; and its numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answerable.corpora.store import Store
from answerable.encoders.encoder import Vectors
from answerable.errors import DamagedError, IndexMismatch
from answerable.indexes.manifest import PAIRS, PAIRS_WAY_OUT, Manifest, check_files, finished, read_manifest
from answerable.indexes.sources import Matched
from answerable.qapairs.index.budget import Shape
from answerable.qapairs.index.flat import FlatVectors
from answerable.qapairs.index.graph import GraphVectors
from answerable.qapairs.index.numbers import Nodes, applied, mapped
from answerable.qapairs.index.texts import Texts
from answerable.work.spread import cores

ABOUT, PLACES, PROJECTION = "pairs.json", "places.npy", "projection.npy"
STARTS, ROWS = "question-starts.npy", "question-rows.npy"
_AT_ONCE = 1024


@dataclass(frozen=True, slots=True)
class About:
    """What an index is, beside its manifest. `asked`: what it was asked to be. `of`: pairs there were to choose from.

    `learned_from`: how many questions its rotation was learned from, 0 where it has none.
    """

    shape: Shape
    dimension: int
    questions: int
    pairs: int
    of: int
    learned_from: int
    asked: dict[str, Any]

    def write(self, folder: Path) -> None:
        """Write it into an index folder."""
        (folder / ABOUT).write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")


def read_about(folder: Path) -> About:
    """What the index in a folder is. Raises `DamagedError`."""
    try:
        values = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        return About(**{**values, "shape": Shape(**values["shape"])})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedError(f"the index {folder} is damaged", hint=PAIRS_WAY_OUT) from error


class OpenedPairs:
    """`SearchablePairs` over one folder. Safe to search from several threads; needs nothing outside the folder."""

    def __init__(
        self, folder: Path, manifest: Manifest, threads: int = 0, current: Callable[[str], bool] = lambda _: True
    ) -> None:
        """`threads`: processors for a batch of questions, 0 for all. `current`: whether an enclave is as its pairs
        know it; where it is not, none is found. Raises `DamagedError` when it is damaged."""
        check_files(folder, manifest)
        self._current = current
        self.about = read_about(folder)
        self.count = manifest.count
        self.matcher = manifest.encoder
        self.enclave = manifest.enclave
        threads = threads or cores()
        try:
            self.projection = np.load(folder / PROJECTION) if self.about.learned_from else None
            graph = self.about.shape.searched == "graph"
            self.searched: FlatVectors | GraphVectors = (
                GraphVectors(folder, self.about.shape, threads) if graph else FlatVectors(folder, threads)
            )
            self._places = mapped(folder / PLACES)
            self._starts, self._rows = (
                mapped(folder / name) if (folder / name).exists() else None for name in (STARTS, ROWS)
            )
        except (OSError, ValueError, EOFError) as error:
            raise DamagedError(f"the index {folder} is damaged", hint=PAIRS_WAY_OUT) from error
        self.texts = Texts(folder, manifest.enclave, manifest.count)
        whole = len(self.searched) == self.about.questions and len(self._places) == manifest.count
        if not whole or (self._rows is None and self.about.questions != manifest.count):
            raise DamagedError(f"the index {folder} is damaged", hint=PAIRS_WAY_OUT)

    def search(self, vectors: Vectors, k: int) -> list[Matched]:
        """For each of (n, dimension) float32 rows the k best pairs; fewer where there are fewer.

        Raises `IndexMismatch` for rows of another dimension, or that are not finite.
        """
        asked = np.asarray(vectors, np.float32)
        if asked.ndim != 2 or asked.shape[1] != self.about.dimension or not np.isfinite(asked).all():
            raise IndexMismatch(
                f"question vectors of shape {asked.shape} do not fit a pair index of {self.about.dimension} dimensions",
                hint="search with the matcher the index was made by",
            )
        if k <= 0 or not self.count or not self._current(self.enclave):
            return [[] for _ in asked]
        found: list[Matched] = []
        for start in range(0, len(asked), _AT_ONCE):
            part = applied(self.projection, asked[start : start + _AT_ONCE])
            for nodes, scores in self.searched.search(part, min(k, self.about.questions)):
                rows, each = self._expanded(nodes, scores)
                order = np.lexsort((self._places[rows], -each))[:k]
                found.append([(self.texts.pair(int(rows[one])), float(each[one])) for one in order])
        return found

    def first_rows(self) -> NDArray[np.int64]:
        """The first row of every question."""
        if self._rows is None or self._starts is None:
            return np.arange(self.count)
        rows: NDArray[np.int64] = self._rows[self._starts[:-1]].astype(np.int64)
        return rows

    def _expanded(self, nodes: Nodes, scores: Vectors) -> tuple[Nodes, Vectors]:
        """The rows of these questions, each with the score of its question."""
        if self._rows is None or self._starts is None:
            return nodes, scores
        starts, stops = self._starts[nodes].astype(np.int64), self._starts[nodes + 1].astype(np.int64)
        sizes = stops - starts
        within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        rows = self._rows[np.repeat(starts, sizes) + within].astype(np.int64)
        return rows, np.repeat(scores, sizes)


def open_pair_index(store: Store, folder: Path, enclave: str, matcher_name: str, threads: int = 0) -> OpenedPairs:
    """The index over the pairs of an enclave as they are now, for questions that this matcher encodes.

    Raises `IndexMismatch`, with the way out, when there is none, or it is damaged, made of other pairs or by another
    matcher.
    """
    sealed = [(path, read_manifest(path)) for path in finished(folder, enclave, PAIRS)]
    if not sealed:
        raise IndexMismatch(f"the pairs of enclave {enclave!r} have no index", hint=PAIRS_WAY_OUT)
    now = store.pair_fingerprint(enclave)
    path, manifest = next((one for one in sealed if one[1].fingerprint == now), sealed[0])
    if manifest.encoder != matcher_name:
        raise IndexMismatch(
            f"the pair index of enclave {enclave!r} was made by {manifest.encoder!r}, not by {matcher_name!r}",
            hint=PAIRS_WAY_OUT,
        )
    manifest.require(PAIRS, enclave, matcher_name, manifest.dimension)
    if manifest.fingerprint != now:
        raise IndexMismatch(f"the pairs of enclave {enclave!r} changed since their index was made", hint=PAIRS_WAY_OUT)
    return OpenedPairs(path, manifest, threads, store.current)


def asked_budget(folder: Path, enclave: str) -> int | None:
    """The budget that the index of an enclave's pairs was made in, of whatever pairs; None where there was none."""
    for path in reversed(finished(folder, enclave, PAIRS)):
        try:
            return read_about(path).asked.get("budget")
        except IndexMismatch:
            continue
    return None


def folder_bytes(folder: Path) -> int:
    """Bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


QUANTILES = (0, 10, 25, 50, 75, 90, 100)


@dataclass(frozen=True, slots=True)
class Origin:
    """What generated pairs, or where they were imported from. `worked`: passages it made pairs of, or none."""

    name: str
    imported: bool
    pairs: int
    worked: int


@dataclass(frozen=True, slots=True)
class IndexStats:
    """An index as it lies there. `current`: made of just the pairs there are now. `bytes` on disk."""

    words: str
    matcher: str
    pairs: int
    bytes: int
    current: bool


@dataclass(frozen=True, slots=True)
class PairStats:
    """`placed`: pairs that belong to a passage. `answers`: of all pairs. `passages`: of the enclave.

    `probabilities`: those below which `QUANTILES` per cent of the pairs lie; none without pairs.
    """

    enclave: str
    pairs: int
    placed: int
    answers: int
    passages: int
    origins: tuple[Origin, ...]
    probabilities: tuple[float, ...]
    index: IndexStats | None


def pair_stats(store: Store, folder: Path, enclave: str) -> PairStats:
    """Count the pairs of an enclave, and look at the index of them in `folder`."""
    rows = np.fromiter(store.pair_numbers(enclave), np.dtype([("score", "f8"), ("placed", "?"), ("answers", "i8")]))
    quantiles = np.percentile(rows["score"], QUANTILES).tolist() if len(rows) else []
    return PairStats(
        enclave,
        len(rows),
        int(rows["placed"].sum()),
        int(rows["answers"].sum()),
        store.holdings(enclave).passages,
        tuple(Origin(*one) for one in store.pair_origins(enclave)),
        tuple(quantiles),
        _index(store, folder, enclave),
    )


def _index(store: Store, folder: Path, enclave: str) -> IndexStats | None:
    now = store.pair_fingerprint(enclave)
    for path in finished(folder, enclave, PAIRS):
        try:
            manifest, about = read_manifest(path), read_about(path)
        except IndexMismatch:
            continue
        current = manifest.fingerprint == now
        return IndexStats(about.shape.words, manifest.encoder, manifest.count, folder_bytes(path), current)
    return None
