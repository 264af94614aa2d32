"""Categories as atoms of queries: a name, the documents that fit, and the split it belongs to.

What lies below a category in a graph with cycles and loops, as Wikipedia's is, belongs to it (3.1). Where splits are
kept apart, each single category (or value of an attribute) is given to one split before anything is composed: large
and small ones in the same proportion, those with the same documents together. One made of two values belongs to the
split of both, and to none where they are of two. As arrays, overlaps with all categories at once cost one pass over the
categories of the documents asked about.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from answerable_bench.sets.settings import SPLITS, SetPlan
from answerable_bench.stages import Counts, read_jsonl, write_jsonl

Members = NDArray[np.int32]
"""Numbers of documents, (n,) int32, ascending, each once."""


def closed(own: Mapping[str, Members], parents: Mapping[str, Sequence[str]]) -> dict[str, Members]:
    """The documents of each category and of all below it. Categories of one cycle have the same.

    `own` are the documents each category stands on itself; `parents` leads from a category to those above it.
    """
    below: dict[str, list[str]] = {name: [] for name in own}
    for child, above in parents.items():
        below.setdefault(child, [])
        for parent in above:
            below.setdefault(parent, []).append(child)
    found: dict[str, Members] = {}
    for together in cycles(below):
        children = {child for name in together for child in below[name]} - set(together)
        parts = [own[name] for name in together if name in own] + [found[child] for child in sorted(children)]
        members = united(parts)
        found.update(dict.fromkeys(together, members))
    return {name: found[name] for name in below if found[name].size}


def united(parts: Sequence[Members]) -> Members:
    """All that is in any part."""
    if len(parts) == 1:
        return parts[0]
    return np.unique(np.concatenate(parts)) if parts else np.empty(0, np.int32)


def cycles(below: Mapping[str, Iterable[str]]) -> list[tuple[str, ...]]:
    """The strongly connected categories together, those below before those above (Tarjan 1972, without recursion)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: list[str] = []
    on: set[str] = set()
    found: list[tuple[str, ...]] = []
    for start in below:
        if start in number:
            continue
        path = [(start, iter(below[start]))]
        number[start] = lowest[start] = len(number)
        waiting.append(start)
        on.add(start)
        while path:
            name, left = path[-1]
            for child in left:
                if child not in number:
                    number[child] = lowest[child] = len(number)
                    waiting.append(child)
                    on.add(child)
                    path.append((child, iter(below[child])))
                    break
                if child in on:
                    lowest[name] = min(lowest[name], number[child])
            else:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[name])
                if lowest[name] == number[name]:
                    together = [waiting.pop()]
                    while together[-1] != name:
                        together.append(waiting.pop())
                    on.difference_update(together)
                    found.append(tuple(together))
    return found


FILE = "atoms.jsonl"
NONE, ALL = "", "all"
"""The split of what was made of values of several splits, which no query has; and of any where splits share them."""
_BLOCK = 20  # categories of like size that are divided in the asked proportion


@dataclass(frozen=True, slots=True)
class Category:
    """A category: its name in words, whether that reads as a noun or a modifier, and what it comes from.

    `ids`: of the categories of that name; `field`: the attributes it is made of, or "categories". `bases`: the single
    values it is made of, itself where it is no combination. `members`: the numbers of its documents.
    """

    name: str
    kind: str
    field: str
    ids: tuple[str, ...]
    bases: tuple[str, ...]
    members: Members
    split: str = NONE

    def record(self, called: str) -> dict[str, object]:
        """What it is and comes from, its name as the field `called`."""
        told = {"kind": self.kind, "field": self.field, "ids": list(self.ids), "bases": list(self.bases)}
        return {called: self.name, **told}


def assigned(categories: Sequence[Category], plan: SetPlan) -> list[Category]:
    """The categories in the order given, each with its split."""
    rng = np.random.default_rng([plan.seed, 1])
    if not plan.apart:
        return [replace(one, split=ALL) for one in categories]
    single = [one for one in categories if len(one.bases) == 1]
    alike: dict[tuple[str, bytes], list[Category]] = defaultdict(list)
    for one in single:
        alike[one.field, one.members.tobytes()].append(one)
    groups: dict[str, list[list[Category]]] = defaultdict(list)
    for (field, _), together in alike.items():
        groups[field].append(together)
    place: dict[str, str] = {}
    for field in sorted(groups):
        ordered = sorted(groups[field], key=lambda group: (-group[0].members.size, group[0].name))
        for start in range(0, len(ordered), _BLOCK):
            block = ordered[start : start + _BLOCK]
            for group, split in zip(block, _drawn(len(block), plan, rng), strict=True):
                place.update((base, split) for one in group for base in one.bases)
    return [replace(one, split=_common(one, place)) for one in categories]


def _drawn(count: int, plan: SetPlan, rng: np.random.Generator) -> list[str]:
    """The splits of `count` categories of like size, in the asked proportion as nearly as it goes, shuffled."""
    shares = (plan.train_atoms, plan.validation_atoms, 1 - plan.train_atoms - plan.validation_atoms)
    exact = np.array(shares) * count
    whole = np.floor(exact).astype(int)
    rest = count - int(whole.sum())
    if rest:
        odds = exact - whole
        whole[rng.choice(len(SPLITS), size=rest, replace=False, p=odds / odds.sum())] += 1
    return [SPLITS[at] for at in rng.permutation(np.repeat(np.arange(len(SPLITS)), whole))]


def _common(category: Category, place: Mapping[str, str]) -> str:
    found = {place.get(base, NONE) for base in category.bases}
    return found.pop() if len(found) == 1 else NONE


def write_atoms(folder: Path, categories: Sequence[Category], ids: Sequence[str]) -> Counts:
    """Write each category that has a split, with the ids of its documents; how many there are by split."""
    kept = [one for one in categories if one.split]
    rows = (one.record("atom") | {"split": one.split, "docs": [ids[n] for n in one.members]} for one in kept)
    write_jsonl(folder / FILE, rows)
    found = Counter(one.split for one in kept)
    return {name: found[name] for name in (SPLITS if ALL not in found else (ALL,))} | {
        "of several splits": len(categories) - len(kept)
    }


def read_atoms(folder: Path, categories: Sequence[Category]) -> list[Category]:
    """The categories with the splits that `write_atoms` wrote."""
    splits = {row["atom"]: row["split"] for row in read_jsonl(folder / FILE)}
    return [replace(one, split=splits.get(one.name, NONE)) for one in categories]


def of_split(categories: Sequence[Category], split: str, plan: SetPlan) -> Iterator[Category]:
    """The categories that queries of a split may have; all of them where splits are not kept apart."""
    return (one for one in categories if not plan.apart or one.split == split)


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
