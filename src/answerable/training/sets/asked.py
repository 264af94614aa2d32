"""What a text is asked, by what it says that it is: what it fits, and what it only names or is somewhere else."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

from answerable.training.sets.says import CONTINENTS, DEMONYMS, LEAST, Said, World, around, part_of, plural
from answerable.training.words import WORDS

MOST_ASKED = 8
_HEARD = dict.fromkeys(("album", "song", "single", "ep"), "artists") | dict.fromkeys(("novel", "book"), "authors")
_WITH_ARTICLE = frozenset(("United States", "United Kingdom", "Netherlands", "Philippines", "Czech Republic"))
LAST = 2025
"""No constraint names a later year."""


class Maker:
    """Makes the lessons of one part."""

    def __init__(self, about: World, part: str, rng: random.Random, hidden: frozenset[str]) -> None:
        self.about, self.part, self.rng = about, part, rng
        self.hidden = frozenset(one for one in hidden if one not in ("film", "films", "series"))
        usual = [head for head, count in about.heads.items() if count >= LEAST and part_of(head) == part]
        self.usual = [head for head in usual if not {head, plural(head)} & self.hidden]
        self.weights = [about.heads[head] ** 0.5 for head in self.usual]
        self.known = frozenset(self.usual)
        self.mentions = {word: head for head in self.usual for word in (head, plural(head))}
        self.countries = sorted(set(DEMONYMS.values()))
        self.adjectives = {country: word for word, country in reversed(DEMONYMS.items())}
        self.common = [place for place, count in about.places.items() if count >= LEAST]

    def lesson(self, one: Said) -> dict[str, Any] | None:
        """A text with what it is asked."""
        fits = [*self._types(one), *self._placed(one), *self._timed(one)]
        breaks = [*self._mentioned(one), *self._elsewhere(one), *self._timed(one, wrong=True), *self._others(one)]
        for words, noun, label in one.extra:
            if part_of(noun) == self.part and not {noun, plural(noun)} & self.hidden:
                (fits if label else breaks).insert(0, words)
        if not fits and (not breaks or self.rng.random() < 0.6):
            return None
        self.rng.shuffle(fits)
        asked = dict.fromkeys(fits[: MOST_ASKED // 2], 1)
        for words in breaks[: MOST_ASKED - len(asked)]:
            asked.setdefault(words, 0)
        rows = list(asked.items())
        self.rng.shuffle(rows)
        return {"title": one.title, "text": one.text[:900], "asked": rows}

    def _own(self, one: Said) -> list[str]:
        return [head for head in one.heads if head in self.known]

    def _types(self, one: Said) -> Iterator[str]:
        for head in self._own(one):
            yield plural(head)
        if one.heads[0] != "film":
            for kind in one.kinds:
                if self.about.kinds[kind] >= LEAST // 4 and kind.split()[-1] in self.known:
                    yield plural(kind)

    def _noun(self, one: Said) -> str | None:
        """A type of the text, narrow or wide, in the plural; people as people too."""
        found = [*self._types(one)]
        if one.born and self.part == "train":
            found.append("people")
        return self.rng.choice(found) if found else None

    def _put(self, *ways: str, **said: object) -> str:
        """One of the ways to put what is said."""
        return str(self.rng.choice([one for name in ways for one in WORDS["ways"][name]])).format(**said)

    def _in(self, noun: str, place: str) -> str:
        adjective = self.adjectives.get(place) if noun else None
        ways = ("in", "from") if adjective else ("in",)
        return self._put(*ways, noun=noun, place=_called(place), adjective=adjective)

    def _of(self, noun: str, country: str) -> str:
        return self._put("from", "from", "of", noun=noun, place=_called(country), adjective=self.adjectives[country])

    def _placed(self, one: Said) -> Iterator[str]:
        if (noun := self._noun(one)) is None:
            return
        for country in one.demonyms[:2]:
            yield self._of(noun, country)
        for place in self._usual(one):
            yield self._in(noun, place)
            if self.part == "train" and self.rng.random() < 0.2:
                yield self._in("", place).strip()
        if one.by and (who := _HEARD.get(one.heads[0])):
            yield from self._made(noun, one.by, who)

    def _usual(self, one: Said) -> list[str]:
        return [place for place in one.places if self.about.places[place] >= LEAST // 3 or place in CONTINENTS]

    def _made(self, noun: str, adjective: str, who: str) -> Iterator[str]:
        yield f"{noun} by {adjective} {who}"
        if self.part == "train" and self.rng.random() < 0.3:
            yield f"by {adjective} {who}"

    def _timed(self, one: Said, wrong: bool = False) -> Iterator[str]:
        """Times that are the text's, or some years off."""
        noun = self._noun(one)
        off = self.rng.choice([-1, 1]) * self.rng.choice([1, 3, 8, 12, 20, 40, 70]) if wrong else 0
        if noun and one.born:
            yield self._life(noun, "born", one.born, off)
            if one.died:
                yield self._life(noun, "who died", one.died, off)
        if noun and one.year:
            yield self._dated(noun, one.year, off)

    def _life(self, noun: str, verb: str, year: int, off: int) -> str:
        """A time that the year is in, or, `off` by some years, is not in."""
        if off and self.rng.random() < 0.3:
            gap = self.rng.randint(1, 30)
            return self._put("far", noun=noun, verb=verb, early=year - gap + 1, late=year + gap - 1)
        return self._dated(f"{noun} {verb}", year, off, "life", 30)

    def _dated(self, noun: str, year: int, off: int, kind: str = "date", most: int = 20) -> str:
        """The same of a work, or of what else `kind` says, with an open time of `most` years."""
        if off:
            other = year + off if year + off <= LAST else year - abs(off)
            ways = (f"{kind}_year", f"{kind}_decade") if other // 10 != year // 10 else (f"{kind}_year",)
            return self._put(*ways, noun=noun, year=other, decade=other // 10 * 10)
        gap = self.rng.randint(1, most)
        return self._put(kind, noun=noun, year=year, decade=year // 10 * 10, early=year - gap, late=year + gap)

    def _mentioned(self, one: Said) -> list[str]:
        """Types that the text is not of, though it names them, alone and in its own place."""
        words = set(re.findall(r"[a-z]+", f"{one.title} {one.text}".lower()))
        says = {word for kind in (*one.kinds, *one.heads) for word in kind.split()}
        found = [self.mentions[word] for word in sorted(words & self.mentions.keys())]
        found = [
            head
            for head in dict.fromkeys(found)
            if head not in says and all(self.about.apart(own, head) for own in one.heads)
        ]
        self.rng.shuffle(found)
        made = []
        for head in found[:3]:
            many = plural(head)
            usual = self._usual(one)
            place = self.rng.choice(usual) if usual else ""
            placed = bool(place) and self.rng.random() < 0.5
            made.append(self._in(many, place) if placed else many)
        return made

    def _elsewhere(self, one: Said) -> Iterator[str]:
        noun = self._noun(one)
        if noun is None:
            return
        if one.demonyms:
            others = [c for c in self.rng.sample(self.countries, 4) if self._free(one, c)]
            yield from (self._of(noun, country) for country in others[:1])
        if one.places:
            others = [
                p
                for p in self.rng.sample(self.common, min(5, len(self.common)))
                if p not in one.places and p not in one.text
            ]
            others = [p for p in others if not set(around(p)) & set(one.places[:1])]
            if any(p in CONTINENTS for p in one.places) and self.rng.random() < 0.4:
                others = [p for p in self.rng.sample(CONTINENTS, 3) if p not in one.places and p not in one.text]
            yield from (self._in(noun, place) for place in others[:1])
        if one.by and (who := _HEARD.get(one.heads[0])):
            others = [c for c in self.rng.sample(self.countries, 3) if c != DEMONYMS[one.by] and self._free(one, c)]
            yield from (way for c in others[:1] for way in self._made(noun, self.adjectives[c], who))

    def _free(self, one: Said, country: str) -> bool:
        wide = {wider for own in one.demonyms for wider in around(own)}
        return (
            country not in one.demonyms
            and country not in wide
            and country not in one.text
            and self.adjectives[country] not in one.text
            and not any(own in around(country) for own in one.demonyms)
        )

    def _others(self, one: Said) -> Iterator[str]:
        """Types drawn by chance, in the text's own place or country as often as alone."""
        words, usual = set(re.findall(r"[a-z]+", one.text.lower())), self._usual(one)
        for head in self.rng.choices(self.usual, self.weights, k=2):
            many = plural(head)
            if head in words or many in words or not all(self.about.apart(own, head) for own in one.heads):
                continue
            if usual and self.rng.random() < 0.5:
                yield self._in(many, usual[0])
            elif one.demonyms and self.rng.random() < 0.5:
                yield self._of(many, one.demonyms[0])
            else:
                yield many


def _called(place: str) -> str:
    return f"the {place}" if place in _WITH_ARTICLE else place
