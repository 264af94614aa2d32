"""HTML as text: headings as sections, table rows as lines, nothing that a browser would not show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from answerable.corpora.markup import CONTAINERS, check_tags
from answerable.corpora.outline import Draft
from answerable.corpora.sources import Limits, Report, charset, clean, decode, one_line, read_whole, title_from
from answerable.corpora.tables import row_lines, split_header
from answerable.errors import FormatError
from answerable.types import Document, Section

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_WIDEST_SPAN = 64
_REPEATED = 100
"""Columns and rows that a cell may span, and the characters it may have to be said again."""
_AGAIN = 20_000
"""Characters of a table that may be said again, besides as many as it has."""

_Spanning = dict[int, tuple[int, str]]
"""Of a column, in how many rows to come a cell goes on, and what it says there."""

_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_HIDDEN = frozenset(
    "head script style noscript template svg math iframe object embed canvas audio video nav select button "
    "textarea datalist dialog".split()
)
_HEADINGS = {f"h{depth}": depth for depth in range(1, 7)}
_BLOCKS = CONTAINERS | frozenset("p dt dd body html hr".split())
_LINES = frozenset("li tr br".split())


def read_html(
    path: Path, source: str, enclave: str, limits: Limits, report: Report, start: int = 0
) -> Iterator[Document]:
    """An HTML page as one document, titled by its first top heading, else its `<title>`, else its file name."""
    if start:
        return
    data = read_whole(path, source, limits)
    title, text, sections = html_text(_decode_html(data, source), source)
    if not text:
        raise FormatError(f"{source} holds no text")
    meta = {"record": 0}
    yield Document(source, enclave, title or title_from(source), text, source, "html", sections, meta)


def html_text(markup: str, name: str) -> tuple[str, str, tuple[Section, ...]]:
    """Title, text and sections of a page. Raises `FormatError` when its tags are no page's."""
    from selectolax.lexbor import LexborHTMLParser

    check_tags(markup, name)
    tree = LexborHTMLParser(clean(markup))
    writer = _Writer()
    if tree.body is not None:
        writer.walk(tree.body)
    text, sections = writer.draft.finish()
    title = next((section.title for section in sections if section.depth == 1), "")
    if not title and tree.head is not None and (node := tree.head.css_first("title")) is not None:
        title = one_line(node.text())
    return title, text, sections


def _decode_html(data: bytes, name: str) -> str:
    """The page in the encoding its byte-order mark, its bytes or its `<meta charset>` tell, in this order."""
    match = _CHARSET.search(data[:2048])
    if match and not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        with suppress(LookupError, ValueError):
            return data.decode(charset(match.group(1).decode("ascii")))
    return decode(data, name)


class _Writer:
    """Walks a tree without recursion and writes blocks, headings and table rows to a draft."""

    def __init__(self) -> None:
        self.draft = Draft()
        self._pending: list[str] = []
        self._as_line = False

    def walk(self, root: LexborNode) -> None:
        """Write everything visible under `root`."""
        node: LexborNode | None = root
        depth = 0
        while node is not None:
            inner = self._enter(node)
            if inner is not None:
                node, depth = inner, depth + 1
                continue
            while node is not None and node.next is None and depth:
                node, depth = node.parent, depth - 1
                if node is not None:
                    self._leave(node.tag or "")
            node = node.next if node is not None and depth else None
        self._flush()

    def _enter(self, node: LexborNode) -> LexborNode | None:
        """Handle one node; its first child if the walk is to go inside."""
        tag = node.tag or ""
        if tag == "-text":
            self._pending.append(node.text_content or "")
            return None
        if tag in _HIDDEN or tag.startswith(("-", "!")) or "hidden" in node.attributes:
            return None
        if tag in _HEADINGS:
            self._flush()
            self.draft.heading(_inner_text(node), _HEADINGS[tag])
            return None
        if tag == "table" and self._table(node):
            return None
        if tag == "pre":
            self._flush()
            self.draft.block(_inner_text(node, keep_lines=True))
            return None
        self._leave(tag)
        return node.child

    def _leave(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._flush()
            self._as_line = False
        elif tag in _LINES:
            self._flush()
            self._as_line = True
        elif tag in ("td", "th"):
            self._pending.append(" ")

    def _flush(self) -> None:
        text = one_line("".join(self._pending))
        self._pending.clear()
        if text:
            (self.draft.line if self._as_line else self.draft.block)(text)
            self._as_line = False

    def _table(self, table: LexborNode) -> bool:
        """Write a table of data as one line a row; False for one that only lays out a page."""
        if table.css_first("table table") is not None or table.css_first("ul, ol, h1, h2, h3, form") is not None:
            return False
        if table.css_first("p") is not None and table.css_first("th") is None:
            return False
        rows = [row for row in _grid(table) if any(row)]
        if len(rows) < 2 or max(map(len, rows)) < 2:
            return False
        self._flush()
        if (caption := table.css_first("caption")) is not None:
            self.draft.block(_inner_text(caption))
        header, body = split_header(rows)
        write = self.draft.block
        for line, _ in row_lines(header, body):
            write(line)
            write = self.draft.line
        return True


def _grid(table: LexborNode) -> Iterator[list[str]]:
    """The rows of a table with each cell in its column: one that spans rows is said in each, if it is short."""
    spanning: _Spanning = {}
    again = _AGAIN
    for row in table.css("tr"):
        cells: list[str] = []
        below: _Spanning = {}
        for cell in row.css("td, th"):
            _from_above(cells, spanning, below)
            text = _inner_text(cell)
            rows, columns = _span(cell, "rowspan"), _span(cell, "colspan")
            for column in range(len(cells), min(len(cells) + columns, _WIDEST_SPAN)):
                if rows > 1:
                    below[column] = (rows - 1, text if column == len(cells) and len(text) <= _REPEATED else "")
            cells += [text, *[""] * (columns - 1)]
            again += len(text)
        _from_above(cells, spanning, below)
        again -= sum(len(text) for _, text in below.values())
        spanning = below if again > 0 else {}
        yield cells


def _from_above(cells: list[str], spanning: _Spanning, below: _Spanning) -> None:
    """Add the cells of rows above that reach into this one, and note those that reach on."""
    while len(cells) in spanning:
        left, text = spanning.pop(len(cells))
        if left > 1:
            below[len(cells)] = (left - 1, text)
        cells.append(text)


def _span(cell: LexborNode, name: str) -> int:
    value = cell.attributes.get(name) or ""
    return min(max(int(value), 1), _WIDEST_SPAN) if value.isascii() and value.isdecimal() and len(value) < 6 else 1


def _inner_text(root: LexborNode, keep_lines: bool = False) -> str:
    """The visible text under a node, on one line unless the lines are to be kept."""
    pieces: list[str] = []
    node: LexborNode | None = root.child
    depth = 1
    while node is not None:
        tag = node.tag or ""
        if tag == "-text":
            pieces.append(node.text_content or "")
        elif tag in _BLOCKS or tag in _LINES:
            pieces.append("\n")
        child = None if tag in _HIDDEN or tag.startswith(("-", "!")) else node.child
        if child is not None:
            node, depth = child, depth + 1
            continue
        while node is not None and node.next is None and depth > 1:
            node, depth = node.parent, depth - 1
        node = node.next if node is not None else None
    text = "".join(pieces)
    return text.strip("\n").rstrip() if keep_lines else one_line(text)
