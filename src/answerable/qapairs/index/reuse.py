"""What an older index of the same pairs, or some of them, saves when one is made anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.encoder import Vectors
from answerable.errors import IndexMismatch
from answerable.indexes.manifest import PAIRS, finished, read_manifest
from answerable.qapairs.index.best import Nodes
from answerable.qapairs.index.listing import Hashes, question_hash
from answerable.qapairs.index.numbers import as_floats
from answerable.qapairs.index.opened import OpenedPairs
from answerable.qapairs.index.product import Codebook, Codes, ProductVectors
from answerable.qapairs.index.shape import Shape

_GROWTH = 1.25
"""Times as many questions as a rotation or codewords were learned from, up to which they are kept."""
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
        if shape.dimension != mine.dimension or not shape.projected(about.dimension):
            return False
        if questions > _GROWTH * about.learned_from:
            return False
        return shape == mine or (shape.numbers == "i8" and (mine.numbers == "i8" or mine.refined))

    def projects(self, shape: Shape) -> bool:
        """Whether its vectors are turned already, as those of this shape are to be."""
        return self.opened.projection is not None and shape.projected(self.opened.about.dimension)

    def vectors(self, nodes: Nodes) -> Iterator[tuple[slice, Vectors]]:
        """Places among `nodes`, and (n, d) float32 of these, a block at a time; none where it keeps codes alone."""
        mine = self.opened.about.shape
        if mine.numbers == "pq" and not mine.refined:
            return
        for start in range(0, len(nodes), _BLOCK):
            part = nodes[start : start + _BLOCK]
            yield slice(start, start + len(part)), as_floats(self.opened.searched.vectors(part))

    def codes(self, shape: Shape, nodes: Nodes) -> tuple[Codebook, tuple[Nodes, Codes]] | None:
        """Its codewords, and lists and codes of these nodes, where this shape is its own."""
        if shape != self.opened.about.shape or not isinstance(self.opened.searched, ProductVectors):
            return None
        lists, codes = self.opened.searched.known()
        return self.opened.searched.book, (lists[nodes], codes[nodes])


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
