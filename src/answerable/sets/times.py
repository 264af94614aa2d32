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
_YEAR = r"(1\d{3}|20\d\d)('?s)?\b"
_YEARS = re.compile(
    rf"\b(?:(between|from) {_YEAR} (?:and|to|until) |"
    rf"(before|after|since|until|(?:earlier|older|later) than)\s+)?{_YEAR}",
    re.I,
)
_LEADS = frozenset(("part", "prep", "det"))
"""Classes of words that lead to a time: "published", "from"."""

Years = tuple[int, int]
"""The first and the last of some years."""


def other_years(wanted: str, text: str) -> bool:
    """Whether a text names years, and none of those that what is `wanted` names: a film of 1979 none "of the 1980s".

    "1958", "1980s", "1800s" (a century, but for the 2000s), "between" two, and "before", "after", "since" and "until"
    one of these are read, in both.
    """
    asked, told = _years(wanted), _years(text)
    return bool(asked and told) and not _meet(asked, told)


def untimed(wanted: str) -> str:
    """A constraint without its time before, after or between years, and what leads to it: "films" of "films made before
    1940"; '' where nothing else is left, and the constraint itself where it has no such time."""
    found = _ranged(wanted)
    if found is None:
        return wanted
    left = tokens(wanted[: found.start()])
    while left and (left[-1].kind in _LEADS or left[-1].low in ("that", "which", "who", "first", "were", "was")):
        left.pop()
    return written([*left, *tokens(wanted[found.end() :])])


def timely(wanted: str) -> Callable[[str, str], bool] | None:
    """What says whether a title and a text fit a constraint's time before, after or between years; None without one.

    A text is of the years that its title names, else of those of its first sentence with any: what it says first is
    mostly what it is.
    """
    found = _ranged(wanted)
    if found is None:
        return None
    asked = _years(found.group())

    def fits(title: str, text: str) -> bool:
        said = (title, *(text[a:b] for a, b in sentences(text)))
        told = next((years for one in said if (years := re.findall(rf"\b{_YEAR}", one))), [])
        return _meet(asked, [_span(*one) for one in told])

    return fits


def judged_in_time(
    ask: Callable[[Sequence[str], Sequence[tuple[str, str]]], Floats],
    constraints: Sequence[str],
    texts: Sequence[tuple[str, str]],
) -> Floats:
    """What a judge says of texts, with times before, after or between years read from them (`Judge.judge`)."""
    return in_time(constraints, ask([untimed(one) or one for one in constraints], texts), texts)


def in_time(constraints: Sequence[str], shares: Floats, texts: Sequence[tuple[str, str]]) -> Floats:
    """(texts, constraints) float32: what is left of probabilities of the constraints `untimed` by the texts' years."""
    found = shares.copy()
    for column, wanted in enumerate(constraints):
        if fits := timely(wanted):
            own = np.array([fits(*text) for text in texts], bool)
            found[:, column] = np.where(own, found[:, column] if untimed(wanted) else 1.0, UNTOLD * found[:, column])
    return found


def _ranged(wanted: str) -> re.Match[str] | None:
    return next((one for one in _YEARS.finditer(wanted) if one[1] or one[4]), None)


def _meet(asked: Iterable[Years], told: Sequence[Years]) -> bool:
    return any(a <= d and c <= b for a, b in asked for c, d in told)


def _years(text: str) -> list[Years]:
    """The first and the last year of each span that a text names."""
    spans = []
    for _, begun, decade, word, year, many in _YEARS.findall(text):
        first, last = _span(year, many)
        if begun:
            first = _span(begun, decade)[0]
        match word.lower():
            case "before" | "earlier than" | "older than":
                first, last = 0, first - 1
            case "until":
                first = 0
            case "since":
                last = 9999
            case "after" | "later than":
                first, last = last + 1, 9999
        spans.append((first, last))
    return spans


def _span(year: str, many: str) -> Years:
    first = int(year)
    return first, first + (0 if not many else 99 if first % 100 == 0 and first < 2000 else 9)
