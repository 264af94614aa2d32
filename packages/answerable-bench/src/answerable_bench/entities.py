"""The entities of the mails, public and private, and where each stands (appendix D.2).

Public: a name that is the title of one page, of a permitted type, where the encoder of skills takes it for that page
(`Links`). Private: a name that comes often enough in the mails, is no title of a page, and stands in no public passage.
What is neither (a colleague with the name of a page) is left out: the paper holds precision above all.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from answerable.encoders.choose import SKILLS, open_encoder
from answerable.encoders.encoder import Encoder, Linker, Vectors
from answerable.errors import UsageError
from answerable.evaluation.hop_order import bare
from answerable.training.skills.titles import Titles
from answerable.types import Passage, Skill
from answerable_bench.gather import read_passages
from answerable_bench.names import OTHER, PERSON, WORK, Kind, Name, Sorts, find_names, key, kind_of
from answerable_bench.plan import PRIVATE, PUBLIC, Plan
from answerable_bench.stages import Counts, Progress, known, read_jsonl, write_jsonl

FILE = "entities.jsonl"
_FEW, _MANY = 2, 50
"""In a small corpus: pages that make a type common, passages that an entity may stand in."""
_BESIDE = 40  # characters on either side of a name that are looked at for words that tell its sort
_LOOKED = 24  # places of a page's name in the mails that are looked at
_PLAIN = re.compile(r"[a-z]{4,}")
_SMALL = re.compile(r"\b[a-z][a-z&]+\b")

MEANT = 0.55
"""From this inner product on, a name is taken for the page's: nearly all below are other things of that name."""
SPOKEN = 0.25
"""What a mail and the page of a person, a film or a book must have in common besides."""
_AROUND = 250  # characters on either side of a name that are read with it
Place = tuple[str, int, int]
"""A passage's id, and characters [start, end) of it."""


@dataclass(frozen=True, slots=True)
class Entity:
    """Something the mails name: `domain` P or G, `page` the id of the passage that describes it (public ones).

    `at`: the mail passages that it stands in.
    """

    name: str
    domain: str
    sort: str
    page: str
    at: tuple[str, ...]


def write_entities(folder: Path, plan: Plan, links: Links, progress: Progress) -> Counts:
    """Find the entities of the mails and write them; what each filter took away."""
    private, pages = read_passages(folder, PRIVATE), read_passages(folder, PUBLIC)
    counts: Counts = {}
    kinds = page_kinds(pages, plan, counts)
    mentions = _Mentions(private, pages, kinds, progress)
    counts |= {"names": len(mentions.names), "titles": len(mentions.titled_at)}
    crowded = {id for id, count in mentions.crowd.items() if count >= plan.crowd}
    counts["passages that name enough"] = len(crowded)
    most = max(_MANY, int(plan.most * len(private)))
    public = list(_public(mentions, private, pages, kinds, links, most, progress))
    own = _private(mentions, pages, plan, crowded, most, counts, progress)
    counts |= {"public": len(public), "private": len(own)}
    write_jsonl(folder / FILE, (asdict(entity) for entity in (*public, *own)))
    return counts


def read_entities(folder: Path) -> list[Entity]:
    """The entities that were written, in order."""
    return [Entity(**{**known(Entity, row), "at": tuple(row["at"])}) for row in read_jsonl(folder / FILE)]


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
        self.sorts = Sorts(passage.text for passage in private.values())
        self.names: dict[str, list[str]] = defaultdict(list)
        self.written: dict[str, Counter[str]] = defaultdict(Counter)
        self.titled_at: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
        self.crowd: dict[str, int] = {}
        self.beside: dict[str, Counter[str]] = defaultdict(Counter)
        self.titled = {key(bare(page.title)) for page in pages.values()}
        texts = {(page.title, page.text): id for id, page in pages.items() if id in kinds}
        titles = Titles(texts)
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
                if whole:
                    self.titled_at[texts[page]].setdefault(id, (start, end))

    def _add(self, id: str, text: str, name: Name) -> None:
        own = key(name.text)
        if id not in self.names[own][-1:]:  # one passage after another
            self.names[own].append(id)
        self.written[own][name.text] += 1
        beside = text[max(0, name.start - _BESIDE) : name.start] + " " + text[name.end : name.end + _BESIDE]
        self.beside[own].update(_PLAIN.findall(beside.lower()))

    def sort(self, own: str) -> str:
        """What sort of thing a name means."""
        return self.sorts.of(self.written[own].most_common(1)[0][0], self.beside[own])

    def plain(self, own: str) -> bool:
        """Whether all words of a name are written small often enough to be no name: "Natural Gas", "Services"."""
        most = max(3, len(self.names.get(own, ())) // 2)
        return all(self._small[word] >= most for word in own.split(" "))


class Links:
    """Tells which of the places that have a page's title speak of the page, as the encoder of skills sees it."""

    def __init__(self, linker: Encoder | None = None) -> None:
        """Raises `UsageError` for an encoder that does not link."""
        encoder = linker or open_encoder(SKILLS)
        if not isinstance(encoder, Linker):
            raise UsageError(f"the encoder {encoder.name} links no names", hint="use one that does, such as skills")
        self._encoder, self._linker = encoder, encoder

    def meant(self, page: Passage, sort: str, places: Sequence[Place], mails: Mapping[str, Passage]) -> list[Place]:
        """Those of `places` that mean the page, in order."""
        named = self._linker.encode_entities([(page.title, page.text)])[0]
        shown = self._encoder.encode_passages([(page.title, page.text)])[0] if sort in (PERSON, WORK) else None
        return [place for place in places if self._means(mails[place[0]].text, place, named, shown)]

    def _means(self, text: str, place: Place, named: Vectors, shown: Vectors | None) -> bool:
        _, start, end = place
        low = max(0, start - _AROUND)
        span = start - low, end - low
        (used,) = self._linker.encode_mentions(text[low : end + _AROUND], [span])
        if float(used @ named) < MEANT:
            return False
        return shown is None or float(self._encoder.encode_query(text, Skill.SINGLE) @ shown) >= SPOKEN


def _public(
    mentions: _Mentions,
    private: Mapping[str, Passage],
    pages: Mapping[str, Passage],
    kinds: Mapping[str, Kind],
    links: Links,
    most: int,
    progress: Progress,
) -> Iterator[Entity]:
    for number, (id, at) in enumerate(sorted(mentions.titled_at.items())):
        if number % 50 == 0:
            progress("links", number, len(mentions.titled_at))
        name, kind = bare(pages[id].title), kinds[id]
        person = kind.sort == PERSON and (" " not in key(name) or key(name) in mentions.sorts.people)
        if len(at) > most or person or mentions.plain(key(name)):
            continue
        places = [(passage, *span) for passage, span in at.items()][:_LOOKED]
        held = tuple(passage for passage, *_ in links.meant(pages[id], kind.sort, places, private))
        if held:
            yield Entity(name, PUBLIC, kind.sort, id, held)


def _private(
    mentions: _Mentions,
    pages: Mapping[str, Passage],
    plan: Plan,
    crowded: set[str],
    most: int,
    counts: Counts,
    progress: Progress,
) -> list[Entity]:
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
        sort = mentions.sort(name)
        held = tuple(passage for passage in at if passage in crowded)
        if name not in known and sort != OTHER and held:
            own.append(Entity(names[name], PRIVATE, sort, "", held))
    counts["not in public text"] = sum(name not in known for name in untitled)
    return own


def _distinct(own: str) -> bool:
    """Whether a name is long enough to mean one thing: two words, or one of at least four letters."""
    return " " in own or len(own) >= 4
