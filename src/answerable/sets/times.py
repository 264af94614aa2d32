"""Times that a constraint names, read as years: a judge of texts knows what a film is, and not what is before 1940."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from answerable.sets.judge import Floats
from answerable.sets.parsing.words import text as written
from answerable.sets.parsing.words import tokens
from answerable.text import sentences

UNTOLD = 0.04
"""What is left of a probability that a constraint before or after a year fits, where the text does not say so."""
_YEAR = r"\b(1\d{3}|20\d\d)('?s)?\b"
_TO = rf"(?:between|from) {_YEAR}(?: (?:and|to|until) |[–-])"
_YEARS = re.compile(rf"\b(?:{_TO}|(before|after|since|until)\s+)?{_YEAR}", re.I)
_LEADS = frozenset("that which who first were was".split())
"""What leads to a time, beside prepositions and participles: "that were first published before"."""

Texts = Sequence[tuple[str, str]]
Years = tuple[int, int]
"""The first and the last of some years."""


def other_years(wanted: str, text: str) -> bool:
    """Whether a text names years, and none of those that what is `wanted` names: a film of 1979 none "of the 1980s".

    "1958", "1980s", "1800s" (a century, but for the 2000s), "between" two, and "before", "after", "since" and "until"
    one of these are read, in both.
    """
    asked, told = [[_years(one) for one in _YEARS.finditer(some)] for some in (wanted, text)]
    return bool(asked and told) and not any(_meet(one, told) for one in asked)


def untimed(wanted: str) -> str:
    """A constraint without its time before, after or between years, and what leads to it: "films" of "films made before
    1940"; '' where nothing else is left, and the constraint itself where it has no such time."""
    found = _ranged(wanted)
    if found is None:
        return wanted
    left = tokens(wanted[: found.start()])
    while left and (left[-1].kind in ("part", "prep", "det") or left[-1].low in _LEADS):
        left.pop()
    return written([*left, *tokens(wanted[found.end() :])])


def in_time(constraints: Sequence[str], shares: Floats, texts: Texts) -> Floats:
    """(texts, constraints) float32: what is left of probabilities of the constraints `untimed` by the texts' years.

    A text is of the years that its title names, else of those of its first sentence with any: what it says first is
    mostly what it is.
    """
    left = shares.copy()
    for column, wanted in enumerate(constraints):
        if found := _ranged(wanted):
            fits = np.array([_meet(_years(found), _first(*text)) for text in texts], bool)
            left[:, column] = np.where(fits, left[:, column] if untimed(wanted) else 1.0, UNTOLD * left[:, column])
    return left


def judged_in_time(ask: Callable[[Sequence[str], Texts], Floats], constraints: Sequence[str], texts: Texts) -> Floats:
    """What a judge says of texts, with times before, after or between years read from them (`Judge.judge`)."""
    return in_time(constraints, ask([untimed(one) or one for one in constraints], texts), texts)


def _ranged(wanted: str) -> re.Match[str] | None:
    return next((one for one in _YEARS.finditer(wanted) if one[1] or one[3]), None)


def _first(title: str, text: str) -> list[Years]:
    said = (title, *(text[a:b] for a, b in sentences(text)))
    return next((years for one in said if (years := [_span(*two) for two in re.findall(_YEAR, one)])), [])


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
    return first, first + (0 if not many else 99 if first % 100 == 0 and first < 2000 else 9)
