"""Queries that somebody writes between the hops: sub-questions, other words, what is still missing.

A query that was written after reading carries the label of the beam it was written for, which covers all that could be
read there: which passages were shown, and that it was written at all, tells of every one of them. So it goes where that
beam's own queries go, and an enclave that admits public text alone is sent what was written after reading public text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from answerable.retriever import Retriever
from answerable.types import PUBLIC, Chain, Label, Query

Written = tuple[Query, Chain]
"""A query, and the chain that what it finds extends: the query quotes that chain's passages."""


class Planner(Protocol):
    """What writes queries (`readers.planning.AskedPlanner`)."""

    def write(self, query: Query, door: Retriever, chains: Sequence[Chain], label: Label) -> Sequence[Written]:
        """Queries of this label for a question, each after one of these chains, of which there is one at least.

        None of them is about anything else than the question and these chains.
        """
        ...


def written(
    planner: Planner | None, query: Query, door: Retriever, chains: Sequence[Chain], label: Label | None
) -> Sequence[Written]:
    """What is written for the beam of a label (None: one beam for all) after these chains, of each label the
    question's, best first, and then those of parts and of what was written before.

    Before anything was read, once; later, where the beam found anything of its own, of which is written first.
    """
    read = [one for one in chains if label is None or one.label <= label]
    if planner is None or not any(label in (None, one.label) for one in read):
        return ()
    carried = query.label.union(label or PUBLIC, *(one.label for one in read))
    return planner.write(query, door, sorted(read, key=lambda one: -len(one.label)), carried)
