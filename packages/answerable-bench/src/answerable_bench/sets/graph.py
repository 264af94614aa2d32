"""What lies below each category: transitive closure over a graph with cycles and loops, as Wikipedia's is (3.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

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
