"""Who does it to whom: a question with its verb, and the words on each side of it."""

from __future__ import annotations

from collections.abc import Sequence

from answerable.qapairs.equivalence.asked import Sought, asks_with
from answerable.qapairs.equivalence.differing import same
from answerable.qapairs.equivalence.forms import Word, base
from answerable.qapairs.equivalence.frames import (
    AGENT,
    PARTICLES,
    PATIENT,
    UNCHANGED,
    Slots,
    argument,
    asked_otherwise,
    does_otherwise,
    done_otherwise,
    events,
    participle,
    past,
    related_otherwise,
    relations,
    relative,
    whose,
)
from answerable.qapairs.equivalence.lexicon import AUXILIARIES, COUNTED, IRREGULAR, KINSHIP, LIGHT, PREPOSITIONS
from answerable.qapairs.equivalence.opposites import NEGATORS

MUTUAL = frozenset(base(word) for word in "marry wed meet border adjoin resemble differ".split())
"""What one does, the other does as well."""
_UNPLACED = AUXILIARIES | NEGATORS | frozenset("alone solo together again only".split())
_FAR = frozenset("to into onto from for against".split())
"""Prepositions whose object may not become who does it, whatever is asked for."""


def swapped(asked: Sequence[Word], other: Sequence[Word], wanted: Sought, found: Sought) -> bool:
    """Whether somebody does in one question what is done to them in the other, or goes where they came from."""
    nouns = relations(asked, wanted), relations(other, found)
    if _turned_kin(asked, other) or related_otherwise(*nouns):
        return True
    if _doing_turned(nouns[0], other, found) or _doing_turned(nouns[1], asked, wanted):
        return True
    told = events(asked), events(other)
    if any(done_otherwise(one, *two) for one in told[0] for two in told[1]):
        return True
    for here, word in enumerate(asked):
        for there, beside in enumerate(other):
            if word.base in MUTUAL or beside.base in MUTUAL or not _one_verb(asked, here, other, there):
                continue
            if _conflict(slots(asked, here), slots(other, there)):
                return True
            asks = argument(asked, here, wanted), argument(other, there, found)
            if asked_otherwise(asked, here, other, there, asks):
                return True
            if {relative(asked, here, wanted.at), relative(other, there, found.at)} == {AGENT, PATIENT}:
                return True
    return _events_turned(told[0], other) or _events_turned(told[1], asked)


def _one_verb(one: Sequence[Word], here: int, other: Sequence[Word], there: int) -> bool:
    """Whether the words at these places are one verb, or synonyms of which both look like verbs where they stand."""
    if one[here].base != other[there].base:
        if _BECOME in (one[here].base, other[there].base):  # who is crowned becomes king
            return False
        return _doing(one, here) and _doing(other, there) and same(one[here].base, other[there].base)
    return (
        _may_be_verbs(one, here, other, there)
        or (_helped(one, here) and _helped(other, there))
        or _called(one, here, other, there)
    )


_BECOME = base("become")


def _doing(words: Sequence[Word], place: int) -> bool:
    """Whether a word looks like a verb: past, helped by "do", or right after what is asked for."""
    if not _plain(words[place]) or (place and words[place - 1].low in ("the", "a", "an", "of")):
        return False
    return past(words[place]) or _helped(words, place) or (place > 0 and words[place - 1].low in ("who", "what"))


def _doing_turned(nouns: Slots, words: Sequence[Word], asked: Sought) -> bool:
    """Whether a verb of these words has done to somebody what one of the nouns says that they do."""
    return any(
        does_otherwise({noun: role}, word.base, argument(words, place, asked))
        for noun, role in nouns.items()
        for place, word in enumerate(words)
        if word.base[:3] == noun[:3] and _plain(word) and (past(word) or _helped(words, place))
    )


def _events_turned(told: Sequence[tuple[str, Slots]], words: Sequence[Word]) -> bool:
    """Whether a verb of these words does otherwise what one of the nouns tells."""
    if not told:
        return False
    for place, word in enumerate(words):
        if _plain(word) and any(word.base[:4] == noun[:4] for noun, _ in told):
            own = slots(words, place)
            keyed = {whose(one): own[one.base] for one in words if one.base in own}
            if any(done_otherwise(event, word.base, keyed) for event in told):
                return True
    return False


def _called(one: Sequence[Word], here: int, other: Sequence[Word], there: int) -> bool:
    """Whether a word is helped by "do" in one and follows "who" in the other: "who called him", "whom did he call"."""
    if one[here].base not in _CALLING and not (_plain(one[here]) and _plain(other[there])):
        return False
    return any(
        _HELPING & {word.low for word in words[:place]} and beside and rest[beside - 1].low in ("who", "which", "what")
        for words, place, rest, beside in ((one, here, other, there), (other, there, one, here))
    )


_CALLING = frozenset(base(word) for word in "call name know".split())


def _helped(words: Sequence[Word], place: int) -> bool:
    """Whether a word can be what "do" or "may" helps: "what did she inherit from him"."""
    word, at = words[place], asks_with(words)
    before = [one.low for one in words[max(at, 0) : place]]
    if place == 0 or words[place - 1].low in ("the", "a", "an", "of", "and", "or", "both"):
        return False
    return (
        _plain(word) and bool(_HELPING & {*before}) and not (PREPOSITIONS - {"of"}) & {*before} and word.low[-1] != "s"
    )


_HELPING = frozenset("do does did may might must can could will would shall should".split())


def _plain(word: Word) -> bool:
    """Whether a word can be a verb at all."""
    known = word.name or word.number is not None or word.low in LIGHT or word.low in AUXILIARIES
    return not known and word.low not in PREPOSITIONS and word.low not in COUNTED


def _may_be_verbs(one: Sequence[Word], here: int, other: Sequence[Word], there: int) -> bool:
    word, same = one[here], other[there]
    if not _plain(word) or not _plain(same) or word.low.endswith("ing") or same.low.endswith("ing"):
        return False
    if any(n and words[n - 1].low in ("the", "a", "an") for words, n in ((one, here), (other, there))):
        return False
    if _ends_after_do(one, here) or _ends_after_do(other, there):
        return False
    if word.base in UNCHANGED or word.base in _VERBS:
        return True
    if word.low == same.low or word.low.rstrip("s") == same.low.rstrip("s"):  # a noun, unless "do" helps it in one
        return past(word) or (word.low != same.low and (_helped(one, here) or _helped(other, there)))
    return True


def _ends_after_do(words: Sequence[Word], place: int) -> bool:
    """Whether a word ends in "s" where a verb could not: "did sales rise"."""
    low = words[place].low
    return low.endswith("s") and not low.endswith("ss") and any(word.low in _HELPING for word in words[:place])


_VERBS = frozenset(
    base(word)
    for word in [
        *IRREGULAR.values(),
        *"oppose support attack defend follow join visit own hire sign cause change allow help need use".split(),
    ]
) - {
    base(word)
    for word in (
        "child man woman mouse foot tooth goose wolf little few many city country party army symptom bacteria much "
        "bad good old far late early tall long wide deep heavy light victory"
    ).split()
}


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
        passive = helping.base == "be" and participle(words[verb])
        subject = words[helps[0] + 1 : verb]
        if not _telling(subject):
            found["?"] = PATIENT if passive else AGENT
        elif not passive and helping.base != "be":
            found["?"] = PATIENT
    else:
        subject = words[at + 1 : verb] if at >= 0 and words[at].low in ("who", "whom") else words[verb:verb]
        subject = [] if any(word.low in PREPOSITIONS or past(word) for word in subject) else subject
        found["?"] = PATIENT if _telling(subject) else AGENT
    if passive and not any(word.low == "by" for word in words):
        if words[verb].base not in _TELLING:
            return {}
        told = _told_to(words[verb + 1 :])
        if _telling(subject) and at >= 0 and words[at].low in ("what", "which"):  # "what was she promised"
            _fill(told, subject, PATIENT)
        return told
    _fill(found, subject, PATIENT if passive else AGENT)
    _fill(found, words[verb + 1 :], "" if passive else PATIENT, by=AGENT if passive else "by")
    if passive and (words[-1].low == "by" or (at > 0 and words[at - 1].low == "by")):
        found["?"] = AGENT
    return found


def _told_to(words: Sequence[Word]) -> Slots:
    found: Slots = {}
    _fill(found, words, "")
    return found


_TELLING = frozenset(base(word) for word in "say tell write explain suggest offer promise lend give send show".split())
"""Whom it is said to does not say it."""


def _telling(words: Sequence[Word]) -> list[Word]:
    return [word for word in words if word.low not in LIGHT]


def _fill(found: Slots, words: Sequence[Word], slot: str, by: str = "by") -> None:
    """Give each word its slot: `slot` up to a preposition, then that preposition; "of" changes nothing."""
    if slot == PATIENT and words and words[0].low in PARTICLES:
        words = words[1:]
    for word in words:
        if word.low in PREPOSITIONS and word.low != "of":
            slot = by if word.low == "by" else word.low
        elif slot and word.low not in LIGHT and word.low not in _UNPLACED and word.number is None:
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
    lows = [word.low for word in asked], [word.low for word in other]
    shared = {*lows[0]} & {*lows[1]} & KINSHIP
    if any(lows[0].count(low) != lows[1].count(low) for low in shared):
        return True
    return bool(shared) and bool(asked and other) and (asked[-1].low == "of") != (other[-1].low == "of")
