"""Section trees: headings that were found in a text, or noted while one is put together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from answerable.corpora.sources import clean, title_from
from answerable.corpora.tables import row_lines, split_header
from answerable.errors import FormatError
from answerable.types import Document, Section

Heading = tuple[int, int, str]
"""(start, depth, title): the first character of the heading, 1 for the topmost, and its words."""

TableRows = tuple[int, int, list[str]]
"""Characters [start, end) of a text that are rows of a table, and the names of its columns."""

_UNDERLINE = re.compile(r"[ \t]*(={2,}|-{2,}|\*{3,}|~{3,}|\^{3,})[ \t]*\r?$", re.MULTILINE)
_BLANKS = re.compile(r"\s*")
_CLOSING = re.compile(r"[ \t]*[.:;\u2014\u2013-]*")


def nest(headings: Iterable[Heading], length: int) -> tuple[Section, ...]:
    """Headings in order of `start` as sections, each reaching to the next heading that is not below it. One without a
    title begins no section, and ends those of its depth and below."""
    found = list(headings)
    ends = [length] * len(found)
    open_: list[int] = []
    for index, (start, depth, _) in enumerate(found):
        while open_ and found[open_[-1]][1] >= depth:
            ends[open_.pop()] = start
        open_.append(index)
    ended = zip(found, ends, strict=True)
    return tuple(Section(title, depth, start, end) for (start, depth, title), end in ended if title)


def parts(document: Document) -> Iterator[tuple[int, int, int, list[Section], list[Section]]]:
    """A document cut at every start and end of a section: (start, body, end), the sections open there, the widest
    first, and those of them that begin there, whose headings end at `body`."""
    cuts, opened = {0, len(document.text)}, list[Section]()
    opening: dict[int, list[Section]] = {}
    for section in document.sections:
        opening.setdefault(section.start, []).append(section)
        cuts.update((section.start, section.end))
    for start, end in pairwise(sorted(cuts)):
        here = sorted(opening.get(start, ()), key=lambda section: section.depth)
        opened = [*(section for section in opened if section.end > start), *here]
        # What a mail quotes begins with no heading: there the titles are ours.
        titled = here if document.kind != "mail" else []
        body = max((heading_end(document.text, section) for section in titled), default=start)
        yield start, body, end, opened, here


def heading_end(text: str, section: Section) -> int:
    """Where a section's heading ends: with its line and an underline, or with its title where text follows it."""
    cursor = section.start
    for word in section.title.split():
        cursor = _BLANKS.match(text, cursor, section.end).end()  # type: ignore[union-attr]
        if not text.startswith(word, cursor):
            cursor = section.start
            break
        cursor += len(word)
    cursor = min(cursor, section.end)
    line_end = text.find("\n", cursor, section.end)
    line_end = section.end if line_end < 0 else line_end
    if cursor > section.start:
        closing = _CLOSING.match(text, cursor, line_end).end()  # type: ignore[union-attr]
        if any(character.isalnum() for character in text[closing:line_end]):
            return closing
    underline = None if text.startswith("#", section.start) else _UNDERLINE.match(text, line_end + 1)
    title = text[section.start : line_end]
    return min(underline.end(), section.end) if underline and is_underline(underline[1], title) else line_end


def is_underline(line: str, title: str) -> bool:
    """Whether a line of marks makes the line above it a heading: marks that also part texts must be as long as it."""
    return len(set(line)) == 1 and len(line) >= (2 if line[0] in "=-" else max(len(title.strip()), 3))


class Written(NamedTuple):
    """A text, its sections, and what else is known of it: under `tables` where rows of tables stand, if any do, and
    under `code` where code does."""

    text: str
    sections: tuple[Section, ...]
    meta: dict[str, Any]


class Draft:
    """A text put together from blocks, with the headings met on the way."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._headings: list[Heading] = []
        self._open: list[int] = []
        self._tables: list[TableRows] = []
        self._code: list[tuple[int, int]] = []

    @property
    def end(self) -> int:
        """Where what comes next will begin: after the gap to what went before."""
        return self._length + 2 if self._parts else 0

    def heading(self, title: str, depth: int, mark: str = "") -> None:
        """A heading on a line of its own, `depth` 1 for the topmost; `mark`: what stands before it."""
        title = " ".join(title.split())
        if title:
            self._add(mark + title, "\n\n")
            self._headings.append((self._length - len(mark + title), depth, title))
            self._end(depth)
            self._open.append(depth)

    @property
    def depth(self) -> int:
        """That of the lowest heading that what comes next stands below; 0 for none."""
        return self._open[-1] if self._open else 0

    def close(self, depth: int) -> None:
        """End the sections of this depth and below: what comes next stands below the heading over them."""
        if self.depth >= depth:
            self._headings.append((self._length, depth, ""))
            self._end(depth)

    def _end(self, depth: int) -> None:
        while self._open and self._open[-1] >= depth:
            self._open.pop()

    def block(self, text: str, tables: Iterable[TableRows] = ()) -> None:
        """A paragraph, and where rows of tables stand in it."""
        start = self.end - len(text) + len(text.lstrip())
        self._add(text.strip(), "\n\n")
        self._tables += [(start + first, start + last, header) for first, last, header in tables]

    def code(self, text: str) -> None:
        """Lines that stay as they are."""
        start = self.end
        self.block(text)
        if text.strip():
            self._code.append((start, self._length))

    def line(self, text: str) -> None:
        """A line right below what went before: a table row, an item of a list."""
        self._add(text.strip(), "\n")

    def table(self, rows: list[list[str]]) -> None:
        """A table, a line for each row."""
        header, body = split_header(rows)
        gap, start = "\n\n", self.end
        for line, _ in row_lines(header, body):
            self._add(line.strip(), gap)
            gap = "\n"
        if header and start < self._length:
            self._tables.append((start, self._length, header))

    def _add(self, text: str, gap: str) -> None:
        if not text:
            return
        if self._parts:
            self._parts.append(gap)
            self._length += len(gap)
        self._parts.append(text)
        self._length += len(text)

    def finish(self) -> Written:
        """What was put together."""
        about = {name: found for name, found in (("tables", self._tables), ("code", self._code)) if found}
        return Written("".join(self._parts), nest(self._headings, self._length), about)

    def document(self, source: str, enclave: str, kind: str, title: str, meta: Mapping[str, Any]) -> Document:
        """What was put together as the one document of a file; without a title called by its first heading, else by
        its file. Raises `FormatError` where nothing is said."""
        text, sections, known = self.finish()
        text = clean(text)
        if not text.strip():
            raise FormatError(f"{source} holds no text")
        title = title or (sections[0].title if sections else "") or title_from(source)
        return Document(source, enclave, title, text, source, kind, sections, {"record": 0, **meta, **known})
