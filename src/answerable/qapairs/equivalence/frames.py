"""What is asked for beside a verb, beside a noun that joins two, and in a clause that says more of somebody."""

from __future__ import annotations

from collections.abc import Sequence

from answerable.qapairs.equivalence.asked import WH, Sought
from answerable.qapairs.equivalence.forms import Word, alike, base
from answerable.qapairs.equivalence.lexicon import (
    AUXILIARIES,
    COMPARATIVES,
    DEMONYMS,
    IRREGULAR,
    LIGHT,
    ORDER,
    PREPOSITIONS,
    SUPERLATIVES,
)
from answerable.qapairs.equivalence.opposites import NEGATORS

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
_PRONOUNS = frozenset("i he she it they we you".split())
_RELATIVE = frozenset("that which who whom".split())
_STATES = frozenset(
    base(word) for word in "oppose marry relate devote dedicate commit expose link connect interest involve use".split()
)
"""Participles that say how a thing is: "who was opposed to it" opposed it."""
_BESIDE = frozenset("in at on with through during by between among without of".split())
"""Prepositions whose object may be said to do it: "in which organ is it made", "which organ makes it"."""
_OVER = {"of": PATIENT, "over": PATIENT, "against": PATIENT, "by": AGENT}


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
            state = words[verb].base in _STATES and after and after[0].low in ("to", "with", "in")
            return "" if subject or state else PATIENT
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


def asked_otherwise(one: Sequence[Word], here: int, other: Sequence[Word], there: int, asks: tuple[str, str]) -> bool:
    """Whether what is asked for does it in one and has it done to it in the other; `asks`: `argument` of both."""
    first, second = asks
    if not first or not second or first == second or "by" in asks:
        return False
    if {first, second} == {AGENT, PATIENT}:
        words, verb = (one, here) if first == AGENT else (other, there)
        rest, beside = (other, there) if first == AGENT else (one, here)
        helped = any(word.base == "do" for word in rest[:beside])
        return helped or words[verb].base not in _EITHER_WAY or _has_object(words, verb)
    return AGENT in asks and not _BESIDE & {*asks}


def _has_object(words: Sequence[Word], verb: int) -> bool:
    after = words[verb + 1 : verb + 2]
    if not after or after[0].number is not None or after[0].low[-2:] == "ly":
        return False
    return not any(after[0].low in table for table in (PREPOSITIONS, COMPARATIVES, ORDER, _ADVERBS))


def relative(words: Sequence[Word], verb: int, at: int) -> str:
    """What "that" or "who" is to the verb of its clause: agent or patient; nothing where the verb is in none."""
    place = next((n for n in range(verb - 1, max(at, 0), -1) if words[n].low in _RELATIVE), -1)
    if place <= 0:
        return ""
    between = words[place + 1 : verb]
    if any(past(word) or word.low in PREPOSITIONS for word in between):
        return ""
    subject = [word for word in between if word.low not in _ADVERBS | AUXILIARIES]
    if any(word.base == "be" for word in between) and participle(words[verb]):
        return "" if subject else PATIENT
    return PATIENT if subject else AGENT


def relations(words: Sequence[Word], asked: Sought) -> Slots:
    """Of nouns that join two, whether the thing asked for is it ("whose": it has it): "who is the aunt of Ann"."""
    at, last = asked.at, len(words) - 1
    found: Slots = {}
    if at < 0 or last < 2:
        return found
    for n in range(1, last):  # "the aunt of Ann", and "Ann is the aunt of whom"
        if words[n].low == "of" and _noun(words[n - 1]):
            stranded = n + 1 == at or words[n + 1].low in PREPOSITIONS
            found[words[n - 1].base] = "whose" if stranded else "is"
    for n in range(1, last + 1):
        if words[n - 1].owner and _noun(words[n]):
            heads = asked.low in ("which", "what") and at < n - 1
            near = heads and not any(word.low in AUXILIARIES for word in words[at : n - 1])
            found[words[n].base] = "whose" if near else "is"
    if words[last].low == "of" and _noun(words[last - 1]):  # "who is Ann the aunt of"
        found[words[last - 1].base] = "whose"
    if at and words[at - 1].low == "of" and at == 1 and _noun(words[last]):  # "of whom is Ann the aunt"
        found[words[last].base] = "whose"
    if asked.low == "whose" and at < last:
        found[words[at + 1].base] = "whose"
    lows = [word.low for word in words]
    if "as" in lows and any(word.base == "hav" or word.low in ("had", "have", "has") for word in words):
        nouns = [word for word in words[lows.index("as") + 1 :] if word.low not in _DETERMINERS]
        if nouns:
            found[nouns[0].base] = "whose"  # "who had Ann as an aunt"
    if asked.heads and words[last].low == "have":  # "which moon does it have"
        found[asked.heads[-1]] = "is"
    return found


def _noun(word: Word) -> bool:
    light = word.low in LIGHT or word.low in AUXILIARIES or word.low in PREPOSITIONS
    compared = word.low in COMPARATIVES or word.low in SUPERLATIVES
    other = word.name or word.number is not None or word.low in WH or compared or past(word)
    return not light and not other


def related_otherwise(one: Slots, other: Slots) -> bool:
    """Whether what is asked for is somebody's in one, and somebody is its in the other."""
    return any(other.get(noun, role) != role for noun, role in one.items())


def does_otherwise(nouns: Slots, verb: str, asks: str) -> bool:
    """Whether what is asked for is who does it by a noun and has it done to it by the verb, or the other way round."""
    for noun, role in nouns.items():
        if noun.endswith(("er", "or")) or noun in _DOERS:
            doer = PATIENT if role == "whose" else AGENT
            if {doer, asks} == {AGENT, PATIENT} and alike(noun, verb):
                return True
    return False


_DOERS = frozenset(
    base(word) for word in "coach guide guard host cook pilot heir student cause succeed precede".split()
)


def events(words: Sequence[Word]) -> list[tuple[str, Slots]]:
    """Nouns for what is done, with who does it and to whom: "Hill's purchase of the mill", "its defeat by Orsa"."""
    found = []
    for n in range(1, len(words) - 2):
        before, noun, after = words[n - 1], words[n], words[n + 1].low
        if (before.owner or (before.name and not past(noun))) and not noun.name and after in _OVER:
            slots: Slots = {}
            for word in words[n + 2 : n + 6]:
                if word.low in PREPOSITIONS or word.low in AUXILIARIES:
                    break
                if word.low not in LIGHT and word.number is None:
                    slots[whose(word)] = _OVER[after]
            slots[whose(before)] = PATIENT if after == "by" else AGENT
            found.append((noun.base, slots))
    return found


def whose(word: Word) -> str:
    """The same for a country and what is of it, nearly."""
    return DEMONYMS.get(word.low, word.low)[:5]


def done_otherwise(event: tuple[str, Slots], verb: str, slots: Slots) -> bool:
    """Whether these slots of a verb, or of another noun, are not those of the event."""
    noun, own = event
    if noun != verb and not alike(noun, verb):
        return False
    return any({own[word], slots.get(word, own[word])} == {AGENT, PATIENT} for word in own)
