"""Every vector compared: exact, over what lies on disk, a block at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from answerable.encoders.encoder import Vectors
from answerable.errors import DamagedError
from answerable.indexes.pair_index import WAY_OUT
from answerable.qapairs.index.best import Best, Nodes
from answerable.qapairs.index.numbers import Stored, as_bytes, exact, lengths, mapped, new_map

_ROWS, _LENGTHS = "rows.npy", "lengths.npy"
_BLOCK = 8192
_AT_ONCE = 64


class FlatVectors:
    """(n, d) float16 or int8 rows, memory-mapped. Safe to search from several threads."""

    def __init__(self, folder: Path, threads: int) -> None:
        self.rows: Stored = mapped(folder / _ROWS)
        self._lengths = mapped(folder / _LENGTHS) if self.rows.dtype == np.int8 else None
        self._threads = threads
        if self._lengths is not None and len(self._lengths) != len(self.rows):
            raise DamagedError(f"the index {folder} is damaged", hint=WAY_OUT)

    def __len__(self) -> int:
        return len(self.rows)

    def search(self, vectors: Vectors, k: int) -> list[tuple[Nodes, Vectors]]:
        """For each of (m, d) unit rows the best nodes, at least `k` and all that tie with them, with exact scores."""
        found: list[tuple[Nodes, Vectors]] = []
        for start in range(0, len(vectors), _AT_ONCE):
            part = vectors[start : start + _AT_ONCE]
            for vector, nodes in zip(part, self._candidates(part, k), strict=True):
                found.append((nodes, exact(self.rows[nodes], vector)))
        return found

    def vectors(self, nodes: Nodes) -> Stored:
        """The rows of these nodes as they are stored."""
        return self.rows[nodes]

    def _candidates(self, vectors: Vectors, k: int) -> list[Nodes]:
        step = -(-len(self) // max(1, self._threads))
        spans = [(start, min(start + step, len(self))) for start in range(0, len(self), max(1, step))]
        if len(spans) == 1:
            return self._within(vectors, k, *spans[0]).chosen()
        best = Best(len(vectors), k)
        with ThreadPoolExecutor(len(spans)) as pool:
            for part in pool.map(lambda span: self._within(vectors, k, *span), spans):
                best.add(part)
        return best.chosen()

    def _within(self, vectors: Vectors, k: int, start: int, stop: int) -> Best:
        best, questions = Best(len(vectors), k), np.arange(len(vectors))
        for first in range(start, stop, _BLOCK):
            last = min(first + _BLOCK, stop)
            scores = vectors @ self.rows[first:last].astype(np.float32).T
            if self._lengths is not None:
                scores /= self._lengths[first:last]
            best.offer(questions, np.arange(first, last), scores)
        return best


def write_flat(folder: Path, vectors: np.ndarray, numbers: str) -> None:
    """Write (n, d) float16 unit rows as `numbers` "f16" or "i8" into `folder`, a block at a time."""
    kind = np.int8 if numbers == "i8" else np.float16
    rows = new_map(folder / _ROWS, kind, vectors.shape)
    sizes = np.ones(len(vectors), np.float32)
    for start in range(0, len(vectors), _BLOCK):
        part = vectors[start : start + _BLOCK]
        if numbers == "i8":
            part = as_bytes(part.astype(np.float32))
            sizes[start : start + len(part)] = lengths(part)
        rows[start : start + len(part)] = part
    rows.flush()
    if numbers == "i8":
        np.save(folder / _LENGTHS, sizes)
