"""A graph over the questions (HNSW, Malkov and Yashunin 2020), by usearch, of float16 or int8 vectors."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

import numpy as np
import onnxruntime  # noqa: F401 - first: usearch puts symbols in its way, and then importing it kills the process
from usearch.index import Index

from answerable.encoders.encoder import Vectors
from answerable.errors import IndexMismatch
from answerable.indexes.index import Progress
from answerable.pairs.index.best import Nodes
from answerable.pairs.index.numbers import Stored, as_bytes, exact

_FILE = "questions.usearch"
_LINKS = 16
_BREADTH_BUILDING = 160
_BREADTH_SEARCHING = 192
"""Of 42,500 real questions the best is found for 99.2 in 100 that are like none of them, 98.6 with a breadth of 128."""
_MORE = 16
"""Candidates beside twice k: the graph compares stored numbers, not what they stand for."""
_STEP = 4096
_AT_ONCE = 256


class GraphVectors:
    """A graph on disk, memory-mapped. Safe to search from several threads, one at a time."""

    def __init__(self, folder: Path, dimension: int, numbers: str, threads: int) -> None:
        """Raises `IndexMismatch` when it is damaged."""
        self._graph = _graph(dimension, numbers)
        self._bytes = numbers == "i8"
        self._threads = threads
        self._lock = Lock()  # searches of one graph share its working memory
        path = folder / _FILE
        try:
            about = Index.metadata(str(path))
            if about is None or about["dimensions"] != dimension:
                raise IndexMismatch(f"the index {path} is damaged")
            self._graph.view(str(path))
        except (RuntimeError, ValueError) as error:
            raise IndexMismatch(f"the index {path} is damaged") from error

    def __len__(self) -> int:
        return len(self._graph)

    def search(self, vectors: Vectors, k: int) -> list[tuple[Nodes, Vectors]]:
        """For each of (m, d) unit rows about the best nodes, `k` or more, with exact scores."""
        found: list[tuple[Nodes, Vectors]] = []
        wanted = min(2 * k + _MORE, len(self))
        for start in range(0, len(vectors), _AT_ONCE):
            part = vectors[start : start + _AT_ONCE]
            asked = as_bytes(part) if self._bytes else part.astype(np.float16)
            with self._lock:
                matches = self._graph.search(asked, wanted, threads=self._threads)
                keys, counts = np.atleast_2d(matches.keys), np.atleast_1d(getattr(matches, "counts", wanted))
                nodes = [row[:count].astype(np.int64) for row, count in zip(keys, counts, strict=True)]
                rows = [self._rows(one) for one in nodes]
            found += [(one, exact(row, vector)) for one, row, vector in zip(nodes, rows, part, strict=True)]
        return found

    def vectors(self, nodes: Nodes) -> Stored:
        """The rows of these nodes as they are stored."""
        with self._lock:
            return self._rows(nodes)

    def _rows(self, nodes: Nodes) -> Stored:
        return np.array(self._graph.get(nodes.astype(np.uint64), dtype="i8" if self._bytes else "f16"))


def write_graph(
    folder: Path, vectors: np.ndarray, numbers: str, threads: int, progress: Progress, base: Path | None = None
) -> None:
    """Write a graph of (n, d) float16 unit rows into `folder`.

    `base`: a folder whose graph has the first of them already. With more threads than one, equal vectors may give
    another graph; what it finds has the same scores.
    """
    graph = _graph(vectors.shape[1], numbers)
    if base is not None:
        graph.load(str(base / _FILE))
    for start in range(len(graph), len(vectors), _STEP):
        part = vectors[start : start + _STEP]
        part = as_bytes(part.astype(np.float32)) if numbers == "i8" else np.ascontiguousarray(part)
        graph.add(np.arange(start, start + len(part), dtype=np.uint64), part, threads=threads)
        progress("pair-index", start + len(part), len(vectors))
    graph.save(str(folder / _FILE))


def _graph(dimension: int, numbers: str) -> Index:
    return Index(
        ndim=dimension,
        metric="cos" if numbers == "i8" else "ip",  # bytes are scaled row by row
        dtype=numbers,
        connectivity=_LINKS,
        expansion_add=_BREADTH_BUILDING,
        expansion_search=_BREADTH_SEARCHING,
    )
