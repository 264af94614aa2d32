"""Documents to passages: whole sentences, within one section, of about 100 words (150 and overlapping in mail)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from answerable.corpora.outline import parts
from answerable.text import SEPARATORS, asks, count_words, cut, pieces, sentences, strip
from answerable.types import Document, Passage

_PLACE = re.compile(r"@\d+-\d+\Z")
_PARAGRAPH = re.compile(r"\n[ \t\r]*\n")
_RULE = re.compile(r"(?<![^\n]\n)^[ \t]*([-*_=~#])(?:[ \t]*\1){2,}[ \t]*$(?!\n[^\n])", re.MULTILINE)
"""A line of one mark alone between blank lines: what stands above it has ended."""
_FEW = 6
"""Words of a line by itself that end no sentence, at most: what is said of them stands below."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of passages in words: `words` is aimed at, `most` never exceeded (what is no longer stays whole), and
    each passage repeats up to `overlap` words of the one before."""

    words: int
    most: int
    overlap: int = 0


ARTICLE = Shape(words=100, most=120)
"""The passages of DPR and its followers are of 100 words (Karpukhin et al. 2020, section 4.1)."""
RECORD = Shape(words=150, most=180)
"""A line of JSONL is a passage already, as a rule; what an encoder of 256 tokens takes in stays whole."""
MAIL = Shape(words=150, most=150, overlap=50)
"""ConcurrentQA (Arora et al. 2023) cuts mail by a sliding window."""

_SHAPES = {"record": RECORD, "mail": MAIL}


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is not torn apart: a sentence, a line, or a piece of one that is too long. `room` is the length in words
    of the paragraph it opens, 0 within one."""

    start: int
    end: int
    words: int
    room: int = 0


@dataclass(frozen=True, slots=True)
class _Segment:
    """Text under one path of headings: [start, end), and where its own heading ends and its text begins."""

    start: int
    body: int
    end: int
    path: tuple[str, ...]


def split(document: Document) -> list[Passage]:
    """The passages of a document in order: `passage.text == document.text[passage.start:passage.end]`.

    They end at the ends of sentences (of rows in tables) except where one is longer than a passage, stay within one
    section and between rules, and together hold every word but the heading that is the document's title.
    A document of no more words than a passage may have is one passage.
    """
    text = document.text
    shape = _SHAPES.get(document.kind, ARTICLE)
    if not document.sections:
        if _fits(text, shape.most):
            start, end = strip(text, 0, len(text))
            return [passage_of(document, start, end, "")] if start < end else []
        segments = [_Segment(0, 0, len(text), ())]
    else:
        segments = _segments(document)
        if document.kind != "mail" and _fits(text[segments[0].start :], shape.most):
            start, end = strip(text, segments[0].start, len(text))
            return [passage_of(document, start, end, "" if len(segments) > 1 else _path(segments[0]))]
    passages = []
    for segment in _joined(text, segments):
        for start, end in _between_rules(text, segment.start, segment.end):
            units = _units(text, start, end, shape, rows=document.kind == "table")
            for group in _windows(units, shape) if shape.overlap else _even(units, shape):
                passages.append(passage_of(document, group[0].start, group[-1].end, _path(segment)))
    return passages


def passage_of(document: Document, start: int, end: int, section: str) -> Passage:
    """Characters [start, end) of a document as a passage, under a path of headings."""
    return Passage(
        f"{document.id}@{start}-{end}",
        document.id,
        document.enclave,
        document.title,
        document.text[start:end],
        start,
        end,
        section,
    )


def document_of(passage: str) -> str:
    """The id of the document of a passage, from the passage's; of another id that id itself."""
    return _PLACE.sub("", passage)


def _path(segment: _Segment) -> str:
    return " > ".join(segment.path)


def _fits(text: str, most: int) -> bool:
    """Whether `text` has at most `most` words."""
    # Most records are short, and no text has more words than characters, or fewer than it has runs without blanks.
    return len(text) <= most or (len(text.split()) <= most and count_words(text) <= most)


def _segments(document: Document) -> list[_Segment]:
    """The document cut at every start and end of a section. The heading that is its title belongs to none."""
    text = document.text
    segments: list[_Segment] = []
    for start, body, end, opened, here in parts(document):
        opens = bool(here) and here[0] is document.sections[0] and not segments
        if opens and here[0].title == document.title and text[body:].strip():
            start = body
        path = tuple(section.title for section in opened if section.depth > 1 or section.title != document.title)
        if text[start:end].strip():
            segments.append(_Segment(start, max(body, start), end, path))
    return segments or [_Segment(0, 0, len(text), ())]


def _joined(text: str, segments: Sequence[_Segment]) -> Iterator[_Segment]:
    """Segments, those that are a heading and nothing more put before the first text below that heading."""
    held: _Segment | None = None
    for segment in segments:
        if held and segment.path[: len(held.path)] != held.path:
            yield held
            held = None
        start = held.start if held else segment.start
        joined = _Segment(start, segment.body, segment.end, segment.path)
        if text[segment.body : segment.end].strip():
            held = None
            yield joined
        else:
            held = joined
    if held:
        yield held


def _between_rules(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """What of text[start:end] stands between lines that are rules."""
    for rule in _RULE.finditer(text, start, end):
        yield start, rule.start()
        start = rule.end()
    yield start, end


def _units(text: str, start: int, end: int, shape: Shape, rows: bool) -> list[_Unit]:
    """The units of text[start:end] in order: sentences, or lines where they are `rows` of a table."""
    piece = text[start:end]
    spans = pieces(piece, 0, len(piece), SEPARATORS[0]) if rows else sentences(piece)
    units: list[_Unit] = []
    for first, last in spans:
        words = count_words(piece[first:last])
        if words <= shape.most:
            units.append(_Unit(start + first, start + last, words))
        else:
            units += (_Unit(start + a, start + b, n) for a, b, n in cut(piece, first, last, shape.words, shape.most))
    return units if rows or shape.overlap else _with_room(text, _led(text, units, shape.most))


def _led(text: str, units: Sequence[_Unit], most: int) -> list[_Unit]:
    """The same units, what leads into the next one put to it: a line that ends with a colon or asks something, or a few
    words by themselves that end no sentence, such as a term over what is said of it."""
    led: list[_Unit] = []
    for unit in units:
        last = led[-1] if led else None
        if last and last.words + unit.words <= most and _leads(text, last, unit.start):
            led[-1] = _Unit(last.start, unit.end, last.words + unit.words)
        else:
            led.append(unit)
    return led


def _leads(text: str, unit: _Unit, following: int) -> bool:
    line = text[text.rfind("\n", unit.start, unit.end) + 1 or unit.start : unit.end]
    if "\n" not in text[unit.end : following]:
        return False
    return line[-1] == ":" or asks(line) or (unit.words <= _FEW and line[-1] not in ".!;,")


def _with_room(text: str, units: Sequence[_Unit]) -> list[_Unit]:
    """The same units, those that open a paragraph told how long it is."""
    placed: list[_Unit] = []
    length = 0
    for index in range(len(units) - 1, -1, -1):
        unit = units[index]
        length += unit.words
        opens = index > 0 and _PARAGRAPH.search(text, units[index - 1].end, unit.start) is not None
        placed.append(_Unit(unit.start, unit.end, unit.words, length if opens else 0))
        length = 0 if opens else length
    return placed[::-1]


def _even(units: Sequence[_Unit], shape: Shape) -> list[list[_Unit]]:
    """Groups of about one length, so that no crumb is left over; a paragraph is rather begun anew than torn."""
    groups: list[list[_Unit]] = []
    left = sum(unit.words for unit in units)
    words, aim = 0, 0.0
    for unit in units:
        full = words + unit.words > shape.most or words + unit.words - aim > aim - words
        torn = unit.room and words >= shape.words * 0.6 and words + unit.room > shape.words
        if not groups or full or torn:
            groups.append([])
            left -= words
            words, aim = 0, left / math.ceil(left / shape.words)
        groups[-1].append(unit)
        words += unit.words
    return groups


def _windows(units: Sequence[_Unit], shape: Shape) -> list[list[_Unit]]:
    """Groups of as many units as fit, each beginning with the end of the one before."""
    groups: list[list[_Unit]] = []
    words = 0
    for unit in units:
        if not groups:
            groups.append([])
        elif words + unit.words > shape.most:
            groups.append(_tail(groups[-1], unit, shape))
            words = sum(one.words for one in groups[-1])
        groups[-1].append(unit)
        words += unit.words
    return groups


def _tail(group: Sequence[_Unit], unit: _Unit, shape: Shape) -> list[_Unit]:
    """The last units of a passage that the next one, which goes on with `unit`, repeats."""
    allowed = min(shape.overlap, shape.most - unit.words)
    kept: list[_Unit] = []
    for one in reversed(group[1:]):
        allowed -= one.words
        if allowed < 0:
            break
        kept.append(one)
    return kept[::-1]
