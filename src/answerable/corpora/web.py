"""HTML as text: headings as sections, table rows as lines, nothing that a browser would not show.

What the tags of a page would cost a parser is told from the tags alone first, so that no page can make it stall.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from answerable.corpora.bookmarks import are_bookmarks, read_bookmarks
from answerable.corpora.furniture import Furniture, defines, is_of_box, is_said
from answerable.corpora.outline import Draft, Written
from answerable.corpora.sources import File, Limits, Report, charset, clean, decode, read_whole, title_from
from answerable.errors import FormatError
from answerable.text import one_line
from answerable.types import Document

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


_MAX_DEPTH = 512
"""Elements inside elements: what browsers allow. The parser's time grows with the square of it."""
_MOST_ATTRIBUTES = 256
"""Of one tag, and of all tags that add theirs to one element: time grows with the square of them too."""
_MOST_REOPENED = 300_000
"""Elements of style, such as `b`, open where paragraphs begin, all paragraphs together: each is made anew there."""
_MOST_SEARCHED = 5_000_000

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})")
_VALUE = r"(?:\"[^\"]*+\"|'[^']*+'|[^\s>]*+)"
_ATTRIBUTE = rf"[\s/]*+([^\s/>][^\s/>=]*+)(?:\s*+=\s*+{_VALUE})?+"
_ATTRIBUTES = re.compile(rf"(?:{_ATTRIBUTE.replace('(', '(?:', 1)}){{0,{_MOST_ATTRIBUTES}}}+[\s/]*+")
_NAME = re.compile(_ATTRIBUTE)
VOID = frozenset("area base br col embed frame hr img input link meta param source track wbr".split())
_IMPLIED = frozenset("html head body p li dt dd tr td th thead tbody tfoot colgroup option optgroup rp rt".split())
_SCOPES = frozenset("table caption object applet marquee template".split())
_FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
CONTAINERS = (
    frozenset(
        "address article aside blockquote button center details dialog dir div dl fieldset figcaption figure footer "
        "form header h1 h2 h3 h4 h5 h6 hgroup iframe listing main menu nav ol pre section select summary ul".split()
    )
    | _SCOPES
)
_RAW = frozenset("script style textarea title xmp noembed noframes iframe".split())


def check_tags(markup: str, name: str) -> None:
    """Raise `FormatError` for tags that no page has and that would take a parser minutes or gigabytes.

    Follows the rules of HTML for end tags that close something else than the innermost element, so that no mixture
    of stray tags grows a deep tree unseen.
    """
    stack: list[str] = []
    merged: set[str] = set()
    cursor = styles = reopened = searched = tags = 0
    while match := _TAG.search(markup, cursor):
        tag = match.group(2).lower()
        tags += 1
        cursor = _ATTRIBUTES.match(markup, match.end()).end()  # type: ignore[union-attr]
        if cursor < len(markup) and markup[cursor] != ">":
            raise FormatError(f"{name} has a tag of more than {_MOST_ATTRIBUTES} attributes")
        if tag in ("html", "body") and len(merged) <= _MOST_ATTRIBUTES:
            merged.update(_NAME.findall(markup, match.end(), cursor))
            if len(merged) > _MOST_ATTRIBUTES:
                raise FormatError(f"{name} has a tag of more than {_MOST_ATTRIBUTES} attributes")
        if match.group(1):
            if tag not in VOID and tag not in _IMPLIED:
                before = len(stack)
                searched += _close(stack, tag)
                styles = styles if len(stack) == before else sum(one in _FORMATTING for one in stack)
            _check_work(reopened, searched, tags, name)
            continue
        if tag in _IMPLIED or tag in CONTAINERS:
            reopened += styles
            _check_work(reopened, searched, tags, name)
        if tag in VOID or tag in _IMPLIED:
            continue
        if tag in _RAW:
            end = re.compile(f"</{tag}", re.IGNORECASE).search(markup, cursor)
            if end is None:
                return
            cursor = end.start()
            continue
        stack.append(tag)
        styles += tag in _FORMATTING
        if len(stack) > _MAX_DEPTH:
            raise FormatError(f"{name} nests its elements deeper than {_MAX_DEPTH}")


def _check_work(reopened: int, searched: int, tags: int, name: str) -> None:
    if reopened > _MOST_REOPENED + 2 * tags or searched > _MOST_SEARCHED + 20 * tags:
        raise FormatError(f"{name} opens far more elements than it closes")


def _close(stack: list[str], tag: str) -> int:
    """Take off the stack of open elements what an end tag closes; how many were looked at."""
    for index in range(len(stack) - 1, -1, -1):
        looked = len(stack) - index
        if stack[index] == tag:
            if tag in _FORMATTING:
                del stack[index]
            else:
                del stack[index:]
            return looked
        stops = _SCOPES if tag in CONTAINERS or tag in _FORMATTING else CONTAINERS
        if stack[index] in stops and tag not in _SCOPES:
            return looked
    return len(stack)


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
_ALL_HEADINGS = ", ".join(_HEADINGS)


def read_html(path: File, source: str, enclave: str, limits: Limits, report: Report) -> Iterator[Document]:
    """An HTML page as one document, titled by its one top heading, else its `<title>`, else its file name. Of a page
    that is a browser's bookmarks each of them is one."""
    markup = decode_html(read_whole(path, source, limits), source)
    if are_bookmarks(markup):
        yield from read_bookmarks(markup, source, enclave)
        return
    title, (text, sections, known) = html_text(markup, source)
    if not text:
        raise FormatError(f"{source} holds no text")
    yield Document(source, enclave, title or title_from(source), text, source, "html", sections, {"record": 0, **known})


def html_text(markup: str, name: str) -> tuple[str, Written]:
    """The title of a page, and what stands on it. Raises `FormatError` when its tags are no page's."""
    from selectolax.lexbor import LexborHTMLParser

    check_tags(markup, name)
    tree = LexborHTMLParser(clean(markup))
    if tree.body is None:
        return "", Draft().finish()
    writer = _Writer(Furniture(tree.head, tree.body), tree.body.css_first(_ALL_HEADINGS) is None)
    writer.walk(tree.body)
    written = writer.draft.finish()
    tops = [section.title for section in written.sections if section.depth == 1]
    title = tops[0] if tops else ""
    if len(tops) != 1 and tree.head is not None and (node := tree.head.css_first("title")) is not None:
        title = one_line(node.text()) or title
    return title, written


def decode_html(data: bytes, name: str) -> str:
    """The page in the encoding its byte-order mark, its bytes or its `<meta charset>` tell, in this order."""
    match = _CHARSET.search(data[:2048])
    if match and not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        with suppress(LookupError, ValueError):
            return data.decode(charset(match.group(1).decode("ascii")))
    return decode(data, name)


class _Writer:
    """Walks a tree without recursion and writes blocks, headings and table rows to a draft.

    What a list of definitions says of a term stands below it; where it says much, the term is a heading.
    """

    def __init__(self, furniture: Furniture, headed: bool) -> None:
        self.draft = Draft()
        self._furniture, self._headed = furniture, headed
        self._pending: list[str] = []
        self._as_line = self._led = False
        self._terms: list[str] = []
        self._lists: list[int] = []

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
        self._name_terms()

    def _enter(self, node: LexborNode) -> LexborNode | None:
        """Handle one node; its first child if the walk is to go inside."""
        tag = node.tag or ""
        if tag == "-text":
            self._pending.append(node.text_content or "")
            return None
        if tag in _HIDDEN or tag.startswith(("-", "!")) or "hidden" in node.attributes:
            return None
        if self._furniture.holds(node, self._headed):
            return None
        if tag in _HEADINGS:
            self._flush()
            self._heading(node, _HEADINGS[tag])
            return None
        if tag == "table" and self._table(node):
            return None
        if tag == "pre":
            self._flush()
            self._name_terms()
            self.draft.code(_inner_text(node, keep_lines=True))
            self._led = False
            return None
        self._part(tag)
        if tag == "dt" and self._lists and node.css_first(_ALL_HEADINGS) is None:
            self._terms += filter(None, [_inner_text(node)])
            return None
        if tag == "dl" and node.child is not None:
            self._name_terms()
            self._lists.append(self.draft.depth + 1 if defines(node, len(self._lists)) else 0)
        return node.child

    def _leave(self, tag: str) -> None:
        """What ends with an element that has something in it."""
        self._part(tag)
        if tag == "dl" and self._lists:
            self._name_terms()
            if depth := self._lists.pop():
                self.draft.close(depth)

    def _part(self, tag: str) -> None:
        """What the beginning and the end of an element do to the text around it."""
        if tag in _BLOCKS:
            self._flush()
            self._as_line = False
        elif tag in _LINES:
            self._flush()
            self._as_line = True
        elif tag in ("td", "th"):
            self._pending.append(" ")

    def _heading(self, node: LexborNode, depth: int) -> None:
        title = _inner_text(node)
        if self.draft.depth and depth > 1 and is_of_box(node):
            self._write(title, False)
            self._led = bool(title)
        else:
            self._name_terms()
            self.draft.heading(title, depth)
            self._headed = True

    def _name_terms(self) -> None:
        """Write the terms that what comes next is said of."""
        terms, self._terms = self._terms, []
        if terms and self._lists and self._lists[-1]:
            self.draft.heading(", ".join(terms), self._lists[-1])
        elif terms:
            self.draft.block("\n".join(terms))
            self._led = True

    def _flush(self) -> None:
        text = one_line("".join(self._pending))
        self._pending.clear()
        if text:
            self._write(text, self._as_line)
            self._as_line = False

    def _write(self, text: str, as_line: bool) -> None:
        """A paragraph or a line. The terms that it is said of are lines of their own."""
        self._name_terms()
        (self.draft.line if as_line and not self._led else self.draft.block)(text)
        self._led = self._led and not text

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
        self._name_terms()
        if (caption := table.css_first("caption")) is not None:
            self.draft.block(_inner_text(caption))
        self.draft.table(rows)
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
        unseen = tag in _HIDDEN or tag.startswith(("-", "!")) or (tag == "a" and not is_said(node))
        child = None if unseen else node.child
        if child is not None:
            node, depth = child, depth + 1
            continue
        while node is not None and node.next is None and depth > 1:
            node, depth = node.parent, depth - 1
        node = node.next if node is not None else None
    text = "".join(pieces)
    return text.strip("\n").rstrip() if keep_lines else one_line(text)
