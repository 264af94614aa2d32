"""Rules and public services as long documents: ShARC, Doc2Dial and ConditionalQA."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from answerable.corpora.outline import Heading, nest
from answerable.corpora.paragraphs import Paragraph, Span
from answerable.datasets import rules
from answerable.datasets.examples import Example
from answerable.datasets.parts import part_of
from answerable.datasets.records import Record, lines
from answerable.evaluation.long.asked import LongDocument, LongQuestion
from answerable.evaluation.long.sheet import (
    Sheet,
    by_line,
    moved,
    nearest,
    parted,
    reached,
    reads_as_heading,
)
from answerable.types import Document

_DIAL_REPORT, _DIAL_DEVELOPMENT = 0.3, 0.4
_PAGE_REPORT, _PAGE_DEVELOPMENT = 0.4, 0.5
_GAP = re.compile(r"\n[ \t\r]*\n\s*")
_TAG = re.compile(r"<[^>]+>")
_HEADING = re.compile(r"<h([1-6])>")


def doc2dial(data: Path, part: str) -> Iterator[LongDocument]:
    """Doc2Dial, a page a document, word for word, a section a paragraph; the questions are the users' turns.

    The one hop is to where the reply's text stands, and to the sentences below it where that is a heading. `history`
    has what the agent said and the user's reply to it; the first of a conversation replies to nothing, and the last
    may lack its reply, which is the question.
    """
    turns: dict[str, list[LongQuestion]] = defaultdict(list)
    for row in lines(data / "doc2dial/turns.jsonl.gz"):
        turns[row.text("document")].append(_turn(row))
    for row in lines(data / "doc2dial/documents.jsonl.gz"):
        id_ = row.name("_id")
        if part_of(id_, _DIAL_REPORT, _DIAL_DEVELOPMENT) != part or not turns[id_]:
            continue
        text = row.text("text")
        headings, paragraphs = _sectioned(text, [section.words("heading") for section in row.records("sections")])
        document = Document(
            id_, "public", row.text("title"), text, "doc2dial/documents.jsonl.gz", sections=nest(headings, len(text))
        )
        yield _reaching(document, turns[id_], paragraphs)


def _sectioned(text: str, titles: list[str]) -> tuple[list[Heading], tuple[Paragraph, ...]]:
    """The headings of a text, which are the first lines of what stands between blank lines where the data set says
    so or they read as one, and the paragraphs below them."""
    named = {" ".join(title.split()) for title in titles if title}
    headings: list[Heading] = []
    paragraphs: list[Paragraph] = []
    cursor = 0
    for start, end in [*(match.span() for match in _GAP.finditer(text)), (len(text), len(text))]:
        block = text[cursor:start]
        first, _, body = block.partition("\n")
        title = " ".join(first.split())
        skipped = 0
        if title in named or (body.strip() and reads_as_heading(title.rstrip("?"))):
            headings.append((cursor, 1, title))
            skipped = len(first) + 1
        if spans := moved(by_line(block[skipped:]), cursor + skipped):
            paragraphs += parted(tuple(title for _, _, title in headings[-1:]), spans)
        cursor = end
    return headings, tuple(paragraphs)


def _turn(row: Record) -> LongQuestion:
    spans = []
    answers = []
    for answer in row.records("answers"):
        text, start = answer.text("text"), answer.field("answer_start", int)
        start += len(text) - len(text.lstrip())
        spans.append((start, start + len(text.strip())))
        answers.append(text.strip())
    return LongQuestion(row.name("_id"), row.text("question"), tuple(answers), (tuple(spans),), history=_exchanges(row))


def _exchanges(row: Record) -> tuple[tuple[str, str], ...]:
    pairs: list[tuple[str, str]] = []
    said: list[str] = []
    for turn in row.records("history"):
        if turn.text("role") == "agent":
            said.append(turn.text("text"))
        else:
            pairs.append((" ".join(said), turn.text("text")))
            said = []
    return (*pairs, (" ".join(said), "")) if said else tuple(pairs)


def conditionalqa(data: Path, part: str) -> Iterator[LongDocument]:
    """ConditionalQA, a page a document: its headings, and each other element of HTML a sentence; a section is a
    paragraph, or several when it is long. A hop for each element of evidence, wherever it stands on the page, with the
    sentences below it where it is a heading.
    """
    asked: dict[str, list[Example]] = defaultdict(list)
    for example in rules.conditionalqa(data / "conditionalqa/questions.jsonl"):
        asked[example.supporting[0]].append(example)
    for row in lines(data / "conditionalqa/pages.jsonl"):
        url = row.text("_id")
        if asked[url] and part_of(url, _PAGE_REPORT, _PAGE_DEVELOPMENT) == part:
            yield _page(row, asked[url])


def unpaged(data: Path) -> Iterator[tuple[Example, str]]:
    """ConditionalQA's questions whose page is not there or is for learning, each with its evidence as one text."""
    held = {row.text("_id") for row in lines(data / "conditionalqa/pages.jsonl")}
    for example in rules.conditionalqa(data / "conditionalqa/questions.jsonl"):
        url = example.supporting[0]
        if url not in held or part_of(url, _PAGE_REPORT, _PAGE_DEVELOPMENT) == "train":
            yield example, "\n".join(map(_bare, example.meta["evidence"]))


def _page(row: Record, asked: list[Example]) -> LongDocument:
    sheet = Sheet()
    places: dict[str, list[Span]] = defaultdict(list)
    held: list[str] = []

    def close() -> None:
        start = sheet.paragraph("\n".join(held), ()) if held else 0
        spans = []
        for text in held:
            spans.append((start, start + len(text)))
            places[text].append(spans[-1])
            start += len(text) + 1
        sheet.paragraphs += parted(sheet.path, spans)
        held.clear()

    for element in row.texts("html"):
        text = _bare(element)
        if heading := _HEADING.match(element):
            close()
            places[text].append(sheet.heading(text, int(heading[1])))
        elif text:
            held.append(text)
    close()
    url = row.text("_id")
    document = sheet.finish(url, row.words("title"), "conditionalqa/pages.jsonl")
    return _reaching(document, [_conditional(one, places) for one in asked], tuple(sheet.paragraphs))


def _conditional(example: Example, places: dict[str, list[Span]]) -> LongQuestion:
    found = [tuple(places[_bare(element)]) for element in example.meta["evidence"] if _bare(element) in places]
    polar = (answer for answer in example.answers if answer in ("yes", "no"))
    kind = example.kind if example.kind != "yesno" else next(polar)
    return LongQuestion(
        example.id,
        example.question,
        example.answers,
        tuple(hop for hop in found if hop),
        kind,
        scenario=example.meta["scenario"],
        conditions=tuple((answer, tuple(map(_bare, some))) for answer, some in example.meta["conditions"]),
    )


def _reaching(document: Document, asked: list[LongQuestion], paragraphs: tuple[Paragraph, ...]) -> LongDocument:
    """The document, where evidence that is a heading is also what stands below it."""
    questions = tuple(replace(one, hops=tuple(reached(hop, document, paragraphs) for hop in one.hops)) for one in asked)
    return LongDocument(document, questions, paragraphs)


def _bare(element: str) -> str:
    return " ".join(_TAG.sub(" ", element).split())


_SNIPPETS = "sharc/snippets.jsonl"
_REPORT, _DEVELOPMENT = 0.3, 0.4
_OTHERS = 12
"""So many other snippets make a document 13 times as long as its snippet, as DocHopper's pages are 13.5 times."""


def sharc(data: Path, part: str) -> Iterator[LongDocument]:
    """A document for each snippet, in which it stands among 12 others of the same part: of the same page first, then
    those nearest in the file."""
    asked = _asked(data)
    snippets = [one for one in lines(data / _SNIPPETS) if _part(one.name("_id")) == part]
    for one in snippets:
        id_, url = one.name("_id"), one.words("source_url")
        if not asked[id_]:
            continue

        def far(other: Record, one: Record = one, url: str = url) -> tuple[bool, int, int]:
            return not url or other.words("source_url") != url, abs(other.number - one.number), other.number

        chosen = [one, *sorted((other for other in snippets if other is not one), key=far)[:_OTHERS]]
        random.Random(id_).shuffle(chosen)
        sheet, places = _laid(chosen)
        document = sheet.finish(f"sharc-{id_}", "", _SNIPPETS)
        paragraph = sheet.paragraphs[places[id_]]
        questions = tuple(_question(example, document.text, paragraph) for example in asked[id_])
        yield LongDocument(document, questions, tuple(sheet.paragraphs))


def _part(snippet: str) -> str:
    return part_of(snippet, _REPORT, _DEVELOPMENT)


def _asked(data: Path) -> dict[str, list[Example]]:
    found: dict[str, list[Example]] = defaultdict(list)
    for example in rules.sharc(data / "sharc/questions.jsonl"):
        found[example.supporting[0]].append(example)
    return found


def _laid(snippets: Iterable[Record]) -> tuple[Sheet, dict[str, int]]:
    """The snippets below one another, and which paragraph each is. Lines that begin with # are headings above it, the
    marks of lists are left out, and a sentence does not go over the end of a line."""
    sheet = Sheet()
    places: dict[str, int] = {}
    for one in snippets:
        rows = [line.strip() for line in one.text("text").splitlines() if line.strip()]
        heads = 0
        while heads < len(rows) - 1 and rows[heads].startswith("#"):
            heads += 1
        sheet.heading("")
        for line in rows[:heads]:
            sheet.heading(line.lstrip("# "), len(line) - len(line.lstrip("#")))
        body = "\n".join(line.lstrip("#* ").strip() for line in rows[heads:])
        places[one.name("_id")] = len(sheet.paragraphs)
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
