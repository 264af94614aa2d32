"""What every shape of vectors is worked out with: fewer bytes, fewer numbers, and the best of many scores."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from answerable.encoders.encoder import Vectors

Bytes = NDArray[np.int8]
Stored = NDArray[np.float16] | NDArray[np.int8]


def lengths(rows: Bytes) -> Vectors:
    """(n,) the lengths of int8 rows, 1 for a row of zeros. Sums of up to 1,000 squares are exact in float32."""
    wide = rows.astype(np.float32)
    found: Vectors = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    found[found == 0] = 1
    return found


def as_floats(rows: Stored) -> Vectors:
    """(n, d) float32 of what was stored; of bytes, unit rows."""
    if rows.dtype == np.int8:
        codes = rows.astype(np.int8, copy=False)
        return codes.astype(np.float32) / lengths(codes)[:, None]
    return rows.astype(np.float32)


def unit(rows: Vectors | NDArray[np.float64]) -> Vectors:
    """Rows of length 1 as float32; a row of zeros stays one."""
    size = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    size[size == 0] = 1
    made: Vectors = (rows / size[:, None]).astype(np.float32)
    return made


def new_map(path: Path, kind: DTypeLike, shape: tuple[int, ...]) -> np.memmap[Any, np.dtype[Any]]:
    """A new array of zeros on disk, memory-mapped to be written, in the format that `mapped` reads.

    Its room on the disk is taken first: a write to memory that finds the disk full would end the process without a
    word. Raises `OSError` where there is no room.
    """
    rows = np.lib.format.open_memmap(path, mode="w+", dtype=kind, shape=shape)
    if hasattr(os, "posix_fallocate"):
        with open(path, "r+b") as file:
            os.posix_fallocate(file.fileno(), 0, path.stat().st_size)
    return rows


def mapped(path: Path) -> np.ndarray:
    """An array on disk, memory-mapped; a plain view, since picking rows of a memmap itself is slow."""
    return np.asarray(np.load(path, mmap_mode="r"))


def exact(rows: Stored | Vectors, vector: Vectors) -> Vectors:
    """(n,) float32: inner products of what was stored with a (d,) vector, summed in float64: whatever is beside them.

    Of bytes, the product with their unit rows.
    """
    scores = rows.astype(np.float64) @ vector.astype(np.float64)
    if rows.dtype == np.int8:
        scores = scores / lengths(rows.astype(np.int8, copy=False))
    rounded: Vectors = scores.astype(np.float32)
    return rounded


_TURN_SEED = 17


def learn(rows: Vectors, dimension: int) -> Vectors:
    """(d, dimension) float32: onto the directions in which (n, d) rows are longest, by principal components.

    The rows are not centred, since inner products are to be kept. The directions are then turned among themselves at
    random, so that each of the new numbers carries as much, and can be kept in as many bits (Jégou et al. 2010).
    """
    wide = rows.astype(np.float64)
    _, directions = np.linalg.eigh(wide.T @ wide)  # the smallest first
    turn, _ = np.linalg.qr(np.random.default_rng(_TURN_SEED).standard_normal((dimension, dimension)))
    found: Vectors = np.ascontiguousarray(directions[:, ::-1][:, :dimension] @ turn, np.float32)
    return found


def applied(projection: Vectors | None, rows: Vectors) -> Vectors:
    """(n, dimension) unit rows: (n, d) rows turned, cut and made unit again; as they are where there is no rotation.

    Summed in float64, so that a row becomes the same whatever is beside it.
    """
    if projection is None:
        return rows
    return unit(rows.astype(np.float64) @ projection.astype(np.float64))


Nodes = NDArray[np.int64]
_SLACK = np.float32(1e-4)
"""More than float32 sums over unit vectors of any usual dimension can be wrong by."""


def best_of(scores: Vectors, k: int) -> list[Nodes]:
    """For each row of (m, n) scores the places of the `k` best, and of all that come within `_SLACK` of them."""
    if k >= scores.shape[1]:
        return [np.arange(scores.shape[1]) for _ in scores]
    floors = np.partition(scores, scores.shape[1] - k, axis=1)[:, scores.shape[1] - k]
    return [np.flatnonzero(row >= floor - _SLACK) for row, floor in zip(scores, floors, strict=True)]
