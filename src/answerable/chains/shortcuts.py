"""What may answer before all is searched or read: shortcuts, and what a workspace remembers of earlier asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from answerable.chains.beam import BeamSettings
from answerable.chains.plan import Planned
from answerable.retriever import Retriever
from answerable.text import agree, normalise_answer
from answerable.types import PUBLIC, Answer, Chain, Evidence, Label, Query

Place = tuple[str, str]
"""An enclave and the id of a passage in it."""


class Joined(Protocol):
    """What a shortcut adds when all has been searched."""

    @property
    def evidence(self) -> Evidence:
        """What was gathered, with what the shortcut found."""
        ...

    def prefer(self, read: Answer) -> Answer:
        """The answer that was read, or a surer one of the shortcut."""
        ...


class Attempt(Protocol):
    """One ask as a shortcut has begun it."""

    @property
    def answer(self) -> Answer | None:
        """What ends the ask here, resting on public text alone; None: all is searched."""
        ...

    def join(self, query: Query, gathered: Evidence, retriever: Retriever) -> Joined:
        """What it adds to what was gathered. Nothing is sent after it but what it sends itself."""
        ...


class Shortcut(Protocol):
    """What may answer before all is searched.

    Ending an ask early tells everybody who would have been searched. So a shortcut is handed a view of the retriever
    that holds public text alone. Its answer ends the ask only where the engine's own table says the same of all that it
    rests on, and an ask in which private text was searched for it goes no further.
    """

    def begin(self, query: Query, public: Retriever, beam: BeamSettings, whole: bool) -> Attempt:
        """Look among public text. `beam`: how an ask searches; `whole`: the question was not put in parts."""
        ...

    def plan(self, query: Query, retriever: Retriever) -> tuple[Planned, ...]:
        """The searches that it would make, or that would be refused. Sends nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Recalled:
    """What is remembered of a question: the `answer` that was found good, and those that were called `bad`, as
    `text.normalise_answer` has them, each with the passages that it was read in; with the `label` of these."""

    answer: Answer | None = None
    bad: Mapping[str, frozenset[Place]] = field(default_factory=dict)
    label: Label = PUBLIC

    def rejects(self, text: str | None, chain: Chain | None = None) -> bool:
        """Whether that answer was called bad, is a part of one that was, or says it with more words and was read in one
        of the same passages, which are in its `chain`."""
        own = "" if text is None else normalise_answer(text)
        places = {(hit.passage.enclave, hit.passage.id) for hit in (chain.hits if chain else ())}
        less = any(f" {own} " in f" {one} " for one in self.bad)
        return bool(own) and (less or any(agree(own, one) and of & places for one, of in self.bad.items()))


NOTHING = Recalled()


class Memory(Protocol):
    """What was found good or bad before. Sends nothing, and tells an asker what they may read alone."""

    def recall(self, query: Query, public: bool) -> Recalled:
        """What is known of this question; with `public`, by what rests on public text and was asked in public alone,
        so that an ask may end by it before anything is searched."""
        ...
