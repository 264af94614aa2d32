"""A document laid out to be read: paragraphs with headings, mail with its fields, tables with their columns, the pages
of a PDF, and the span that is cited marked in all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from answerable.corpora.paragraphs import ITEM
from answerable.corpora.tables import cell_spans
from answerable.types import Document
from answerable.web.table import Record

WINDOW = 40_000
"""Characters of a document on one page, about."""
OUTLINE = 400
"""Headings of an outline that are shown, at most."""
_BETWEEN = re.compile(r"\n[^\S\n]*\n\s*")
_HASHES = re.compile(r"#{1,6}\s+")
_WRAPPED = 50
"""Characters from which a line may have ended because its paragraph was wrapped."""
_GAP = re.compile(r"[^\s.:!?)\"”](?:\t| {3,})\s*\S")
Span = tuple[int, int]
Pieces = list[tuple[str, bool]]


def pages_of(text: str) -> list[int]:
    """Where the pages of a text begin, at the ends of lines where there are any near, and where the last one ends."""
    cuts = [0]
    while len(text) - cuts[-1] > WINDOW:
        at = text.rfind("\n", cuts[-1] + WINDOW // 2, cuts[-1] + WINDOW) + 1
        cuts.append(at or cuts[-1] + WINDOW)
    return [*cuts, len(text)]


def outline(document: Document, lit: Mapping[int, float] | None = None) -> list[Record]:
    """The headings, in order. With `lit` (characters that were attended to, and how much) the upper ones and those
    that lead there, each lit one with its share."""
    told = list[Record]()
    for one in document.sections:
        shares = [share for place, share in (lit or {}).items() if one.start <= place < one.end]
        if lit is None or one.depth <= 2 or shares:
            told.append({"title": one.title, "depth": min(one.depth, 4), "start": one.start, "lit": bool(shares)})
    return told[:OUTLINE]


def blocks(document: Document, start: int, end: int, cited: Span | None) -> list[Record]:
    """The characters [start, end), block by block: each its kind, where it begins, and its pieces as (text, cited)."""
    text, made = document.text, list[Record]()
    if document.kind == "table" and start < end:
        return [_table(document, start, end, cited)]
    if document.kind == "mail" and start == 0 and (top := _head(text[:end])):
        made.append(_fields(text, top, cited))
        start = top
    turns = {at: page for page, at in enumerate(document.meta.get("pages") or (), 1)}
    heads = {one.start: one for one in document.sections}
    cuts = sorted({start, end, *(at for at in (*turns, *heads) if start < at < end)})
    for first, last in pairwise(cuts):
        if first in turns:
            made.append({"kind": "page", "number": turns[first]})
        for a, b in _paragraphs(text, first, last):
            section = heads.get(first) if a == _skip(text, first) else None
            if section and (line := _line_end(text, a, b)) and section.title in text[a:line]:
                mark = _HASHES.match(text, a, line)
                title = {"kind": "heading", "depth": min(section.depth, 4)}
                made.append(title | {"at": first, "pieces": _pieces(text, mark.end() if mark else a, line, cited)})
                a = _skip(text, line)
            for c, d, quoted in _runs(text, a, b):
                kind = "quoted" if quoted else "flowing" if _flows(text[c:d]) else "text"
                made.append({"kind": kind, "at": c, "pieces": _pieces(text, c, d, cited)})
    return made


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _line_end(text: str, start: int, end: int) -> int:
    at = text.find("\n", start, end)
    return end if at < 0 else at


def _paragraphs(text: str, start: int, end: int) -> Iterator[Span]:
    at = start
    for match in [*_BETWEEN.finditer(text, start, end), None]:
        last = match.start() if match else end
        if text[at:last].strip():
            yield _skip(text, at), last
        at = match.end() if match else end


def _runs(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """The lines of a paragraph, those that are quoted together and those that are not."""
    at = began = start
    while at < end:
        last = min(end, _line_end(text, at, end) + 1)
        if last == end or text.startswith(">", last) != text.startswith(">", began):
            yield began, last, text.startswith(">", began)
            began = last
        at = last


def _flows(text: str) -> bool:
    """Whether lines are those of a paragraph that was wrapped to a width: long ones, none set apart by its mark, its
    place or gaps in it, so that they may as well end elsewhere."""
    first, *lines = text.rstrip().split("\n")
    long = all(len(line.strip()) >= _WRAPPED for line in (first, *lines[:-1]))
    alike = len({len(line) - len(line.lstrip()) for line in lines}) == 1
    return long and alike and not any(ITEM.match(line) or _GAP.search(line.strip()) for line in lines)


def _pieces(text: str, start: int, end: int, cited: Span | None) -> Pieces:
    """The characters [start, end), cut where what is cited begins and ends."""
    a, b = sorted(min(max(at, start), end) for at in cited or (start, start))
    return [piece for piece in ((text[start:a], False), (text[a:b], True), (text[b:end], False)) if piece[0]]


def _head(text: str) -> int:
    """Where the header of a mail ends; 0: there is none."""
    at = text.find("\n\n")
    return at if at > 0 and all(": " in line or line.endswith(":") for line in text[:at].split("\n")) else 0


def _fields(text: str, end: int, cited: Span | None) -> Record:
    rows, at = list[Record](), 0
    while at < end:
        last = _line_end(text, at, end)
        colon = text.find(":", at, last)
        rows.append({"name": text[at:colon], "pieces": _pieces(text, _skip(text, colon + 1), last, cited)})
        at = last + 1
    return {"kind": "fields", "rows": rows}


def _table(document: Document, start: int, end: int, cited: Span | None) -> Record:
    """Rows by columns; a line that has no columns of its own goes across."""
    names: Sequence[str] = [str(one) for one in document.meta.get("header") or ()]
    columns = [one.rstrip(" :").replace("_", " ") for one in names]
    rows, at = list[Record](), start
    while at < end:
        last = _line_end(document.text, at, end)
        cells: dict[Any, Pieces] = {}
        for number, (a, b) in enumerate(cell_spans(document.text, at, last, names)):
            name = document.text[a:b].partition(": ")[0]
            known = name in columns
            key: Any = columns.index(name) if known else number if not columns else -1
            value = a + len(name) + 2 if known else a
            cells.setdefault(key, []).extend(_pieces(document.text, value, b, cited))
        if cells:
            width = len(columns) or len(cells)
            told = {"at": at, "cells": [cells.get(one, []) for one in range(width)], "across": cells.get(-1)}
            rows.append(told | {"cited": cited is not None and cited[0] < last and at < cited[1]})
        at = last + 1
    return {"kind": "table", "columns": columns, "rows": rows}
