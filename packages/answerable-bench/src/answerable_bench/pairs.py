"""Pairs of passages that a question may need together, and questions proposed for them.

Algorithm 1 of Arora et al. 2022 (PAIR), balanced by slice. A bridge pair shares an entity, which is the hint: two pages
of which one names the other (public to public), a page and a mail that names it (public to private), the same the
other way round, or two mails that name the same private entity. A comparison pair has two entities of one sort, one in
each passage. No pair is drawn twice in one direction.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any

from answerable.evaluation.hop_order import bare
from answerable.training.skills.titles import Titles
from answerable.types import Passage
from answerable_bench.entities import Entity, page_kinds, read_entities
from answerable_bench.gather import read_passages
from answerable_bench.names import Kind
from answerable_bench.plan import PRIVATE, PUBLIC, SLICES, Plan
from answerable_bench.stages import Counts, Progress, known, read_jsonl, write_jsonl

FILE = "pairs.jsonl"
BRIDGE, COMPARISON = "bridge", "comparison"
WRITER = "writer"
"""Who a written question is by."""
_LEAST_SENTENCES, _LEAST_TOKENS = 2, 20
"""What a page must have to be shown ("a minimum number of sentences and tokens"; the paper does not say how many)."""
_MISSES = 300  # draws in a row that give nothing new, after which all there is counts as drawn


@dataclass(frozen=True, slots=True)
class Pair:
    """Two passages, the first hop first, and the hint: the entity both share, or the two that are compared."""

    id: str
    slice: str
    kind: str
    passages: tuple[str, str]
    names: tuple[str, str]


def write_pairs(folder: Path, plan: Plan, progress: Progress) -> Counts:
    """Draw the pairs and write them; how many by slice and kind."""
    pages = read_passages(folder, PUBLIC)
    kinds = page_kinds(pages, plan, {})
    fit = {id for id in kinds if _long_enough(pages[id].text) and bare(pages[id].title)[-1].isalnum()}
    draw = _Draw(pages, kinds, fit, read_entities(folder), plan, progress)
    counts = {"pages fit": len(fit), "links": len(draw.links)}
    compared = round(plan.pairs * plan.comparison)
    amounts = {BRIDGE: plan.pairs - compared, COMPARISON: compared}
    by_slice = [
        [pair for kind, wanted in amounts.items() for pair in draw.pairs(slice, kind, wanted)] for slice in SLICES
    ]
    # In turn, so that no slice takes the passages that several could use.
    drawn = [pair for turn in zip_longest(*by_slice) for pair in turn if pair is not None]
    found = Counter(f"{pair.slice} {pair.kind}" for pair in drawn)
    counts |= {f"{slice} {kind}": found[f"{slice} {kind}"] for slice in SLICES for kind in (BRIDGE, COMPARISON)}
    write_jsonl(folder / FILE, (asdict(pair) for pair in drawn))
    return counts


def read_pairs(folder: Path) -> Iterator[Pair]:
    """The pairs that were drawn, in order."""
    for row in read_jsonl(folder / FILE):
        yield Pair(**{**known(Pair, row), **_tuples(row)})


def _tuples(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(row[name]) for name in ("passages", "names")}


def _long_enough(text: str) -> bool:
    return text.count(". ") + 1 >= _LEAST_SENTENCES and len(text.split()) >= _LEAST_TOKENS


class _Draw:
    """Uniform draws over what can be paired."""

    def __init__(
        self,
        pages: Mapping[str, Passage],
        kinds: Mapping[str, Kind],
        fit: set[str],
        entities: Sequence[Entity],
        plan: Plan,
        progress: Progress,
    ) -> None:
        self._pages = pages
        self._random = Random(plan.seed)
        self._public = [entity for entity in entities if entity.domain == PUBLIC and entity.page in fit]
        self._private = [entity for entity in entities if entity.domain == PRIVATE]
        self._shared = [entity for entity in self._private if len(entity.at) > 1]
        self.links = _links(pages, kinds, fit, plan.linked, progress)
        self._by_noun: dict[str, list[str]] = defaultdict(list)
        for id in sorted(fit):
            self._by_noun[kinds[id].noun].append(id)
        self._nouns = sorted(noun for noun, ids in self._by_noun.items() if len(ids) > 1)
        self._by_sort = {sort: [e for e in self._private if e.sort == sort] for sort in {e.sort for e in self._private}}
        self._pages_by_sort: dict[str, list[str]] = defaultdict(list)
        for id in sorted(fit):
            self._pages_by_sort[kinds[id].sort].append(id)
        self._sorts = sorted(sort for sort, ones in self._by_sort.items() if len(ones) > 1)
        self._sorts_of_both = sorted(self._by_sort.keys() & self._pages_by_sort.keys())
        self._taken: set[tuple[str, ...]] = set()

    def pairs(self, slice: str, kind: str, wanted: int) -> list[Pair]:
        """Up to `wanted` pairs, each of passages not drawn together before."""
        ways: dict[tuple[str, str], tuple[Sequence[object], Callable[[], Pair]]] = {
            ("GG", BRIDGE): (self.links, self._linked),
            ("PP", BRIDGE): (self._shared, self._two_mails),
            ("GP", BRIDGE): (self._public, lambda: self._page_and_mail("GP")),
            ("PG", BRIDGE): (self._public, lambda: self._page_and_mail("PG")),
            ("GG", COMPARISON): (self._nouns, self._two_pages),
            ("PP", COMPARISON): (self._sorts, self._two_names),
        }
        among, draw = ways.get((slice, kind), (self._sorts_of_both, lambda: self._page_and_name(slice)))
        found: list[Pair] = []
        misses = 0
        while among and len(found) < wanted and misses < _MISSES:
            pair = draw()
            misses += 1
            own = pair.passages if slice[0] != slice[1] else tuple(sorted(pair.passages))
            if own[0] != own[1] and own not in self._taken:
                self._taken.add(own)
                found.append(pair)
                misses = 0
        return found

    def _linked(self) -> Pair:
        first, second = self._random.choice(self.links)
        name = bare(self._pages[second].title)
        return _pair("GG", BRIDGE, (first, second), (name, name))

    def _page_and_mail(self, slice: str) -> Pair:
        entity = self._random.choice(self._public)
        mail = self._random.choice(entity.at)
        name = bare(self._pages[entity.page].title)
        passages = (mail, entity.page) if slice == "PG" else (entity.page, mail)
        return _pair(slice, BRIDGE, passages, (name, name))

    def _two_mails(self) -> Pair:
        entity = self._random.choice(self._shared)
        first, second = self._random.sample(entity.at, 2)
        return _pair("PP", BRIDGE, (first, second), (entity.name,) * 2)

    def _two_pages(self) -> Pair:
        noun = self._random.choice(self._nouns)
        first, second = self._random.sample(self._by_noun[noun], 2)
        names = bare(self._pages[first].title), bare(self._pages[second].title)
        return _pair("GG", COMPARISON, (first, second), names)

    def _two_names(self) -> Pair:
        one, other = self._random.sample(self._by_sort[self._random.choice(self._sorts)], 2)
        first, second = (self._random.choice(entity.at) for entity in (one, other))
        return _pair("PP", COMPARISON, (first, second), (one.name, other.name))

    def _page_and_name(self, slice: str) -> Pair:
        sort = self._random.choice(self._sorts_of_both)
        entity, page = self._random.choice(self._by_sort[sort]), self._random.choice(self._pages_by_sort[sort])
        passages, names = (self._random.choice(entity.at), page), (entity.name, bare(self._pages[page].title))
        if slice == "GP":
            passages, names = passages[::-1], names[::-1]
        return _pair(slice, COMPARISON, passages, names)


def _pair(slice: str, kind: str, passages: tuple[str, str], names: tuple[str, str]) -> Pair:
    return Pair(_named(slice, kind, *passages), slice, kind, passages, names)


def _links(
    pages: Mapping[str, Passage], kinds: Mapping[str, Kind], fit: set[str], most: int, progress: Progress
) -> list[tuple[str, str]]:
    """(page, page it names): the links of the pages' openings; what more than `most` pages name is too vague."""
    texts = {(pages[id].title, pages[id].text): id for id in sorted(fit)}
    titles = Titles(texts)
    found: list[tuple[str, str]] = []
    for number, id in enumerate(sorted(fit)):
        if number % 5000 == 0:
            progress("links", number, len(fit))
        seen = {id}
        for _, page in titles.find(pages[id].text):
            if (other := texts[page]) not in seen and key_of(page[0]) not in key_of(pages[id].title):
                seen.add(other)
                found.append((id, other))
    named = Counter(other for _, other in found)
    return [link for link in found if named[link[1]] <= most]


def _named(slice: str, *parts: str) -> str:
    return f"{slice}-{blake2b(chr(0).join(parts).encode(), digest_size=5).hexdigest()}"


def key_of(title: str) -> str:
    """A title to compare with others: small, without what is in brackets."""
    return bare(title).lower()


@dataclass(frozen=True, slots=True)
class Proposal(Pair):
    """A question on a pair, its answer, and the numbers of the supporting sentences of each passage, from 0.

    The id is its own. `by`: who wrote it.
    """

    question: str
    answer: str
    sentences: tuple[tuple[int, ...], tuple[int, ...]]
    by: str = WRITER


def of_pair(pair: Pair, question: str, answer: str, sentences: tuple[tuple[int, ...], tuple[int, ...]]) -> Proposal:
    """A proposal that takes slice, kind, passages and names of its pair; its id is the same in every build."""
    asked = " ".join(question.split())
    own = _named(pair.slice, pair.id, asked)
    return Proposal(own, pair.slice, pair.kind, pair.passages, pair.names, asked, answer, sentences)


def from_record(row: Mapping[str, Any]) -> Proposal:
    """What `asdict` gave, read back."""
    first, second = (tuple(int(number) for number in numbers) for numbers in row["sentences"])
    return Proposal(**{**known(Proposal, row), **_tuples(row), "sentences": (first, second)})
