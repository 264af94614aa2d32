"""Who does it to whom: a question with its verb, and the words on each side of it."""

from __future__ import annotations

from collections.abc import Sequence

from answerable.qapairs.equivalence.asked import Sought, asks_with
from answerable.qapairs.equivalence.forms import Word, base
from answerable.qapairs.equivalence.lexicon import (
    AUXILIARIES,
    COUNTED,
    IRREGULAR,
    LIGHT,
    NEGATORS,
    PREPOSITIONS,
)

AGENT, PATIENT = "agent", "patient"
Slots = dict[str, str]
"""The base of a word to where it stands: agent, patient, or the preposition before it."""
PARTICLES = frozenset("up out off down over".split())
"""Right after a verb they are part of it: "take over"."""
UNCHANGED = frozenset("founded beat cut hit put set let cost hurt read spread shut bid cast".split())
"""Verbs whose past is as their base."""
_EITHER_WAY = frozenset(
    base(word)
    for word in (
        "open close start begin end finish sink break burn change move grow form merge split develop increase "
        "decrease spread expand shrink melt freeze boil dissolve crash explode collapse drown stop continue turn "
        "improve vary launch release play sell read air premiere complete retire divide unite separate base "
        "locate flood"
    ).split()
)
"""What does it and what has it done to it may be the same: "which ship sank", "which ship was sunk"."""
_ARGUMENTS = frozenset("person thing count place owner".split())
_ADVERBS = frozenset("also ever only first last then since once still again still finally ago".split()) | NEGATORS
_DETERMINERS = frozenset("a an the his her its their my our your this these those".split())
_RELATIVE = frozenset("that which who whom".split())
_BESIDE = frozenset("in at on with through during by between among without of".split())
"""Prepositions whose object may be said to do it: "in which organ is it made", "which organ makes it"."""


def participle(verb: Word) -> bool:
    """Whether a word after "was" makes a passive."""
    return (verb.low != verb.base and not verb.low.endswith(("ing", "s"))) or verb.low in UNCHANGED


_NO_VERBS = AUXILIARIES | frozenset(
    "death birth marriage arrival choice growth sale height length width depth weight speech flight gift song belief "
    "proof discovery successor predecessor winner founder victory men women children people mice feet teeth geese an "
    "whom whose fewer least more most fewest worse worst better best elder eldest further later latest earlier "
    "earliest using".split()
)
"""Irregular forms of words that are no verbs, and nouns that are of verbs."""


def past(word: Word) -> bool:
    """Whether a word has the form of a verb in the past, or of its participle; "was" and the like aside."""
    irregular = word.low in IRREGULAR and word.low[-1] != "s" and word.low not in _NO_VERBS
    return irregular or word.low.endswith("ed")


def argument(words: Sequence[Word], verb: int, asked: Sought) -> str:
    """What the thing asked for is to the verb at that place: agent, patient, after which preposition; else nothing.

    Nothing is said of a verb that is not the first of the question.
    """
    at = asked.at
    if asked.kind not in _ARGUMENTS or asked.low == "where" or at < 0 or at > verb:
        return ""
    helps = [n for n in range(at, verb) if words[n].low in AUXILIARIES]
    start = helps[-1] if helps else at
    between = [word for word in words[start + 1 : verb] if word.low not in _ADVERBS and word.low[-2:] != "ly"]
    if any(word.low in _RELATIVE for word in words[at + 1 : verb]) or any(past(word) for word in between):
        return ""
    if verb and words[verb - 1].low in _DETERMINERS:
        return ""
    passive = bool(helps) and words[helps[-1]].base == "be" and participle(words[verb])
    if passive and (not past(words[verb]) or words[verb].low.endswith(("er", "or"))):
        return ""
    if preposition := _governs(words, verb, at):
        return AGENT if preposition == "by" and passive else preposition
    after = words[verb + 1 : verb + 2]
    if helps:
        subject = [word for word in words[helps[0] + 1 : verb] if word.low not in _ADVERBS | AUXILIARIES]
        if passive:
            return "" if subject else PATIENT
        if words[helps[-1]].base == "be" and not words[verb].low.endswith("ing"):
            return ""
        return PATIENT if subject else AGENT
    if after and after[0].low == "by":  # "which firm bought by Hill makes glass"
        return PATIENT
    return PATIENT if between and words[at].low in ("who", "whom") else AGENT


def _governs(words: Sequence[Word], verb: int, at: int) -> str:
    """The preposition that stands before the word a question asks with, or last."""
    last = len(words) - 1
    if at and words[at - 1].low in PREPOSITIONS:
        return words[at - 1].low
    for n in range(verb + 1, last + 1):
        if words[n].low in PREPOSITIONS and (n == last or words[n + 1].low in ("in", "on", "at", "during")):
            return "" if n == verb + 1 and words[n].low in PARTICLES else words[n].low
    return ""


def _asked_otherwise(one: Sequence[Word], here: int, other: Sequence[Word], there: int, asks: tuple[str, str]) -> bool:
    """Whether what is asked for does it in one and has it done to it in the other; `asks`: `argument` of both."""
    first, second = asks
    if not first or not second or first == second or "by" in asks:
        return False
    if {first, second} == {AGENT, PATIENT}:
        words, verb = (one, here) if first == AGENT else (other, there)
        rest, beside = (other, there) if first == AGENT else (one, here)
        helped = any(word.base == "do" for word in rest[:beside])
        return helped or words[verb].base not in _EITHER_WAY
    return AGENT in asks and not _BESIDE & {*asks}


MUTUAL = frozenset(base(word) for word in "marry wed meet border adjoin resemble differ".split())
"""What one does, the other does as well."""
_UNPLACED = AUXILIARIES | NEGATORS | frozenset("alone solo together again only".split())
_FAR = frozenset("to into onto from for against".split())
"""Prepositions whose object may not become who does it, whatever is asked for."""


def swapped(asked: Sequence[Word], other: Sequence[Word], wanted: Sought, found: Sought) -> bool:
    """Whether somebody does in one question what is done to them in the other, or goes where they came from."""
    if _turned_kin(asked, other):
        return True
    for here, word in enumerate(asked):
        for there, beside in enumerate(other):
            if word.base in MUTUAL or beside.base in MUTUAL or not _one_verb(asked, here, other, there):
                continue
            if _conflict(slots(asked, here), slots(other, there)):
                return True
            asks = argument(asked, here, wanted), argument(other, there, found)
            if _asked_otherwise(asked, here, other, there, asks):
                return True
    return False


def _one_verb(one: Sequence[Word], here: int, other: Sequence[Word], there: int) -> bool:
    """Whether the words at these places are one verb."""
    if one[here].base != other[there].base:
        return False
    return _may_be_verbs(one, here, other, there) or (_helped(one, here) and _helped(other, there))


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
    if word.base in UNCHANGED or word.base in _VERBS:
        return True
    if word.low == same.low or word.low.rstrip("s") == same.low.rstrip("s"):  # a noun, unless "do" helps it in one
        return past(word) or (word.low != same.low and (_helped(one, here) or _helped(other, there)))
    return True


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
        return {}
    _fill(found, subject, PATIENT if passive else AGENT)
    _fill(found, words[verb + 1 :], "" if passive else PATIENT, by=AGENT if passive else "by")
    if passive and (words[-1].low == "by" or (at > 0 and words[at - 1].low == "by")):
        found["?"] = AGENT
    return found


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
    shared = {*lows[0]} & {*lows[1]} & _KINSHIP
    if any(lows[0].count(low) != lows[1].count(low) for low in shared):
        return True
    return bool(shared) and (asked[-1].low == "of") != (other[-1].low == "of")


_KINSHIP = frozenset(
    "father mother son daughter parent child brother sister husband wife uncle aunt king queen teacher pupil student "
    "successor predecessor owner author founder leader capital".split()
)
"""Nouns that join two of whom one may not stand in the other's place."""
