"""The pairs of an enclave in numbers, and what an older index of the same pairs, or some of them, saves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answerable.corpora.store import Store
from answerable.encoders.encoder import Vectors
from answerable.errors import BusyError, IndexMismatch
from answerable.indexes.manifest import PAIRS, finished, read_manifest
from answerable.qapairs.index.budget import Shape, Sizes
from answerable.qapairs.index.numbers import Nodes, as_floats
from answerable.qapairs.index.opened import OpenedPairs
from answerable.qapairs.index.texts import BLOCK, compressed, dictionary_of, sample_size
from answerable.types import QAPair

Keys = NDArray[np.int64]
Hashes = NDArray[np.uint64]
_AT_ONCE = 4096


@dataclass(frozen=True, slots=True)
class Listing:
    """`keys` of the store, `ids`, the hash of each question and the probability of each pair, row by row."""

    enclave: str
    keys: Keys
    ids: list[str]
    hashes: Hashes
    scores: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.keys)

    def rows(self, order: NDArray[np.int64]) -> Listing:
        """These rows, in this order."""
        ids = [self.ids[row] for row in order.tolist()]
        return Listing(self.enclave, self.keys[order], ids, self.hashes[order], self.scores[order])

    def by_id(self) -> NDArray[np.int64]:
        """Rows in the order of ids."""
        return np.array(sorted(range(len(self.ids)), key=self.ids.__getitem__), np.int64)

    def pairs(self, store: Store) -> Iterator[QAPair]:
        """The pairs, row by row. Raises `BusyError` when the store has others by now."""
        for start in range(0, len(self), _AT_ONCE):
            keys = self.keys[start : start + _AT_ONCE].tolist()
            found = store.pairs_by_key(keys)
            if len(found) != len(keys):
                raise BusyError(f"pairs of enclave {self.enclave!r} were changed while they were indexed")
            yield from found


def question_hash(question: str) -> int:
    """64 bits of a question: two of a million are taken for one with a probability of 3 in 100 million."""
    return int.from_bytes(blake2b(question.encode(), digest_size=8).digest(), "little")


def listing(store: Store, enclave: str) -> Listing:
    """All pairs of an enclave, in the order they came."""
    keys, ids, hashes, scores = [], [], [], []
    for key, pair in store.pairs(enclave):
        keys.append(key)
        ids.append(pair.id)
        hashes.append(question_hash(pair.question))
        scores.append(pair.score)
    return Listing(enclave, np.array(keys, np.int64), ids, np.array(hashes, np.uint64), np.array(scores, np.float64))


def dictionary(store: Store, listed: Listing) -> bytes:
    """What their texts are compressed with: of some pairs, evenly spread."""
    wanted = sample_size(len(listed))
    if not wanted:
        return b""
    chosen = np.linspace(0, len(listed) - 1, wanted).astype(np.int64)
    return dictionary_of(store.pairs_by_key(listed.keys[chosen].tolist()))


def sizes(store: Store, listed: Listing, shared: bytes) -> tuple[Sizes, Listing]:
    """What the pairs take, and the same pairs from the most probable down."""
    by_id = listed.by_id()
    ordered = listed.rows(by_id[np.argsort(-listed.scores[by_id], kind="stable")])
    whole = sum(_block_sizes(store, listed, shared))
    blocks = np.concatenate(([0], np.cumsum(list(_block_sizes(store, ordered, shared))))).astype(np.int64)
    _, first = np.unique(ordered.hashes, return_index=True)
    new = np.zeros(len(ordered) + 1, np.int64)
    new[first + 1] = 1

    @cache
    def part(block: int, pairs: int) -> int:
        keys = ordered.keys[block * BLOCK : block * BLOCK + pairs].tolist()
        return len(compressed(store.pairs_by_key(keys), shared)) + 8

    return Sizes(whole, blocks, part, np.cumsum(new), len(shared)), ordered


def _block_sizes(store: Store, listed: Listing, shared: bytes) -> Iterator[int]:
    """Bytes of each block, and of the number that says where it ends."""
    block: list[QAPair] = []
    for pair in listed.pairs(store):
        block.append(pair)
        if len(block) == BLOCK:
            yield len(compressed(block, shared)) + 8
            block = []
    if block:
        yield len(compressed(block, shared)) + 8


_GROWTH = 1.25
"""Times as many questions as a rotation was learned from, up to which it is kept."""
_BLOCK = 8192


@dataclass(frozen=True, slots=True)
class Older:
    """An index that is there, and the hashes of its questions, node by node."""

    folder: Path
    opened: OpenedPairs
    hashes: Hashes

    def fits(self, shape: Shape, questions: int) -> bool:
        """Whether its vectors are as good as new ones for an index of this shape over so many questions."""
        about, mine = self.opened.about, self.opened.about.shape
        if not mine.projected(about.dimension):
            return mine.numbers == "f16" or (shape.numbers == "i8" and not shape.projected(about.dimension))
        return shape.dimension == mine.dimension and questions <= _GROWTH * about.learned_from

    def projects(self, shape: Shape) -> bool:
        """Whether its vectors are turned already, as those of this shape are to be."""
        return self.opened.projection is not None and shape.projected(self.opened.about.dimension)

    def vectors(self, nodes: Nodes) -> Iterator[tuple[slice, Vectors]]:
        """Places among `nodes`, and (n, d) float32 of these, a block at a time."""
        for start in range(0, len(nodes), _BLOCK):
            part = nodes[start : start + _BLOCK]
            yield slice(start, start + len(part)), as_floats(self.opened.searched.vectors(part))


def older_index(folder: Path, enclave: str, matcher: str, dimension: int) -> Older | None:
    """A sound index of an enclave's pairs by this matcher, of whatever pairs, or None."""
    for path in reversed(finished(folder, enclave, PAIRS)):
        try:
            manifest = read_manifest(path)
            manifest.require(PAIRS, enclave, matcher, dimension)
            opened = OpenedPairs(path, manifest)
            hashes = np.fromiter((question_hash(pair.question) for pair in opened.texts), np.uint64, opened.count)
            return Older(path, opened, hashes[opened.first_rows()])
        except IndexMismatch:
            continue
    return None


def nodes_of(hashes: Hashes, before: Hashes | None) -> tuple[NDArray[np.int64], Nodes]:
    """For each row the node of its question, and which of the older nodes are the first of the new ones.

    Questions that the older index has keep its order and come first; the others come by their first row.
    """
    distinct, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    kept = np.empty(0, np.int64)
    rank = len(hashes) + first
    if before is not None and len(before) and len(distinct):
        at = np.minimum(np.searchsorted(distinct, before), len(distinct) - 1)
        kept = np.flatnonzero(distinct[at] == before)
        rank[at[kept]] = np.arange(len(kept)) - len(before)
    place = np.empty(len(distinct), np.int64)
    place[np.argsort(rank, kind="stable")] = np.arange(len(distinct))
    return place[inverse], kept
