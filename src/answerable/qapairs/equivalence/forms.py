"""A question as a list of words, each with what it is a form of."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from answerable.qapairs.equivalence.lexicon import DAYS, IRREGULAR, MONTHS, NUMBERS, ORDINALS, PHRASES, SCALES

_TOKEN = re.compile(r"\d[\d,]*(?:\.\d+)?(?:st|nd|rd|th|s)?\b|[^\W\d_]+(?:[.'’][^\W\d_]+)*\.?|\w+|[%€$£°]")
_NUMERAL = re.compile(r"(\d[\d,]*(?:\.\d+)?)(st|nd|rd|th|s)?$")
_SHORT = {
    "can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not", "what's": "what is",
    "who's": "who is", "where's": "where is", "when's": "when is", "how's": "how is", "it's": "it is",
    "that's": "that is", "there's": "there is",
}  # fmt: skip
_SIGNS = {"%": "percent", "€": "euro", "$": "dollar", "£": "pound", "°": "degree"}
_FLIP = re.compile(r"\b(non)[- ](?=\w)")
_DOUBLED = re.compile(r"([^aeiouslz])\1$")
_EITHER = frozenset(
    "e ed es er ers or ors s ing ings ion ions ation ations tion ment ments al ance ence y ies d r rs n ive ness ity "
    "able ible ly ure ication".split()
) | {""}
_DERIVED = frozenset(
    (a, b)
    for pair in (("c", "t"), ("cy", "t"), ("ility", "l"), ("d", "sion"), ("t", "sion"), ("a", "an"), ("a", "ian"))
    for a, b in (pair, pair[::-1])
)
"""Endings of two words one of which is made of the other: "present" and "presence", "responsible", "responsibility"."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word in lower case without accents. `base`: what it is a form of; `name`: whether its capital names something.

    `number`: its value, for figures and words alike; `ordinal`: whether that is a place in an order; `owner`: whether
    "'s" follows it.
    """

    low: str
    base: str
    name: bool = False
    number: float | None = None
    ordinal: bool = False
    owner: bool = False
    decade: bool = False


def read(question: str) -> list[Word]:
    """The words of a question in order; figures, "per cent" and shortened forms written out."""
    text = unicodedata.normalize("NFKD", question.replace("’", "'"))
    text = "".join(c for c in text if not unicodedata.combining(c))
    text = re.sub(r"\bper cent\b", "percent", text)
    text = re.sub(r"(?<=\w)-(?=\w)", " ", _FLIP.sub(r"\1", text))
    plain = text == text.lower()
    found: list[Word] = []
    for match in _TOKEN.finditer(text):
        found += [word for word in _words(match.group(), first=not found, plain=plain) if word.low]  # not of "'s"
    return _phrases(_joined(found))


def named_alike(words: Sequence[Word], others: Sequence[Word]) -> list[Word]:
    """The words, with those as names that are names in the other question: many people type no capitals."""
    names = {word.low for word in others if word.name} - {word.low for word in words if word.name}
    return [replace(word, name=True, base=word.low) if word.low in names and not word.name else word for word in words]


@lru_cache(maxsize=1 << 14)  # most words of questions are the same few
def _words(token: str, first: bool, plain: bool) -> tuple[Word, ...]:
    low = token.lower()
    if low in _SIGNS:
        return (_word(_SIGNS[low]),)
    if low in _SHORT:
        return tuple(_word(part) for part in _SHORT[low].split())
    if low.endswith("n't"):
        return _word(low[:-3]), _word("not")
    if numeral := _NUMERAL.match(low):
        value = float(numeral.group(1).replace(",", ""))
        kind = numeral.group(2) or ""
        return (Word(low, f"{value:g}", False, value, kind in ("st", "nd", "rd", "th"), decade=kind == "s"),)
    owner = low.endswith(("'s", "'")) or low.endswith("s'")
    stem = low.split("'")[0] if owner or ("'" in low and len(low.split("'")[0]) > 2) else low.replace("'", "")
    stem = stem.replace(".", "")
    capital = token[0].isupper() and not plain and not first
    if stem in MONTHS and (capital or plain or len(stem) > 3) and stem not in ("may", "march", "mar", "dec", "sep"):
        return (Word(MONTHS[stem], MONTHS[stem], True, owner=owner),)
    if (capital and stem in MONTHS) or stem in DAYS or stem.rstrip("s") in DAYS:
        told = MONTHS.get(stem, stem.rstrip("s"))
        return (Word(told, told, True, owner=owner),)
    return (_word(stem, capital, owner),) if stem else ()


def _word(low: str, name: bool = False, owner: bool = False) -> Word:
    if low in NUMBERS:
        return Word(low, f"{NUMBERS[low]}", False, float(NUMBERS[low]))
    if low in SCALES:
        return Word(low, low, False, float(SCALES[low]))
    if low in ORDINALS:
        return Word(low, low, False, float(ORDINALS[low]), True)
    return Word(low, low if name else base(low), name, owner=owner)


def _joined(words: list[Word]) -> list[Word]:
    """Numbers of several words as one: "five thousand", "twenty one"."""
    kept: list[Word] = []
    for word in words:
        before = kept[-1] if kept else None
        if before is not None and _whole(before) and _whole(word):
            assert before.number is not None and word.number is not None
            if word.low in SCALES:
                kept[-1] = _value(before.number * word.number)
                continue
            if before.low in NUMBERS and before.number >= 20 and before.number % 10 == 0 and word.number < 10:
                kept[-1] = _value(before.number + word.number)
                continue
        kept.append(word)
    return kept


def _phrases(words: list[Word]) -> list[Word]:
    """Verbs of two words as one; "who used to own it" as of a former owner."""
    for place in range(len(words) - 2, -1, -1):
        first, second = words[place], words[place + 1]
        if second.low == "to" and first.low == "used" and place and words[place - 1].low in ("who", "what", "which"):
            words[place : place + 2] = [Word("former", "former")]
        elif told := _phrase_of().get((first.base, second.low)):
            words[place : place + 2] = [Word(f"{first.low}-{second.low}", told)]
    return words


@cache
def _phrase_of() -> dict[tuple[str, str], str]:
    """Each by the base of its first word and its second word."""
    return {(base(one.split()[0]), one.split()[1]): base(one.replace(" ", "-")) for one in PHRASES}


def _whole(word: Word) -> bool:
    return word.number is not None and not word.ordinal and not word.decade


def _value(number: float) -> Word:
    return Word(f"{number:g}", f"{number:g}", False, number)


@lru_cache(maxsize=1 << 14)
def base(low: str) -> str:
    """What a word is a form of, nearly: "designed", "designs" and "designing" give the same."""
    if low in IRREGULAR:
        return _final(IRREGULAR[low])
    for prefix in ("re", "out", "over", "un", "fore"):
        if low.startswith(prefix) and low[len(prefix) :] in IRREGULAR:
            return prefix + _final(IRREGULAR[low[len(prefix) :]])
    if len(low) > 3 and low.endswith("s") and not low.endswith(("ss", "us", "is")):
        single = low[:-3] + "y" if low.endswith("ies") and len(low) > 4 else low[:-1]
        single = low[:-2] if low.endswith(("ches", "shes", "xes", "sses", "zes")) else single
        return _final(IRREGULAR[single]) if single in IRREGULAR else _without_ending(single)
    return _without_ending(low)


def _without_ending(low: str) -> str:
    for ending in ("ing", "ed"):
        if low.endswith(ending) and len(low) - len(ending) > 2 and any(c in "aeiouy" for c in low[: -len(ending)]):
            stem = low[: -len(ending)]
            if low.endswith("ied"):
                return low[:-3] + "y"
            if low.endswith("eed"):
                return low
            if len(stem) > 3 and _DOUBLED.search(stem):
                return stem[:-1]
            return stem
    return _final(low)


def _final(low: str) -> str:
    """Without the last "e", which forms drop: "hire" as "hiring" leaves it."""
    return low[:-1] if low.endswith("e") and len(low) > 3 else low


@lru_cache(maxsize=1 << 14)
def alike(one: str, other: str) -> bool:
    """Whether two words are forms of one by their endings."""
    if one == other:
        return True
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    if shared >= 4 and shared >= min(len(one), len(other)) - 3 and {one[shared:], other[shared:]} <= _EITHER:
        return True
    return shared >= 4 and (one[shared:], other[shared:]) in _DERIVED
