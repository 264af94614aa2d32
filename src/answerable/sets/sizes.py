"""Sizes that a constraint names, as numbers: "more than 40 m high", "between 100 and 200 km", "with 1,000 seats"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from answerable.corpora.values import ANY_UNIT, MEASURED, NUMERALS, SIGNS, UNITS
from answerable.indexes.terms import analyzer
from answerable.sets.bound import Bound, Size, ends, sentences_of

_SCALES = {"": 1.0, "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_NUMBER = rf"(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?|\b(?:{'|'.join(NUMERALS)})\b"
_SIZE = (
    rf"(?P<sign>[$£€]) ?(?P<money>{_NUMBER})(?: (?P<many>million|billion))?|"
    rf"(?P<number>{_NUMBER})(?P<scale> hundred| thousand| million| billion)?[ -]{{0,3}}"
    rf"(?:(?P<unit>{ANY_UNIT})s?(?![\w²])|(?P<noun>[a-z]{{3,}})?)"
)
_TOLD = re.compile(rf"(?<![\w.,-])(?:{_SIZE})", re.IGNORECASE)
_MORE = (
    r"(?:more(?: expensive| costly)?|dearer|pricier|greater|larger|bigger|longer|taller|higher|deeper|wider|heavier|"
    r"faster|older) than|over|above|at least"
)
_LESS = (
    r"(?:less(?: expensive| costly)?|cheaper|fewer|smaller|shorter|lower|lighter|narrower|slower|younger) than|under|"
    r"below|at most|up to"
)
_WAYS = {
    "up": "high higher tall taller height elevation altitude low lower",
    "along": "long longer length short shorter",
    "down": "deep deeper depth shallow",
    "across": "wide wider width narrow narrower",
    "back": "old",
}
_WAY = {word: way for way, words in _WAYS.items() for word in words.split()}
_AFTER = rf"(?: (?:in|of) (?=height|length|depth|width)| )(?:{'|'.join(_WAY)})\b"
_ASKED = re.compile(
    rf"\b(?:(?P<no>no )?(?P<than>(?P<more>{_MORE})|{_LESS}) |(?P<having>with|of|has|have|having) |(?:between|from) "
    rf"[$£€]?(?P<first>{_NUMBER})(?: ?(?P<first_unit>{ANY_UNIT})s?)?(?: (?:and|to) |[–-]))(?:{_SIZE})(?:{_AFTER})?",
    re.IGNORECASE,
)
_LOOSE = ("over", "under", "above", "below", "up to")
"""What bounds no count but of what has it: "with over 3 towers", not "a victory over 3 countries"."""
_HAS = re.compile(r"\b(?:with|of|for|has|have|had|(?:that|which|who) \w+) $", re.IGNORECASE)
_ROUND = 0.05
"""How far the size of something may be at most from one that it is said to have, as a share of it."""
_ITSELF = ("at least", "at most", "up to")
"""What allows the size that it names, as "no more than" does."""
_PEOPLE = frozenset(("inhabitant", "population", "resident"))
_NO_NOUN = frozenset("and but for from not that the with".split())
_COUNTED = re.compile(r"\b([a-z]{3,})(?: (?:of|is|was|were|has|over|about|some))*[ :]*$", re.IGNORECASE)
"""What a number without a noun counts: "a population of 20,144"."""
_HAVING = re.compile(r"\bwith an? [a-z]+(?: of)? ?$", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)")
_FAR = re.compile(
    r" *(?:\) *)?(?:\([^()]*\) *)?(?:to the )?(?:north|south|east|west|from|away|off|inland|outside|upstream|"
    r"downstream|by [a-z])",
    re.IGNORECASE,
)
"""What follows a distance, which is the size of nothing: "7 miles ( 11 km ) northeast of"."""
_OF_WHAT = re.compile(
    r"\b(?:with|has|have|having|whose|of|mentions?) (?:an? |the )?((?:[a-z]+ ){1,3})(?:of )?$", re.IGNORECASE
)
"""What has a size, before it: "with a minimum order" below £50."""
_AMOUNTS = frozenset("price cost amount sum value total".split())
"""What any money is."""
_YEARS = (1000, 2100)
_SHORT = 3
"""Letters of a name that is a unit alone, and may stand for anything: "T", "Min"."""
THEMSELVES = "of them"
"""The kind of how many there are of what is looked for."""
_NEAR = 200
"""Characters before and after a number that are looked at, so that a text of many numbers takes no longer for each."""


def bound(wanted: str) -> Bound | None:
    """The first bound of a size in a constraint, if there is any."""
    for found in _ASKED.finditer(wanted):
        before = wanted[: found.start()]
        having = _HAVING.search(before)
        size = _size(found, found[0], having[0] if having else "", bool(found["noun"] and not found["first"]))
        if size and _bounding(found, size, before):
            least, most = _ends(found, size.amount)
            told = partial(_said_first, size, _of_what(before, size))
            return Bound(found.start(), found.end(), size, least, most, told)
    return None


def unit_in(name: str) -> str:
    """The last unit that the name of a column has beside what it is of: "weight kg", "price £", "hours a week"."""
    words = re.findall(r"[$£€]|[^\W_]+", name.lower())
    known = (word for word in reversed(words) if word in SIGNS or {word, word.removesuffix("s")} & UNITS.keys())
    return next(known, "") if words[1:] or len(name) > _SHORT else ""


def measured(kind: str) -> bool:
    """Whether sizes of a kind are in units that are worth more or less than each other."""
    return kind in MEASURED


def bare(wanted: str) -> Bound | None:
    """The first bound of a number that is of nothing, if there is any: "for more than 5,000". A text says money of
    it, and nothing where it is of the things themselves: "items we have more than 5 of"."""
    for found in _ASKED.finditer(wanted):
        of_nothing = not found["unit"] and (found["noun"] or "and").lower() in _NO_NOUN
        of_them = wanted[found.end() :].strip() == "of"
        if found["number"] and of_nothing and not found["having"]:
            size = Size(
                THEMSELVES if of_them else "",
                _amount(found["number"]) * _SCALES[(found["scale"] or "").strip().lower()],
            )
            end = len(wanted) if of_them else found.start("noun") if found["noun"] else found.end()
            told = partial(_said_first, size, frozenset()) if of_them else _money_first
            return Bound(found.start(), end, size, *_ends(found, size.amount), told)
    return None


def _bounding(found: re.Match[str], size: Size, before: str) -> bool:
    """Whether a size in a constraint says how large something is: not what is counted of something else."""
    counted = not (found["unit"] or found["sign"] or size.ways or size.kind == "people")
    if found["having"]:
        return not (counted and found["having"].lower() == "of") and (found["number"] or "1")[0].isdecimal()
    loose = counted and (found["than"] or "").lower() in _LOOSE
    return not loose or bool(_HAS.search(before) or _HAVING.search(before))


def _ends(found: re.Match[str], amount: float) -> tuple[float, float]:
    """The least and the most that fit. What has a size has it as exactly as it is written: "300 m" is no 320."""
    number = found["money"] or found["number"]
    rate = amount / (_amount(number) or 1.0)
    if found["first"]:
        unit = found["first_unit"]
        first = _amount(found["first"]) * (UNITS[unit.lower()][1] if unit else rate)
        return min(first, amount), max(first, amount)
    if found["having"]:
        whole, _, rest = number.replace(",", "").partition(".")
        digit = 10.0 ** (-len(rest) if rest else len(whole) - len(whole.rstrip("0")))
        far = min(digit * rate / 2, _ROUND * amount)
        return amount - far, amount + far
    itself = found["no"] or found["than"].lower() in _ITSELF
    return ends(amount, bool(found["more"]) != bool(found["no"]), bool(itself))


def _of_what(before: str, size: Size) -> frozenset[str]:
    """The stems of what is said to have a size, where a text may name many: of money."""
    named = _OF_WHAT.search(before) if size.kind in SIGNS else None
    return frozenset(analyzer(stop=True).analyze(named[1] if named else "")) - _AMOUNTS


def _said_first(wanted: Size, of: frozenset[str], title: str, text: str) -> list[Size]:
    """The first size of a kind that a text names, in a sentence that has the words of what it is `of`; what goes the
    way that is asked for comes before what does not say which way it goes."""
    said = [one for one in sentences_of(text) if not of or of <= frozenset(analyzer(stop=True).analyze(one))]
    told = [size for one in said for size in sizes(one) if size.kind == wanted.kind]
    same = [size for size in told if wanted.ways & size.ways]
    return (same or [size for size in told if not (wanted.ways and size.ways)])[:1]


def _money_first(title: str, text: str) -> list[Size]:
    """The first amount of money that a text names."""
    told = (size for said in sentences_of(text) for size in sizes(said) if size.kind in SIGNS)
    return [Size("", size.amount) for size in told][:1]


def sizes(text: str) -> Iterator[Size]:
    """The sizes that a sentence names, in its order; a bare number that could be a year counts nothing."""
    last, end = Size("", 0.0), 0
    for found in _TOLD.finditer(text):
        before = text[max(0, found.start() - _NEAR) : found.start()]
        after = _ASIDE.sub(" ", text[found.end() : found.end() + _NEAR])
        size = _size(found, " ".join([*before.split()[-3:], *after.split()[:3]]), before)
        if size and size.kind == last.kind and text[end : found.start()].strip() == "(":  # the same in another unit
            size = size._replace(ways=last.ways)
        if size and (size.ways or not (size.kind == "length" and _FAR.match(text, found.end()))):
            yield size
        last, end = size or last, found.end()


def _size(found: re.Match[str], beside: str, before: str, no_year: bool = False) -> Size | None:
    ways = frozenset(_WAY[word] for word in re.findall(r"[a-z]+", beside.lower()) if word in _WAY)
    if found["sign"]:
        return Size(found["sign"], _amount(found["money"]) * _SCALES[(found["many"] or "").lower()], ways)
    amount = _amount(found["number"]) * _SCALES[(found["scale"] or "").strip().lower()]
    if found["unit"]:
        kind, factor = UNITS[found["unit"].lower()]
        return Size(kind, amount * factor, ways)
    noun = (found["noun"] or "").lower().removesuffix("s")
    if not noun or noun in _NO_NOUN:
        counted = _COUNTED.search(before)
        noun = counted[1].lower().removesuffix("s") if counted else ""
    a_year = not no_year and "," not in found["number"] and _YEARS[0] <= amount <= _YEARS[1]
    kind = "people" if noun in _PEOPLE else noun
    return None if a_year or not kind or kind in _WAY else Size(kind, amount, ways)


def _amount(number: str) -> float:
    low = number.lower()
    return float(NUMERALS.index(low)) if low in NUMERALS else float(low.replace(",", ""))
