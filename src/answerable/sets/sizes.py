"""Sizes that a constraint names, read as numbers: "more than 40 m high", "fewer than 500 employees"."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from answerable.text import sentences

_UNITS = {
    "length": "mm .001, cm .01, m 1, metre 1, meter 1, km 1000, kilometre 1000, kilometer 1000, ft .3048, foot .3048, "
    "feet .3048, yard .9144, mi 1609.344, mile 1609.344",
    "area": "m2 1, m² 1, square metre 1, square meter 1, ha 1e4, hectare 1e4, acre 4046.86, km2 1e6, km² 1e6, "
    "sq km 1e6, square kilometre 1e6, square kilometer 1e6, sq mi 2.59e6, square mile 2.59e6, sq ft .0929, "
    "square foot .0929, square feet .0929",
    "weight": "kg 1, kilogram 1, t 1000, ton 1000, tonne 1000, lb .4536, pound .4536",
    "speed": "km/h 1, kph 1, mph 1.609, knot 1.852",
    "power": "kw 1, kilowatt 1, mw 1000, megawatt 1000, gw 1e6, gigawatt 1e6, hp .7457, horsepower .7457",
    "time": "minute 1, min 1, hour 60",
}
_KNOWN = {
    unit: (kind, float(factor))
    for kind, units in _UNITS.items()
    for unit, _, factor in (one.rpartition(" ") for one in units.split(", "))
}
_ALL = "|".join(sorted(map(re.escape, _KNOWN), key=len, reverse=True))
_SPELT = "zero one two three four five six seven eight nine ten eleven twelve".split()
_SCALES = {"": 1.0, "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_NUMBER = rf"(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?|\b(?:{'|'.join(_SPELT)})\b"
_SIZE = (
    rf"(?P<sign>[$£€]) ?(?P<money>{_NUMBER})(?: (?P<many>million|billion))?|"
    rf"(?P<number>{_NUMBER})(?P<scale> hundred| thousand| million| billion)?[ -]{{0,3}}"
    rf"(?:(?P<unit>{_ALL})s?(?![\w²])|(?P<noun>[a-z]{{3,}})?)"
)
_TOLD = re.compile(rf"(?<![\w.,-])(?:{_SIZE})", re.IGNORECASE)
_MORE = r"(?:more|greater|larger|bigger|longer|taller|higher|deeper|wider|heavier|faster) than|over|above|at least"
_LESS = r"(?:less|fewer|smaller|shorter|lower|lighter|narrower|slower) than|under|below|at most|up to"
_WAYS = {
    "up": "high higher tall taller height elevation altitude low lower",
    "along": "long longer length short shorter",
    "down": "deep deeper depth shallow",
    "across": "wide wider width narrow narrower",
    "back": "old",
}
_WAY = {word: way for way, words in _WAYS.items() for word in words.split()}
_AFTER = rf"(?: (?:in|of) (?=height|length|depth|width)| )(?:{'|'.join(_WAY)})\b"
_ASKED = re.compile(rf"\b(?P<no>no )?(?P<than>(?P<more>{_MORE})|{_LESS}) (?:{_SIZE})(?:{_AFTER})?", re.IGNORECASE)
_LOOSE = ("over", "under", "above", "below", "up to")
"""What bounds no number in letters without a unit: "under one roof"."""
_ITSELF = ("at least", "at most", "up to")
"""What allows the size that it names, as "no more than" does."""
_PEOPLE = frozenset(("inhabitant", "population", "resident"))
_NO_NOUN = frozenset("and but for from not that the with".split())
_COUNTED = re.compile(r"\b([a-z]{3,})(?: (?:of|is|was|were|has|over|about|some))*[ :]*$", re.IGNORECASE)
"""What a number without a noun counts: "a population of 20,144"."""
_HAVING = re.compile(r"\bwith an? [a-z]+(?: of)? ?$", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)")
_FAR = re.compile(
    r" *(?:\) *)?(?:\([^()]*\) *)?(?:north|south|east|west|from|away|off|inland|outside|upstream|downstream)",
    re.IGNORECASE,
)
"""What follows a distance, which is the size of nothing: "7 miles ( 11 km ) northeast of"."""
_YEARS = (1000, 2100)
_NEAR = 200
"""Characters before and after a number that are looked at, so that a text of many numbers takes no longer for each."""


class Size(NamedTuple):
    """A size that stands in a text: of what kind (a unit's, or what is counted), how much, and which ways it is said to
    go, by the words beside it."""

    kind: str
    amount: float
    ways: frozenset[str]


class Bound(NamedTuple):
    """What a constraint bounds, and where it says so. `least`, `most`: what fits."""

    start: int
    end: int
    size: Size
    least: float
    most: float

    def fits(self, title: str, text: str) -> bool:
        """Whether what a text says first of such a size is within the bound; what goes the way that is asked for comes
        before what does not say which way it goes."""
        told = [size for a, b in sentences(text) for size in sizes(text[a:b]) if size.kind == self.size.kind]
        same = [size for size in told if self.size.ways & size.ways]
        if found := same or [size for size in told if not (self.size.ways and size.ways)]:
            return self.least <= found[0].amount <= self.most
        return False


def bound(wanted: str) -> Bound | None:
    """The first bound of a size in a constraint, if there is any."""
    for found in _ASKED.finditer(wanted):
        loose = found["than"].lower() in _LOOSE and not found["unit"] and (found["number"] or "").lower() in _SPELT
        having = _HAVING.search(wanted[: found.start()])
        size = None if loose else _size(found, found[0], having[0] if having else "")
        if size:
            upward = bool(found["more"]) != bool(found["no"])
            end = math.inf if upward else -math.inf
            itself = found["no"] or found["than"].lower() in _ITSELF
            first = size.amount if itself else math.nextafter(size.amount, end)
            return Bound(found.start(), found.end(), size, min(first, end), max(first, end))
    return None


def sizes(text: str) -> Iterator[Size]:
    """The sizes that a sentence names, in its order; a bare number that could be a year counts nothing."""
    for found in _TOLD.finditer(text):
        before = text[max(0, found.start() - _NEAR) : found.start()]
        after = _ASIDE.sub(" ", text[found.end() : found.end() + _NEAR])
        size = _size(found, " ".join([*before.split()[-3:], *after.split()[:3]]), before)
        if size and not (size.kind == "length" and _FAR.match(text, found.end())):
            yield size


def _size(found: re.Match[str], beside: str, before: str) -> Size | None:
    ways = frozenset(_WAY[word] for word in re.findall(r"[a-z]+", beside.lower()) if word in _WAY)
    if found["sign"]:
        return Size(found["sign"], _amount(found["money"]) * _SCALES[(found["many"] or "").lower()], ways)
    amount = _amount(found["number"]) * _SCALES[(found["scale"] or "").strip().lower()]
    if found["unit"]:
        kind, factor = _KNOWN[found["unit"].lower()]
        return Size(kind, amount * factor, ways)
    noun = (found["noun"] or "").lower().removesuffix("s")
    if not noun or noun in _NO_NOUN:
        counted = _COUNTED.search(before)
        noun = counted[1].lower().removesuffix("s") if counted else ""
    a_year = "," not in found["number"] and _YEARS[0] <= amount <= _YEARS[1]
    kind = "people" if noun in _PEOPLE else noun
    return None if a_year or not kind or kind in _WAY else Size(kind, amount, ways)


def _amount(number: str) -> float:
    low = number.lower()
    return float(_SPELT.index(low)) if low in _SPELT else float(low.replace(",", ""))
