"""What texts say that they are: the subject of an encyclopaedia's page or a package, by the first sentence or line."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from answerable.encoders.choose import MINILM, open_encoder
from answerable.training.words import WORDS

LEAST = 25
"""Texts of a type, or it is not asked for."""
ALIKE = 0.5
"""From this cosine of two nouns on they are not held against each other."""
_WORDS = WORDS["says"]
_PAREN = re.compile(r"\s*\([^()]*\)")
_SAYS = re.compile(
    r"^(.{2,160}?)\s(?:is|was|are|were)\s(?:(?:also|now|currently|formerly|generally|officially)\s)?"
    r"(?:(?:one|any) of )?(?:a|an|the)\s(.+)$"
)
STOP = frozenset(_WORDS["stop"])
_PERSON = re.compile(r"\(.*?(?:born\s[^)]*?(\d{4})|(\d{4})\s-\s[^)]*?(\d{4}))")
_IN = re.compile(r"\b(?:in|of|from)\s((?:(?:the\s)?[A-Z][\w'’-]+\s?)+(?:,\s(?:[A-Z][\w'’-]+\s?)+)*)")
_BY = re.compile(
    r"\bby\s(?:the\s)?([A-Z][a-z]+)\s(?:[a-z-]+\s){0,3}?"
    r"(?:singer|rapper|band|musician|artist|group|author|writer|novelist|duo)"
)
_YEAR = re.compile(r"\b(1[6-9]\d\d|20[012]\d)\b")
_WORKS = frozenset(_WORDS["works"])
UNSAID = frozenset(_WORDS["unsaid"])
_PLAIN = frozenset(_WORDS["plain"])
_SPLIT = tuple(_WORDS["split"])
_NO_PLACE = frozenset(_WORDS["no_place"])
_MONTHS = frozenset(_WORDS["openers"])


_COUNTRIES: dict[str, dict[str, str]] = WORDS["countries"]
CONTINENTS = tuple(_COUNTRIES)
DEMONYMS = {adjective: country for held in _COUNTRIES.values() for country, adjective in held.items()}
"""The country that an adjective is of."""
WITHIN = {place: continent for continent, countries in _COUNTRIES.items() for place in countries}
WITHIN |= {place: country for country, places in WORDS["parts"].items() for place in places} | WORDS["short"]
"""The place around a place."""


def plural(noun: str) -> str:
    """A noun phrase in the plural, by its last word."""
    head, _, last = noun.rpartition(" ")
    for one, many in _WORDS["odd"].items():
        if last == one or (last.endswith(one) and one in ("man", "woman")):
            return f"{head} {last[: -len(one)]}{many}".strip()
    if last.endswith("y") and last[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if last.endswith(("s", "x", "ch", "sh")) else "s")


def part_of(noun: str) -> str:
    """Which part a noun belongs to."""
    digit = int(hashlib.md5(noun.lower().split()[-1].encode(), usedforsecurity=False).hexdigest()[:6], 16) % 10
    return {0: "development", 1: "report"}.get(digit, "train")


@dataclass(slots=True)
class Said:
    """What a text says its subject is: `heads` are nouns, `kinds` these with a word or more before them."""

    title: str
    text: str
    heads: tuple[str, ...]
    kinds: tuple[str, ...]
    demonyms: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    born: int = 0
    died: int = 0
    year: int = 0
    by: str = ""
    extra: Sequence[tuple[str, str, int]] = ()
    """Further constraints with their noun and whether it fits."""


def read(title: str, text: str) -> Said | None:
    """What the first sentence says, or None where it is not of that form."""
    first = re.split(r"(?<=[a-z\d\)]{2})\s\.\s", text, maxsplit=1)[0][:600]
    plain = first
    for _ in range(3):
        plain = _PAREN.sub("", plain)
    found = _SAYS.match(plain)
    heads, kinds, demonyms = _nouns(found.group(2)) if found else ([], [], [])
    if not heads:
        return None
    said = Said(title, text, tuple(dict.fromkeys(heads)), tuple(dict.fromkeys(kinds)), tuple(dict.fromkeys(demonyms)))
    if life := _PERSON.search(first[:300]):
        said.born = int(life.group(1) or life.group(2))
        said.died = int(life.group(3) or 0)
    elif heads[0] != "film":
        places = _places(plain)
        wide = [wider for place in places for wider in around(place)]
        said.places = tuple(dict.fromkeys(places + wide))[:8]
        if set(heads) & _WORKS and (when := _YEAR.search(plain)):
            said.year = int(when.group(1))
        if (made := _BY.search(plain)) and made.group(1) in DEMONYMS:
            said.by = made.group(1)
    return said


def _nouns(rest: str) -> tuple[list[str], list[str], list[str]]:
    """The nouns of what follows "is a", these with the words before them, and the countries that adjectives name."""
    heads: list[str] = []
    kinds: list[str] = []
    demonyms: list[str] = []
    for phrase in re.split(r"\s(?:and|,)\s(?:and\s)?(?:an?\s)?", rest)[:4]:
        words: list[str] = []
        for word in phrase.split():
            if word.lower() in STOP or word in ",.;:" or (words and word[0] in "(["):
                break
            words.append(word)
        if not words or len(words) > 7:
            break
        demonyms += [DEMONYMS[one] for one in (*words, " ".join(words[:2])) if one in DEMONYMS]
        head = words[-1]
        if not (head.isalpha() and head.islower() and len(head) > 2) or not is_noun(head, "est"):
            break
        heads.append(head)
        for more in (2, 3):
            if len(words) < more or not _tells(words[-more]):
                break
            kinds.append(" ".join(words[-more:]))
        if len(words) < len(phrase.split()):
            break
    return heads, kinds, demonyms


def is_noun(word: str, *endings: str) -> bool:
    """Whether a word that ends a phrase is likely to say what a thing is."""
    return word not in UNSAID and not word.endswith(("ing", "ed", "ly", "able", "ous", *endings))


def _tells(word: str) -> bool:
    return word.replace("-", "").isalpha() and word.islower() and word not in _PLAIN


def _places(plain: str) -> list[str]:
    """The places that a sentence names after "in", "of" or "from"."""
    found = [one.strip() for match in _IN.finditer(plain) for one in match.group(1).split(",")]
    places = [one.removeprefix("the ").strip() for one in found if one and not _YEAR.search(one)]
    named = [one for one in places if one and (one.split()[0] not in _MONTHS or one.startswith(_SPLIT))]
    return [one for one in named if one.split()[-1] not in _NO_PLACE and (one not in DEMONYMS or one in WITHIN)]


def around(place: str) -> Iterator[str]:
    """The places that a place is in, from the nearest."""
    while place in WITHIN:
        place = WITHIN[place]
        yield place


@dataclass(slots=True)
class World:
    """All that texts say, and what may be held against what."""

    said: Sequence[Said]
    heads: Counter[str]
    kinds: Counter[str]
    places: Counter[str]
    beside: Counter[tuple[str, str]]
    people: frozenset[str]
    close: Mapping[str, frozenset[str]]

    def apart(self, one: str, other: str) -> bool:
        """Whether a thing that is the one can be taken not to be the other."""
        if one == other or self.beside[one, other] or other in self.close.get(one, ()):
            return False
        return not (one in self.people and other in self.people)


def world(said: Sequence[Said]) -> World:
    """Counts over what texts say, and which nouns are near in meaning."""
    heads = Counter(head for one in said for head in one.heads)
    kinds = Counter(kind for one in said for kind in one.kinds)
    places = Counter(place for one in said for place in one.places)
    beside: Counter[tuple[str, str]] = Counter()
    born: Counter[str] = Counter()
    for one in said:
        words = {*one.heads, *(word for kind in one.kinds for word in kind.split())}
        beside.update((a, b) for a in one.heads for b in words if a != b)
        beside.update((b, a) for a in one.heads for b in words if a != b)
        born.update(one.heads if one.born else ())
    people = frozenset(head for head, count in born.items() if count > 0.3 * heads[head])
    usual = [head for head, count in heads.items() if count >= LEAST]
    vectors = np.asarray(open_encoder(MINILM, 1).encode_passages([("", f"a {head}") for head in usual]), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    near = vectors @ vectors.T > ALIKE
    close = {head: frozenset(usual[at] for at in np.flatnonzero(row)) for head, row in zip(usual, near, strict=True)}
    return World(said, heads, kinds, places, beside, people, close)
