"""Numbers and dates as people write them, in a cell of a table or a phrase of a text."""

from __future__ import annotations

import math
import re

_NUMBER = re.compile(
    r"^[^\w(.−–-]{0,3}(\()?([−–-])?[^\w(.−–-]{0,2}(?:us|c|a|r)?[$€£¥#~]?\s?([−–-])?"
    r"(\d{1,3}(?:[,\u00a0\u202f ]\d{3})+|\d{1,18})?(\.\d{1,18})?(e[-+]?\d{1,3}\b)?(?!\d)"
)
_SCALE = re.compile(r"\d\s?(thousand|million|billion)\b|[$€£¥]\s?[\d.,]+\s?([kmb])\b", re.I)
_SCALES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "b": 1e9}
_APART = re.compile(r"[,\s]")
_CURRENCY = re.compile(r"^(?:CHF|EUR|USD|GBP|SEK|NOK|DKK|JPY|CAD|AUD|INR|PLN|CZK|CNY|BRL|Rs\.?)\s?(?=[\d(-])")
_LARGEST = 1e15
TIME = re.compile(r"^(?:(\d{1,3}):)?(\d{1,2}):(\d{2})(\.\d+)?\b")
"""What a time begins with: hours, minutes, seconds and parts of one."""
_YEAR = re.compile(r"(?<!\d)(1\d\d\d|20\d\d)(?!\d)")
_NAMED = re.compile(
    r"(?:(\d{1,2})(?:st|nd|rd|th)?\s+)?([a-z]{3,9})\.?\s*(?:(\d{1,2})(?:st|nd|rd|th)?\b)?,?\s*(\d{4})?", re.I
)
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
NUMERALS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
_MONTHS = "january february march april may june july august september october november december".split()
_VERSION = re.compile(r"v?\.? ?(\d{1,4}(?:\.\d{1,4}){1,3})(?:[-+.]?[a-z]\w*)?", re.I)
_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3}){2,}")
_PARTS = 10_000
"""More than any part of a version."""
_MEASURES = {
    "length": "mm .001, cm .01, m 1, metre 1, meter 1, km 1000, kilometre 1000, kilometer 1000, ft .3048, foot .3048, "
    "feet .3048, yard .9144, mi 1609.344, mile 1609.344",
    "area": "m2 1, m² 1, square metre 1, square meter 1, ha 1e4, hectare 1e4, acre 4046.86, km2 1e6, km² 1e6, "
    "sq km 1e6, square kilometre 1e6, square kilometer 1e6, sq mi 2.59e6, square mile 2.59e6, sq ft .0929, "
    "square foot .0929, square feet .0929",
    "weight": "g .001, gram .001, kg 1, kilogram 1, t 1000, ton 1000, tonne 1000, lb .4536, pound .4536, "
    "oz .02835, ounce .02835",
    "speed": "km/h 1, kph 1, mph 1.609, knot 1.852",
    "power": "kw 1, kilowatt 1, mw 1000, megawatt 1000, gw 1e6, gigawatt 1e6, hp .7457, horsepower .7457",
    "time": "minute 1, min 1, hour 60",
    "$": "usd 1, dollar 1",
    "£": "gbp 1",
    "€": "eur 1, euro 1",
}
SIGNS = ("$", "£", "€")
"""Units that stand before their number."""
UNITS = {
    unit: (kind, float(factor))
    for kind, units in _MEASURES.items()
    for unit, _, factor in (one.rpartition(" ") for one in units.split(", "))
}
"""What a unit measures, and how much of that it is."""
MEASURED = frozenset(_MEASURES)
"""What there are units of."""
ANY_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
"""A pattern of a unit in the singular."""
MONTHS = {short: at for at, name in enumerate(_MONTHS, 1) for short in (name, name[:3])} | {"sept": 9}
"""The number of each month by its name."""
YEARLESS = re.compile(rf"\b(?:\d\d? )?({'|'.join(map(str.capitalize, MONTHS))})\b(?: \d\d?\b)?(?!,? \d)")
"""A month or a day of one, without its year."""


def number(text: str) -> float | None:
    """The number that a cell begins with, a time in seconds; None where it begins with none."""
    text = _CURRENCY.sub("", text.strip())
    if not any(character.isdigit() for character in text[:16]):
        return None
    if found := TIME.match(text):
        hours, minutes, seconds, rest = found.groups()
        return (int(hours or 0) * 60 + int(minutes)) * 60 + int(seconds) + float(rest or 0)
    found = _NUMBER.match(text.casefold())
    if not found or not (found[4] or found[5]):
        return None
    value = float(_APART.sub("", found[4] or "0") + (found[5] or "") + (found[6] or ""))
    value *= scale(text)
    negative = (found[1] and text.rstrip(" %").endswith(")")) or found[2] or found[3]
    return None if value > _LARGEST else -value if negative else value


def scale(text: str) -> float:
    """What the number of a cell is in: 1, or a thousand, a million or a billion that it names."""
    found = _SCALE.search(text)
    return _SCALES[(found[1] or found[2]).casefold()] if found else 1.0


def date(text: str) -> float | None:
    """The day or month that a text names, in years; of the year 0 where it names none. None where it names no day."""
    if (found := _ISO.search(text)) and 1 <= int(found[2]) <= 12 and 1 <= int(found[3]) <= 31:
        return in_years(int(found[1]), int(found[2]), int(found[3]))
    for found in _NAMED.finditer(text):
        month = MONTHS.get(found[2].casefold())
        if month and (found[1] or found[3] or found[4]):
            other = _YEAR.search(text)
            year = found[4] or (other[1] if other else "0")
            return in_years(int(year), month, int(found[1] or found[3] or 1))
    return None


def version(text: str) -> float | None:
    """The version that a cell is, as a number that is greater the later it is, part by part: 3.10 is after 3.9."""
    found = _VERSION.fullmatch(text.strip())
    if not found or _THOUSANDS.fullmatch(found[1]):
        return None
    return math.fsum(int(part) / _PARTS**place for place, part in enumerate(found[1].split(".")))


def in_years(year: int, month: int, day: int) -> float:
    """A day as a number of years, so that days can be ordered and be apart by so many years."""
    return year + (month - 1) / 12 + (min(day, 31) - 1) / 372
