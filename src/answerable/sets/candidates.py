"""Documents that may belong to a set: found by the whole query, by its parts, and by each constraint alone.

What is taken away brings no documents; it is searched for to be read for in those that there are. What remains is a
union of intersections (`branches`): each is searched with in one text, since separate searches seldom bring what is
both, and beside that each of its constraints, and the query. The places in these rankings are summed within an
intersection, with the share of its words that the document has, and each document counts in its best: this finds more
than the whole query does (`benchmarks/finding.py`). The mails and messages that fields choose (`by_fields`) are listed,
newest first, and those of which they do not say all are searched among.

Labels are worked through from the least private up, as in `chains.beam`: all that is asked of enclaves of one label is
asked before any private text beyond it is searched, and documents of one label compete only with each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from answerable.chains.merging import best_hits
from answerable.indexes.fitting import Restricting
from answerable.retriever import Retriever
from answerable.sets.bounds import within_bounds
from answerable.sets.by_fields import filters
from answerable.sets.evidence import judged_as
from answerable.sets.expression import And, Atom, Expression, Minus, Or, signed
from answerable.sets.find_settings import FindSettings
from answerable.sets.listing import Listing, listed
from answerable.sets.members import Place, Row
from answerable.sets.mentions import plain
from answerable.sets.overlap import shared_words
from answerable.sets.times import each_year
from answerable.types import Hit, Hop, Label, Passage, Privacy, Query, Skill

MOST_BRANCHES = 12
"""Intersections that are searched for, at most: the first, as they are written."""
_OFFSET = 60.0
_BRANCH, _ATOMS, _WHOLE = 1.0, 0.5, 0.5
"""What a place counts for in the ranking of an intersection, of its constraints together, and of the query."""
_WORDS = 0.5
"""What having all words of an intersection counts for, beside the first place in a ranking that counts 1."""

Floats = NDArray[np.float64]
Ranking = Mapping[Place, Sequence[Hit]]
"""Documents, best first, each with its hits."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """A document that may be a member. `passages`: those that were found, the best first. `label`: its enclave's.

    `by_fields`: whether it fits each constraint that its fields answer. `row`: the row of it that it is, if it is one,
    whose cells answer all of them.
    """

    enclave: str
    document: str
    label: Label
    passages: tuple[Passage, ...]
    score: float
    by_fields: Mapping[str, bool] = field(default_factory=dict)
    row: Row | None = None


@dataclass(frozen=True, slots=True)
class Gathered:
    """What the enclaves of one label hold that may be a member, best first, and every search made or refused.

    `settled`: those of which their fields say all, newest first: that they belong, or of some that they do not.
    `against`: of documents the passage that was found the best for each constraint that is taken away.
    """

    prospects: tuple[Prospect, ...]
    hops: tuple[Hop, ...]
    settled: tuple[Prospect, ...] = ()
    against: Mapping[Place, Mapping[str, Passage]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Probe:
    """A text to search with, how many passages it brings, what a place counts for, and in which branch (None: all)."""

    text: str
    k: int
    weight: float
    branch: int | None = None
    of: tuple[str, ...] = ()
    """The constraints of its branch."""


def branches(expression: Expression) -> list[tuple[str, ...]]:
    """The constraints of each intersection whose union, but for what is taken away, the expression is; at most
    `MOST_BRANCHES`."""
    match expression:
        case Atom(text):
            return [(text,)]
        case Minus(left, _):
            return branches(left)
        case Or(parts):
            found: Iterable[tuple[str, ...]] = (one for part in parts for one in branches(part))
        case And(parts):
            each = product(*(branches(part) for part in parts))
            found = (tuple(dict.fromkeys(text for one in some for text in one)) for some in each)
    return list(islice(dict.fromkeys(found), MOST_BRANCHES))


def probes(query: str, expression: Expression, settings: FindSettings, answered: Collection[str] = ()) -> list[Probe]:
    """What is searched with, in order: the query, then of each branch the whole and its constraints.

    `answered`: constraints that are not searched for, unless there are no others.
    """
    made = [Probe(query, settings.whole, _WHOLE)]
    every = branches(expression)
    left = dict.fromkeys(tuple(text for text in branch if text not in answered) for branch in every)
    asked = [(branch, said) for branch in [one for one in left if one] or every for said in _each_year(branch)]
    for number, (branch, said) in enumerate(asked):
        if len(branch) == 1:
            made.append(Probe(said[0], settings.each, _BRANCH + _ATOMS, number, branch))
            continue
        made.append(Probe(" and ".join(said), settings.each, _BRANCH, number, branch))
        made += [Probe(text, settings.each, _ATOMS / len(branch), number, branch) for text in said]
    return made


def _each_year(branch: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The constraints of a branch as they are searched for, once with each year at which something happened."""
    return islice(product(*(each_year(text) or [plain(text)] for text in branch)), MOST_BRANCHES)


def gather(query: Query, expression: Expression, door: Retriever, settings: FindSettings) -> Iterator[Gathered]:
    """The prospects of each label in turn, from the least private up; all together where privacy is off.

    Everything that an enclave is sent depends on the query, its reading, the table and the settings alone. What is
    searched for a label is searched when its turn comes. Raises as `Retriever.search`.
    """
    door = _telling(door).remembering()
    wanted, said = filters(expression), judged_as(expression)
    taken = {text: plain(said[text]) for text, negated in signed(expression) if negated}
    for label in _labels(query, door):
        listing = listed(query, expression, wanted, door, label, settings) if wanted else Listing()
        prospects: list[Prospect] = []
        hops = [*listing.hops]
        against: dict[Place, dict[str, Passage]] = {}
        for answered, some in listing.doors(door):
            found, made = _searched(query, probes(query.text, expression, settings, answered), some, label)
            prospects += found
            hops += made
            for text, words in taken.items():
                if text not in answered:
                    hops += (told := some.search(replace(query, text=words), Skill.SINGLE, settings.each, into=label))
                    for place, hits in _documents(told, settings.each).items():
                        against.setdefault(place, {})[text] = hits[0].passage
        yield replace(_gathered(listing, sorted(prospects, key=_best), hops), against=against)


def _telling(door: Retriever) -> Retriever:
    """The enclaves of which a filter by fields tells what fits: what has none of the fields belongs to no set."""
    indexes = door.indexes.items() if door.by_fields else ()
    untold = [name for name, one in indexes if not (isinstance(one, Restricting) and one.restricts)]
    return door.view(frozenset(door.indexes).difference(untold)) if untold else door


def _gathered(listing: Listing, prospects: Sequence[Prospect], hops: Sequence[Hop]) -> Gathered:
    """What was searched for, with what its fields say, what was listed besides, and what is settled."""
    known, seen = listing.known, {(one.enclave, one.document) for one in prospects}
    fits = {name: own.of for name, own in known.items()}
    ranked = [replace(one, by_fields=fits.get(one.enclave, lambda _: {})(one.document)) for one in prospects]
    hits = [hit for hop in listing.hops for hit in hop.hits]
    hits.sort(key=lambda hit: known[hit.passage.enclave].days[hit.passage.document_id], reverse=True)
    settled = []
    for place, hit in enumerate(hits, start=1):
        enclave, document = hit.passage.enclave, hit.passage.document_id
        own = Prospect(enclave, document, hit.label, (hit.passage,), 1.0 / place, fits[enclave](document))
        if document not in listing.left[enclave]:
            settled.append(own)
        elif (enclave, document) not in seen:
            ranked.append(replace(own, score=0.0))
    return Gathered(tuple(ranked), tuple(hops), tuple(settled))


def _searched(
    query: Query, wanted: Sequence[Probe], door: Retriever, label: Label | None
) -> tuple[tuple[Prospect, ...], list[Hop]]:
    """What is found of one label, best first, and how."""
    deepest: dict[str, int] = {}
    for probe in wanted:
        deepest[probe.text] = max(probe.k, deepest.get(probe.text, 0))
    asked = {text: replace(query, text=text) for text in deepest}  # parts of the query, as private as the whole
    door.prepare(asked.values(), Skill.SINGLE, into=label)
    found = {text: door.search(asked[text], Skill.SINGLE, k, into=label) for text, k in deepest.items()}
    rankings = {text: _documents(found[text], k) for text, k in deepest.items()}
    return ranked(wanted, rankings), [hop for text in deepest for hop in found[text]]


def ranked(wanted: Sequence[Probe], rankings: Mapping[str, Ranking]) -> tuple[Prospect, ...]:
    """Every document of these rankings, best first: by its best branch and by the query, ties by enclave and id.

    `rankings`: for each text the documents it found, best first, each with its hits.
    """
    hits: dict[Place, dict[str, Hit]] = {}
    for ranking in rankings.values():
        for place, found in ranking.items():
            for hit in found:
                kept = hits.setdefault(place, {})
                if hit.passage.id not in kept or hit.score > kept[hit.passage.id].score:
                    kept[hit.passage.id] = hit
    places = sorted(hits)
    own = [sorted(hits[place].values(), key=lambda hit: (-hit.score, hit.passage.id)) for place in places]
    scores = _scores(wanted, rankings, places, [found[0].passage for found in own]).tolist()
    made = [
        Prospect(*place, found[0].label, tuple(hit.passage for hit in found), score)
        for place, found, score in zip(places, own, scores, strict=True)
    ]
    return tuple(sorted(made, key=_best))


def _best(one: Prospect) -> tuple[float, str, str]:
    return -one.score, one.enclave, one.document


def _scores(
    wanted: Sequence[Probe], rankings: Mapping[str, Ranking], places: Sequence[Place], passages: Sequence[Passage]
) -> Floats:
    """(n,) float64 for n documents: the places of each in the rankings of its best branch, the words it shares with the
    branch's constraints, and its place in the ranking of the query."""
    at = {place: number for number, place in enumerate(places)}
    whole, groups = np.zeros(len(places)), sorted({one.branch: one.of for one in wanted if one.of}.items())
    constraints = list(dict.fromkeys(text for _, of in groups for text in of))
    texts = [(passage.heading, passage.text) for passage in passages]
    shares = shared_words(constraints, texts)
    within = {
        branch: _WORDS / _OFFSET * shares[:, [constraints.index(text) for text in of]].mean(axis=1, dtype=np.float64)
        for branch, of in groups
    }
    for probe in wanted:
        column = whole if probe.branch is None else within[probe.branch]
        for number, place in enumerate(islice(rankings[probe.text], probe.k), 1):
            column[at[place]] += probe.weight / (_OFFSET + number)
    for branch, of in groups:
        within[branch] *= within_bounds(of, np.ones((len(texts), len(of)), np.float32), texts).min(axis=1)
    best: Floats = np.max(list(within.values()), axis=0)
    return whole + best


def _labels(query: Query, door: Retriever) -> list[Label | None]:
    """Each label that a member can have, after those it contains; [None], all together, where privacy is off."""
    if door.privacy is Privacy.NONE:
        return [None]
    labels = {query.label | enclave.label for enclave in door.enclaves.values()}
    return [*sorted(labels, key=lambda label: (len(label), sorted(label)))]


def _documents(hops: Iterable[Hop], most: int) -> dict[Place, list[Hit]]:
    """The documents of the best `most` hits of one search, in the order of their best passages."""
    found: dict[Place, list[Hit]] = {}
    for hit in best_hits(hit for hop in hops for hit in hop.hits)[:most]:
        found.setdefault((hit.passage.enclave, hit.passage.document_id), []).append(hit)
    return found
