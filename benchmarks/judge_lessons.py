"""What a judge of constraints learns "is an X" from, as against "about X": lessons made of texts that say what they are.

    python benchmarks/judge_lessons.py --data DATA --out FILE [--most N] [--part train|development|report]

An encyclopaedia's page says in its first sentence what its subject is ("Hook Lighthouse is a lighthouse in County
Wexford, Ireland"), and so does a table of the things in a column, a list of its members, a claim of its subject. From
these come constraints of many kinds: types, types in a place or of a country, places within others, times of birth and
of works, and who made them. A text does not fit what it only mentions ("lighthouses" of a town that has one), what is
of another place or time, nor another type in its own place. Types that often stand beside each other, or that mean much
the same, are not held against each other.

Each line is a lesson: `title`, `text`, and `asked`, pairs of a constraint and 1 or 0. The nouns of constraints belong
to one part each, by their digest: eight of ten to `train`, one to `development`, one to `report`.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from judge_places import CONTINENTS, DEMONYMS, STATES, WITHIN

MOST_ASKED = 8
LEAST = 25
"""Texts of a type, or it is not asked for."""
ALIKE = 0.5
"""From this cosine of two nouns on they are not held against each other."""
_PAREN = re.compile(r"\s*\([^()]*\)")
_SAYS = re.compile(
    r"^(.{2,160}?)\s(?:is|was|are|were)\s(?:(?:also|now|currently|formerly|generally|officially)\s)?"
    r"(?:(?:one|any) of )?(?:a|an|the)\s(.+)$"
)
_STOP = frozenset(
    "in of on by for from that which who located based at with to known directed released starring written during as "
    "near is held whose where under set produced played situated built born between serving made founded created "
    "published recorded formed used found established owned operated best within along featuring who when since after "
    "before about through into off over and/or describing playing competing representing currently concerning regarding "
    "involving containing covering linking connecting including consisting comprising dealing depicting telling focusing "
    "using having being operating performing specializing working living following but not".split()
)
_PERSON = re.compile(r"\(.*?(?:born\s[^)]*?(\d{4})|(\d{4})\s-\s[^)]*?(\d{4}))")
_IN = re.compile(r"\b(?:in|of|from)\s((?:(?:the\s)?[A-Z][\w'’-]+\s?)+(?:,\s(?:[A-Z][\w'’-]+\s?)+)*)")
_BY = re.compile(r"\bby\s(?:the\s)?([A-Z][a-z]+)\s(?:[a-z-]+\s){0,3}?(?:singer|rapper|band|musician|artist|group|author|writer|novelist|duo)")
_YEAR = re.compile(r"\b(1[6-9]\d\d|20[012]\d)\b")
_WORKS = frozenset("novel album song single book game magazine newspaper series poem play opera EP".lower().split())
_HEARD = {"album": "artists", "song": "artists", "single": "artists", "ep": "artists", "novel": "authors", "book": "authors"}
_UNSAID = frozenset(
    "one part name member type kind form number list result second third first set use term way private free end native "
    "wife home section story edition branch current former original common main north south east west largest better "
    "overall support help release version data package license most top pick ride forward stub position side total".split()
)
_PLAIN = frozenset("current former retired first second third last early late new old new-build main only next largest own".split())
_NO_PLACE = frozenset("Church League University Cup Championship Championships Conference Association Party Army Division Series Records "
    "Games Olympics Tour Award Awards Team Club Company College School Office House Court Force Navy Open Music".split())
_MONTHS = frozenset(
    "January February March April May June July August September October November December Old New North South".split()
)
_WITH_ARTICLE = frozenset(("United States", "United Kingdom", "Netherlands", "Philippines", "Czech Republic"))
LAST = 2025
"""No constraint names a later year."""


def plural(noun: str) -> str:
    """A noun phrase in the plural, by its last word."""
    odd = {"man": "men", "woman": "women", "person": "people", "series": "series", "species": "species", "child": "children"}
    head, _, last = noun.rpartition(" ")
    for one, many in odd.items():
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
    extra: list[tuple[str, str, int]] = field(default_factory=list)
    """Further constraints with their noun and whether it fits."""


def read(title: str, text: str) -> Said | None:
    """What the first sentence says, or None where it is not of that form."""
    first = re.split(r"(?<=[a-z\d\)]{2})\s\.\s", text, maxsplit=1)[0][:600]
    plain = first
    for _ in range(3):
        plain = _PAREN.sub("", plain)
    found = _SAYS.match(plain)
    if not found:
        return None
    rest = found.group(2)
    heads, kinds, demonyms = [], [], []
    for phrase in re.split(r"\s(?:and|,)\s(?:and\s)?(?:an?\s)?", rest)[:4]:
        words = []
        for word in phrase.split():
            if word.lower() in _STOP or word in ",.;:" or (words and word[0] in "(["):
                break
            words.append(word)
        if not words or len(words) > 7:
            break
        demonyms += [DEMONYMS[one] for one in (*words, " ".join(words[:2])) if one in DEMONYMS]
        head = words[-1]
        if not (head.isalpha() and head.islower() and len(head) > 2) or head in _UNSAID or head.endswith(("ing", "ed", "ly", "able", "ous", "est")):
            break
        heads.append(head)
        if len(words) > 1 and words[-2].replace("-", "").isalpha() and words[-2].islower() and words[-2] not in _PLAIN:
            kinds.append(f"{words[-2]} {head}")
            if len(words) > 2 and words[-3].replace("-", "").isalpha() and words[-3].islower() and words[-3] not in _PLAIN:
                kinds.append(f"{words[-3]} {words[-2]} {head}")
        if len(words) < len(phrase.split()):
            break
    if not heads:
        return None
    said = Said(title, text, tuple(dict.fromkeys(heads)), tuple(dict.fromkeys(kinds)), tuple(dict.fromkeys(demonyms)))
    if life := _PERSON.search(first[:300]):
        said.born = int(life.group(1) or life.group(2))
        said.died = int(life.group(3) or 0)
    elif heads[0] != "film":
        places = [one.strip() for match in _IN.finditer(plain) for one in match.group(1).split(",")]
        places = [one.removeprefix("the ").strip() for one in places if one and not _YEAR.search(one)]
        places = [one for one in places if one.split()[:1] and one.split()[0] not in _MONTHS or " " in one and one.split()[0] in ("New", "North", "South")]
        places = [one for one in places if one.split()[-1] not in _NO_PLACE and (one not in DEMONYMS or one in WITHIN)]
        around = [wider for place in places for wider in _around(place)]
        said.places = tuple(dict.fromkeys(places + around))[:8]
        if set(heads) & _WORKS and (when := _YEAR.search(plain)):
            said.year = int(when.group(1))
        if (made := _BY.search(plain)) and made.group(1) in DEMONYMS:
            said.by = made.group(1)
    return said


def _around(place: str) -> Iterator[str]:
    while place in WITHIN:
        place = WITHIN[place]
        yield place


@dataclass(slots=True)
class World:
    """All that texts say, and what may be held against what."""

    said: list[Said]
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


def world(said: list[Said]) -> World:
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
    from answerable.encoders.choose import open_encoder

    vectors = np.asarray(open_encoder("minilm", 1).encode_passages([("", f"a {head}") for head in usual]), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    near = vectors @ vectors.T > ALIKE
    close = {head: frozenset(usual[at] for at in np.flatnonzero(row)) for head, row in zip(usual, near, strict=True)}
    return World(said, heads, kinds, places, beside, people, close)


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
        breaks = [*self._mentioned(one), *self._elsewhere(one), *self._elsewhen(one), *self._others(one)]
        for words, noun, label in one.extra:
            if part_of(noun) == self.part and not {noun, plural(noun)} & self.hidden:
                (fits if label else breaks).insert(0, words)
        if not fits and (not breaks or self.rng.random() < 0.6):
            return None
        self.rng.shuffle(fits)
        asked = {words: 1 for words in fits[: MOST_ASKED // 2]}
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

    def _in(self, noun: str, place: str) -> str:
        adjective = self.adjectives.get(place) if noun else None
        place = f"the {place}" if place in _WITH_ARTICLE else place
        ways = [f"{noun} in {place}", f"{noun} in {place}", f"{noun} located in {place}", f"{noun} that are in {place}"]
        if adjective:
            ways.append(f"{adjective} {noun}")
        return self.rng.choice(ways)

    def _of(self, noun: str, country: str) -> str:
        the = "the " if country in _WITH_ARTICLE else ""
        ways = [f"{self.adjectives[country]} {noun}"] * 2 + [f"{noun} from {the}{country}"]
        return self.rng.choice(ways)

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

    def _timed(self, one: Said) -> Iterator[str]:
        noun = self._noun(one)
        if noun and one.born:
            yield self._life(noun, "born", one.born, 0)
            if one.died:
                yield self._life(noun, "who died", one.died, 0)
        if noun and one.year:
            yield self._dated(noun, one.year, 0)

    def _life(self, noun: str, verb: str, year: int, off: int) -> str:
        """A time that the year is in, or, `off` by some years, is not in."""
        rng = self.rng
        if off:
            if rng.random() < 0.3:
                gap = rng.randint(1, 30)
                return rng.choice([f"{noun} {verb} before {year - gap + 1}", f"{noun} {verb} after {year + gap - 1}"])
            other = year + off if year + off <= LAST else year - abs(off)
            return rng.choice([f"{noun} {verb} in {other}", f"{noun} {verb} in the {other // 10 * 10}s"] if other // 10 != year // 10 else [f"{noun} {verb} in {other}"])
        gap = rng.randint(1, 30)
        ways = [f"{noun} {verb} in {year}", f"{noun} {verb} in the {year // 10 * 10}s", f"{noun} {verb} after {year - gap}", f"{noun} {verb} before {year + gap}"]
        return rng.choice([*ways, ways[1]])

    def _dated(self, noun: str, year: int, off: int) -> str:
        rng = self.rng
        if off:
            other = year + off if year + off <= LAST else year - abs(off)
            ways = [f"{noun} from {other}", f"{other} {noun}"]
            if other // 10 != year // 10:
                ways += [f"{noun} from the {other // 10 * 10}s", f"{other // 10 * 10}s {noun}"]
            return rng.choice(ways)
        gap = rng.randint(1, 20)
        ways = [f"{noun} from {year}", f"{noun} from the {year // 10 * 10}s", f"{year // 10 * 10}s {noun}", f"{year} {noun}"]
        return rng.choice([*ways, f"{noun} after {year - gap}", f"{noun} before {year + gap}"])

    def _mentioned(self, one: Said) -> list[str]:
        """Types that the text is not of, though it names them, alone and in its own place."""
        words = set(re.findall(r"[a-z]+", f"{one.title} {one.text}".lower()))
        says = {word for kind in (*one.kinds, *one.heads) for word in kind.split()}
        found = [self.mentions[word] for word in sorted(words & self.mentions.keys())]
        found = [head for head in dict.fromkeys(found) if head not in says and all(self.about.apart(own, head) for own in one.heads)]
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
            others = [p for p in self.rng.sample(self.common, 5) if p not in one.places and p not in one.text]
            others = [p for p in others if not set(_around(p)) & set(one.places[:1])]
            if any(p in CONTINENTS for p in one.places) and self.rng.random() < 0.4:
                others = [p for p in self.rng.sample(CONTINENTS, 3) if p not in one.places and p not in one.text]
            yield from (self._in(noun, place) for place in others[:1])
        if one.by and (who := _HEARD.get(one.heads[0])):
            others = [c for c in self.rng.sample(self.countries, 3) if c != DEMONYMS[one.by] and self._free(one, c)]
            yield from (way for c in others[:1] for way in self._made(noun, self.adjectives[c], who))

    def _free(self, one: Said, country: str) -> bool:
        wide = {wider for own in one.demonyms for wider in _around(own)}
        return (
            country not in one.demonyms
            and country not in wide
            and country not in one.text
            and self.adjectives[country] not in one.text
            and not any(own in _around(country) for own in one.demonyms)
        )

    def _elsewhen(self, one: Said) -> Iterator[str]:
        noun = self._noun(one)
        off = self.rng.choice([-1, 1]) * self.rng.choice([1, 3, 8, 12, 20, 40, 70])
        if noun and one.born:
            yield self._life(noun, "born", one.born, off)
            if one.died:
                yield self._life(noun, "who died", one.died, off)
        if noun and one.year:
            yield self._dated(noun, one.year, off)

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


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a compressed file."""
    with gzip.open(path, "rt", encoding="utf8") as file:
        yield from map(json.loads, file)


def from_tables(data: Path, by_id: Mapping[str, Said], about: World) -> Iterator[Said]:
    """Texts that tables link to: what stands in a column is of the type that heads it, and what stands in another is
    not; of a list the first column holds its members."""
    for table in lines(data / "wiki" / "tables.jsonl.gz"):
        columns: dict[int, list[str]] = defaultdict(list)
        for row in table["rows"]:
            for at, cell in enumerate(row):
                columns[at] += cell["links"][:1]
        header = [(one["text"] if isinstance(one, dict) else one).lower().strip() for one in table["header"]]
        nouns = {at: name for at, name in enumerate(header) if name in about.heads and about.heads[name] >= LEAST}
        listed = re.match(r"List of ((?:[\w'’-]+\s){0,4}?([a-z]+s)(?:\s(?:in|of|from)\s(?:the\s)?[A-Z][\w ]+)?)(?:\sby\s.*|\s\(.*)?$", table["title"])
        for at, links in columns.items():
            for link in links[:6]:
                if (said := by_id.get(link)) is None:
                    continue
                extra = []
                for place, noun in nouns.items():
                    if place == at or all(about.apart(own, noun) for own in said.heads):
                        extra.append((plural(noun), noun, int(place == at)))
                if listed:
                    noun = listed.group(2).removesuffix("s") if not listed.group(2).endswith("ies") else listed.group(2)[:-3] + "y"
                    like = noun in said.heads or any(noun in about.close.get(own, ()) for own in said.heads)
                    if at < 2 and like:
                        extra.append((listed.group(1), noun, 1))
                    elif noun in about.heads and all(about.apart(own, noun) for own in said.heads):
                        extra.append((listed.group(1), noun, 0))
                if extra:
                    yield Said(said.title, said.text, said.heads, said.kinds, said.demonyms, said.places, said.born, said.died, said.year, said.by, extra[:4])


def from_claims(data: Path, part: str, rng: random.Random) -> Iterator[dict[str, Any]]:
    """What claims say of the subject of the page that settles them."""
    for row in lines(data / "fever" / "claims.jsonl.gz"):
        if not row["evidence"] or not row.get("titles") or part_of(row["titles"][0]) != part:
            continue
        title = row["titles"][0].replace("_", " ")
        name = re.sub(r"\s*\(.*\)$", "", title)
        if not row["claim"].startswith(name + " "):
            continue
        said = row["claim"][len(name) + 1 :].rstrip(" .")
        said = re.sub(r"^(?:is|was|are|were) (?:a|an|the|one of the) ", "", said)
        if len(said.split()) >= 2:
            yield {"title": title, "text": " ".join(row["evidence"])[:900], "asked": [(said, int(row["label"] == "SUPPORTS"))]}


def from_packages(data: Path) -> Iterator[Said]:
    """Packages, of which the first line says what they are ("Real-time strategy game of ancient warfare")."""
    for row in lines(data / "debian" / "packages.jsonl.gz"):
        first = row["text"].split("\n", 1)[0]
        found = re.match(r"^((?:[\w+./-]+\s){0,5}?[a-z]{3,})(?:\s(?:for|of|to|with|in|from|that|which|based|written|using|and|on|by)\s.*)?$", first)
        if found is None:
            continue
        words = found.group(1).split()
        head = words[-1]
        if head in _UNSAID or head in _STOP or head.endswith(("ing", "ed", "ly", "able", "ous")) or head.endswith("s"):
            continue
        kinds = [" ".join(words[-n:]) for n in (2, 3) if len(words) >= n and words[-n][0].isalpha()]
        yield Said(row["title"], row["text"], (head,), tuple(kinds))


def unseen(folders: Sequence[Path]) -> frozenset[str]:
    """The words of the categories that benchmarks develop and report on: no lesson has one as its noun."""
    rows = (json.loads(line) for folder in folders for line in (folder / "atoms.jsonl").open(encoding="utf8"))
    return frozenset(
        word.lower() for row in rows if not row["split"].startswith("train") for word in re.findall(r"[\w+-]+", row["atom"])
    )


def made(data: Path, part: str, most: int, seed: int, hidden: frozenset[str]) -> Iterator[dict[str, Any]]:
    """The lessons of a part, `most` of pages by themselves, and those of tables, packages and claims."""
    rng = random.Random(f"{seed} {part}")
    by_id = {}
    for row in lines(data / "wiki" / "passages.jsonl.gz"):
        if (said := read(row["title"], row["text"])) is not None:
            by_id[row["_id"]] = said
    about = world(list(by_id.values()))
    maker = Maker(about, part, rng, hidden)
    own = [one for one in about.said if part == "train" or any(part_of(head) == part for head in one.heads)]
    # no type is seen in proportion to how usual it is: the root of that
    weights = [about.heads[one.heads[0]] ** -0.5 for one in own]
    drawn = list(dict.fromkeys(rng.choices(range(len(own)), weights, k=most)))
    tabled = list(from_tables(data, by_id, about))
    rng.shuffle(tabled)
    packaged = list(from_packages(data))
    shelf = Maker(world(packaged), part, rng, hidden)
    packaged = rng.sample(packaged, min(len(packaged), most // 4))
    asked = [(maker, own[at]) for at in drawn] + [(maker, one) for one in tabled[: most // 4]]
    for who, one in asked + [(shelf, one) for one in packaged]:
        if (lesson := who.lesson(one)) is not None and lesson["asked"]:
            yield lesson
    yield from from_claims(data, part, rng)


def main(words: list[str] | None = None) -> None:
    """Write the lessons, and print how many of each answer there are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--part", choices=("train", "development", "report"), default="train")
    parser.add_argument("--most", type=int, default=30_000)
    parser.add_argument("--hide", type=Path, nargs="*", default=[], help="benchmarks whose held out categories are none")
    parser.add_argument("--seed", type=int, default=23)
    given = parser.parse_args(words)
    answers: Counter[int] = Counter()
    constraints: set[str] = set()
    with gzip.open(given.out, "wt", encoding="utf8") as file:
        for lesson in made(given.data, given.part, given.most, given.seed, unseen(given.hide)):
            file.write(json.dumps(lesson, ensure_ascii=False) + "\n")
            answers.update(label for _, label in lesson["asked"])
            constraints.update(text for text, _ in lesson["asked"])
    print(f"{len(constraints)} constraints, {answers[1]} answers that it fits and {answers[0]} that it does not")


if __name__ == "__main__":
    main()
