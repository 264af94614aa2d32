"""Beams planned by a language model here, which may read everything; and ways for what it writes to tell of it.

own words   what it writes carries the question's label, since it quotes nothing word for word
what shows  it carries the label of the passages that were shown, not of all that could have been
late        it writes once more, after all was searched, under the question's label
one plan    it reads the chains of every label at once, and what it writes carries that of the beam it is written for
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from unittest.mock import patch

from answerable.chains import beam as beams
from answerable.chains.beam import BeamSettings, gather
from answerable.chains.planning import Planner, Written
from answerable.readers.planning import AskedPlanner
from answerable.remote.host import LlmSettings
from answerable.retriever import Retriever
from answerable.types import PUBLIC, Chain, Evidence, Label, Query, Skill
from tests.laws.models import Watched
from tests.laws.worlds import Gather

HERE = LlmSettings("http://127.0.0.1:1/v1", "m").enclave


def planner(room: int = 8192) -> AskedPlanner:
    """One whose model writes words of what it is shown, for one ask."""
    return AskedPlanner(Watched(), HERE, "the model", room).begun()


def planned(query: Query, retriever: Retriever, settings: BeamSettings) -> Evidence:
    """The shipped beam, planned."""
    return gather(query, retriever, settings, (), planner())


class _Relabelled:
    """Writes what the shipped one writes, under other labels."""

    def __init__(self, label: Callable[[Query, Query, Chain], Label]) -> None:
        self._own, self._label = planner(), label

    def write(self, query: Query, door: Retriever, chains: Sequence[Chain], label: Label) -> Sequence[Written]:
        made = self._own.write(query, door, chains, label)
        return [(replace(one, label=self._label(query, one, chain)), chain) for one, chain in made]


def _own_words(query: Query, retriever: Retriever, settings: BeamSettings) -> Evidence:
    return gather(query, retriever, settings, (), _Relabelled(lambda query, one, chain: query.label))


def _what_shows(query: Query, retriever: Retriever, settings: BeamSettings) -> Evidence:
    return gather(query, retriever, settings, (), _Relabelled(lambda query, one, chain: chain.label))


def _late(query: Query, retriever: Retriever, settings: BeamSettings) -> Evidence:
    door, writes = retriever.remembering(), planner()
    found = gather(query, door, settings)
    chains = [chain for chain in found.chains if chain.label <= query.label] if len(found.chains) % 2 else []
    more = writes.write(query, door, chains or [Chain((), 0.0, PUBLIC)], query.label)
    hops = [hop for one, _ in more for hop in door.search(one, Skill.SINGLE, settings.k)]
    return Evidence(found.chains, (*found.hops, *hops))


def _everything(
    writes: Planner | None, query: Query, door: Retriever, chains: Sequence[Chain], label: Label | None
) -> Sequence[Written]:
    return writes.write(query, door, chains, query.label | (label or PUBLIC)) if writes and chains else ()


def _one_plan(query: Query, retriever: Retriever, settings: BeamSettings) -> Evidence:
    with patch.object(beams, "written", partial(_everything)):
        return planned(query, retriever, settings)


LEAKS: Mapping[str, Gather] = {
    "own words": _own_words,
    "what shows": _what_shows,
    "late": _late,
    "one plan": _one_plan,
}
