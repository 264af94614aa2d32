"""What two questions do not share: words without a counterpart, names, and whether what is asked is negated in one."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cache

from answerable.qapairs.equivalence.forms import Word, alike, base
from answerable.qapairs.equivalence.lexicon import DEMONYMS, LIGHT, NEGATORS, PREPOSITIONS
from answerable.qapairs.equivalence.synonyms import SAME

_NAME_PARTS = frozenset(
    "north south east west northern southern eastern western central new old upper lower latin inner outer "
    "great greater little big junior senior jr sr anti pre post non".split()
)
"""Before a name, they make it another."""
_NAME_ENDS = frozenset(
    "palace university airport bridge station hotel county street road square museum castle cathedral park "
    "school college hospital tower theatre theater library stadium club festival prize cup bay valley beach "
    "forest hill hills lake island islands mountains sea channel harbour harbor port dam canal railway "
    "newspaper times junior senior jr sr ii iii iv".split()
)
"""After a name, they make it another."""


@dataclass(frozen=True, slots=True)
class Difference:
    """`here`, `there`: places of the words of each question without a counterpart in the other. `names`: whether names
    are among them that are not part of a fuller name. `turned`: whether one denies what the other asks.
    """

    here: tuple[int, ...]
    there: tuple[int, ...]
    names: bool
    turned: bool


def difference(one: Sequence[Word], other: Sequence[Word]) -> Difference:
    """What is left of two questions when each word has met its counterpart: itself, a form of it, or a synonym."""
    here, there = _left(one, other)
    turned = _negations(one) != _negations(other)
    return Difference(tuple(here), tuple(there), _strange(one, here, other, there), turned)


def _left(one: Sequence[Word], other: Sequence[Word]) -> tuple[list[int], list[int]]:
    """Places of the words that are left when each has met its counterpart, in order."""
    free: dict[object, list[int]] = {}
    for place in range(len(other) - 1, -1, -1):
        free.setdefault(_key(other[place]), []).append(place)
    here = []
    for place, word in sorted(enumerate(one), key=lambda told: not told[1].name):
        same = free.get(_key(word))
        if same:
            same.remove(next((n for n in same if other[n].name is word.name), same[-1]))
        else:
            here.append(place)
    here.sort()
    there = sorted(place for places in free.values() for place in places)
    for place in list(here):
        against = next((n for n in there if _related(one[place], other[n])), None)
        if against is not None:
            here.remove(place)
            there.remove(against)
    return _without_acronyms(here, there, one, other)


def _key(word: Word) -> object:
    return word.low if word.number is None else (word.number, word.ordinal)


def _related(one: Word, other: Word) -> bool:
    if one.number is not None or other.number is not None:
        return False
    if one.name or other.name:
        return _same_name(one.low, other.low)
    if one.low in DEMONYMS or other.low in DEMONYMS:  # many people type no capitals
        return DEMONYMS.get(one.low, one.low) == DEMONYMS.get(other.low, other.low)
    return same(one.base, other.base) or frozenset((one.base, other.base)) in _MARRIED


_MARRIED = frozenset(frozenset((base("marry"), base(word))) for word in "husband wife spouse".split())
"""Whom one married is one's husband or wife: only of these words themselves, whoever else is spoken of."""


def same(one: str, other: str) -> bool:
    """Whether two bases are of one word or of synonyms."""
    return one == other or other in _synonyms(one) or alike(one, other)


def _same_name(one: str, other: str) -> bool:
    if one == other or (min(len(one), len(other)) > 3 and one.rstrip("s") == other.rstrip("s")):
        return True
    if DEMONYMS.get(one, one) == DEMONYMS.get(other, other):
        return True
    short, long = sorted((one, other), key=len)
    shared = next((n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return (
        shared >= 4 and shared >= len(short) - 2 and long[shared:] in ("an", "n", "ian", "ese", "ish", "ic", "i", "y")
    )


def _synonyms(word: str) -> Set[str]:
    return _groups().get(word, frozenset())


@cache
def _groups() -> dict[str, set[str]]:
    """Each word with all that ask the same in its place, by their bases."""
    found: dict[str, set[str]] = {}
    for group in SAME:
        bases = {base(word) for word in group}
        for word in bases:
            found.setdefault(word, set()).update(bases)
    return found


def _negations(words: Sequence[Word]) -> int:
    """How many words negate."""
    return sum(word.low in NEGATORS or word.base in _bases(NEGATORS) for word in words)


@cache
def _bases(words: frozenset[str]) -> frozenset[str]:
    return frozenset(base(word) for word in words)


def _without_acronyms(
    here: list[int], there: list[int], one: Sequence[Word], other: Sequence[Word]
) -> tuple[list[int], list[int]]:
    """Without names that stand as initials in one and in full in the other."""
    for left, words, whole, right in ((here, one, other, there), (there, other, one, here)):
        for place in list(left):
            run = _initials(words[place].low, whole) if len(words[place].low) > 1 else []
            if run:
                left.remove(place)
                right[:] = [one for one in right if one not in run]
    return here, there


def _initials(low: str, words: Sequence[Word]) -> list[int]:
    """The places of words in a row that these letters begin, "of", "the" and "and" aside."""
    told = [place for place, word in enumerate(words) if word.low not in ("of", "the", "and", "for")]
    for start in range(len(told) - len(low) + 1):
        run = told[start : start + len(low)]
        told_apart = len(low) > 2  # "JFK" has a letter for a name that is a letter itself
        if all(
            words[place].low[0] == letter and (told_apart or len(words[place].low) > 1)
            for place, letter in zip(run, low, strict=True)
        ):
            return run
    return []


def _strange(one: Sequence[Word], here: Sequence[int], other: Sequence[Word], there: Sequence[int]) -> bool:
    """Whether a name stands in one question alone, unless the other question has the rest of the same name."""
    left, right = [n for n in here if one[n].name], [n for n in there if other[n].name]
    if left and right:
        return True
    if (left and _telling(other, there)) or (right and _telling(one, here)):
        return True
    return not (_fuller(one, left) and _fuller(other, right))


def _telling(words: Sequence[Word], places: Sequence[int]) -> bool:
    return any(words[n].low not in LIGHT and words[n].low not in PREPOSITIONS for n in places)


def _fuller(words: Sequence[Word], extra: Sequence[int]) -> bool:
    """Whether each of these stands beside a name of the same question that the other has too."""
    for place in extra:
        beside = [n for n in (place - 1, place + 1) if 0 <= n < len(words)]
        if place and words[place - 1].low in ("which", "what"):  # "which NFL team": it says of what kind the answer is
            continue
        if words[place].low in _NAME_PARTS or words[place].low in _NAME_ENDS:
            return False
        if not any(words[n].name and n not in extra for n in beside):
            return False
    return True
