"""A graph over the questions (HNSW, Malkov and Yashunin 2020), by usearch, walked by few numbers and settled by all.

Most of a walk is waiting for memory, so the graph holds a stand-in of each vector, its first principal components as
bytes, and what a walk brings back is put in order by the whole vectors beside it. Where nothing alike was found, it is
walked again, far wider.
"""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime  # noqa: F401 - first: usearch puts symbols in its way, and then importing it kills the process

from answerable.corpora.units import Codes, codes
from answerable.encoders.encoder import Vectors
from answerable.errors import DamagedError, MissingExtraError
from answerable.indexes.index import Progress
from answerable.indexes.manifest import PAIRS_WAY_OUT
from answerable.qapairs.index.budget import Shape, graphs
from answerable.qapairs.index.numbers import Nodes, Stored, applied, exact, learn, mapped, new_map

if TYPE_CHECKING:
    from usearch.index import Index

_FILE, _ROWS, _WALK = "questions.usearch", "rows.npy", "walk.npy"
_LINKS = 32
_BREADTH_BUILDING = 160
_BREADTH, _WIDE = 48, 768
_ALIKE = 0.78
"""From this inner product on the best that was found is not looked for again. One walk of a breadth of 192 takes as
long and finds the best of a million for 98.3 of 100 held-out questions in place of 99 (benchmarks/pair_speed.py)."""
_MORE = 32
"""Candidates beside twice k: by 128 of 384 numbers the best question of a million was always among the 34 best."""
_STEP = 4096
_AT_ONCE = 256
_LEARNED_FROM = 65_536


class GraphVectors:
    """A graph on disk, memory-mapped. Safe to search from several threads, one at a time."""

    def __init__(self, folder: Path, shape: Shape, threads: int) -> None:
        """Raises `DamagedError` when it is damaged, `MissingExtraError` without the library."""
        self._graph = _viewed(folder / _FILE, shape)
        self._threads = threads
        self._lock = Lock()  # searches of one graph share its working memory
        self._rows: Stored = mapped(folder / _ROWS)
        self._walk = _walk(folder, shape)
        if self._rows.shape != (len(self._graph), shape.dimension):
            raise DamagedError(f"the index {folder} is damaged", hint=PAIRS_WAY_OUT)

    def __len__(self) -> int:
        return len(self._rows)

    def search(self, vectors: Vectors, k: int) -> list[tuple[Nodes, Vectors]]:
        """For each of (m, d) unit rows about the best nodes, `k` or more, with exact scores."""
        found: list[tuple[Nodes, Vectors]] = []
        wanted = min(2 * k + _MORE, len(self))
        for start in range(0, len(vectors), _AT_ONCE):
            part = vectors[start : start + _AT_ONCE]
            own = self._walked(part, wanted, _BREADTH)
            unlike = [place for place, (_, scores) in enumerate(own) if scores.max(initial=-1.0) < _ALIKE]
            if unlike:
                for place, again in zip(unlike, self._walked(part[unlike], wanted, _WIDE), strict=True):
                    own[place] = again
            found += own
        return found

    def _walked(self, part: Vectors, wanted: int, breadth: int) -> list[tuple[Nodes, Vectors]]:
        """What a walk of this breadth brings back for each of these rows, with exact scores."""
        with self._lock:
            self._graph.expansion_search = max(breadth, wanted)  # type: ignore[misc] # its setter is there
            matches = self._graph.search(_stand_ins(self._walk, part), wanted, threads=self._threads)
            keys, counts = np.atleast_2d(matches.keys), np.atleast_1d(getattr(matches, "counts", wanted))
        nodes = [row[:count].astype(np.int64) for row, count in zip(keys, counts, strict=True)]
        return [(own, exact(self._rows[own], vector)) for own, vector in zip(nodes, part, strict=True)]

    def vectors(self, nodes: Nodes) -> Stored:
        """The rows of these nodes as they are stored."""
        return self._rows[nodes]


def write_graph(
    folder: Path, vectors: np.ndarray, shape: Shape, threads: int, progress: Progress, base: Path | None = None
) -> None:
    """Write a graph of (n, d) float16 unit rows into `folder`.

    `base`: a folder whose graph, of the same shape, has the first of them already. With more threads than one, equal
    vectors may give another graph; what it finds has the same scores. Raises `MissingExtraError` without the library.
    """
    graph, walk = _graph(shape), None
    if base is not None:
        graph.load(str(base / _FILE))
        walk = _walk(base, shape)
    elif shape.walked < shape.dimension:
        walk = learn(vectors[:: -(-len(vectors) // _LEARNED_FROM)].astype(np.float32), shape.walked)
    if walk is not None:
        np.save(folder / _WALK, walk)
    kind = np.int8 if shape.numbers == "i8" else np.float16
    rows = new_map(folder / _ROWS, kind, vectors.shape)
    for start in range(0, len(vectors), _STEP):
        part = vectors[start : start + _STEP]
        rows[start : start + len(part)] = codes(part) if shape.numbers == "i8" else part
        new = np.arange(max(start, len(graph)), start + len(part), dtype=np.uint64)
        if len(new):
            graph.add(new, _stand_ins(walk, part[-len(new) :].astype(np.float32)), threads=threads)
        progress("pair-index", start + len(part), len(vectors))
    rows.flush()
    graph.save(str(folder / _FILE))


def _stand_ins(walk: Vectors | None, rows: Vectors) -> Codes:
    """(n, walked) int8 of (n, d) unit rows."""
    return codes(applied(walk, rows))


def _walk(folder: Path, shape: Shape) -> Vectors | None:
    """(d, walked) float32 that stand-ins are made by; None where they are the vectors. Raises `DamagedError`."""
    if shape.walked == shape.dimension:
        return None
    try:
        walk = np.load(folder / _WALK)
    except (OSError, ValueError, EOFError) as error:
        raise DamagedError(f"the index {folder} is damaged", hint=PAIRS_WAY_OUT) from error
    if walk.shape != (shape.dimension, shape.walked):
        raise DamagedError(f"the index {folder} is damaged", hint=PAIRS_WAY_OUT)
    found: Vectors = walk.astype(np.float32)
    return found


def _viewed(path: Path, shape: Shape) -> Index:
    graph = _graph(shape)
    try:
        about = graph.metadata(str(path))
        if about is None or (about["dimensions"], about["kind_scalar"]) != (shape.walked, graph.dtype):
            raise DamagedError(f"the index {path} is damaged", hint=PAIRS_WAY_OUT)
        graph.view(str(path))
    except (RuntimeError, ValueError) as error:
        raise DamagedError(f"the index {path} is damaged", hint=PAIRS_WAY_OUT) from error
    return graph


def _graph(shape: Shape) -> Index:
    if not graphs():
        raise MissingExtraError("a graph of pairs ([pairs] index)", "pairs")
    from usearch.index import Index

    return Index(
        ndim=shape.walked,
        metric="cos",  # bytes are scaled row by row
        dtype="i8",
        connectivity=_LINKS,
        expansion_add=_BREADTH_BUILDING,
        expansion_search=_BREADTH,
    )
