"""Words that stand in one question alone, and whether they ask for something else."""

from __future__ import annotations

from collections.abc import Sequence

from answerable.qapairs.equivalence.asked import MANNERS, Sought
from answerable.qapairs.equivalence.differing import Difference, same
from answerable.qapairs.equivalence.forms import Word, base
from answerable.qapairs.equivalence.lexicon import (
    AUXILIARIES,
    COMPARATIVES,
    COUNT_HEADS,
    COUNTED,
    LIGHT,
    MEASURES,
    NEGATORS,
    ORDER,
    PERSON_HEADS,
    PLACE_HEADS,
    PREPOSITIONS,
    REASON_HEADS,
    SHARE_HEADS,
    SUPERLATIVES,
    TIME_HEADS,
    UNITS,
)

_HARMLESS = frozenset(
    # how, how much and how surely it is said
    "typically usually generally commonly normally often oftentimes mainly mostly primarily largely predominantly "
    "chiefly approximately roughly around nearly almost very really quite pretty rather fairly extremely practically "
    "actually exactly precisely currently now today presently nowadays already just specifically particularly "
    "especially reportedly supposedly allegedly historically traditionally altogether please overall essentially "
    "basically simply readily apparently frequently likely probably possibly "
    # of what kind, saying nothing more
    "specific certain particular various several few else great good given respective possible following existing "
    "whatever whichever known famous notable renowned proper aforementioned current present exact precise favour "
    "favor "
    # what stands for anything
    "person people individual thing item someone somebody something anybody everybody anything everything ones you we "
    "i me us my our your own itself himself herself themselves others idea term word title example instance case "
    "terms respect naming "
    # what a sentence is held together by
    "according regarding concerning relating thus hence therefore while whilst although though whether if how "
    "towards along amongst ago".split()
)
"""Words of which one more or less changes nothing."""
_JOINING = frozenset(
    "constitute exist occur happen take get make regard concern relate involve consider situate locate place "
    "contain provide use utilize utilise present represent describe refer mean serve appear seem lie remain "
    "entail comprise feature possess give set let take-place definition define spend credit attribute member consist "
    "belong responsible carry-out commit house span".split()
)
"""Verbs, and nouns like them, of which one more changes nothing, unless it stands where the other question has another
word."""
_MUST = frozenset("must should shall ought supposed".split())
"""Words by which a thing is to be so, as "have to" is."""
_MAY = frozenset("may might could able unable allowed permitted entitled possible".split())
"""Words by which a thing may be so."""
_THING_HEADS = frozenset("thing item object stuff something".split())
ADDED = 4
"""Words shared besides, at most, where a word that one question has alone makes it another: in longer questions it is
likelier a word more for the same thing."""
DESCRIBING = 5
"""The same for a word that stands right before one of those: it says more of that."""
_IMPLIED = {
    "person": PERSON_HEADS,
    "owner": PERSON_HEADS,
    "place": PLACE_HEADS,
    "time": TIME_HEADS | {"see", "saw"},
    "reason": REASON_HEADS,
    "manner": MANNERS | {"cause"},
    "count": COUNT_HEADS,
    "share": SHARE_HEADS,
    "amount": SHARE_HEADS | COUNT_HEADS,
    "measure": frozenset(MEASURES) - {"lifespan"},
    "thing": _THING_HEADS,
}
"""What a question that asks for a kind of thing has said already, though the word be not there."""
_PARTICLES = frozenset(
    "off out down part outside inside under over above below beside near against behind beyond".split()
)
"""Small words that weigh something all the same."""
_LITTLE = (LIGHT | AUXILIARIES | PREPOSITIONS | NEGATORS | {"or"}) - _PARTICLES
_ELSEWHERE = frozenset(SUPERLATIVES) | frozenset(COMPARATIVES) | frozenset(COUNTED) | frozenset(ORDER)
_LITTLE_BASES = frozenset(base(word) for word in NEGATORS) | {"be", "do", "hav"}
_HARMLESS_BASES = frozenset(base(word) for word in _HARMLESS)
_MOODS = _MAY | _MUST
_JOINING_BASES = frozenset(base(word) for word in _JOINING)


def replaced(one: Sequence[Word], other: Sequence[Word], between: Difference, wanted: Sought, sought: Sought) -> bool:
    """Whether words that weigh something stand in one question alone, or other words in their place."""
    here = _weighty(one, between.here, wanted, sought)
    there = _weighty(other, between.there, sought, wanted)
    if here and there:
        return True
    here, there = _telling(one, here, between.here), _telling(other, there, between.there)
    if not here and not there:
        return False
    shared = min(_shared(one, between.here), _shared(other, between.there))  # initials stand for several words
    describing = _describes(one, here, between.here) or _describes(other, there, between.there)
    return shared <= (DESCRIBING if describing else ADDED)


def _shared(words: Sequence[Word], gone: Sequence[int]) -> int:
    return sum(1 for place, word in enumerate(words) if place not in gone and _counts(word))


def _weighty(words: Sequence[Word], places: Sequence[int], asked: Sought, beside: Sought) -> list[int]:
    """Those of the places where a word weighs something beside another in its place."""
    return [n for n in places if _weighs(words, n) and not _implied(words, n, asked, beside)]


def _weighs(words: Sequence[Word], place: int) -> bool:
    word = words[place]
    if word.low == "do" and 0 < place == len(words) - 1:  # "what does it do"
        return True
    if word.name or word.number is not None or word.low in _MOODS or word.base in _HARMLESS_BASES:
        return False
    return not _light(word.low, word.base)


def _telling(words: Sequence[Word], places: Sequence[int], gone: Sequence[int]) -> list[int]:
    """Those of the places whose word is more than a verb that joins, and is not said by a synonym besides."""
    left = [n for n in places if words[n].base not in _JOINING_BASES]
    if not left:
        return left
    said = [word.base for n, word in enumerate(words) if n not in gone and _counts(word)]
    return [n for n in left if not any(same(words[n].base, base) for base in said)]


def _describes(words: Sequence[Word], places: Sequence[int], gone: Sequence[int]) -> bool:
    """Whether one of these stands before a word that both have, after one that weighs nothing: "the inner harbour"."""
    return any(
        0 < n < len(words) - 1 and n + 1 not in gone and _counts(words[n + 1]) and words[n - 1].low in _LITTLE
        for n in places
    )


def _counts(word: Word) -> bool:
    return word.number is None and word.low not in _PARTICLES and not _light(word.low, word.base)


def _light(low: str, base: str) -> bool:
    """Whether a word is weighed by another rule, or changes nothing."""
    if low in _PARTICLES:
        return False
    if low in _LITTLE or low in _ELSEWHERE or base in _LITTLE_BASES:
        return True
    single = low.removesuffix("s")
    return single in LIGHT or single in UNITS or base in UNITS


def _implied(words: Sequence[Word], place: int, asked: Sought, beside: Sought) -> bool:
    """Whether a word says of what kind the answer is, and the other question asks for that kind."""
    if not asked.at < place <= asked.at + 4 or asked.low not in ("", "what", "which"):
        return False
    known = _IMPLIED.get(beside.kind, frozenset())
    return words[place].low in known or words[place].low.removesuffix("s") in known
