"""Questions of several hops over the pages given with them and many more: HotpotQA, 2WikiMultihopQA and MuSiQue.

HotpotQA so is HotpotQA-Long (DocHopper, section 4.2), but that it is long by its number of pages: of a page there is
one paragraph in the pool.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from answerable.corpora.paragraphs import Span
from answerable.datasets.parts import question_part
from answerable.datasets.records import Record, lines, unique
from answerable.evaluation.long.asked import LongDocument, LongQuestion
from answerable.evaluation.long.sheet import Sheet, holding, moved, placed
from answerable.text import sentences

_PAGES = 24
"""Pages of a document to learn from."""
_CHARACTERS = 40_000
"""Length of a document of the report: about the 9,970 tokens of HotpotQA-Long."""


class _Page:
    """A page of the pool. `numbered`: whether its sentences are those that supporting facts count."""

    def __init__(self, row: Record) -> None:
        self.id, self.title, self.text = row.name("_id"), row.text("title"), row.text("text")
        spans = placed(self.text, row.texts("sentences")) if row.fields.get("sentences") else ()
        self.numbered, self.spans = bool(spans), spans or tuple(sentences(self.text))


class _Pool:
    """The pages that questions point into, by id, and the ids by title."""

    def __init__(self, data: Path) -> None:
        pages = (row for row in lines(data / "multihop/passages.jsonl.gz") if row.text("text").strip())
        self.rows = {row.name("_id"): row for row in pages}
        self.ids = list(self.rows)
        self.titles: dict[str, list[str]] = defaultdict(list)
        for id_, row in self.rows.items():
            self.titles[row.text("title")].append(id_)

    def page(self, id_: str) -> _Page:
        return _Page(self.rows[id_])


def _read(source: str, data: Path, part: str) -> Iterator[LongDocument]:
    pool = _Pool(data)
    for row in lines(data / source / ("dev.jsonl" if part == "report" else "train.jsonl")):
        gold = [id_ for id_ in dict.fromkeys(row.texts("gold")) if id_ in pool.rows]
        held = part == "report" or question_part(row.name("_id")) == part
        if row.field("covered", bool) and held and gold:
            yield _document(source, row, gold, pool, part)


hotpotqa, twowiki, musique = (partial(_read, source) for source in ("hotpotqa", "2wikimultihopqa", "musique"))
"""The questions of each that the pool covers, each over a document of its own."""


def _document(source: str, row: Record, gold: list[str], pool: _Pool, part: str) -> LongDocument:
    """Gold pages, the others given, more paragraphs of the same pages, then pages at random, in a random order."""
    rng = random.Random(row.name("_id"))
    given = [*gold, *(id_ for id_ in row.texts("context") if id_ in pool.rows)]
    near = [id_ for one in given for id_ in pool.titles[pool.rows[one].text("title")]]
    ids = list(dict.fromkeys(given))
    length = sum(len(pool.rows[id_].text("text")) for id_ in ids)
    held = set(ids)
    for id_ in [*dict.fromkeys(near), *rng.sample(pool.ids, min(len(pool.ids), 4 * _CHARACTERS // 400))]:
        if length >= _CHARACTERS if part == "report" else len(ids) >= _PAGES:
            break
        if id_ not in held:
            held.add(id_)
            ids.append(id_)
            length += len(pool.rows[id_].text("text"))
    rng.shuffle(ids)
    sheet = Sheet()
    starts: dict[str, int] = {}
    for id_ in ids:
        page = pool.page(id_)
        sheet.heading(page.title)
        starts[id_] = sheet.paragraph(page.text, page.spans)
    document = sheet.finish(f"{source}-{row.name('_id')}", "", f"{source}/{row.path.name}")
    aliases = row.texts("aliases") if "aliases" in row else ()
    answers = unique((row.text("answer").strip(), *aliases))
    kind = answers[0].lower() if answers[0].lower() in ("yes", "no") else "extractive"
    hops = tuple(
        moved(spans, starts[page.id]) for page, spans in _hops(row, [pool.page(id_) for id_ in gold], answers, kind)
    )
    asked = LongQuestion(row.name("_id"), row.text("question"), answers, hops, kind)
    return LongDocument(document, (asked,), tuple(sheet.paragraphs))


def _hops(
    row: Record, gold: Sequence[_Page], answers: Sequence[str], kind: str
) -> list[tuple[_Page, tuple[Span, ...]]]:
    """The supporting facts in order, each with its page: those of the page with the answer come last, but as the data
    set orders them for comparisons and for MuSiQue.

    Of a page without numbers of sentences there is one fact: the sentences with the answer (that of its hop, where
    the data set says it), or all.
    """
    facts = row.pairs("supporting", str, object)
    steps = [step.text("answer") for step in row.records("decomposition")] if row.path.parent.name == "musique" else []
    found: list[tuple[_Page, tuple[Span, ...]]] = []
    for page in sorted(gold, key=lambda page: _place(page.title, facts)):
        numbers = [number for title, number in facts if title == page.title]
        known = [n for n in numbers if isinstance(n, int) and page.numbered and n < len(page.spans)]
        if known and len(known) == len(numbers):
            found += [(page, (page.spans[n],)) for n in dict.fromkeys(known)]
            continue
        place = _place(page.title, facts)
        wanted = [steps[place]] if place < len(steps) else [] if kind != "extractive" else answers
        found.append((page, holding(page.text, page.spans, wanted) or page.spans))
    if kind == "extractive" and not steps and "comparison" not in row.words("type"):
        holders = {page.id for page, spans in found if holding(page.text, spans, answers)}
        pages = {page.id for page in gold if holding(page.text, page.spans, answers)}
        found.sort(key=lambda fact: (fact[0].id in holders, fact[0].id in pages))
    return found


def _place(title: str, facts: Sequence[tuple[str, object]]) -> int:
    return next((number for number, (named, _) in enumerate(facts) if named == title), len(facts))
