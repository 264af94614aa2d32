"""Fewer numbers for a vector: a rotation learned from the vectors themselves, of which the first are kept."""

from __future__ import annotations

import numpy as np

from answerable.encoders.encoder import Vectors
from answerable.qapairs.index.numbers import unit

_SEED = 17


def learn(rows: Vectors, dimension: int) -> Vectors:
    """(d, dimension) float32: onto the directions in which (n, d) rows are longest, by principal components.

    The rows are not centred, since inner products are to be kept. The directions are then turned among themselves at
    random, so that each of the new numbers carries as much, and can be kept in as many bits (Jégou et al. 2010).
    """
    wide = rows.astype(np.float64)
    _, directions = np.linalg.eigh(wide.T @ wide)  # the smallest first
    turn, _ = np.linalg.qr(np.random.default_rng(_SEED).standard_normal((dimension, dimension)))
    found: Vectors = np.ascontiguousarray(directions[:, ::-1][:, :dimension] @ turn, np.float32)
    return found


def applied(projection: Vectors | None, rows: Vectors) -> Vectors:
    """(n, dimension) unit rows: (n, d) rows turned, cut and made unit again; as they are where there is no rotation.

    Summed in float64, so that a row becomes the same whatever is beside it.
    """
    if projection is None:
        return rows
    return unit(rows.astype(np.float64) @ projection.astype(np.float64))
