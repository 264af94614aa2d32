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
        if word.base == same.base and (_may_be_verbs(word, same) or (_helped(asked, here) and _helped(other, there)))
    )


def converse(asked: Sequence[Word], other: Sequence[Word], opposites: Sequence[tuple[Word, Word]]) -> bool:
    """Whether the one opposite is undone by asking for the other side: "whom did she lose to" and "who beat her"."""
    if len(opposites) != 1:
        return False
    [(word, against)] = opposites
    here = next(n for n, one in enumerate(asked) if one is word)
    there = next(n for n, one in enumerate(other) if one is against)
    pair = {word.base, against.base}
    known = any(pair & lefts and pair & rights for lefts, rights in _CONVERSES)
    one, two = slots(asked, here), slots(other, there)
    same = any(one[name] == two.get(name) == AGENT for name in one)
    return known and not same and _conflict(one, two)


def _side(text: str) -> frozenset[str]:
    return frozenset(base(word) for word in text.split(","))


_CONVERSES = tuple(
    (_side(left), _side(right))
    for left, right in (
        ("beat,defeat,win", "lose"),
        ("buy,purchase,acquire", "sell"),
        ("lend", "borrow"),
        ("precede", "succeed,follow"),
        ("teach", "learn"),
        ("give,send", "receive,take"),
    )
)
"""What one does when the other does the other."""


def _helped(words: Sequence[Word], place: int) -> bool:
    """Whether a word can be what "do" helps: "what did she inherit from him"."""
    word, at = words[place], asks_with(words)
    before = [one.low for one in words[max(at, 0) : place]]
    if place == 0 or words[place - 1].low in ("the", "a", "an", "of", "and", "or", "both"):
        return False
    plain = not word.name and word.number is None and word.low not in LIGHT and word.low not in PREPOSITIONS
    return plain and bool({"do", "does", "did"} & {*before}) and not set(before) & PREPOSITIONS and word.low[-1] != "s"


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
        *"oppose support attack defend follow join visit own hire sign cause change allow help need use".split(),
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
    if passive and (words[-1].low == "by" or (at > 0 and words[at - 1].low == "by")):
        found["?"] = AGENT
    return found


def _participle(verb: Word) -> bool:
    return (verb.low != verb.base and not verb.low.endswith(("ing", "s"))) or verb.base in _UNCHANGED


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
