"""Whether a matched question asks the same as the one that was asked, by rules over the words of both.

Matchers put questions close that share their words, so "Who beat her?" lies beside "Whom did she beat?". What rules
can tell apart is told apart here; what they cannot is left to the scores. The rules are symmetric, a question is
always the same as itself, and nothing is learned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from answerable.pairs.asking.asked import Sought, agree, sought
from answerable.pairs.asking.differing import Difference, difference
from answerable.pairs.asking.forms import Word, read
from answerable.pairs.asking.lexicon import (
    AUXILIARIES,
    COMPARATIVES,
    COUNTED,
    LIGHT,
    MEASURES,
    NEGATORS,
    ORDER,
    PREPOSITIONS,
    SUPERLATIVES,
    UNITS,
)
from answerable.pairs.asking.roles import converse, swapped


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether two questions ask the same; where not, the kind of difference in a word that quotes nothing."""

    same: bool
    kind: str = ""


Verifier = Callable[[str, str, str], Verdict]
"""The question asked, a pair's question and its answer."""
SAME = Verdict(True)


def verify(asked: str, question: str, answer: str = "") -> Verdict:
    """Whether a pair's question asks the same as `asked`, and its answer is of a kind that answers it."""
    one, other = read(asked), read(question)
    if [word.low for word in one] == [word.low for word in other]:
        return SAME
    wanted, between = sought(one), difference(one, other)
    rules: tuple[tuple[str, Callable[[], bool]], ...] = (
        ("number", lambda: _numbers(one, other) != _numbers(other, one)),
        ("ordinal", lambda: _ordinals(one) != _ordinals(other) and not _earlier(one, other)),
        ("unit", lambda: _both_differ(_units(one), _units(other))),
        ("name", lambda: between.names),
        ("order", lambda: _order(one, other)),
        ("superlative", lambda: _compared(one, other, SUPERLATIVES)),
        ("comparative", lambda: _compared(one, other, COMPARATIVES) and not _earlier(one, other)),
        ("quantifier", lambda: _counted(one, other)),
        ("conjunction", lambda: _joined(one, other)),
        ("type", lambda: not agree(wanted, sought(other)) or not _answers(wanted, answer)),
        ("role", lambda: swapped(one, other)),
        ("polarity", lambda: between.turned and not converse(one, other, between.opposites)),
        ("word", lambda: _replaced(one, other, between)),
    )
    return next((Verdict(False, kind) for kind, differs in rules if differs()), SAME)


def _numbers(words: Sequence[Word], beside: Sequence[Word]) -> set[tuple[float, bool]]:
    """Values, and whether a decade is meant. "One" may be a pronoun: it counts only beside a figure that is none."""
    one = any(word.low == "one" for word in beside)
    found = {(w.number, w.decade) for w in words if w.number is not None and not w.ordinal and w.low != "one"}
    return found - {(1.0, False)} if one else found


def _ordinals(words: Sequence[Word]) -> set[float]:
    ordinals = {word.number for word in words if word.ordinal and word.number is not None}
    return ordinals | ({-1.0} if any(word.low in ("last", "final") for word in words) else set())


def _earlier(one: Sequence[Word], other: Sequence[Word]) -> bool:
    """Whether "first" in one stands for "earlier" in the other."""
    lows = [{word.low for word in words} for words in (one, other)]
    return any(
        (a & {"earlier", "earliest"} and b & {"first", "1st"}) or (a & {"later", "latest"} and b & {"last"})
        for a, b in (lows, lows[::-1])
    )


def _units(words: Sequence[Word]) -> set[str]:
    """Units named, those by a single letter only after a number."""
    found = set()
    for place, word in enumerate(words):
        unit = UNITS.get(word.low) or UNITS.get(word.low.rstrip("s")) or UNITS.get(word.base)
        if unit and not word.ordinal and (len(word.low) > 1 or (place and words[place - 1].number is not None)):
            found.add(unit)
    return found


def _both_differ(one: set[str], other: set[str]) -> bool:
    return bool(one and other) and one != other


def _order(one: Sequence[Word], other: Sequence[Word]) -> bool:
    here, there = ({ORDER[word.low] for word in words if word.low in ORDER} for words in (one, other))
    if here and there:
        return here != there
    return bool((here | there) & {"before", "after"})


def _compared(one: Sequence[Word], other: Sequence[Word], table: dict[str, str]) -> bool:
    """Whether another extreme is asked for; "the most" is "the greatest number"."""
    here, there = ({table[word.low] for word in words if word.low in table} for words in (one, other))
    if here == there:
        return False
    loose = {"most", "large", "high", "more", "long"}
    return not (here <= loose and there <= loose and here and there)


def _counted(one: Sequence[Word], other: Sequence[Word]) -> bool:
    here, there = ({COUNTED[word.low] for word in words if word.low in COUNTED} for words in (one, other))
    if ("only" in here) != ("only" in there) or ("either" in here) != ("either" in there):
        return True
    return _both_differ(here - {"both"}, there - {"both"})


def _joined(one: Sequence[Word], other: Sequence[Word]) -> bool:
    """ "and" where the other has "or"."""
    here, there = ({word.low for word in words} & {"and", "or"} for words in (one, other))
    choice = any(word.low in COMPARATIVES for word in (*one, *other))
    return here != there and bool(here and there) and not choice


def _answers(wanted: Sought, answer: str) -> bool:
    """Whether the pair's answer can be a number where one is wanted; nothing is said of an answer not given."""
    if not answer or wanted.kind not in ("count", "share"):
        return True
    words = read(answer)
    return any(word.number is not None for word in words) or bool({word.low for word in words} & _SOME)


_SOME = frozenset("none no several many few dozens hundreds thousands millions half all most a both single".split())


def _replaced(one: Sequence[Word], other: Sequence[Word], between: Difference) -> bool:
    """Whether the questions are the same word for word but in one place, where other words stand that are no synonyms.

    Verbs in the past are let through: they have more synonyms than any table.
    """
    gone = {id(word) for word in (*between.here, *between.there)}
    left, right = ([word for word in words if not _light(word)] for words in (one, other))
    first = _same_until(left, right, gone)
    last = _same_until(left[::-1], right[::-1], gone)
    here, there = left[first : len(left) - last], right[first : len(right) - last]
    if not here or not there or first + last > min(len(left), len(right), SHARED):
        return False
    if not all(id(word) in gone for word in (*here, *there)) or max(len(here), len(there)) > LONGEST:
        return False
    return not (_past(here) and _past(there))


SHARED = 4
"""Words shared besides, at most: in long questions a word that differs is likelier a synonym than another thing."""
LONGEST = 2
"""Words that stand in one another's place, at most."""


def _same_until(one: Sequence[Word], other: Sequence[Word], gone: set[int]) -> int:
    """How many words the two begin with that are each other's counterpart."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if id(a) in gone or id(b) in gone:
            break
        count += 1
    return count


def _light(word: Word) -> bool:
    """Whether a word is weighed by another rule, or changes nothing."""
    tables = (LIGHT, AUXILIARIES, PREPOSITIONS, MEASURES, SUPERLATIVES, COMPARATIVES, COUNTED, ORDER, NEGATORS)
    return (
        any(word.low in table for table in tables)
        or word.base in ("be", "do", "hav")
        or word.number is not None
        or word.low in UNITS
    )


def _past(words: Sequence[Word]) -> bool:
    return any(len(word.low) > 4 and word.low.endswith("ed") for word in words)
