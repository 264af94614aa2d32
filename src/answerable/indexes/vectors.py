"""Passages by inner product: exactly, or among those whose vectors have nearly the signs of the query's.

Stored vectors are a byte a number (`corpora.units`). A passage's score is the inner product of the query and what is
read of it, in float64, rounded to float32: it depends on that passage alone, so that several indexes and their union
give the same scores. Fast arithmetic over many rows at once does not promise that: it only chooses candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answerable.corpora.store import HalfVectors, Keys
from answerable.encoders.encoder import Vectors
from answerable.errors import DamagedError, IndexMismatch
from answerable.indexes.index import IdLookup, Ranking, best

EXACT_LIMIT = 50_000
"""Vectors up to which every one of them is compared with the query."""

_SLACK = 1e-4
"""More than float32 sums over unit vectors of any usual dimension can be wrong by."""
_KEYS, _SIGNS = "keys.npy", "signs.npy"
_WORD = 64
_STEP = 1 << 16  # words of one row that are compared at a time: they and their counts stay in a processor's cache
_NEAR = 4096
"""How many have nearly the signs of the query: of these the best are estimated."""
CANDIDATES = 6
"""Times k: how many of those are compared number by number."""
_LEAST = 384
"""How many are at least."""
RowsOf = Callable[[Sequence[int]], Mapping[int, HalfVectors]]
"""The (d,) float16 unit vectors of passages by key; those that have none are left out."""


def score_rows(rows: NDArray[np.floating] | Sequence[HalfVectors], vector: Vectors) -> list[float]:
    """Scores of (n, d) rows for a (d,) vector, each independent of the other rows."""
    if not len(rows):
        return []
    scores: list[float] = np.vecdot(np.asarray(rows, np.float64), vector.astype(np.float64)).astype(np.float32).tolist()
    return scores


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


class SignVectors:
    """Keeps of each vector which of its numbers are above zero, a bit a number, and reads the nearest from the store.

    In three steps: whose bits differ least from the query's, of these whose bits have the greatest inner product with
    the query itself, and of these the exact score. It never changes once made; safe to search from several threads.
    """

    def __init__(self, folder: Path, dimension: int, ids: IdLookup, rows: RowsOf) -> None:
        """Open what `build_signs` wrote; `ids` names passages by key. Raises `DamagedError` when it is damaged."""
        self._dimension, self._ids, self._rows = dimension, ids, rows
        self._keys, self._signs = _opened(folder, dimension)

    def __len__(self) -> int:
        """How many vectors it holds."""
        return len(self._keys)

    def search(self, vector: Vectors, k: int) -> Ranking:
        """About the k best passages for a (d,) unit vector, with exact scores (recall: `docs/scaling.md`)."""
        vector = checked(vector, self._dimension)
        if k <= 0 or not len(self):
            return []
        count = max(_LEAST, CANDIDATES * k)
        near = self._near(signs(vector[None])[:, 0], max(_NEAR, count))
        rows = self._rows(self._keys[near[_nearest(self._estimates(near, vector), count)]].tolist())
        scores = dict(zip(rows, score_rows([*rows.values()], vector), strict=True))
        least = min(sorted(scores.values())[-k:], default=0.0)
        names = self._ids([key for key, score in scores.items() if score >= least])
        return best([(id, scores[key]) for key, id in names.items()], k)

    def _near(self, asked: NDArray[np.uint64], count: int) -> NDArray[np.intp]:
        """Places of those with the fewest bits that differ, so many of them or those as near as the last besides."""
        apart = np.zeros(len(self), np.uint16)
        for start in range(0, len(self), _STEP):
            part = slice(start, start + _STEP)
            for word, row in zip(asked, self._signs, strict=True):
                apart[part] += np.bitwise_count(row[part] ^ word)
        most = np.searchsorted(np.cumsum(np.bincount(apart)), min(count, len(self)))
        return np.flatnonzero(apart <= most)

    def _estimates(self, near: NDArray[np.intp], vector: Vectors) -> Vectors:
        """Inner products of the query with 1 where a bit is set and -1 where none is, by tables of whole bytes."""
        padded = np.zeros(_WORD * len(self._signs), np.float32)
        padded[: len(vector)] = vector
        values = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1) * np.float32(2) - 1
        tables = padded.reshape(-1, 8) @ values.T
        of = np.ascontiguousarray(self._signs[:, near].T).view(np.uint8)
        estimates: Vectors = tables[np.arange(of.shape[1]), of].sum(1)
        return estimates


def signs(vectors: NDArray[np.floating]) -> NDArray[np.uint64]:
    """(w, n) words of the bits of (n, d) rows, a bit a number; what is over in the last word is 0."""
    bits = np.packbits(vectors > 0, axis=1)
    whole = np.zeros((len(bits), -(-vectors.shape[1] // _WORD) * (_WORD // 8)), np.uint8)
    whole[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(whole.view(np.uint64).T)


def build_signs(folder: Path, keys: Keys, vectors: HalfVectors, base: Path | None = None) -> None:
    """Write the signs of (n, d) float16 unit rows into `folder`, behind those in the folder `base` if given."""
    parts = [(keys, signs(vectors))]
    if base is not None:
        parts.insert(0, _opened(base, vectors.shape[1]))
    np.save(folder / _KEYS, np.concatenate([one for one, _ in parts]))
    np.save(folder / _SIGNS, np.concatenate([one for _, one in parts], axis=1))


def _opened(folder: Path, dimension: int) -> tuple[Keys, NDArray[np.uint64]]:
    """Keys and (w, n) signs, memory-mapped. Raises `DamagedError`."""
    try:
        keys, rows = (np.load(folder / name, mmap_mode="r") for name in (_KEYS, _SIGNS))
    except (OSError, ValueError, EOFError) as error:
        raise _damaged(folder) from error
    if (rows.dtype, rows.shape, keys.dtype) != (np.uint64, (-(-dimension // _WORD), len(keys)), np.int64):
        raise _damaged(folder)
    return keys, rows


def _damaged(folder: Path) -> DamagedError:
    return DamagedError(f"the index {folder} is damaged", hint="run 'answerable index' to build it again")


def _nearest(scores: Vectors, count: int) -> NDArray[np.intp]:
    """Places of the highest scores, equal ones in their order."""
    return np.argsort(-scores, kind="stable")[:count]


def checked(vector: object, dimension: int) -> Vectors:
    """`vector` as a (dimension,) float32 array. Raises `IndexMismatch` when it has another shape or is not finite."""
    array: Vectors = np.asarray(vector, np.float32)
    if array.shape != (dimension,) or not np.isfinite(array).all():
        raise IndexMismatch(
            f"a query vector of shape {array.shape} does not fit an index of {dimension} dimensions",
            hint="search with the encoder the index was made by",
        )
    return array
