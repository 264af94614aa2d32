"""Passages by inner product: exactly, or among the candidates of a graph (HNSW, Malkov and Yashunin 2020), by usearch.

Stored vectors are a byte a number (`corpora.units`), in the graph as in the store. A passage's score is the inner
product of the query and what is read of it, in float64, rounded to float32: it depends on that passage alone, so that
several indexes and their union give the same scores. Fast arithmetic over many rows at once does not promise that, and
is used only to choose candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock

import numpy as np
import onnxruntime  # noqa: F401 - first: usearch puts symbols in its way, and then importing it kills the process
from numpy.typing import NDArray
from usearch.index import Index

from answerable.corpora.store import HalfVectors, Keys
from answerable.corpora.units import codes, units
from answerable.encoders.encoder import Vectors
from answerable.errors import DamagedError, IndexMismatch
from answerable.indexes.index import IdLookup, Progress, Ranking, best

EXACT_LIMIT = 50_000
"""Vectors up to which every one of them is compared with the query."""

_SLACK = 1e-4
"""More than float32 sums over unit vectors of any usual dimension can be wrong by."""
_FILE = "vectors.usearch"
_LINKS = 16
_BREADTH_BUILDING = 100
_BREADTH_SEARCHING = 512  # with 128, four of the twenty nearest of a million are missed, with this two
CANDIDATES = 4
"""Times k: how many the graph is asked for, because it compares in bytes."""
_STEP = 4096


def score_rows(rows: NDArray[np.floating] | Sequence[HalfVectors], vector: Vectors) -> list[float]:
    """Scores of (n, d) rows for a (d,) vector, each independent of the other rows."""
    query = vector.astype(np.float64)
    return [float(np.float32(np.dot(row.astype(np.float64), query))) for row in rows]


class ExactVectors:
    """Compares every vector. Never changes once made; safe to search from several threads."""

    def __init__(self, ids: Sequence[str], vectors: HalfVectors) -> None:
        """`vectors`: (n, d) float16 unit rows for n ids. Takes 4 bytes a number."""
        self._ids = ids
        self._rows: Vectors = vectors.astype(np.float32)

    def __len__(self) -> int:
        """How many vectors it holds."""
        return len(self._ids)

    def search(self, vector: Vectors, k: int) -> Ranking:
        """The k best passages for a (d,) unit vector."""
        vector = checked(vector, self._rows.shape[1])
        if k <= 0 or not len(self):
            return []
        rough = np.einsum("nd,d->n", self._rows, vector)  # `@` wakes threads, which spin for long after it
        chosen = np.arange(len(rough))
        if k < len(rough):
            worst = np.partition(rough, len(rough) - k)[len(rough) - k]
            chosen = np.flatnonzero(rough >= worst - _SLACK)
        scores = score_rows(self._rows[chosen], vector)
        return best([(self._ids[i], score) for i, score in zip(chosen.tolist(), scores, strict=True)], k)


class HnswVectors:
    """Searches a graph on disk through memory mapping. Safe to search from several threads, one at a time."""

    def __init__(self, folder: Path, dimension: int, ids: IdLookup) -> None:
        """Open the graph in `folder`; `ids` names passages by key. Raises `DamagedError` when it is damaged."""
        self._dimension = dimension
        self._ids = ids
        self._lock = Lock()  # searches of one graph share its working memory
        self._graph = viewed(folder / _FILE, dimension, _graph, "run 'answerable index' to build it again")

    def __len__(self) -> int:
        """How many vectors it holds."""
        return len(self._graph)

    def search(self, vector: Vectors, k: int) -> Ranking:
        """About the k best passages for a (d,) unit vector, with exact scores (recall@10 0.96 of 178,755 passages)."""
        vector = checked(vector, self._dimension)
        if k <= 0 or not len(self):
            return []
        with self._lock:
            keys = self._graph.search(codes(vector[None])[0], min(CANDIDATES * k, len(self)), threads=1).keys
            rows = codes(np.array(self._graph.get(keys)))
        names = self._ids(keys.tolist())
        scored = zip(keys.tolist(), score_rows(units(rows), vector), strict=True)
        return best([(names[key], score) for key, score in scored if key in names], k)


def viewed(path: Path, dimension: int, make: Callable[[int], Index], hint: str) -> Index:
    """A graph on disk, memory-mapped; `make`: one of that dimension. Raises `DamagedError`."""
    try:
        about = Index.metadata(str(path))
        graph = make(dimension)
        if about is None or (about["dimensions"], about["kind_scalar"]) != (dimension, graph.dtype):
            raise DamagedError(f"the index {path} is damaged", hint=hint)
        graph.view(str(path))
    except (RuntimeError, ValueError) as error:
        raise DamagedError(f"the index {path} is damaged", hint=hint) from error
    return graph


def build_graph(
    folder: Path, keys: Keys, vectors: HalfVectors, progress: Progress, base: Path | None = None, stage: str = "ann"
) -> None:
    """Write a graph of (n, d) float16 unit rows into `folder`, on top of the graph in the folder `base` if given.

    One thread, so that equal vectors in equal order give an equal graph: about 5,000 vectors a second.
    """
    graph = _graph(vectors.shape[1])
    if base is not None:
        graph.load(str(base / _FILE))
    for start in range(0, len(keys), _STEP):
        part = slice(start, start + _STEP)
        graph.add(keys[part].astype(np.uint64), codes(vectors[part]), threads=1)
        progress(stage, min(start + _STEP, len(keys)), len(keys))
    graph.save(str(folder / _FILE))


def checked(vector: object, dimension: int) -> Vectors:
    """`vector` as a (dimension,) float32 array. Raises `IndexMismatch` when it has another shape or is not finite."""
    array: Vectors = np.asarray(vector, np.float32)
    if array.shape != (dimension,) or not np.isfinite(array).all():
        raise IndexMismatch(
            f"a query vector of shape {array.shape} does not fit an index of {dimension} dimensions",
            hint="search with the encoder the index was made by",
        )
    return array


def _graph(dimension: int) -> Index:
    return Index(
        ndim=dimension,
        metric="cos",  # codes are scaled each by its own greatest number
        dtype="i8",
        connectivity=_LINKS,
        expansion_add=_BREADTH_BUILDING,
        expansion_search=_BREADTH_SEARCHING,
    )
