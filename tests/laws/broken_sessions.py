"""More ways to leak, each an easy mistake: what ends early, what is remembered, what an error tells, what is retried.

again         when nothing was found for the question, ask once more with half of it
give up       leave an enclave that failed alone for the rest of the ask, whatever it failed at
answers       an answered question is not searched again when the same asker asks it again
hops          what a search found is remembered for everybody who asks the same
crowded       what an enclave answered is remembered, in one memory of a few places for all enclaves
quoting       a search that failed is logged with what was searched for
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from answerable.chains.beam import BeamSettings, gather
from answerable.corpora.store import HalfVectors
from answerable.encoders.encoder import Vectors
from answerable.encoders.expansion import search_text
from answerable.indexes.index import Ranking, SearchMode
from answerable.indexes.sources import SearchableEnclave
from answerable.retriever import Retriever
from answerable.types import Evidence, Hop, Label, Passage, Query, Skill
from tests.laws.broken import answers


def again(query: Query, retriever: Retriever, settings: BeamSettings) -> Evidence:
    """A question that finds nothing is asked again, shorter."""
    found = gather(query, retriever, settings)
    if any(chain.hits for chain in found.chains):
        return found
    words = query.text.split()
    shorter = replace(query, text=" ".join(words[: max(1, len(words) // 2)]))
    more = gather(shorter, retriever, settings)
    return Evidence(more.chains, (*found.hops, *more.hops))


@dataclass(frozen=True)
class _GivingUp(Retriever):
    """A door that leaves an enclave alone once it failed, at queries of any label."""

    failed: set[str] = field(default_factory=set)

    def search(self, query: Query, skill: Skill, k: int, into: Label | None = None, ahead: int = 0) -> list[Hop]:
        left = {name: index for name, index in self.indexes.items() if name not in self.failed}
        hops = Retriever.search(replace(self, indexes=left), query, skill, k, into, ahead)
        self.failed.update(hop.enclave for hop in hops if hop.unreachable)
        return hops


def give_up(query: Query, retriever: Retriever, settings: BeamSettings) -> Evidence:
    """A failure at a query of one label is one at those of every other."""
    return gather(query, _other(_GivingUp, retriever.remembering()), settings)


@dataclass
class Answers:
    """Remembers what was gathered for a question that was answered, for whoever asked it."""

    kept: dict[tuple[str, str], Evidence] = field(default_factory=dict)

    def __call__(self, query: Query, retriever: Retriever, settings: BeamSettings) -> Evidence:
        key = (query.asker.name, query.text)
        if key not in self.kept:
            found = gather(query, retriever, settings)
            if not any(answers(query.text, chain) for chain in found.chains):
                return found  # it may be answered another time
            self.kept[key] = found
        return self.kept[key]


@dataclass(frozen=True)
class _ForAll(Retriever):
    """A door that remembers its hops by what was asked."""

    kept: dict[object, list[Hop]] = field(default_factory=dict)

    def search(self, query: Query, skill: Skill, k: int, into: Label | None = None, ahead: int = 0) -> list[Hop]:
        key = (query.text, query.because, query.span, skill, k, into, self.privacy)
        if key not in self.kept:
            self.kept[key] = Retriever.search(self, query, skill, k, into, ahead)
        return self.kept[key]


@dataclass
class Hops:
    """Remembers what each search found, whoever asked."""

    kept: dict[object, list[Hop]] = field(default_factory=dict)

    def __call__(self, query: Query, retriever: Retriever, settings: BeamSettings) -> Evidence:
        return gather(query, _other(_ForAll, retriever.remembering(), kept=self.kept), settings)


@dataclass
class _Remembered:
    """An enclave behind the memory of all."""

    name: str
    enclave: SearchableEnclave
    kept: dict[object, Ranking]
    places: int

    def search(self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int) -> Ranking:
        key = (self.name, query_text, None if vector is None else vector.tobytes(), mode, k)
        found = self.kept.pop(key, None)
        if found is None:
            found = self.enclave.search(query_text, vector, mode, k)
        self.kept[key] = found
        while len(self.kept) > self.places:
            self.kept.pop(next(iter(self.kept)))  # what was not used for longest
        return found

    def fetch(
        self, query_text: str, vector: Vectors | None, mode: SearchMode, k: int
    ) -> tuple[Ranking, Mapping[str, HalfVectors]]:
        return self.enclave.fetch(query_text, vector, mode, k)

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        return self.enclave.passages(ids)


@dataclass
class Crowded:
    """Remembers rankings, of each enclave its own, in places for all: private ones take those of public ones."""

    places: int = 12
    kept: dict[object, Ranking] = field(default_factory=dict)

    def __call__(self, query: Query, retriever: Retriever, settings: BeamSettings) -> Evidence:
        indexes = {name: _Remembered(name, one, self.kept, self.places) for name, one in retriever.indexes.items()}
        return gather(query, replace(retriever, indexes=indexes), settings)


class _Quoting(Retriever):
    """A door that logs what went wrong, and with what."""

    def search(self, query: Query, skill: Skill, k: int, into: Label | None = None, ahead: int = 0) -> list[Hop]:
        hops = Retriever.search(self, query, skill, k, into, ahead)
        for hop in hops:
            if hop.unreachable:
                logging.getLogger("answerable.retriever").warning(
                    "%s did not answer %r", hop.enclave, search_text(query, skill)
                )
        return hops


def quoting(query: Query, retriever: Retriever, settings: BeamSettings) -> Evidence:
    """Private text in a line of the log."""
    return gather(query, _other(_Quoting, retriever), settings)


def _other(door: type[Retriever], retriever: Retriever, **more: object) -> Retriever:
    """The same door, of another class."""
    return door(**{one.name: getattr(retriever, one.name) for one in fields(Retriever)}, **more)
