"""Unit vectors in fewer bytes, and back: two bytes a number, or one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from answerable.encoders.encoder import Vectors

Bytes = NDArray[np.int8]
Stored = NDArray[np.float16] | NDArray[np.int8]

_MOST = 127.0


def as_bytes(rows: Vectors) -> Bytes:
    """(n, d) unit rows as int8, each scaled so that its largest number is 127.

    No scale is kept: what is read back is made a unit row again. Reading back and writing again changes nothing.
    """
    largest = np.abs(rows).max(axis=1, keepdims=True)
    scaled = rows * (_MOST / np.where(largest > 0, largest, 1))
    return np.rint(scaled).astype(np.int8)


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
