"""Centres of vectors by Lloyd's algorithm: the same for the same vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.encoder import Vectors
from answerable.qapairs.index.numbers import unit

_ROUNDS = 8
_BLOCK = 8192
_SEED = 5


def centres(rows: Vectors, count: int, round_: bool = False) -> Vectors:
    """(count, d) float32 centres of (n, d) rows, n >= count; with `round_` on the sphere, for rows that lie there.

    A centre that nothing is near is put where a row is that lies far from its own.
    """
    chance = np.random.default_rng(_SEED)
    found: Vectors = rows[np.sort(chance.choice(len(rows), count, replace=False))].copy()
    for _ in range(_ROUNDS):
        where, near = nearest(rows, found, round_)
        sizes = np.bincount(where, minlength=count)
        order = np.argsort(where, kind="stable")
        taken = np.flatnonzero(sizes)
        starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        found[taken] = np.add.reduceat(rows[order], starts[taken], axis=0) / sizes[taken, None]
        empty = np.flatnonzero(sizes == 0)
        if len(empty):
            found[empty] = rows[np.argsort(near, kind="stable")[: len(empty)]]
        if round_:
            found = unit(found)
    return found


def nearest(rows: Vectors, found: Vectors, round_: bool = False) -> tuple[NDArray[np.int64], Vectors]:
    """For each of (n, d) rows the number of its nearest centre, and how near it is: higher is nearer."""
    half = np.zeros(len(found), np.float32) if round_ else np.einsum("ij,ij->i", found, found) / 2
    where = np.empty(len(rows), np.int64)
    near = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), _BLOCK):
        part = rows[start : start + _BLOCK]
        scores = part @ found.T - half
        best = scores.argmax(axis=1)
        where[start : start + len(part)] = best
        near[start : start + len(part)] = scores[np.arange(len(part)), best]
        if not round_:
            near[start : start + len(part)] -= np.einsum("ij,ij->i", part, part) / 2
    return where, near
