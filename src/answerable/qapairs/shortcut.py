"""The shortcut that pairs are: before anything is searched, and again once all has been (PAQ, section 5.2.4).

A public pair that is sure ends the ask. Where none is, what the first search finds among public text is read, which
may end it too. Private pairs are searched when every other search has been made, and only join.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from answerable.chains.beam import BeamSettings
from answerable.chains.plan import Planned
from answerable.corpora.citations import cite
from answerable.errors import IndexMismatch
from answerable.privacy.flow import first_query
from answerable.qapairs.answering import PairAnswer, PairEngine
from answerable.qapairs.early_exit import Early, EarlyReader
from answerable.retriever import Retriever
from answerable.selective.decide import unreachable
from answerable.text import is_polar
from answerable.types import PUBLIC, Answer, Asker, Chain, Evidence, Hop, Query, Skill


@dataclass(frozen=True, slots=True)
class PairShortcut:
    """Answers from pairs, and from what `early` reads in the first passages found, where there is such a reader.

    `least`: no answer that was read early is given below this confidence, whatever the reader was fitted to.
    """

    pairs: PairEngine
    early: EarlyReader | None = None
    least: float = 0.0

    def begin(self, query: Query, public: Retriever, beam: BeamSettings, whole: bool) -> PairAttempt:
        """What pairs anybody may read say, or what stands in the first passages: those only where the question was
        not put in parts (`whole`)."""
        known = self.pairs.weigh(query, self.pairs.search(query, public), lazily=True)
        if known.text is not None:
            return PairAttempt(self.pairs, known, _given(known))
        read = self._read(known, query, public, beam) if whole else None
        return PairAttempt(self.pairs, known, read)

    def plan(self, query: Query, retriever: Retriever) -> tuple[Planned, ...]:
        """The searches among pairs that an ask makes, or that would be refused; those of enclaves with a label come
        last, and are not made where a pair ends the ask."""
        made = []
        for enclave in sorted(retriever.enclaves.values(), key=lambda one: bool(one.label)):
            if enclave.name in retriever.pairs:
                ruling = retriever.decision(query, enclave)
                refused = None if ruling.allowed else ruling.reason
                made.append(Planned(1, Skill.MATCH, enclave.name, query.label, query.text, refused, ruling.reason))
        return tuple(made)

    def _read(self, known: PairAnswer, query: Query, public: Retriever, beam: BeamSettings) -> Answer | None:
        """What stands in the first passages found, where that is sure enough.

        Whether it is settles what is searched next. So a reader that was trained on private text has no part in it.
        """
        if self.early is None or self.pairs.taught.reader:
            return None
        hops = looked(self.early, known, query, public, beam) or ()
        found = self.early.first(known, [hit for hop in hops for hit in hop.hits], max(self.early.least, self.least))
        if found is None:
            return None
        chosen, text = found.choice.candidate, " ".join(found.choice.text.split())
        cited = cite(known.question, chosen.text, chosen, self.pairs.find)
        evidence = Evidence(found.chains, (*known.hops, *hops))
        given = (text, None, self.early.confidence(found), known.label, cited, chosen.chain, (), evidence, 0.0)
        return Answer(*given, unreachable=unreachable(hops), via="early")


@dataclass(frozen=True, slots=True)
class PairAttempt:
    """One ask as pairs have begun it: what they `known`, and the `answer` that ends it, if there is one."""

    pairs: PairEngine
    known: PairAnswer
    answer: Answer | None

    def join(self, query: Query, gathered: Evidence, retriever: Retriever) -> JoinedPairs:
        """With private pairs too, now that all has been searched. An index of theirs that breaks is left out."""
        hops = list(self.known.hops)
        for name in (name for name, one in retriever.enclaves.items() if one.label):
            with suppress(IndexMismatch):
                hops += self.pairs.search(query, retriever, {name})
        known = self.pairs.weigh(query, hops, lazily=True)
        chain = _chain(known) if known.hit and known.hit.label else None
        chains = gathered.chains if chain is None else (*gathered.chains, chain)
        return JoinedPairs(known, Evidence(chains, (*known.hops, *gathered.hops)))


@dataclass(frozen=True, slots=True)
class JoinedPairs:
    """What all pairs say, and the evidence with the passage of a private pair that asks the same."""

    known: PairAnswer
    evidence: Evidence

    def prefer(self, read: Answer) -> Answer:
        """The private pair's answer where it is the surer one, or what was read; the label is that of both."""
        known = self.known
        if known.text is None or known.hit is None or not known.hit.label or known.confidence <= read.confidence:
            return read
        others = read.others if read.text is None else ((read.text, read.confidence), *read.others)
        return replace(
            read,
            text=known.text,
            reason=None,
            confidence=known.confidence,
            citations=known.citations,
            chain=_chain(known),
            others=others,
            pair=known.pair,
            via="pair",
        )


def looked(
    early: EarlyReader, known: PairAnswer, query: Query, public: Retriever, beam: BeamSettings
) -> tuple[Hop, ...] | None:
    """The first search among what anybody may read, where one passage may be enough; a retriever that remembers makes
    it only once. None: it was not made, since the question is not public, asks for a yes or a no, looks like one of
    several hops, or no pair is near it."""
    vector = public.matched(query)
    if query.label or is_polar(query.text) or vector is None or not known.matched or early.several.likely(vector):
        return None
    return tuple(public.search(query, Skill.SINGLE, beam.k, into=PUBLIC, ahead=beam.held))


def begun(
    pairs: PairEngine, early: EarlyReader, question: str, beam: BeamSettings
) -> tuple[PairAnswer, Iterator[Early]]:
    """What an ask of the owner does before it searches on, to be measured: what pairs answer, and what is then read
    early, step by step; nothing where a pair answers."""
    public = pairs.door.remembering().public()
    query = first_query(question, Asker(), public.privacy, public.enclaves)
    known = pairs.weigh(query, pairs.search(query, public), lazily=True)
    hops = looked(early, known, query, public, beam) if known.text is None else None
    return known, early.reads(known, [hit for hop in hops or () for hit in hop.hits])


def _given(known: PairAnswer) -> Answer:
    """The answer of an ask that ends with a pair."""
    chain = _chain(known)
    evidence = Evidence((chain,) if chain else (), known.hops)
    given = (known.text, None, known.confidence, known.label, known.citations, chain, (), evidence, 0.0)
    return Answer(*given, pair=known.pair, via="pair")


def _chain(known: PairAnswer) -> Chain | None:
    """The passage of the pair that was chosen, as a chain; None where there is none to read."""
    hit = known.hit
    return Chain((hit,), hit.score, known.label | hit.label) if hit and hit.passage.id else None
