"""Every vector compared, or its code.

Vectors as they are: exact, over what lies on disk, a block at a time.

Vectors as codes: product quantisation (Jégou et al. 2011), in lists of vectors that lie together. A vector is the
centre of its list and a remainder; the remainder is cut into parts, and of each part only the number of the nearest of
256 codewords is kept. A question stays as it is ("asymmetric"). The codes of a list are read back once for all
questions of a batch that look into it, which costs less than adding up tables for each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.encoder import Vectors
from answerable.errors import DamagedError, IndexMismatch
from answerable.indexes.index import Progress
from answerable.indexes.manifest import PAIRS_WAY_OUT
from answerable.qapairs.index.budget import CODEWORDS, Shape, list_count
from answerable.qapairs.index.numbers import (
    Nodes,
    Stored,
    as_bytes,
    best_of,
    centres,
    exact,
    lengths,
    mapped,
    nearest,
    new_map,
)

_ROWS, _LENGTHS = "rows.npy", "lengths.npy"
_BLOCK = 8192
_AT_ONCE_FLAT = 64
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
        at_once = min(_AT_ONCE_FLAT, _MOST_SCORES // max(1, len(self)) + 1)
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
            part = as_bytes(part.astype(np.float32))
            sizes[start : start + len(part)] = lengths(part)
        rows[start : start + len(part)] = part
    rows.flush()
    if numbers == "i8":
        np.save(folder / _LENGTHS, sizes)


Codes = NDArray[np.uint8]
Pool = list[tuple[int, Vectors]]
"""Runs of scores, each with the place of its first."""
T = TypeVar("T")
COMPARED = 20_000
"""Codes that a question is compared with, about: as many of the nearest lists as hold them."""
_REFINED = 100
"""Candidates whose scores are worked out again, at least, or four times as many as are asked for."""
_AT_ONCE = 512
_SAMPLE_OF_LIST = 48
_SAMPLE_OF_WORDS = 32_768
_FILES = ("centres", "words", "codes", "members", "bounds")


@dataclass(frozen=True, slots=True)
class Codebook:
    """`centres`: (lists, d) float32 of length 1. `words`: (parts, codewords, d / parts) float32."""

    centres: Vectors
    words: Vectors

    def encode(self, rows: Vectors) -> tuple[Nodes, Codes]:
        """For each of (n, d) unit rows its list, and the (n, parts) numbers of its codewords."""
        lists = np.empty(len(rows), np.int64)
        codes = np.empty((len(rows), len(self.words)), np.uint8)
        for start in range(0, len(rows), _BLOCK):
            part = rows[start : start + _BLOCK].astype(np.float32)
            where, _ = nearest(part, self.centres, round_=True)
            rest = part - self.centres[where]
            lists[start : start + len(part)] = where
            for one, (piece, words) in enumerate(zip(_cut(rest, len(self.words)), self.words, strict=True)):
                codes[start : start + len(part), one] = nearest(piece, words)[0]
        return lists, codes

    def remainders(self, codes: Codes) -> Vectors:
        """(n, d) float32: what the codes stand for, beside the centre of their list."""
        parts, words, size = self.words.shape
        flat = codes + (np.arange(parts) * words)
        rows: Vectors = self.words.reshape(-1, size).take(flat, axis=0).reshape(len(codes), parts * size)
        return rows


def learn_codebook(vectors: np.ndarray, shape: Shape) -> Codebook:
    """From a sample of (n, d) float16 unit rows."""
    lists = list_count(shape, len(vectors))
    sample = _sample(vectors, max(_SAMPLE_OF_LIST * lists, _SAMPLE_OF_WORDS))
    middle = centres(sample, lists, round_=True)
    few = _sample(sample, _SAMPLE_OF_WORDS)
    rest = few - middle[nearest(few, middle, round_=True)[0]]
    count = min(CODEWORDS, len(few))
    return Codebook(middle, np.stack([centres(piece, count) for piece in _cut(rest, shape.code)]))


class ProductVectors:
    """Codes on disk, memory-mapped. Safe to search from several threads."""

    def __init__(self, folder: Path, shape: Shape, threads: int) -> None:
        """Raises `DamagedError` when they do not fit together."""
        arrays = [mapped(folder / f"{name}.npy") for name in _FILES]
        self.book = Codebook(np.asarray(arrays[0]), np.asarray(arrays[1]))
        self._codes, self._members, self._bounds = arrays[2], arrays[3], np.asarray(arrays[4])
        self._refined = FlatVectors(folder, threads) if shape.refined else None
        self._threads = max(1, threads)
        whole = len(self._bounds) == len(self.book.centres) + 1 and self._bounds[-1] == len(self._codes)
        if not whole or len(self._codes) != len(self._members):
            raise DamagedError(f"the index {folder} is damaged", hint=PAIRS_WAY_OUT)

    def __len__(self) -> int:
        return len(self._codes)

    def search(self, vectors: Vectors, k: int) -> list[tuple[Nodes, Vectors]]:
        """For each of (m, d) unit rows about the best nodes, `k` or more where there are, with exact scores.

        Exact with what is kept: the refined vector, or else what the code stands for.
        """
        wanted = max(_REFINED, 4 * k)
        found: list[tuple[Nodes, Vectors]] = []
        with ThreadPoolExecutor(self._threads) as threads:
            for start in range(0, len(vectors), _AT_ONCE):
                part = vectors[start : start + _AT_ONCE]
                if len(self.book.centres) == 1:
                    chosen = self._in_all(part, wanted)
                else:
                    chosen = self._in_lists(part, wanted, threads)
                pairs = list(zip(part, chosen, strict=True))
                for scored in threads.map(lambda some: [self._scored(*one) for one in some], self._shares(pairs)):
                    found += scored
        return found

    def vectors(self, nodes: Nodes) -> Stored:
        """The refined rows of these nodes as they are stored. Only of an index that has them."""
        if self._refined is None:
            raise IndexMismatch("the index keeps codes alone")
        return self._refined.vectors(nodes)

    def known(self) -> tuple[Nodes, Codes]:
        """The list and the code of every node, in the order of nodes."""
        lists, codes = np.empty(len(self), np.int64), np.empty(self._codes.shape, np.uint8)
        lists[self._members] = np.repeat(np.arange(len(self._bounds) - 1), np.diff(self._bounds))
        codes[self._members] = self._codes
        return lists, codes

    def _in_all(self, vectors: Vectors, wanted: int) -> list[Nodes]:
        """Places of the best by code, where there is one list."""
        blocks = range(0, len(self), _BLOCK)
        rests = (self.book.remainders(self._codes[first : first + _BLOCK]) for first in blocks)
        return best_of(np.concatenate([vectors @ rest.T for rest in rests], axis=1), wanted)

    def _in_lists(self, vectors: Vectors, wanted: int, threads: ThreadPoolExecutor) -> list[Nodes]:
        """Places of the best by code in the lists nearest to each question, list by list."""
        near = vectors @ self.book.centres.T
        probed = min(-(-COMPARED * near.shape[1] // len(self)), near.shape[1])
        nearest_lists = np.argpartition(near, near.shape[1] - probed, axis=1)[:, near.shape[1] - probed :]
        lists, askers = nearest_lists.ravel(), np.repeat(np.arange(len(vectors)), probed)
        order = np.argsort(lists, kind="stable")
        lists, askers = lists[order], askers[order]
        starts = np.flatnonzero(np.diff(lists, prepend=-1))
        visits = list(zip(lists[starts].tolist(), np.split(askers, starts[1:]), strict=True))
        pools: list[Pool] = [[] for _ in vectors]

        def look(some: Sequence[tuple[int, Nodes]]) -> None:
            for one, who in some:
                first, last = int(self._bounds[one]), int(self._bounds[one + 1])
                scores = vectors[who] @ self.book.remainders(self._codes[first:last]).T + near[who, one, None]
                for asker, row in zip(who.tolist(), scores, strict=True):
                    pools[asker].append((first, row))

        for _ in threads.map(look, self._shares(visits)):
            pass
        best = threads.map(lambda some: [_best_places(pool, wanted) for pool in some], self._shares(pools))
        return [places for some in best for places in some]

    def _shares(self, items: list[T]) -> list[list[T]]:
        """The same items, a run of them for each thread."""
        size = -(-len(items) // self._threads)
        return [items[start : start + size] for start in range(0, len(items), size)]

    def _scored(self, vector: Vectors, places: Nodes) -> tuple[Nodes, Vectors]:
        nodes = self._members[places].astype(np.int64)
        if self._refined is not None:
            return nodes, exact(self._refined.vectors(nodes), vector)
        lists = np.searchsorted(self._bounds, places, side="right") - 1
        return nodes, exact(self.book.centres[lists] + self.book.remainders(self._codes[places]), vector)


def write_product(
    folder: Path,
    vectors: np.ndarray,
    shape: Shape,
    progress: Progress,
    book: Codebook | None = None,
    known: tuple[Nodes, Codes] | None = None,
) -> None:
    """Write codes of (n, d) float16 unit rows into `folder`.

    `book`: to use in place of one learned from them. `known`: lists and codes by it of the first of them.
    """
    book = book or learn_codebook(vectors, shape)
    done = len(known[0]) if known else 0
    lists, codes = np.empty(len(vectors), np.int64), np.empty((len(vectors), shape.code), np.uint8)
    if known:
        lists[:done], codes[:done] = known
    for start in range(done, len(vectors), _BLOCK):
        stop = min(start + _BLOCK, len(vectors))
        lists[start:stop], codes[start:stop] = book.encode(vectors[start:stop])
        progress("pair-index", stop, len(vectors))
    members = np.argsort(lists, kind="stable")
    bounds = np.concatenate(([0], np.cumsum(np.bincount(lists, minlength=len(book.centres)))))
    kept: tuple[np.ndarray, ...] = (book.centres, book.words, codes[members], members.astype(np.uint32), bounds)
    for name, array in zip(_FILES, kept, strict=True):
        np.save(folder / f"{name}.npy", array)
    if shape.refined:
        write_flat(folder, vectors, "i8")


def _best_places(pool: Pool, wanted: int) -> Nodes:
    """Places of the best of several runs of scores."""
    pool = sorted(pool, key=lambda run: run[0])  # threads add to it as they come
    scores = np.concatenate([row for _, row in pool])
    if wanted >= len(scores):
        chosen = np.arange(len(scores))
    else:
        chosen = np.argpartition(scores, len(scores) - wanted)[len(scores) - wanted :]
    ends = np.cumsum([len(row) for _, row in pool])
    run = np.searchsorted(ends, chosen, side="right")
    shift = np.array([first for first, _ in pool]) - np.concatenate(([0], ends[:-1]))
    places: Nodes = chosen + shift[run]
    return places


def _cut(rows: Vectors, parts: int) -> list[Vectors]:
    size = rows.shape[1] // parts
    return [np.ascontiguousarray(rows[:, i * size : (i + 1) * size]) for i in range(parts)]


def _sample(vectors: np.ndarray, most: int) -> Vectors:
    """At most so many rows, evenly spread."""
    step = max(1, -(-len(vectors) // most))
    return np.ascontiguousarray(vectors[::step], np.float32)
