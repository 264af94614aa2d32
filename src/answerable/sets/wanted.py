"""A constraint as a table is asked it: by words, by days and by sizes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from answerable.corpora.fields import Filter
from answerable.corpora.values import date
from answerable.indexes.terms import analyzer
from answerable.sets.bound import Bound
from answerable.sets.bounds import apart
from answerable.sets.by_fields import plain_dates, read
from answerable.sets.mentions import plain
from answerable.sets.parsing.features import is_modifier, many
from answerable.sets.parsing.words import CLAUSES, Word, tokens, word

_DECADE = re.compile(r"\b(?:in|of|from|during) the (\d\d\d)0'?s\b", re.IGNORECASE)
_LONGEST_DATE = 8
"""Words of two dates with what joins them."""
_WHO = ("that", "which", "who")
_RELATIVE = frozenset((*_WHO, *CLAUSES))
_SOME = frozenset(analyzer(stop=True).analyze("anybody anyone anything somebody someone something"))
"""What says that there is one, whichever."""

Words = frozenset[str]
Days = tuple[float, float]
"""The first and the last, as `corpora.values.date` has them."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A constraint: its content `words` but for what is bounded, the `noun` of what it is said of ("" where it begins
    with a modifier), the days that it is of, with what `leads` to them ("built" before 1950), and sizes. `every`: all
    of its content words. `plural`: whether the noun is one by its form; `before`, `after`: the words that are not
    bounded before and after it. `verbs`: what may only join the noun to what
    is said of it ("live" in Oslo), one of them. `when`, `much`: how the days and the first size are put."""

    words: Words
    noun: str
    days: Days | None
    leads: Words
    bounds: Sequence[Bound]
    every: Words
    plural: bool
    before: tuple[str, ...]
    after: tuple[str, ...]
    verbs: tuple[Words, ...]
    when: str
    much: str


@lru_cache(maxsize=256)
def wanted(constraint: str) -> Wanted:
    """Read a constraint."""
    said = _DECADE.sub(r"between \g<1>0–\g<1>9", plain_dates(constraint)).split()
    start, end, days = _days(said)
    led = start and (word(said[start - 1]).kind == "part" or {*said[start - 2 : start - 1]} & {*_WHO})
    when, lead = " ".join(said[start:end]), said[start - 1 : start] if led else []
    asked = plain(" ".join((*said[: start - len(lead)], *said[end:])))
    rest, bounds = apart(asked)
    much = asked[bounds[0].start : bounds[0].end] if bounds else ""
    every = tokens(rest)
    end = next((at for at in range(len(every)) if _modifies(every[at:])), len(every))
    at = next((at for at in reversed(range(end)) if many(every[at])), None)
    plural = at is not None
    if at is None and end and every[end - 1].kind == "low":
        at = end - 1
    noun, after = ("", every) if at is None else (every[at].low, every[at + 1 :])
    words, leads, of_all = (frozenset(content(one)) for one in (rest, " ".join(lead), constraint))
    before, beside = (after, []) if not noun and len(every) == 1 else (every[:at] if noun else [], after)
    return Wanted(
        words - _SOME,
        noun,
        days,
        leads,
        bounds,
        of_all,
        plural,
        _texts(before),
        _texts(beside),
        (*_verbs(after),),
        when,
        much,
    )


def _texts(some: Iterable[Word]) -> tuple[str, ...]:
    return tuple(one.text for one in some if one.kind != "mark")


def _verbs(after: Sequence[Word]) -> Iterator[Words]:
    """What may be the verb of what is said after a noun: its first word, or its last in "that Maria uses"."""
    relative = after[:1] and after[0].low in _WHO
    said = after[1:] if relative else after
    if len(said) < 2:
        return
    first = said[0]
    follows = first.kind == "part" or first.low.endswith("ing") or said[1].kind == "prep"
    if first.kind not in ("prep", "det", "number", "mark") and (relative or (follows and first.kind != "cap")):
        yield frozenset(content(first.low))
    if relative:
        yield frozenset(content(said[-1].low))


def _modifies(words: Sequence[Word]) -> bool:
    """Whether words begin as what follows a noun does: "paid bills" do not, and "paid in May" does."""
    before = words[0].kind == "part" and words[1:] and words[1].kind in ("plural", "generic")
    return words[0].low in _RELATIVE or (is_modifier(words) and not before)


def content(text: str) -> list[str]:
    """The stems of a text's content words, in order."""
    return analyzer(stop=True).analyze(text)


def _days(said: Sequence[str]) -> tuple[int, int, Days | None]:
    """The first words [start, end) that say when, and the days of it; not when a story is set."""
    for start in range(len(said)):
        for end in range(min(len(said), start + _LONGEST_DATE), start + 1, -1):
            one = read(" ".join(said[start:end])) if word(said[start]).kind != "part" else None
            if one and one == Filter(after=one.after, before=one.before) and [*said[:start]][-1:] != ["set"]:
                first, after = (date(day) if day else None for day in (one.after, one.before))
                last = math.inf if after is None else math.nextafter(after, 0.0)
                return start, end, (-math.inf if first is None else first, last)
    return 0, 0, None
