"""Tables with the passages their cells link to as long documents, a row a paragraph: HybridQA and OTT-QA.

As DocHopper, appendix A.1: each cell is a sentence under the name of its column, followed by the sentences of what it
links to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from answerable.corpora.paragraphs import Span, row_heading
from answerable.datasets.parts import table_part
from answerable.datasets.records import Record, lines, unique
from answerable.evaluation.long.asked import LongDocument, LongQuestion
from answerable.evaluation.long.sheet import Sheet, holding, moved
from answerable.text import sentences

_SOURCES = ("ottqa", "hybridqa")


def _read(source: str, data: Path, part: str) -> Iterator[LongDocument]:
    asked = {name: _questions(data, name) for name in _SOURCES}
    wanted = frozenset(table for questions in asked.values() for table in questions)
    tables: list[Record] = []
    withheld: set[str] = set()
    for row in lines(data / "wiki/tables.jsonl.gz"):
        id_ = row.name("_id")
        if id_ not in wanted:
            continue
        of = table_part(row.text("title"))
        if of == "report":
            withheld.update(_evidence_passages(item for one in asked.values() for item in one.get(id_, ())))
        if of == part and id_ in asked[source]:
            tables.append(row)
    linked = {link for row in tables for link in _links(row)} - (withheld if part != "report" else set())
    texts: dict[str, str] = {}
    for row in lines(data / "wiki/passages.jsonl.gz"):
        if row.name("_id") in linked:
            texts[row.name("_id")] = row.text("text").strip()
    for row in tables:
        yield _document(source, row, asked[source][row.name("_id")], texts)


hybridqa, ottqa = (partial(_read, source) for source in ("hybridqa", "ottqa"))
"""The tables that each asks about, each a document with all its questions."""


def _questions(data: Path, source: str) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = defaultdict(list)
    for row in lines(data / source / "questions.jsonl"):
        found[row.text("table")].append(row)
    return found


def _evidence_passages(questions: Iterator[Record]) -> Iterator[str]:
    """Passages that are evidence for a question of the report: nothing to learn from may hold them."""
    for question in questions:
        for item in question.records("evidence"):
            if "passage" in item:
                yield item.text("passage")


def _links(table: Record) -> Iterator[str]:
    for cells in table.field("rows", list):
        for cell in cells:
            yield from cell["links"]


@dataclass(frozen=True, slots=True)
class _Row:
    """The sentences of a row in the document: those of each column's cell, and of each passage it links to."""

    cells: dict[int, Span]
    passages: dict[str, tuple[Span, ...]]

    @property
    def sentences(self) -> tuple[Span, ...]:
        """All of them, in order."""
        return tuple(sorted([*self.cells.values(), *(span for spans in self.passages.values() for span in spans)]))


def _document(source: str, table: Record, asked: list[Record], texts: dict[str, str]) -> LongDocument:
    sheet = Sheet()
    sheet.heading(table.text("title"))
    for depth, title in enumerate(table.words("section").split(" -- "), start=2):
        sheet.heading(title, depth)
    header = table.texts("header")
    rows = [_row(sheet, header, cells, texts) for cells in table.field("rows", list)]
    document = sheet.finish(f"{source}-{table.name('_id')}", table.text("title"), "wiki/tables.jsonl.gz")
    questions = tuple(_asked(document.text, row, rows) for row in asked)
    return LongDocument(document, questions, tuple(sheet.paragraphs))


def _row(sheet: Sheet, header: tuple[str, ...], cells: list[dict[str, list[str] | str]], texts: dict[str, str]) -> _Row:
    parts: list[str] = []
    length = 0
    places: dict[int, Span] = {}
    passages: dict[str, tuple[Span, ...]] = {}

    def add(text: str) -> int:
        nonlocal length
        start = length + bool(parts)
        parts.append(text)
        length = start + len(text)
        return start

    for column, cell in enumerate(cells):
        shown = " ".join(str(cell["text"]).split())
        if shown:
            name = " ".join(header[column].split()).rstrip(" :") if column < len(header) else ""
            line = (f"{name}: {shown}" if name else shown).rstrip(" .") + "."
            start = add(line)
            places[column] = (start, start + len(line))
        for link in cell["links"]:
            if link in texts and link not in passages:
                start = add(texts[link])
                passages[link] = moved(sentences(texts[link]), start)
    found = _Row(places, passages)
    text = " ".join(parts)
    start = sheet.paragraph(text, found.sentences, row_heading(text[a:b] for a, b in places.values()))
    return _Row(
        {column: moved([span], start)[0] for column, span in places.items()},
        {link: moved(spans, start) for link, spans in passages.items()},
    )


def _asked(text: str, row: Record, rows: list[_Row]) -> LongQuestion:
    """Two hops: to any sentence of a row with evidence, and to those of the cells and passages of evidence that hold
    the answer. None where what holds it is not in the document."""
    answer = row.text("answer").strip()
    firsts: list[Span] = []
    seconds: list[Span] = []
    for item in row.records("evidence"):
        number = item.field("row", int)
        if number >= len(rows):
            continue
        if item.words("where") == "passage" and "passage" in item:
            spans = rows[number].passages.get(item.text("passage"), ())
        else:
            spans = tuple(s for c, s in rows[number].cells.items() if c == item.field("column", int))
        found = holding(text, spans, [answer])
        if found:
            firsts += rows[number].sentences
            seconds += found
    hops = (tuple(sorted(unique(firsts))), tuple(sorted(unique(seconds)))) if seconds else ()
    return LongQuestion(row.name("_id"), row.text("question"), (answer,), hops)
