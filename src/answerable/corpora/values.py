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
MONTHS = {short: at for at, name in enumerate(_MONTHS, 1) for short in (name, name[:3])} | {"sept": 9}
"""The number of each month by its name."""


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
