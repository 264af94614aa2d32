"""Markdown as it is shown: its headings as sections, rows of its tables as lines, and no marks but those of lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from answerable.corpora.outline import Draft, Heading, nest
from answerable.corpora.tables import row_lines
from answerable.types import Section

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NOT_PARAGRAPH = re.compile(r"\s*(?:[-*+>|]|\d+[.)]\s|#)")
_LITERAL = re.compile(
    r"\\(?P<escaped>[*_`#])|(?<!`)(?P<ticks>`++)(?P<code>.{1,500}?)(?<!`)(?P=ticks)(?!`)"
    r"|<(?P<address>(?:https?:|mailto:)[^\s<>]{1,2000})>|(?<!\]\()(?P<bare>https?://[^\s<>\[\]*`]+)",
    re.DOTALL,
)
"""What has no marks though it looks so: what is escaped, code, and addresses."""
_LINK = re.compile(
    r"!?\[([^\[\]]{0,300})\]\((?:<[^<>\n]{0,2000}>|(?:[^()\s]|\([^()\s]{0,200}\)){0,2000})"
    r"(?:\s+(?:\"[^\"]{0,300}\"|'[^']{0,300}'))?\)"
)
_PAIRS = tuple(
    re.compile(pair, re.DOTALL)
    for pair in (
        r"(?<!\*)(\*{2,3})(?=[^\s*])(.{1,500}?)(?<=[^\s*])\1(?!\*)",
        r"(?<![\w*])(\*)(?=[^\s*])(.{1,500}?)(?<=[^\s*])\1(?![\w*])",
        r"(?<!\w)(_{1,3})(?=[^\s_])(.{1,500}?)(?<=[^\s_])\1(?!\w)",
    )
)
"""Emphasis. Stars may stand within a word where they are two, as "2*3*4" is none."""
_MARKS, _HELD = "*_`#[]", "\ufdd0\ufdd1\ufdd2\ufdd3\ufdd4\ufdd5"
_HOLD, _FREE = str.maketrans(_MARKS, _HELD), str.maketrans(_HELD, _MARKS)
"""Marks put as characters that no text has, and back."""
_RULE = re.compile(r"^[ ]{0,3}\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+\r?$", re.MULTILINE)
"""The line below the header of a table."""
_PIPE = re.compile(r"(?<!\\)\|")
_QUOTE = re.compile(r" {0,3}(?:>[ \t]?)+")
_BREAK = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_HEADING_CHARACTERS = 300


def read_markdown(text: str) -> tuple[str, tuple[Section, ...]]:
    """A text in Markdown as it is shown, and its sections.

    Headings are lines between blank ones that keep their marks (`tables.HEADING_LINE`), as items of lists do; tables
    are lines as `tables.row_lines` writes them, and code stays as it is. Of a link its words are left, as in HTML.
    """
    text = markdown_rows(text)
    heads = {section.start: section for section in markdown_sections(text)}
    draft, cursor, fence = Draft(), 0, ""
    lines, code, underlined = list[str](), False, False

    def flush() -> None:
        draft.block("\n".join(lines) if code else _unmarked("\n".join(lines)))
        lines.clear()

    for line in text.splitlines(keepends=True):
        start, cursor = cursor, cursor + len(line)
        line, before, fence = line.rstrip(), fence, _fenced(line, fence)
        if before != fence:
            flush()
            code = bool(fence)
        elif code:
            lines.append(line)
        elif head := heads.get(start):
            flush()
            draft.heading(head.title, head.depth, "#" * head.depth + " ")
            underlined = not line.lstrip().startswith("#")
            continue
        elif underlined or not line or _BREAK.match(line):
            flush()
        else:
            lines.append(_QUOTE.sub("", line, count=1) if _QUOTE.match(line) else line)
        underlined = False
    flush()
    return draft.finish()


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
            if title := _on_one_line(match.group(2) or ""):
                headings.append((start, len(match.group(1)), title))
            previous = ""
            continue
        if previous and (match := _SETEXT.match(line)) and (title := _on_one_line(previous)):
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
    return [_on_one_line(cell) for cell in (cells[:-1] if cells and not cells[-1].strip() else cells)]


def front_matter_end(text: str) -> int:
    """Where the text begins after a block between two `---` lines at the top, as site generators write it."""
    if not text.startswith(("---\n", "---\r\n")):
        return 0
    match = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$\n?", re.MULTILINE).search(text, 4)
    return match.end() if match else 0


def _unmarked(text: str) -> str:
    """A paragraph of Markdown, or a part of one, without the marks of emphasis, code and links."""
    text = _LITERAL.sub(lambda found: (found[found.lastgroup or 0]).translate(_HOLD), text)
    text = _LINK.sub(r"\1", _LINK.sub(r"\1", text))  # twice: a picture may be a link
    for pair in _PAIRS:
        text = pair.sub(r"\2", text)
    return text.translate(_FREE)


def _on_one_line(text: str) -> str:
    """The same on one line: a heading, a cell."""
    return " ".join(_unmarked(text).split())
