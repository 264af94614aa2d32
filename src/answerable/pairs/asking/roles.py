"""Who does it to whom: a question with its verb, and the words on each side of it."""

from __future__ import annotations

from collections.abc import Sequence

from answerable.pairs.asking.asked import asks_with
from answerable.pairs.asking.forms import Word, base
from answerable.pairs.asking.lexicon import AUXILIARIES, COUNTED, IRREGULAR, KINSHIP, LIGHT, PREPOSITIONS
from answerable.pairs.asking.opposites import NEGATORS

MUTUAL = frozenset(base(word) for word in "marry wed meet border adjoin resemble differ".split())
"""What one does, the other does as well."""
AGENT, PATIENT = "agent", "patient"
Slots = dict[str, str]
"""The base of a word to where it stands: agent, patient, or the preposition before it."""
_UNCHANGED = frozenset("founded beat cut hit put set let cost hurt read spread shut".split())
_UNPLACED = AUXILIARIES | NEGATORS | frozenset("alone solo together again only".split())
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
        if word.base == same.base
        and word.base not in MUTUAL
        and (_may_be_verbs(asked, here, other, there) or (_helped(asked, here) and _helped(other, there)))
    )


def converse(asked: Sequence[Word], other: Sequence[Word], opposites: Sequence[tuple[int, int]]) -> bool:
    """Whether the one opposite is undone by asking for the other side: "whom did she lose to" and "who beat her"."""
    if len(opposites) != 1:
        return False
    [(here, there)] = opposites
    pair = {asked[here].base, other[there].base}
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
    """Whether a word can be what "do" or "may" helps: "what did she inherit from him"."""
    word, at = words[place], asks_with(words)
    before = [one.low for one in words[max(at, 0) : place]]
    if place == 0 or words[place - 1].low in ("the", "a", "an", "of", "and", "or", "both"):
        return False
    return _plain(word) and bool(_HELPING & {*before}) and not PREPOSITIONS & {*before} and word.low[-1] != "s"


_HELPING = frozenset("do does did may might must can could will would shall should".split())


def _plain(word: Word) -> bool:
    """Whether a word can be a verb at all."""
    known = word.name or word.number is not None or word.low in LIGHT or word.low in AUXILIARIES
    return not known and word.low not in PREPOSITIONS and word.low not in COUNTED


def _may_be_verbs(one: Sequence[Word], here: int, other: Sequence[Word], there: int) -> bool:
    word, same = one[here], other[there]
    if not _plain(word) or not _plain(same) or word.low.endswith("ing") or same.low.endswith("ing"):
        return False
    if _ends_after_do(one, here) or _ends_after_do(other, there):
        return False
    if word.base in _UNCHANGED or word.base in _VERBS:
        return True
    if word.low == same.low or word.low.rstrip("s") == same.low.rstrip("s"):  # a noun, unless "do" helps it in one
        return past(word) or (word.low != same.low and (_helped(one, here) or _helped(other, there)))
    return True


def _ends_after_do(words: Sequence[Word], place: int) -> bool:
    """Whether a word ends in "s" where a verb could not: "did sales rise"."""
    low = words[place].low
    return low.endswith("s") and not low.endswith("ss") and any(word.low in _HELPING for word in words[:place])


def past(word: Word) -> bool:
    """Whether a word has the form of a verb in the past, or of its participle; "was" and the like aside."""
    irregular = word.low in IRREGULAR and not word.low.endswith("s") and word.low not in AUXILIARIES
    return irregular or word.low.endswith("ed")


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
    return (verb.low != verb.base and not verb.low.endswith(("ing", "s"))) or verb.low in _UNCHANGED


def _telling(words: Sequence[Word]) -> list[Word]:
    return [word for word in words if word.low not in LIGHT]


def _fill(found: Slots, words: Sequence[Word], slot: str, by: str = "by") -> None:
    """Give each word its slot: `slot` up to a preposition, then that preposition; "of" changes nothing."""
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
    shared = {word.low for word in asked} & {word.low for word in other} & KINSHIP
    return bool(shared) and bool(asked and other) and (asked[-1].low == "of") != (other[-1].low == "of")
