"""Section trees: headings found in Markdown, or noted while a text is put together; and tables in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from answerable.corpora.tables import row_lines, split_header
from answerable.types import Document, Section

Heading = tuple[int, int, str]
"""(start, depth, title): the first character of the heading, 1 for the topmost, and its words."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NOT_PARAGRAPH = re.compile(r"\s*(?:[-*+>|]|\d+[.)]\s|#)")
_EMPHASIS = re.compile(r"[*`]{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)")
_LINK = re.compile(r"!?\[([^\]]{0,300})\]\([^)\s]{0,2000}\)")
_RULE = re.compile(r"^[ ]{0,3}\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+\r?$", re.MULTILINE)
"""The line below the header of a table."""
_PIPE = re.compile(r"(?<!\\)\|")
_UNDERLINE = re.compile(r"[ \t]*(?:={2,}|-{2,})[ \t]*\r?$", re.MULTILINE)
_BLANKS = re.compile(r"\s*")
_CLOSING = re.compile(r"[ \t]*[.:;\u2014\u2013-]*")
_HEADING_CHARACTERS = 300


def nest(headings: Iterable[Heading], length: int) -> tuple[Section, ...]:
    """Headings in order of `start` as sections, each reaching to the next heading that is not below it."""
    found = list(headings)
    ends = [length] * len(found)
    open_: list[int] = []
    for index, (start, depth, _) in enumerate(found):
        while open_ and found[open_[-1]][1] >= depth:
            ends[open_.pop()] = start
        open_.append(index)
    return tuple(Section(title, depth, start, end) for (start, depth, title), end in zip(found, ends, strict=True))


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
    return min(underline.end(), section.end) if underline else line_end


def markdown_sections(text: str) -> tuple[Section, ...]:
    """The headings of a Markdown text, both `# marked` and underlined ones; those in code fences are none."""
    headings: list[Heading] = []
    fence = ""
    previous, previous_start = "", 0
    cursor = front_matter_end(text)
    for line in text[cursor:].splitlines(keepends=True):
        start, cursor = cursor, cursor + len(line)
        line = line.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
        if _FENCE.match(line[:_HEADING_CHARACTERS]):
            fence = _fenced(line, fence)
            previous = ""
            continue
        if fence or len(line) > _HEADING_CHARACTERS:
            previous = ""
            continue
        if match := _ATX.match(line):
            if title := _plain(match.group(2) or ""):
                headings.append((start, len(match.group(1)), title))
            previous = ""
            continue
        if previous and (match := _SETEXT.match(line)) and (title := _plain(previous)):
            headings.append((previous_start, 1 if match.group(1)[0] == "=" else 2, title))
            previous = ""
            continue
        # Only the first line of a paragraph can be underlined here: a rule below a longer one is taken for a rule.
        opens = bool(line.strip()) and not previous and not _NOT_PARAGRAPH.match(line)
        previous, previous_start = (line, start) if opens else ("", 0)
    return nest(headings, len(text))


def markdown_rows(text: str) -> str:
    """A Markdown text whose tables are lines as `tables.row_lines` writes them, or items of a list where their columns
    have no names; without tables it stays as it is."""
    if not _RULE.search(text):
        return text
    rows = text.splitlines(keepends=True)
    written: list[str] = []
    fence = ""
    index = 0
    while index < len(rows):
        row = rows[index]
        below = rows[index + 1] if index + 1 < len(rows) else ""
        fence = _fenced(row, fence)
        body = rows[index + 2] if index + 2 < len(rows) else ""
        table = not fence and "|" in row and "|" in body and _RULE.match(below) is not None
        if not table or len(_cells(row)) != len(_cells(below)):
            written.append(row)
            index += 1
            continue
        header = _cells(row)
        first = index = index + 2
        while index < len(rows) and "|" in rows[index] and rows[index].strip():
            index += 1
        cells = map(_cells, rows[first:index])
        written += (line + "\n" for line, _ in row_lines(header, cells)) if any(header) else map(_item, cells)
    return "".join(written)


def _item(cells: Sequence[str]) -> str:
    """A row without names of columns: of two cells the first is the name of the second."""
    said = [cell for cell in cells if cell]
    return f"- {(': ' if len(cells) == 2 else '; ').join(said)}\n" if said else "\n"


def _fenced(line: str, fence: str) -> str:
    """The mark of the code fence that is open after a line, empty outside of any."""
    match = _FENCE.match(line[:_HEADING_CHARACTERS])
    if match is None:
        return fence
    mark = match.group(1)
    if not fence:
        return mark
    closes = mark[0] == fence[0] and len(mark) >= len(fence) and not line.strip(" \t\r\n" + mark[0])
    return "" if closes else fence


def _cells(row: str) -> list[str]:
    """The cells of a line of a Markdown table, without their marks."""
    row = row.strip().removeprefix("|")
    cells = [cell.replace("\\|", "|") for cell in _PIPE.split(row)]
    return [_plain(cell) for cell in (cells[:-1] if cells and not cells[-1].strip() else cells)]


def front_matter_end(text: str) -> int:
    """Where the text begins after a block between two `---` lines at the top, as site generators write it."""
    if not text.startswith(("---\n", "---\r\n")):
        return 0
    match = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$\n?", re.MULTILINE).search(text, 4)
    return match.end() if match else 0


def _plain(heading: str) -> str:
    """A Markdown heading without its marks."""
    return " ".join(_EMPHASIS.sub("", _LINK.sub(r"\1", heading)).split())


class Draft:
    """A text put together from blocks, with the headings met on the way."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._headings: list[Heading] = []

    def heading(self, title: str, depth: int) -> None:
        """A heading on a line of its own, `depth` 1 for the topmost."""
        title = " ".join(title.split())
        if title:
            self._add(title, "\n\n")
            self._headings.append((self._length - len(title), depth, title))

    def block(self, text: str) -> None:
        """A paragraph."""
        self._add(text.strip(), "\n\n")

    def line(self, text: str) -> None:
        """A line right below what went before: a table row, an item of a list."""
        self._add(text.strip(), "\n")

    def table(self, rows: list[list[str]]) -> None:
        """A table, a line for each row."""
        gap = "\n\n"
        for line, _ in row_lines(*split_header(rows)):
            self._add(line.strip(), gap)
            gap = "\n"

    def _add(self, text: str, gap: str) -> None:
        if not text:
            return
        if self._parts:
            self._parts.append(gap)
            self._length += len(gap)
        self._parts.append(text)
        self._length += len(text)

    def finish(self) -> tuple[str, tuple[Section, ...]]:
        """The text and its sections."""
        return "".join(self._parts), nest(self._headings, self._length)
