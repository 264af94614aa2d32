"""The entities of the mails, public and private, and where each stands (appendix D.2).

Public: a name that is the title of one page, of a permitted type, whose page shares an uncommon word with the mail it
stands in. Private: a name that comes often enough in the mails, is no title of a page, and stands in no public
passage, so that no question on it can be answered by public text without anybody knowing. What is neither (a
colleague who has the name of a page, a name that public text knows) is left out: the paper holds precision above all.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from answerable.training.skills.titles import Titles, bare
from answerable.types import Passage
from answerable_bench.gather import read_passages
from answerable_bench.names import OTHER, PERSON, WORK, Kind, Name, Sorts, find_names, key, kind_of
from answerable_bench.plan import PRIVATE, PUBLIC, Plan
from answerable_bench.stages import Counts, Progress, read_jsonl, write_jsonl

FILE = "entities.jsonl"
_FEW, _MANY = 2, 50
"""In a small corpus: pages that make a type common, passages that an entity may stand in."""
_BESIDE = 40  # characters on either side of a name that are looked at for words that tell its sort
_UNCOMMON = 0.02
"""A word that more than this share of the mail passages has tells nothing about what a name there means."""
_SHARED = {PERSON: 2, WORK: 3, OTHER: 2}
"""Uncommon words a page and a mail must share for a name of this sort to mean the page; 1 for the other sorts."""
_PLAIN = re.compile(r"[a-z]{4,}")
_SMALL = re.compile(r"\b[a-z][a-z&]+\b")


@dataclass(frozen=True, slots=True)
class Entity:
    """Something the mails name: `domain` P or G, `page` the id of the passage that describes it (public ones).

    `noun` is what it is called where its name must not be said ("company"), `at` the mail passages it stands in with
    its first characters [start, end) there.
    """

    name: str
    domain: str
    sort: str
    noun: str
    page: str
    at: Mapping[str, tuple[int, int]]


def write_entities(folder: Path, plan: Plan, progress: Progress) -> Counts:
    """Find the entities of the mails and write them; what each filter took away."""
    private, pages = read_passages(folder, PRIVATE), read_passages(folder, PUBLIC)
    counts: Counts = {}
    kinds = page_kinds(pages, plan, counts)
    mentions = _Mentions(private, pages, kinds, progress)
    counts |= {"names": len(mentions.names), "linked": len(mentions.linked)}
    crowded = {id for id, count in mentions.crowd.items() if count >= plan.crowd}
    counts["passages that name enough"] = len(crowded)
    most = max(_MANY, int(plan.most * len(private)))
    public = list(_public(mentions, kinds, plan, crowded, most))
    own = _private(mentions, pages, plan, crowded, most, counts, progress)
    counts |= {"public": len(public), "private": len(own)}
    write_jsonl(folder / FILE, (asdict(entity) for entity in (*public, *own)))
    return counts


def read_entities(folder: Path) -> list[Entity]:
    """The entities that were written, in order."""
    return [_entity(row) for row in read_jsonl(folder / FILE)]


def _entity(row: Mapping[str, Any]) -> Entity:
    at = {id: (int(start), int(end)) for id, (start, end) in row["at"].items()}
    return Entity(row["name"], row["domain"], row["sort"], row["noun"], row["page"], at)


def page_kinds(pages: Mapping[str, Passage], plan: Plan, counts: Counts) -> dict[str, Kind]:
    """The kinds of pages of permitted types, by the id of the passage that opens the page."""
    found = {id: kind for id, page in pages.items() if not page.start and (kind := kind_of(page.title, page.text))}
    nouns = Counter(kind.noun for kind in found.values())
    least = max(_FEW, round(plan.common * len(pages)))
    counts |= {"pages with a type": len(found), "types": sum(count >= least for count in nouns.values())}
    return {id: kind for id, kind in found.items() if nouns[kind.noun] >= least}


class _Mentions:
    """Every name in the mails: by key, with the passages it stands in, and those that are titles."""

    def __init__(
        self,
        private: Mapping[str, Passage],
        pages: Mapping[str, Passage],
        kinds: Mapping[str, Kind],
        progress: Progress,
    ) -> None:
        self.sorts = Sorts(passage.text for passage in private.values() if not passage.start)
        self.names: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
        self.written: dict[str, Counter[str]] = defaultdict(Counter)
        self.linked: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
        self.crowd: dict[str, int] = {}
        self.beside: dict[str, Counter[str]] = defaultdict(Counter)
        self.titled = {key(bare(page.title)) for page in pages.values()}
        self.titles = {id: pages[id].title for id in kinds}
        texts = {(page.title, page.text): id for id, page in pages.items() if id in kinds}
        titles = Titles(texts)
        common = self._common(private)
        self._small: Counter[str] = Counter()
        for number, (id, passage) in enumerate(private.items()):
            if number % 2000 == 0:
                progress("names", number, len(private))
            names = find_names(passage.text)
            self._small.update(_SMALL.findall(passage.text))
            self.crowd[id] = len({key(name.text) for name in names})
            for name in names:
                self._add(id, passage.text, name)
            spans = {(name.start, name.end) for name in names}
            for (start, end), page in titles.find(passage.text):
                whole = (start, end) in spans or not any(a < end and start < b for a, b in spans)
                if whole and self._agrees(passage.text, page, kinds[texts[page]], common):
                    self.linked[texts[page]].setdefault(id, (start, end))

    def _add(self, id: str, text: str, name: Name) -> None:
        own = key(name.text)
        self.names[own].setdefault(id, (name.start, name.end))
        self.written[own][name.text] += 1
        beside = text[max(0, name.start - _BESIDE) : name.start] + " " + text[name.end : name.end + _BESIDE]
        self.beside[own].update(_PLAIN.findall(beside.lower()))

    def plain(self, own: str) -> bool:
        """Whether all words of a name are written small often enough to be no name: "Natural Gas", "Services"."""
        most = max(3, len(self.names.get(own, ())) // 2)
        return all(self._small[word] >= most for word in own.split(" "))

    @staticmethod
    def _common(private: Mapping[str, Passage]) -> frozenset[str]:
        seen: Counter[str] = Counter()
        for passage in private.values():
            seen.update(set(_PLAIN.findall(passage.text.lower())))
        return frozenset(word for word, count in seen.items() if count > max(5, _UNCOMMON * len(private)))

    def _agrees(self, text: str, page: tuple[str, str], kind: Kind, common: frozenset[str]) -> bool:
        """Whether a mail speaks of what a page is about, and not of something else of that name."""
        title = key(page[0])
        if title in self.sorts.people or (kind.sort == PERSON and " " not in title):
            return False
        own = set(_PLAIN.findall(title))
        shared = (set(_PLAIN.findall(text.lower())) & set(_PLAIN.findall(page[1].lower()))) - common - own
        return len(shared) >= _SHARED.get(kind.sort, 1)


def _public(
    mentions: _Mentions, kinds: Mapping[str, Kind], plan: Plan, crowded: set[str], most: int
) -> Iterator[Entity]:
    """The pages the mails name, in passages that name enough."""
    for id, at in sorted(mentions.linked.items()):
        held = {passage: span for passage, span in at.items() if passage in crowded}
        if held and len(at) <= most and not mentions.plain(key(bare(mentions.titles[id]))):
            kind = kinds[id]
            yield Entity(bare(mentions.titles[id]), PUBLIC, kind.sort, kind.noun, id, held)


def _private(
    mentions: _Mentions,
    pages: Mapping[str, Passage],
    plan: Plan,
    crowded: set[str],
    most: int,
    counts: Counts,
    progress: Progress,
) -> list[Entity]:
    """Names that are the mails' own."""
    frequent = {own: at for own, at in mentions.names.items() if plan.least <= len(at) <= most}
    untitled = {
        own: at
        for own, at in frequent.items()
        if own not in mentions.titled and _distinct(own) and not mentions.plain(own)
    }
    counts |= {"frequent": len(frequent), "no title": len(untitled)}
    names = {own: mentions.written[own].most_common(1)[0][0] for own in untitled}
    known: set[str] = set()
    finder = Titles((name, name) for name in names.values())
    for number, page in enumerate(pages.values()):
        if number % 5000 == 0:
            progress("public names", number, len(pages))
        known.update(key(name) for _, (name, _) in finder.find(page.text))
    own = []
    for name, at in untitled.items():
        sort = mentions.sorts.of(names[name], mentions.beside[name])
        held = {passage: span for passage, span in at.items() if passage in crowded}
        if name not in known and sort != OTHER and held:
            own.append(Entity(names[name], PRIVATE, sort, sort, "", held))
    counts["not in public text"] = sum(name not in known for name in untitled)
    return own


def _distinct(own: str) -> bool:
    """Whether a name is long enough to mean one thing: two words, or one of at least four letters."""
    return " " in own or len(own) >= 4
