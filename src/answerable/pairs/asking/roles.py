"""Who does it to whom: a question with its verb, and the words on each side of it."""

from __future__ import annotations

from collections.abc import Sequence

from answerable.pairs.asking.asked import asks_with
from answerable.pairs.asking.forms import Word, base
from answerable.pairs.asking.lexicon import AUXILIARIES, IRREGULAR, KINSHIP, LIGHT, PREPOSITIONS

AGENT, PATIENT = "agent", "patient"
Slots = dict[str, str]
"""The base of a word to where it stands: agent, patient, or the preposition before it."""
_UNCHANGED = frozenset("beat cut hit put set let cost hurt read spread shut".split())
_FAR = frozenset("to into onto from for against".split())
"""Prepositions whose object may not become who does it."""


def swapped(asked: Sequence[Word], other: Sequence[Word]) -> bool:
    """Whether somebody does in one question what is done to them in the other, or goes where they came from."""
    if _turned_kin(asked, other):
        return True
    return any(
        _conflict(slots(asked, here), slots(other, there))
        for here, word in enumerate(asked)
        for there, same in enumerate(other)
        if word.base == same.base and _may_be_verbs(word, same)
    )


def _may_be_verbs(word: Word, same: Word) -> bool:
    if word.name or same.name or word.number is not None or word.low in LIGHT or word.low in AUXILIARIES:
        return False
    if word.low.endswith("ing") or same.low.endswith("ing"):
        return False
    inflected = any(one.low != one.base and not one.low.endswith("s") for one in (word, same))
    known = word.base in _UNCHANGED or word.base in _VERBS
    return word.low != same.low or inflected or known


_VERBS = frozenset(
    base(word)
    for word in [
        *IRREGULAR.values(),
        *"oppose support attack defend follow join visit own hire sign cause change allow help include need use".split(),
    ]
) - {base(word) for word in "child man woman mouse foot tooth goose wolf little few many city country party".split()}


def slots(words: Sequence[Word], verb: int) -> Slots:
    """Where the words of a question stand around the verb at that place. `?` is what is asked for."""
    at = asks_with(words)
    helps = [n for n in range(max(at, 0), verb) if words[n].low in AUXILIARIES]
    found: Slots = {}
    passive = False
    if at > verb and any(word.low in AUXILIARIES for word in words[at:]):
        return {}  # the verb of what is said before the question: "after leaving the town, where did she live"
    if at > verb:  # "the treaty was signed by which countries"
        before, subject = [n for n in range(verb) if words[n].low in AUXILIARIES], words[:verb]
        passive = bool(before) and words[before[-1]].base == "be"
    elif helps:
        helping = words[helps[-1]]
        passive = helping.base == "be" and _participle(words[verb])
        subject = words[helps[0] + 1 : verb]
        if not _telling(subject):
            found["?"] = PATIENT if passive else AGENT
        elif not passive and helping.base != "be":
            found["?"] = PATIENT
    else:
        subject = words[verb:verb]
        found["?"] = AGENT
    if passive and not any(word.low == "by" for word in words):
        return {}
    _fill(found, subject, PATIENT if passive else AGENT)
    _fill(found, words[verb + 1 :], "" if passive else PATIENT, by=AGENT if passive else "by")
    if passive and (words[-1].low == "by" or at > 0 and words[at - 1].low == "by"):
        found["?"] = AGENT
    return found


def _participle(verb: Word) -> bool:
    return verb.low != verb.base and not verb.low.endswith(("ing", "s")) or verb.base in _UNCHANGED


def _telling(words: Sequence[Word]) -> list[Word]:
    return [word for word in words if word.low not in LIGHT]


def _fill(found: Slots, words: Sequence[Word], slot: str, by: str = "by") -> None:
    """Give each word its slot: `slot` up to a preposition, then that preposition; "of" changes nothing."""
    for word in words:
        if word.low in PREPOSITIONS and word.low != "of":
            slot = by if word.low == "by" else word.low
        elif slot and word.low not in LIGHT and word.low not in AUXILIARIES:
            found.setdefault(word.base, slot)


def _conflict(one: Slots, other: Slots) -> bool:
    for word in one.keys() & other.keys() - {"?"}:
        pair = {one[word], other[word]}
        if pair == {AGENT, PATIENT} or pair in ({"from", "to"}, {"from", "into"}):
            return True
        if AGENT in pair and pair & _FAR:
            return True
    return False


def _turned_kin(asked: Sequence[Word], other: Sequence[Word]) -> bool:
    """ "Who is she the mother of?" beside "Who is her mother?"."""
    shared = {word.low for word in asked} & {word.low for word in other} & KINSHIP
    return bool(shared) and bool(asked and other) and (asked[-1].low == "of") != (other[-1].low == "of")
