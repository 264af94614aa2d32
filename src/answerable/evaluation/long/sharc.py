"""ShARC as conversations about long documents: the snippet they rest on among others, or on its page."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from answerable.corpora.headings import text_sections
from answerable.corpora.outline import markdown_sections
from answerable.corpora.paragraphs import Paragraph, Span
from answerable.corpora.paragraphs import paragraphs as split
from answerable.datasets import rules
from answerable.datasets.examples import Example
from answerable.datasets.parts import part_of
from answerable.datasets.records import lines
from answerable.evaluation.long.asked import LongDocument, LongQuestion
from answerable.evaluation.long.sheet import Sheet, by_line
from answerable.evaluation.long.supervision import best_paragraph, nearest
from answerable.types import Document

_REPORT, _DEVELOPMENT = 0.3, 0.4
_MARKS = ("* ", "- ", "• ")
_OTHERS = 12
"""So many other snippets make a document 13 times as long as its snippet, as DocHopper's pages are 13.5 times."""


@dataclass(frozen=True, slots=True)
class _Snippet:
    id: str
    text: str
    url: str
    number: int


def sharc(data: Path, part: str) -> Iterator[LongDocument]:
    """A document for each snippet, in which it stands among 12 others of the same part: of the same page first, then
    those nearest in the file."""
    asked = _asked(data)
    snippets = [one for one in _snippets(data) if _part(one.id) == part]
    for one in snippets:
        if not asked[one.id]:
            continue
        others = sorted(
            (other for other in snippets if other is not one),
            key=lambda other: (not one.url or other.url != one.url, abs(other.number - one.number), other.number),
        )
        chosen = [one, *others[:_OTHERS]]
        random.Random(one.id).shuffle(chosen)
        sheet, places = _laid(chosen)
        document = sheet.finish(f"sharc-{one.id}", "", "sharc/snippets.jsonl")
        paragraph = sheet.paragraphs[places[one.id]]
        questions = tuple(_question(example, document.text, paragraph) for example in asked[one.id])
        yield LongDocument(document, questions, tuple(sheet.paragraphs))


def sharc_all(data: Path, part: str) -> Iterator[LongDocument]:
    """All snippets as one document, which all parts share; the questions are those of the part."""
    asked = _asked(data)
    snippets = list(_snippets(data))
    sheet, places = _laid(snippets)
    document = sheet.finish("sharc-all", "", "sharc/snippets.jsonl")
    questions = tuple(
        _question(example, document.text, sheet.paragraphs[places[one.id]])
        for one in snippets
        if _part(one.id) == part
        for example in asked[one.id]
    )
    yield LongDocument(document, questions, tuple(sheet.paragraphs))


def sharc_long(data: Path, part: str) -> Iterator[LongDocument]:
    """ShARC-Long (DocHopper, section 4.3 and appendix A): the pages the snippets are from, out of `sharc/pages.jsonl`
    (`url`, `text`); snippets that no paragraph of their page resembles any more are left out, with their questions."""
    asked = _asked(data)
    snippets: dict[str, list[_Snippet]] = defaultdict(list)
    for one in _snippets(data):
        if one.url:
            snippets[one.url].append(one)
    for row in lines(data / "sharc/pages.jsonl"):
        url = row.text("url")
        if part_of(url, _REPORT, _DEVELOPMENT) != part:
            continue
        text = row.text("text")
        sections = markdown_sections(text) or text_sections(text)
        document = Document(url, "public", row.words("title"), text, "sharc/pages.jsonl", sections=sections)
        found = _with_lists(document)
        questions: list[LongQuestion] = []
        for one in snippets[url]:
            place = best_paragraph(one.text, [document.text[p.start : p.end] for p in found])
            if place is not None:
                questions += (_question(example, document.text, found[place]) for example in asked[one.id])
        if questions:
            yield LongDocument(document, tuple(questions), found)


def _with_lists(document: Document) -> tuple[Paragraph, ...]:
    """The paragraphs of a page, a list with what leads to it one of them, as snippets have it."""
    found: list[Paragraph] = []
    for one in split(document):
        above = found[-1] if found and found[-1].path == one.path else None
        if above and document.text.startswith(_MARKS, one.start):
            found[-1] = Paragraph(above.start, one.end, one.path, above.sentences + one.sentences)
        else:
            found.append(one)
    return tuple(found)


def _part(snippet: str) -> str:
    return part_of(snippet, _REPORT, _DEVELOPMENT)


def _asked(data: Path) -> dict[str, list[Example]]:
    found: dict[str, list[Example]] = defaultdict(list)
    for example in rules.sharc(data / "sharc/questions.jsonl"):
        found[example.supporting[0]].append(example)
    return found


def _snippets(data: Path) -> Iterator[_Snippet]:
    for number, row in enumerate(lines(data / "sharc/snippets.jsonl")):
        yield _Snippet(row.name("_id"), row.text("text"), row.words("source_url"), number)


def _laid(snippets: Sequence[_Snippet]) -> tuple[Sheet, dict[str, int]]:
    """The snippets below one another, and which paragraph each is. Lines that begin with # are headings above it, the
    marks of lists are left out, and a sentence does not go over the end of a line."""
    sheet = Sheet()
    places: dict[str, int] = {}
    for one in snippets:
        rows = [line.strip() for line in one.text.splitlines() if line.strip()]
        heads = 0
        while heads < len(rows) - 1 and rows[heads].startswith("#"):
            heads += 1
        sheet.heading("")
        for line in rows[:heads]:
            sheet.heading(line.lstrip("# "), len(line) - len(line.lstrip("#")))
        body = "\n".join(line.lstrip("#* ").strip() for line in rows[heads:])
        places[one.id] = len(sheet.paragraphs)
        sheet.paragraph(body, by_line(body))
    return sheet, places


def _question(example: Example, text: str, paragraph: Paragraph) -> LongQuestion:
    """A turn of a conversation. The first hop is to any sentence of the snippet; then one for each follow-up question
    asked, to the sentence nearest to it; and, where the scenario answers what could be asked, to the sentences nearest
    to that."""
    spans = paragraph.sentences
    history: tuple[tuple[str, str], ...] = example.meta["history"]
    told = [span for question, _ in example.meta["evidence"] for span in nearest(text, spans, question)]
    hops: list[tuple[Span, ...]] = [spans, *(nearest(text, spans, question) for question, _ in history)]
    if told:
        hops.append(tuple(sorted(set(told))))
    return LongQuestion(
        example.id,
        example.question,
        example.answers,
        tuple(hops),
        example.kind,
        scenario=example.meta["scenario"],
        history=history,
    )
