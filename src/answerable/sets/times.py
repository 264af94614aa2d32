"""Times that a constraint names, read as years: a judge of texts knows what a film is, and not what is before 1940."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from answerable.sets.bound import YEAR, Bound, Size, sentences_of
from answerable.sets.parsing.words import tokens

_CENTURY = r"(?:st|nd|rd|th)[ -][Cc]entur(?:y|ies)"
_YEAR = rf"\b(1\d{{3}}|20\d\d|\d\d?(?={_CENTURY}))('?s|{_CENTURY})?\b"
_TO = rf"(?:between|from) {_YEAR}(?: (?:and|to|until) |[–-])"
_YEARS = re.compile(rf"\b(?:{_TO}|(before|after|since|until)\s+)?{_YEAR}", re.I)
_SET = re.compile(r"\bset $", re.I)
_WHO = frozenset(("who", "that", "which"))
_ASKED = 10
"""So many years of an event are searched for."""
Years = tuple[int, int]
"""The first and the last of some years."""


class Event(NamedTuple):
    """What a constraint says happened to what is looked for, as a question with {} for that, where it says when, and
    the first and the last year of that."""

    asks: str
    start: int
    end: int
    first: int
    last: int


def event(wanted: str) -> Event | None:
    """The first thing that happened at a time: "people born in the 1930s", "bridges that were built before 1900"."""
    for found in _YEARS.finditer(wanted):
        before = tokens(wanted[: found.start()])
        while before and before[-1].kind in ("prep", "det"):
            before.pop()
        if before and not _SET.search(f"{before[-1].low} "):
            acts = before[1:] and before[-2].low in _WHO
            if acts or before[-1].kind == "part" or before[-1].low.endswith("ed"):
                asks = f"When {'did' if acts else 'was'} {{}} {before[-1].low}?"
                return Event(asks, found.start(), found.end(), *_years(found))
    return None


def each_year(wanted: str) -> list[str]:
    """A constraint once with each year at which something happened: "people born 1931". Of many years these are some
    that are as far from each other, or those next to the end that they have."""
    found = event(wanted)
    if found is None:
        return []
    first, last = found.first, found.last
    first, last = (last - _ASKED + 1, last) if first == 0 else (first, first + _ASKED - 1 if last == 9999 else last)
    before = re.sub(r"(?: (?:in|during))?(?: the)? *$", "", wanted[: found.start])
    years = range(first, last + 1, -(-(last - first + 1) // _ASKED))
    return [f"{before} {year}{wanted[found.end :]}" for year in years]


def other_years(wanted: str, text: str) -> bool:
    """Whether a text names years, and none of those that what is `wanted` names: a film of 1979 none "of the 1980s".

    "1958", "1980s", "1800s" (a century, but for the 2000s), "between" two, and "before", "after", "since" and "until"
    one of these are read, in both.
    """
    asked, told = [[_years(one) for one in _YEARS.finditer(some)] for some in (wanted, text)]
    return bool(asked and told) and not any(_meet(one, told) for one in asked)


def years_of(text: str) -> tuple[float, float] | None:
    """The first decade, century or year that a text names: from when on, and until when."""
    found = re.search(_YEAR, text)
    first, last = _span(found[1], found[2]) if found else (0, 0)
    return (first, last + 1) if found and "BC" not in text else None


def time(wanted: str) -> Bound | None:
    """The first time before, after or between years in a constraint, or at which something happened, if there is any;
    not one that a story is set in, of which no text is."""
    happened = event(wanted)
    bounding = (one for one in _YEARS.finditer(wanted) if one[1] or one[3])
    found = next((one for one in bounding if not _SET.search(wanted[: one.start()])), None)
    if happened and (found is None or happened.start <= found.start()):
        _, start, end, first, last = happened
    elif found:
        start, end, (first, last) = found.start(), found.end(), _years(found)
    else:
        return None
    return Bound(start, end, Size(YEAR, first, beyond=last - first), first, last, _said if happened else _said_first)


def _said(title: str, text: str) -> list[Size]:
    """All years that a text names."""
    spans = (_span(*two) for two in re.findall(_YEAR, f"{title} {text}"))
    return [Size(YEAR, first, beyond=last - first) for first, last in spans]


def _said_first(title: str, text: str) -> list[Size]:
    """The years that a title names, else those of the first sentence with any, since what a text says first is mostly
    what it is."""
    said = ([_span(*two) for two in re.findall(_YEAR, one)] for one in (title, *sentences_of(text)))
    return [Size(YEAR, first, beyond=last - first) for first, last in next(filter(None, said), [])]


def _meet(asked: Years, told: Iterable[Years]) -> bool:
    return any(asked[0] <= last and first <= asked[1] for first, last in told)


def _years(found: re.Match[str]) -> Years:
    first, last = _span(found[4], found[5])
    match (found[3] or "").lower():
        case "before":
            return 0, first - 1
        case "until":
            return 0, last
        case "since":
            return first, 9999
        case "after":
            return last + 1, 9999
    return _span(found[1], found[2])[0] if found[1] else first, last


def _span(year: str, many: str) -> Years:
    first = int(year)
    if len(year) < 3:  # the 19th century
        return 100 * first - 100, 100 * first - 1
    return first, first + (0 if not many else 99 if first % 100 == 0 and first < 2000 else 9)
