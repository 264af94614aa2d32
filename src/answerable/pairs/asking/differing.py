"""What two questions do not share: words without a counterpart, names, and whether opposites turn what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from answerable.pairs.asking import lexicon
from answerable.pairs.asking.forms import Word, alike, base, spelled_alike
from answerable.pairs.asking.lexicon import BEFORE_TO, DEMONYMS, LIGHT, NEGATED, NEGATORS, PREPOSITIONS

_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "mis", "re", "de")


@dataclass(frozen=True, slots=True)
class Difference:
    """`here`, `there`: words of each question without a counterpart in the other. `names`: whether names are among
    them that are not part of a fuller name. `turned`: whether one asks the opposite of the other. `opposites`: the
    words by which, a pair each.
    """

    here: tuple[Word, ...]
    there: tuple[Word, ...]
    names: bool
    turned: bool
    opposites: tuple[tuple[Word, Word], ...] = ()


def difference(one: Sequence[Word], other: Sequence[Word]) -> Difference:
    """What is left of two questions when each word has met its counterpart: itself, a form of it, or a synonym."""
    here, there = _left(one, other)
    met: list[tuple[Word, Word]] = []
    for word in list(here):
        for against in list(there):
            if opposed(word, against):
                here.remove(word)
                there.remove(against)
                met.append((word, against))
                break
    gone = {id(word) for pair in met for word in pair}
    turns = len(met) + _negations(one, gone) + _negations(other, gone)
    names = _strange(one, here, other, there)
    return Difference(tuple(here), tuple(there), names, turns % 2 == 1, tuple(met))


def _left(one: Sequence[Word], other: Sequence[Word]) -> tuple[list[Word], list[Word]]:
    here, there = list(one), list(other)
    for same in (_equal, _related):
        for word in list(here):
            for against in there:
                if same(word, against):
                    here.remove(word)
                    there.remove(against)
                    break
    return _without_acronyms(here, there, one, other)


def _equal(one: Word, other: Word) -> bool:
    if one.number is not None or other.number is not None:
        return one.number == other.number and one.ordinal == other.ordinal
    return one.low == other.low


def _related(one: Word, other: Word) -> bool:
    if one.number is not None or other.number is not None:
        return False
    if one.name or other.name:
        return _same_name(one.low, other.low)
    if opposed(one, other):
        return False
    return one.base == other.base or alike(one.base, other.base) or other.base in _synonyms(one.base)


def _same_name(one: str, other: str) -> bool:
    if one.rstrip("s") == other.rstrip("s") or (min(len(one), len(other)) > 6 and spelled_alike(one, other)):
        return True
    if DEMONYMS.get(one, one) == DEMONYMS.get(other, other):
        return True
    short, long = sorted((one, other), key=len)
    shared = next((n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return shared >= 4 and shared >= len(short) - 2 and long[shared:] in ("an", "n", "ian", "ese", "ish", "ic", "i")


@cache
def _synonyms(word: str) -> frozenset[str]:
    return frozenset().union(*(group for group in _groups() if word in group))


@cache
def _groups() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(base(word) for word in group) for group in lexicon.SAME)


@cache
def _sides() -> dict[str, frozenset[str]]:
    """Each word with all that is opposed to it."""
    found: dict[str, set[str]] = {}
    for left, right in lexicon.OPPOSITES:
        lefts, rights = {base(word) for word in left} | {*left}, {base(word) for word in right} | {*right}
        for word in lefts:
            found.setdefault(word, set()).update(rights)
        for word in rights:
            found.setdefault(word, set()).update(lefts)
    return {word: frozenset(others) for word, others in found.items()}


def opposed(one: Word, other: Word) -> bool:
    """Whether two words are opposites: by the table, or one is the other with a prefix that negates it."""
    if one.low == other.low:
        return False
    for a, b in ((one.low, other.low), (one.base, other.base)):
        if b in _sides().get(a, ()):
            return True
    return _negation_of(one.low, other.low) or _negation_of(other.low, one.low)


def _negation_of(low: str, plain: str) -> bool:
    if low in NEGATED:
        return base(NEGATED[low]) == base(plain)
    for prefix in _PREFIXES:
        rest = low.removeprefix(prefix)
        if rest != low and len(rest) > 3 and (rest == plain or base(rest) == base(plain)):
            return True
    return False


def _negations(words: Sequence[Word], met: set[int]) -> int:
    """How many words negate, other than by being the opposite of one that was met."""
    found = 0
    for place, word in enumerate(words):
        if id(word) in met or not (word.low in NEGATORS or word.base in _bases(NEGATORS)):
            continue
        verb = word.base in _bases(BEFORE_TO)
        found += not verb or (place + 1 < len(words) and words[place + 1].low == "to")
    return found


@cache
def _bases(words: frozenset[str]) -> frozenset[str]:
    return frozenset(base(word) for word in words)


def _without_acronyms(
    here: list[Word], there: list[Word], one: Sequence[Word], other: Sequence[Word]
) -> tuple[list[Word], list[Word]]:
    """Without names that stand as initials in one and in full in the other."""
    for left, whole, right in ((here, other, there), (there, one, here)):
        for word in list(left):
            run = _initials(word.low, whole) if len(word.low) > 1 else []
            if run:
                left.remove(word)
                for part in run:
                    if part in right:
                        right.remove(part)
    return here, there


def _initials(low: str, words: Sequence[Word]) -> list[Word]:
    """The words in a row that these letters begin, "of", "the" and "and" aside."""
    told = [word for word in words if word.low not in ("of", "the", "and", "for")]
    for start in range(len(told) - len(low) + 1):
        run = told[start : start + len(low)]
        if "".join(word.low[0] for word in run) == low and all(len(word.low) > 1 for word in run):
            return run
    return []


def _strange(one: Sequence[Word], here: Sequence[Word], other: Sequence[Word], there: Sequence[Word]) -> bool:
    """Whether a name stands in one question alone, unless the other question has the rest of the same name."""
    left, right = ([word for word in words if word.name] for words in (here, there))
    if left and right:
        return True
    if (any(word.name for word in here) and _telling(there)) or (any(word.name for word in there) and _telling(here)):
        return True
    return not (_fuller(one, left) and _fuller(other, right))


def _telling(words: Sequence[Word]) -> bool:
    return any(word.low not in LIGHT and word.low not in PREPOSITIONS for word in words)


def _fuller(words: Sequence[Word], extra: Sequence[Word]) -> bool:
    """Whether each of these stands beside a name of the same question that the other has too."""
    gone = {id(word) for word in extra}
    for word in extra:
        place = next(n for n, one in enumerate(words) if one is word)
        beside = [words[n] for n in (place - 1, place + 1) if 0 <= n < len(words)]
        if not any(one.name and id(one) not in gone for one in beside):
            return False
    return True
