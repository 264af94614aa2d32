"""What kind of thing a question asks for: somebody, a time, a number of something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from answerable.qapairs.equivalence.differing import same
from answerable.qapairs.equivalence.forms import Word, base
from answerable.qapairs.equivalence.lexicon import (
    AUXILIARIES,
    COUNT_HEADS,
    LIGHT,
    MEASURES,
    PERSON_HEADS,
    PLACE_HEADS,
    PREPOSITIONS,
    REASON_HEADS,
    SHARE_HEADS,
    TIME_HEADS,
    UNITS,
)

WH = frozenset("who whom whose what which when where why how".split())
"""The words a question asks with."""
_ALONE = {"who": "person", "whom": "person", "whose": "owner", "when": "time", "where": "place", "why": "reason"}
_SPANS = frozenset("second minute hour day week month year decade century".split())


@dataclass(frozen=True, slots=True)
class Sought:
    """What a question asks for. `at`: the place of the word it asks with; -1 where there is none.

    `kind`: person, owner, time, place, reason, manner, count, amount, share, measure, thing, polar, or "" where it is
    not known. `heads`: what follows "which", "what" and "how many", as bases. `measure`: what is measured. `low`: the
    word it asks with. `within`: whether "in", "at" or the like stands before it.
    """

    kind: str
    at: int
    heads: tuple[str, ...] = ()
    measure: str = ""
    low: str = ""
    within: bool = False


_WITHIN = frozenset("in at on during under since until".split())


def sought(words: Sequence[Word]) -> Sought:
    """What a question asks for, by the word it asks with and what stands beside it."""
    at = asks_with(words)
    if at < 0:
        return Sought("polar" if words and words[0].low in AUXILIARIES else "", -1)
    low = words[at].low
    if low == "how":
        return _how(words, at)
    if low in _ALONE:
        return Sought(_ALONE[low], at, low=low)
    return _what(words, at, low)


def asks_with(words: Sequence[Word]) -> int:
    """The place of the word a question asks with, or -1: "when" and "where" ask where a verb follows."""
    if words and words[0].low in AUXILIARIES:
        return -1
    places = [place for place, word in enumerate(words) if word.low in WH]
    for place in places:
        after = words[place + 1].low if place + 1 < len(words) else ""
        if words[place].low not in ("when", "where") or after in AUXILIARIES or not after:
            return place
    return places[0] if places else -1


def _how(words: Sequence[Word], at: int) -> Sought:
    after = words[at + 1 : at + 4]
    if not after:
        return Sought("manner", at)
    first = after[0]
    if first.low == "long" and after[1:] and after[1].low == "ago":
        return Sought("time", at)
    if first.low == "many" and after[1:] and after[1].low == "square":
        return Sought("measure", at, (), "size")
    if first.low == "many":
        heads = tuple(word.base for word in after[1:3] if word.low not in LIGHT and word.number is None)
        return _counted(words, at, heads)
    if first.low == "much":
        bases = [word.base for word in words]
        priced = bool(_PRICED & {*bases}) and words[at - 1].low != "by"
        if (after[1:] and after[1].base == "be" and words[at - 1].low != "by") or priced:
            return Sought("measure", at, (), "price" if priced else "")
        return Sought("amount", at, tuple(word.base for word in words if word.low.removesuffix("s") in UNITS))
    if first.low in MEASURES:
        return Sought("measure", at, (), MEASURES[first.low])
    return Sought("manner", at)


_PRICED = frozenset(base(word) for word in "cost pay buy sell purchase charge".split())


def _counted(words: Sequence[Word], at: int, heads: tuple[str, ...]) -> Sought:
    """A number of things, unless they are units: then what is measured by them."""
    unit = UNITS.get(words[at + 2].low.rstrip("s"), UNITS.get(words[at + 2].low, "")) if at + 2 < len(words) else ""
    if not unit:
        return Sought("count", at, heads)
    told = next((MEASURES[word.low] for word in words[at + 3 : at + 6] if word.low in MEASURES), "")
    return Sought("measure", at, heads, told or ("length" if unit in _SPANS else ""))


def _what(words: Sequence[Word], at: int, low: str) -> Sought:
    heads = _heads(words, at)
    told = tuple(word.base for word in heads)
    bases = {word.base for word in words}
    if "die" in bases and ("caus" in bases or words[-1].low in ("of", "from")):  # "what did she die of"
        return Sought("manner", at, told, low=low)
    if not heads and at + 1 < len(words) and words[at + 1].base == "be":
        heads = _heads(words, at + 1, 5)
        heads = [word for word in heads if word.low in REASON_HEADS][:1] or heads[-1:]
        told = tuple(word.base for word in heads if word.low.removesuffix("s") in PERSON_HEADS | {"name"})
        if heads and heads[0].low in ("area", "size", "lifespan"):
            return Sought("measure", at, told, "length" if heads[0].low == "lifespan" else "size", low)
    found = {word.low.removesuffix("s") for word in heads} | {word.low for word in heads}
    within = at > 0 and words[at - 1].low in _WITHIN
    within |= "host" in bases or any(
        word.low in _WITHIN and (n == len(words) or words[n].low in ("in", "on", "during"))
        for n, word in enumerate(words[at + 1 :], at + 2)
    )
    for kind, known in (
        ("time", TIME_HEADS),
        ("share", SHARE_HEADS),
        ("count", COUNT_HEADS),
        ("reason", REASON_HEADS),
        ("place", PLACE_HEADS),
        ("manner", MANNERS),
    ):
        if found & known:
            return Sought(kind, at, told, low=low, within=within)
    for one in sorted(found & (MEASURES.keys() - _PLAIN)):
        return Sought("measure", at, told, MEASURES[one], low)
    if at + 1 < len(words) and words[at + 1].low == "of":  # "which of the two"
        told = (*told, "of")
    return Sought("thing", at, told, low=low, within=within)


MANNERS = frozenset("way method manner".split())
_PLAIN = frozenset("large big long old strong close near tall high heavy hot cold deep wide thick fast".split())
"""Words that measure only after "how"."""


def _heads(words: Sequence[Word], at: int, most: int = 3) -> list[Word]:
    """Up to so many words after `at`, before a verb that helps, a preposition or the next thing that is named."""
    heads: list[Word] = []
    for word in words[at + 1 : at + 6]:
        if word.low in AUXILIARIES or word.low in PREPOSITIONS - {"of"} or len(heads) == most:
            break
        if word.low == "of":
            if not {"kind", "type", "sort", "form"} & {head.low.removesuffix("s") for head in heads}:
                break
            heads.clear()
        elif word.low not in ("the", "a", "an", "that"):
            heads.append(word)
        elif heads:
            break
    return heads


def agree(asked: Sought, other: Sought) -> bool:
    """Whether an answer to one could answer the other, by its kind alone."""
    kinds = {asked.kind, other.kind}
    if "" in kinds:
        return True
    if kinds == {"count"} and asked.low == other.low == "":
        return _counting_the_same(asked.heads, other.heads)
    if kinds == {"place"} and "where" in (asked.low, other.low) and asked.low != other.low:
        which = other if asked.low == "where" else asked
        return which.within or not which.heads
    if len(kinds) == 1:
        return asked.kind != "measure" or _measured(asked.measure, other.measure)
    if {asked.low, other.low} <= {"what", "which"}:
        return "thing" in kinds and not kinds & {"share", "count", "time"}
    if kinds == {"amount", "measure"}:
        if {*asked.heads} & {*other.heads}:
            return True
        return bool({asked.measure, other.measure} & {"price", "weight", "age", "capacity", "size"})
    if kinds == {"person", "thing"} or kinds == {"person", "place"}:
        return bool(asked.heads or other.heads) and not (asked.within or other.within)
    return kinds in _ALIKE or kinds == {"measure", "thing"}


_ALIKE = ({"count", "amount"}, {"share", "amount"})


def _counting_the_same(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether "how many" is followed by the same thing in both; people may be called by what they are."""
    if not one or not other or _PEOPLE & {*one, *other}:
        return True
    return any(same(a, b) for a in one for b in other)


_PEOPLE = frozenset(base(word) for word in "people person individual".split())


def _measured(one: str, other: str) -> bool:
    return not one or not other or one == other or {one, other} <= {"length", "distance"}
