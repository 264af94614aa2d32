"""Whether a matched question asks the same as the one that was asked, by rules over the words of both.

Matchers put questions close that share their words, so "Who beat her?" lies beside "Whom did she beat?". What rules
can tell apart is told apart here; what they cannot is left to the scores. The rules are symmetric, a question is
always the same as itself, and nothing is learned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from answerable.qapairs.equivalence.asked import WH, Sought, agree, sought
from answerable.qapairs.equivalence.differing import difference
from answerable.qapairs.equivalence.forms import Word, named_alike, read
from answerable.qapairs.equivalence.leftover import replaced
from answerable.qapairs.equivalence.lexicon import COMPARATIVES, ORDER, SUPERLATIVES, UNITS
from answerable.qapairs.equivalence.roles import swapped


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
    first, second = _read(asked), _read(question)
    if [word.low for word in first] == [word.low for word in second]:
        return SAME
    one, other = tuple(named_alike(first, second)), tuple(named_alike(second, first))
    wanted, found, between = sought(one), sought(other), difference(one, other)
    rules: tuple[tuple[str, Callable[[], bool]], ...] = (
        ("number", lambda: _numbers(one, other) != _numbers(other, one)),
        ("ordinal", lambda: _ordinals(one) != _ordinals(other)),
        ("unit", lambda: _both_differ(_units(one), _units(other))),
        ("name", lambda: between.names),
        ("order", lambda: _order(one, other)),
        ("superlative", lambda: _compared(one, other, SUPERLATIVES)),
        ("comparative", lambda: _compared(one, other, COMPARATIVES)),
        ("type", lambda: not agree(wanted, found) or not _answers(wanted, answer)),
        ("role", lambda: swapped(one, other, wanted, found)),
        ("polarity", lambda: between.turned),
        ("word", lambda: replaced(one, other, between, wanted, found)),
    )
    return next((Verdict(False, kind) for kind, differs in rules if differs()), SAME)


_LEADS = frozenset(
    "can could would will do does did you we i me please tell know remind say wonder want to like explain us just let "
    "anyone anybody somebody idea have any so and is it known".split()
)
"""Words of "can you tell me", before the word that a question asks with."""
_SAYING = frozenset("tell know remind wonder idea known explain say".split())
_TASKS = frozenset("name list state identify give mention specify".split())


@lru_cache(maxsize=1 << 10)  # the question asked is compared with one pair after the other
def _read(question: str) -> tuple[Word, ...]:
    """The words of a question, without what only leads up to it."""
    return tuple(_without_lead(read(question)))


def _without_lead(words: list[Word]) -> list[Word]:
    """Without "can you tell me"; "name the" as "what is the"."""
    first = next((n for n, word in enumerate(words) if n and word.low in WH and word.low != "who"), 0)
    who = next((n for n, word in enumerate(words) if n and word.low == "who"), 0)
    first = min(n for n in (first or who, who or first))
    lead = words[:first]
    if first and all(word.low in _LEADS for word in lead) and _SAYING & {word.low for word in lead}:
        return words[first:]
    if len(words) > 2 and words[0].low in _TASKS and words[1].low in ("the", "a", "one"):
        return [Word("what", "what"), Word("is", "be"), *words[1:]]
    if len(words) == 2 and words[0].low in ("define", "explain"):
        return [Word("what", "what"), Word("is", "be"), words[1]]
    return words


def _numbers(words: Sequence[Word], beside: Sequence[Word]) -> set[tuple[float, bool]]:
    """Values, and whether a decade is meant. "One" may be a pronoun: it counts only beside a figure that is none."""
    one = any(word.low == "one" for word in beside)
    found = {(w.number, w.decade) for w in words if w.number is not None and not w.ordinal and w.low != "one"}
    return found - {(1.0, False)} if one else found


def _ordinals(words: Sequence[Word]) -> set[float]:
    ordinals = {word.number for word in words if word.ordinal and word.number is not None}
    lasts = any(word.low in ("last", "final") for word in words)
    return ordinals | ({-1.0} if lasts else set())


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
    return bool((here | there) & {"before", "after", "until", "since"})


def _compared(one: Sequence[Word], other: Sequence[Word], table: dict[str, str]) -> bool:
    """Whether another extreme is asked for; "the most" is "the greatest number"."""
    here, there = (
        {table[word.low] for n, word in enumerate(words) if word.low in table and not _means(words, n)}
        for words in (one, other)
    )
    if here == there:
        return False
    return not (here and there and any(here <= loose and there <= loose for loose in _LOOSE))


def _means(words: Sequence[Word], place: int) -> bool:
    """Whether "mean" is a verb."""
    return words[place].low == "mean" and any(word.base == "do" for word in words[:place])


_LOOSE = (frozenset("most large high more long".split()), frozenset("least low less small".split()))
"""Extremes of which one stands for the other: "the most" is "the greatest number", "at least" is the minimum."""


def _answers(wanted: Sought, answer: str) -> bool:
    """Whether the pair's answer can be a number where one is wanted; nothing is said of an answer not given."""
    if not answer or (wanted.kind not in ("count", "share", "amount") and wanted.measure != "price"):
        return True
    words = read(answer)
    return any(word.number is not None for word in words) or bool({word.low for word in words} & _SOME)


_SOME = frozenset("none no several many few dozens hundreds thousands millions half all most a both single".split())
