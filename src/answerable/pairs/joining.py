"""Where pairs meet an ask: before anything is searched, and again once all has been (PAQ, section 5.2.4).

Ending an ask early tells everybody who would have been searched. So only pairs and passages that anybody may read
decide on it, and they decide without the others: what is sent next does not depend on private ones. Private pairs are
searched when every other search has been made.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from answerable.chains.plan import Planned
from answerable.citations import FindDocument, cite
from answerable.errors import IndexMismatch
from answerable.pairs.answering import Owner, PairAnswer, PairEngine
from answerable.pairs.early import Early, EarlyReader
from answerable.privacy.flow import first_query
from answerable.retriever import Retriever
from answerable.selective.decide import unreachable
from answerable.text import is_polar
from answerable.types import PUBLIC, Answer, Chain, Evidence, Hop, Label, Query, Skill


def before(pairs: PairEngine, query: Query, door: Retriever) -> PairAnswer:
    """What pairs of enclaves without a label answer."""
    public = {name for name, one in door.enclaves.items() if not one.label}
    return pairs.weigh(query, pairs.search(query, door, public), lazily=True)


def after(pairs: PairEngine, query: Query, door: Retriever, first: PairAnswer) -> PairAnswer:
    """What all pairs answer, when those in `first` were searched. An index that breaks is left out."""
    hops = list(first.hops)
    for name in (name for name, one in door.enclaves.items() if one.label):
        with suppress(IndexMismatch):
            hops += pairs.search(query, door, {name})
    return pairs.weigh(query, hops, lazily=True)


def planned(query: Query, door: Retriever) -> tuple[Planned, ...]:
    """The searches among pairs that an ask makes, or that would be refused; those of enclaves with a label come last,
    and are not made where a pair ends the ask."""
    made = []
    for enclave in sorted(door.enclaves.values(), key=lambda one: bool(one.label)):
        if enclave.name in door.pairs:
            ruling = door.decision(query, enclave)
            refused = None if ruling.allowed else ruling.reason
            made.append(Planned(1, Skill.MATCH, enclave.name, query.label, query.text, refused, ruling.reason))
    return tuple(made)


def early(known: PairAnswer, label: Label, seconds: float) -> Answer:
    """The answer of an ask that ends here."""
    chain = _chain(known)
    evidence = Evidence((chain,) if chain else (), known.hops)
    given = (known.text, None, known.confidence, label, known.citations, chain, (), evidence, seconds)
    return Answer(*given, pair=known.pair)


def looked(early: EarlyReader, known: PairAnswer, query: Query, door: Retriever, k: int) -> tuple[Hop, ...] | None:
    """The first search among what anybody may read, where one passage may be enough; a door that remembers makes it
    only once. None: it was not made, since the question is not public, asks for a yes or a no, looks like one of
    several hops, or no pair is near it."""
    vector = door.matched(query)
    if query.label or is_polar(query.text) or vector is None or not known.matched or early.several.likely(vector):
        return None
    return tuple(door.search(query, Skill.SINGLE, k, into=PUBLIC))


def begun(pairs: PairEngine, early: EarlyReader, question: str, k: int) -> tuple[PairAnswer, Iterator[Early]]:
    """What an ask of the owner does before it searches on, to be measured: what pairs answer, and what is then read
    early, step by step; nothing where a pair answers. `k`: hits of the first search."""
    door = pairs.door.remembering()
    query = first_query(question, Owner().asker, door.privacy, door.enclaves)
    known = before(pairs, query, door)
    hops = looked(early, known, query, door, k) if known.text is None else None
    return known, early.reads(known, [hit for hop in hops or () for hit in hop.hits])


def early_read(
    read: Early, known: PairAnswer, hops: tuple[Hop, ...], confidence: float, find: FindDocument, seconds: float
) -> Answer:
    """The answer of an ask that ends with what was read in passages of the first search, `hops`."""
    chosen, text = read.choice.candidate, " ".join(read.choice.text.split())
    cited = cite(known.question, chosen.text, chosen, find)
    evidence = Evidence(read.chains, (*known.hops, *hops))
    given = (text, None, confidence, known.label, cited, chosen.chain, (), evidence, seconds)
    return Answer(*given, unreachable=unreachable(hops), early=True)


def beside(known: PairAnswer, gathered: Evidence) -> Evidence:
    """What was gathered, with the searches among pairs and the passage of a private pair that asks the same."""
    chain = _chain(known) if known.hit and known.hit.label else None
    chains = gathered.chains if chain is None else (*gathered.chains, chain)
    return Evidence(chains, (*known.hops, *gathered.hops))


def preferred(known: PairAnswer, read: Answer) -> Answer:
    """The private pair's answer where it is the surer one, or what was read; the label is that of both."""
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
    )


def _chain(known: PairAnswer) -> Chain | None:
    """The passage of the pair that was chosen, as a chain; None where there is none to read."""
    hit = known.hit
    return Chain((hit,), hit.score, known.label | hit.label) if hit and hit.passage.id else None
