"""The categories of a split as arrays: members of each, and of any documents how many each category has in common.

Overlaps with all categories at once cost one pass over the categories of the documents asked about, so that partners
for a composition are found without trying pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from answerable_bench.sets.atoms import Category
from answerable_bench.sets.graph import Members

Counted = NDArray[np.int64]
"""A number for each category, (n,) int64."""


class Pool:
    """Categories and, turned round, the categories of each document."""

    def __init__(self, categories: Sequence[Category], documents: int) -> None:
        self.categories = tuple(categories)
        self.sizes: Counted = np.array([one.members.size for one in categories], np.int64)
        fields = {name: at for at, name in enumerate(sorted({one.field for one in categories}))}
        self.fields: Counted = np.array([fields[one.field] for one in categories], np.int64)
        joined = np.concatenate([one.members for one in categories]) if categories else np.empty(0, np.int32)
        owners = np.repeat(np.arange(len(self.categories), dtype=np.int32), self.sizes)
        self._of = owners[np.argsort(joined, kind="stable")]
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(joined, minlength=documents))])

    def __len__(self) -> int:
        return len(self.categories)

    def members(self, at: int) -> Members:
        """The documents of a category."""
        return self.categories[at].members

    def overlaps(self, documents: Members) -> Counted:
        """How many of `documents` each category holds."""
        starts, ends = self._starts[documents], self._starts[documents + 1]
        lengths = ends - starts
        places = np.arange(int(lengths.sum())) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
        return np.bincount(self._of[places], minlength=len(self)).astype(np.int64)
