"""Documents to paragraphs of sentences: the two levels at which a long document is walked (DocHopper, section 3.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from answerable.corpora.contents import contents
from answerable.corpora.outline import parts
from answerable.corpora.tables import cell_spans, is_row
from answerable.text import asks, count_words, cut, sentences, strip
from answerable.types import Document

Span = tuple[int, int]
"""Characters [start, end) of the document."""

LINKED, CELLS = "linked", "cells"
"""The kind of a table with the text its cells link to (`documents.linked`): a paragraph a row, a sentence a line;
and in its `meta`, what stands over each row."""
_ROW_HEADING = 200  # characters

_SENTENCE_WORDS, _SENTENCE_MOST = 100, 120
_SHORT, _JOINED = 25, 100
_LONG, _AIM = 300, 150
_WRAPPED_SHORT = 0.75
_WHOLE_ITEM = 40
_TERM_WORDS = 6
_ASKED = 50
_WIDEST_WRAPPED = 160
ITEM = re.compile(
    r"\s*(?:[-*+\u2022\u2023\u25aa\u25cf\u2013\u00b7\uf0b7]|\d{1,3}[.)]|\((?:\d{1,3}|[a-zA-Z]|[ivxlc]{1,6})\)|[a-z]\))\s+\S"
)
_LINES_ARE_REAL = frozenset({"html", "docx", "odt", "slides", "epub", "bookmark", "chat", "event", "contact"})
_WITH_ROWS = frozenset({"html", "docx", "pdf", "odt", "slides", "epub", "markdown", "record"})


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Characters [start, end) of a document, under a path of headings, and its sentences in order, all of them inside.

    A row of a table is a paragraph too; its cells, and the sentences of what they link to, are its sentences.
    """

    start: int
    end: int
    path: tuple[str, ...]
    sentences: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class _Block:
    """Sentences that stand together. `lines`: how many lines they take; `row`: of a table, joined with nothing."""

    sentences: tuple[Span, ...]
    words: int
    lines: int
    row: bool = False
    item: bool = False


def paragraphs(document: Document) -> tuple[Paragraph, ...]:
    """The paragraphs of a document in order; none of them is empty, and headings stand in their paths alone.

    They end at blank lines and where a section begins or ends, but a list stays with what leads into it, short ones
    under one heading are joined up to 100 words, and what is over 300 words is parted near each 150. A row of a table
    is one whatever its length. Every character that is no blank is in exactly one sentence, but for headings, tables of
    contents, the semicolons between cells and lines without a letter or digit between blank lines. A sentence has at
    most 120 words.
    """
    return tuple(_paragraphs(document))


def row_heading(cells: Iterable[str]) -> str:
    """What stands over a row and all that it links to: its cells, as far as they make a heading."""
    return " ".join(cells)[:_ROW_HEADING].strip()


def _paragraphs(document: Document) -> Iterator[Paragraph]:
    over = iter(document.meta.get(CELLS) or ())
    listed = contents(document)
    for _, start, end, opened, _ in parts(document):
        path = tuple(section.title for section in opened)
        if document.kind == LINKED:
            for block in _linked(document.text, start, end):
                cells, spans = next(over, ""), block.sentences
                yield Paragraph(spans[0][0], spans[-1][1], (*path, cells) if cells else path, spans)
            continue
        for block in _joined(document.text, list(_blocks(document, start, end, listed))):
            for spans in _parted(document, block):
                yield Paragraph(spans[0][0], spans[-1][1], path, spans)


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    """The lines of text[start:end] without the blanks at their ends; a line of blanks is (n, n)."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        yield strip(text, start, stop)
        start = stop + 1


def _linked(text: str, start: int, end: int) -> Iterator[_Block]:
    held: list[Span] = []
    for first, last in [*_lines(text, start, end), (end, end)]:
        if first < last:
            held += _whole(text, first, last)
        elif held:
            yield _Block(tuple(held), 0, 1, row=True)
            held = []


def _blocks(document: Document, start: int, end: int, left_out: Sequence[Span]) -> Iterator[_Block]:
    """What stands between blank lines or what is left out, and each row of a table."""
    text = document.text
    table = document.kind == "table"
    begin = rows_from(document) if table else 0
    held: list[Span] = []
    label = ""
    for first, last in [*_lines(text, start, end), (end, end)]:
        if any(a <= first < b for a, b in left_out):
            last = first
        row = first < last and (
            first >= begin if table else document.kind in _WITH_ROWS and is_row(text[first:last], label)
        )
        if held and (row or first == last):
            yield from _block(document, held)
            held = []
        if row:
            cells = tuple(cell_spans(text, first, last, document.meta.get("header") or () if table else ()))
            spans = tuple(span for cell in cells for span in _whole(text, *cell))
            if spans:
                yield _Block(spans, 0, 1, row=True)
            label = text[first:last].partition(": ")[0]
        elif first < last:
            held.append((first, last))
        else:
            label = ""


def rows_from(document: Document) -> int:
    """Where the rows of a table begin: what stands above them is a note on it."""
    rows = document.meta.get("rows")
    cursor = len(document.text)
    if not isinstance(rows, int):
        return 0
    for _ in range(rows):
        cursor = document.text.rfind("\n", 0, max(cursor, 0))
        if cursor < 0:
            return 0
    return cursor + 1


def _block(document: Document, lines: Sequence[Span]) -> Iterator[_Block]:
    text = document.text
    start, end = lines[0][0], lines[-1][1]
    if not any(map(str.isalnum, text[start:end])):
        return
    spans: list[Span] = []
    item = bool(ITEM.match(text, start, lines[0][1]))
    # A line that opens an item, or any line of a text that is not wrapped, is where a sentence begins.
    wrapped = document.kind == "pdf" or max(last - first for first, last in lines) <= _WIDEST_WRAPPED
    real = document.kind in _LINES_ARE_REAL or not wrapped
    opens = [n for n, (first, last) in enumerate(lines) if n == 0 or real or ITEM.match(text, first, last)]
    for index, following in zip(opens, [*opens[1:], len(lines)], strict=True):
        first, last = lines[index][0], lines[following - 1][1]
        short = last - first <= 20 * _WHOLE_ITEM and ITEM.match(text, first, last)
        if short and count_words(text[first:last]) <= _WHOLE_ITEM:
            spans.append((first, last))
        else:
            spans += _sentences(text, first, last)
    yield _Block(tuple(spans), count_words(text[start:end]), len(lines), item=item)


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """The sentences of text[start:end], so that no character that is no blank is left out."""
    piece = text[start:end]
    starts = [first for first, _ in sentences(piece)]
    for first, last in zip([0, *starts[1:]], [*starts[1:], len(piece)], strict=False):
        yield from _whole(text, *strip(text, start + first, start + last))


def _whole(text: str, start: int, end: int) -> Iterator[Span]:
    """A sentence, cut where it is too long."""
    for first, last, _ in cut(text, start, end, _SENTENCE_WORDS, _SENTENCE_MOST):
        yield first, last


def _joined(text: str, blocks: Sequence[_Block]) -> list[_Block]:
    """Blocks with lists put to what leads into them, terms to what is said of them below, questions to what answers
    them, and short ones of a line each to one another."""
    joined: list[_Block] = []
    held: list[_Block] = []
    words = 0
    last: _Block | None = None
    for block, following in zip_longest(blocks, blocks[1:]):
        leads = last is not None and not last.row and not block.row
        if leads and last is not None:
            led = text[last.sentences[-1][1] - 1] == ":"
            leads_on = following is not None and _leads(text, block, following)
            into_list = block.item and (led or (last.item and _kind(text, last) == _kind(text, block) and not leads_on))
            short = all(one.words < _SHORT and one.lines == 1 for one in (last, block))
            most = _LONG if into_list else _JOINED if short else 0
            listed = last is not None and last.item and block.item  # of questions: the list answers none of them
            if _term(text, last) or (_asking(text, last) and not (listed or _asking(text, block))):
                most = _LONG
            elif following and not (following.item or listed) and (_term(text, block) or _asking(text, block)):
                most = 0
            leads = words + block.words <= most
        if held and not leads:
            joined.append(_one(held))
            held, words = [], 0
        held.append(block)
        words += block.words
        last = block
    return [*joined, _one(held)] if held else joined


def _leads(text: str, block: _Block, below: _Block) -> bool:
    """Whether an item has a list of its own below it."""
    return below.item and text[block.sentences[-1][1] - 1] == ":" and _kind(text, below) != _kind(text, block)


def _kind(text: str, item: _Block) -> str:
    """How the items of a list are marked: "1." and "2." alike, "(a)" and "(b)"."""
    mark, _, _ = text[slice(*item.sentences[0])].strip().partition(" ")
    return re.sub(r"[a-zA-Z]+", "a", re.sub(r"\d+", "1", mark))


def _asking(text: str, block: _Block | None) -> bool:
    """Whether a block is a question, or a few words and one: what answers it stands below."""
    return block is not None and not block.row and block.words <= _ASKED and asks(text[slice(*block.sentences[-1])])


def _term(text: str, block: _Block) -> bool:
    """Whether a block is a few words that end no sentence: what is said of them stands below."""
    few = block.words <= _TERM_WORDS and block.lines == 1 and not block.row and not block.item
    return few and text[block.sentences[-1][1] - 1] not in ".!?;,"


def _one(blocks: Sequence[_Block]) -> _Block:
    if len(blocks) == 1:
        return blocks[0]
    spans = tuple(span for block in blocks for span in block.sentences)
    return _Block(spans, sum(block.words for block in blocks), sum(block.lines for block in blocks))


def _parted(document: Document, block: _Block) -> Iterator[tuple[Span, ...]]:
    """The sentences of a block as those of one paragraph, or of several where it is too long to be one.

    The text of a PDF has no blank lines: there a sentence that ends a line ends a paragraph too when enough has been
    said, and sooner when the line is a short one.
    """
    pdf = document.kind == "pdf"
    if block.row or block.words <= (_AIM if pdf else _LONG):
        yield block.sentences
        return
    text = document.text
    width = _width(text, block.sentences[0][0], block.sentences[-1][1]) if pdf else 0
    held: list[Span] = []
    words, left = 0, block.words
    for index, (start, end) in enumerate(block.sentences):
        held.append((start, end))
        size = count_words(text[start:end])
        words, left = words + size, left - size
        if index + 1 == len(block.sentences) or left < _SHORT:
            continue
        ends_line = text.find("\n", end, block.sentences[index + 1][0]) >= 0
        line = end - (text.rfind("\n", max(end - 2 * width, 0), end) + 1) if width else 0
        short = ends_line and pdf and 0 < line < _WRAPPED_SHORT * width and words >= 2 * _SHORT
        if short or words >= _LONG or (words >= _AIM and (ends_line or not pdf)):
            yield tuple(held)
            held, words = [], 0
    if held:
        yield tuple(held)


def _width(text: str, start: int, end: int) -> int:
    """How many characters nine of ten lines of text[start:end] do not exceed."""
    lengths = sorted(last - first for first, last in _lines(text, start, end))
    return lengths[len(lengths) * 9 // 10 - (len(lengths) > 9)] if lengths else 0
