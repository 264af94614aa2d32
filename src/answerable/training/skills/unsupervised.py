"""Learning without questions: crops of passages, and links of tables and passages (section 3.2 and appendix B.1).

Links are those of table cells, and titles of pages that occur in passages. What is evidence for a question of the
report over tables is left out; the rest of Wikipedia is what the paper pretrains on too.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import TypeVar

from answerable.datasets.parts import share
from answerable.training.corpora import Corpora, Table
from answerable.training.skills.example import SkillExample, Text
from answerable.training.skills.titles import sentence
from answerable.types import Skill

Page = TypeVar("Page")

HELD = 0.02
"""The share of the pages kept for development."""
_SHORTEST = 8
_MOST_OF_PAGE = 30
"""Links taken of one page (appendix B.1)."""
_MOST_OF_TARGET = 10
"""How often one page may be linked from another (appendix B.1)."""
_COMMON = 50
"""How often a page is linked to in all: countries and languages would crowd out the rest."""


def drawn(
    source: str, skill: Skill, corpora: Corpora, part: str, rng: random.Random, much: float
) -> list[SkillExample]:
    """Examples drawn anew from a share `much` of the pages of `wiki`, `pool` or `tables`."""
    if source == "tables":
        tables = [one for one in corpora.tables.values() if one.part == part]
        return list(_limited(_of_tables(_sample(tables, rng, much), skill, corpora, rng)))
    withheld = corpora.withheld if source == "wiki" else frozenset()
    known = ((text, share(text[0]) < HELD) for id_, text in corpora.corpus(source).items() if id_ not in withheld)
    pages = [text for text, held in known if held == (part == "development")]
    pages = _sample(pages, rng, much)
    if skill is Skill.SINGLE:
        return [made for page in pages if (made := _crops(source, page, rng))]
    return list(_limited(_of_passages(source, pages, skill, corpora, rng)))


def _sample(pages: list[Page], rng: random.Random, much: float) -> list[Page]:
    return rng.sample(pages, max(1, round(len(pages) * much))) if pages else []


def _crops(source: str, page: Text, rng: random.Random) -> SkillExample | None:
    """Two crops of one passage, drawn independently (Izacard et al. 2021, section 3.1): a tenth to a half of it.

    Every other time the one to be found has the passage's title, as passages have when they are searched.
    """
    words = page[1].split()
    if len(words) < 3 * _SHORTEST:
        return None
    crops = []
    for _ in range(2):
        size = max(_SHORTEST, int(len(words) * rng.uniform(0.1, 0.5)))
        begin = rng.randrange(len(words) - size + 1)
        crops.append(" ".join(words[begin : begin + size]))
    target = (page[0] if rng.random() < 0.5 else "", crops[1])
    return SkillExample(source, Skill.SINGLE, crops[0], (target, page))


def _of_passages(
    source: str, pages: list[Text], skill: Skill, corpora: Corpora, rng: random.Random
) -> Iterator[tuple[str, SkillExample]]:
    """Titles in passages: the sentence with the passage it is from, or with the title as a mention, to the page."""
    titles = corpora.titles
    for page in pages:
        found = [(span, target) for span, target in titles.find(page[1]) if target[0].lower() != page[0].lower()]
        names = tuple(span for span, _ in found)
        for span, target in rng.sample(found, min(3, len(found))):
            if skill is Skill.MENTION:
                yield page[0], SkillExample(source, skill, page[1], (target,), span=span, names=names)
            else:
                low, high = sentence(page[1], span)
                yield page[0], SkillExample(source, skill, page[1][low:high].strip(), (target,), evidence=(page,))


def _of_tables(
    tables: list[Table], skill: Skill, corpora: Corpora, rng: random.Random
) -> Iterator[tuple[str, SkillExample]]:
    """Links of cells: the row with the beginning of its page, or with the cell as a mention, to the linked page."""
    wiki = corpora.corpus("wiki")
    for table in tables:
        cells = [(r, c) for r, row in enumerate(table.rows) for c, (_, links) in enumerate(row) if links]
        rng.shuffle(cells)
        for r, c in cells:
            text, spans = table.row(r)
            target = linked(table, r, c, corpora)
            if target is None or spans[c] == (0, 0):
                continue
            if skill is Skill.MENTION:
                names = tuple(spans[i] for i, (_, links) in enumerate(table.rows[r]) if links and spans[i] != (0, 0))
                yield table.page, SkillExample("tables", skill, text[1], (wiki[target],), span=spans[c], names=names)
            elif table.intro:
                first = (table.page, table.intro)
                yield table.page, SkillExample("tables", skill, text[1], (wiki[target],), evidence=(first,))


def linked(table: Table, row: int, column: int, corpora: Corpora) -> str | None:
    """The id of the passage that a cell links to, if it is one that may be learned from."""
    wiki = corpora.corpus("wiki")
    return next((one for one in table.rows[row][column][1] if one in wiki and one not in corpora.withheld), None)


def _limited(made: Iterator[tuple[str, SkillExample]]) -> Iterator[SkillExample]:
    """No more of a page, of a pair of pages and of a target than the limits say."""
    of_page: Counter[str] = Counter()
    of_pair: Counter[tuple[str, str]] = Counter()
    of_target: Counter[str] = Counter()
    for page, example in made:
        target = example.positives[0][0]
        if of_page[page] < _MOST_OF_PAGE and of_pair[page, target] < _MOST_OF_TARGET and of_target[target] < _COMMON:
            of_page[page] += 1
            of_pair[page, target] += 1
            of_target[target] += 1
            yield example
