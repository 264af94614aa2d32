"""Every vector compared: exact, over what lies on disk, a block at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from answerable.corpora.units import codes
from answerable.encoders.encoder import Vectors
from answerable.errors import DamagedError
from answerable.indexes.manifest import PAIRS_WAY_OUT
from answerable.qapairs.index.numbers import Nodes, Stored, best_of, exact, lengths, mapped, new_map

_ROWS, _LENGTHS = "rows.npy", "lengths.npy"
_BLOCK = 8192
_AT_ONCE = 64
_MOST_SCORES = 1 << 25
"""Scores that are held together, about: 128 MiB of them."""


class FlatVectors:
    """(n, d) float16 or int8 rows, memory-mapped. Safe to search from several threads."""

    def __init__(self, folder: Path, threads: int) -> None:
        self.rows: Stored = mapped(folder / _ROWS)
        self._lengths = mapped(folder / _LENGTHS) if self.rows.dtype == np.int8 else None
        self._threads = threads
        if self._lengths is not None and len(self._lengths) != len(self.rows):
            raise DamagedError(f"the index {folder} is damaged", hint=PAIRS_WAY_OUT)

    def __len__(self) -> int:
        return len(self.rows)

    def search(self, vectors: Vectors, k: int) -> list[tuple[Nodes, Vectors]]:
        """For each of (m, d) unit rows the best nodes, at least `k` and all that tie with them, with exact scores."""
        at_once = min(_AT_ONCE, _MOST_SCORES // max(1, len(self)) + 1)
        found: list[tuple[Nodes, Vectors]] = []
        for start in range(0, len(vectors), at_once):
            part = vectors[start : start + at_once]
            for vector, nodes in zip(part, best_of(self._scores(part), k), strict=True):
                found.append((nodes, exact(self.rows[nodes], vector)))
        return found

    def vectors(self, nodes: Nodes) -> Stored:
        """The rows of these nodes as they are stored."""
        return self.rows[nodes]

    def _scores(self, vectors: Vectors) -> Vectors:
        """(m, n) float32, a share of the rows on each thread."""
        scores = np.empty((len(vectors), len(self)), np.float32)

        def fill(first: int) -> None:
            last = min(first + _BLOCK, len(self))
            np.matmul(vectors, self.rows[first:last].astype(np.float32).T, out=scores[:, first:last])
            if self._lengths is not None:
                scores[:, first:last] /= self._lengths[first:last]

        with ThreadPoolExecutor(max(1, self._threads)) as pool:
            list(pool.map(fill, range(0, len(self), _BLOCK)))
        return scores


def write_flat(folder: Path, vectors: np.ndarray, numbers: str) -> None:
    """Write (n, d) float16 unit rows as `numbers` "f16" or "i8" into `folder`, a block at a time."""
    kind = np.int8 if numbers == "i8" else np.float16
    rows = new_map(folder / _ROWS, kind, vectors.shape)
    sizes = np.ones(len(vectors), np.float32)
    for start in range(0, len(vectors), _BLOCK):
        part = vectors[start : start + _BLOCK]
        if numbers == "i8":
            part = codes(part)
            sizes[start : start + len(part)] = lengths(part)
        rows[start : start + len(part)] = part
    rows.flush()
    if numbers == "i8":
        np.save(folder / _LENGTHS, sizes)
