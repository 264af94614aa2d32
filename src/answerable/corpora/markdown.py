"""Markdown as it is shown: its headings as sections, rows of its tables as lines, and no marks but those of lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.html_blocks import block_names
from markdown_it.common.utils import normalizeReference
from markdown_it.rules_block import StateBlock, paragraph, reference
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from answerable.corpora.outline import Draft, TableRows, Written
from answerable.corpora.tables import row_lines
from answerable.corpora.web import html_text
from answerable.errors import FormatError
from answerable.text import one_line

_AS_TYPED = re.compile(r"(?:(?<=http)|(?<=https))://[^\s<>\[\]*`]+|(?<=[^\W_])\*(?=[^\W_])")
"""What has no marks though it looks so: addresses, and a star within a word, as "2*3*4" is no emphasis."""
_ROLE = re.compile(r"\{[A-Za-z][\w:+.-]*\}(?=`)")
"""What MyST writes before a piece of code that is a name, as "{func}`read`": it is not shown."""
_DEFINED = re.compile(r"\[([^\[\]^][^\[\]]*)\]:[ \t]*(?:\n[ \t]*)?(?:<([^<>\n]*)>|(\S+))")
_REFERRED = re.compile(r"\[([^\[\]]+)\](?!:)")
_PLACE = re.compile(r"[^\W_][/.:][^\W_]|[/#]")
"""What an address has in it: "[Anna]: yes" is a line of a talk."""
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)(?=[\s/>])([^>]*)")
_INLINE = frozenset(
    "a abbr audio b bdi bdo big br button canvas cite code data del dfn em embed font i img input ins kbd label map "
    "mark meter object output picture pre q rp rt ruby s samp script select small span strike strong style sub sup svg "
    "textarea time tt u var video wbr".split()
)
_ELEMENTS = _INLINE | frozenset(block_names)
"""Those of HTML: other words between angle brackets are said, as "<host>"."""
_ALONE = frozenset({"br", "hr", "wbr"})
_EMPTY_LINES = re.compile(r"\n(?:[ \t]*(?=\n))")
_HOLDS = frozenset({"blockquote_open", "bullet_list_open", "ordered_list_open", "list_item_open"})
_WHOLE = frozenset({"fence", "code_block", "html_block"})
_DEEPEST = 50
"""Quotes and lists that may lie in each other, each item of a list being one as well: deeper marks are text."""
_HEADING_CHARACTERS = 300


def _as_typed(state: StateInline, silent: bool) -> bool:
    found = _AS_TYPED.match(state.src, state.pos)
    if found and not silent:
        state.pending += found.group()
    state.pos = found.end() if found else state.pos
    return found is not None


def _role(state: StateInline, silent: bool) -> bool:
    found = _ROLE.match(state.src, state.pos)
    state.pos = found.end() if found else state.pos
    return found is not None


def _definition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """What a link is called that its text refers to by a name, and those right above and below; a line that nothing
    refers to is said."""
    found = _defined(state, start, end)
    if found is None:
        return False
    place = found[3] if found[2] is None else found[2]
    refers = _PLACE.search(place) and (start == state.env.get("defined") or _refers(state, start, end))
    taken = bool(refers or place in ("", "#")) and reference(state, start, end, silent)
    state.env["defined"] = state.line if taken else -1
    return taken


def _defined(state: StateBlock, line: int, end: int) -> re.Match[str] | None:
    last = min(line + 1, end - 1)
    return _DEFINED.match(state.src, state.bMarks[line] + state.tShift[line], state.eMarks[last])


def _refers(state: StateBlock, line: int, end: int) -> bool:
    """Whether something refers to a definition, or to one of those below it."""
    while line < end and (found := _defined(state, line, end)):
        if normalizeReference(found[1]) in state.env["referred"]:
            return True
        line += 1
    return False


def _too_deep(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    return state.level >= _DEEPEST and not silent and paragraph(state, start, end, silent)


_PARSER = MarkdownIt("commonmark", {"maxNesting": _DEEPEST + 2}).enable("table").disable(["inline", "text_join"])
_PARSER.inline.ruler.before("emphasis", "as_typed", _as_typed)
_PARSER.inline.ruler.before("emphasis", "role", _role)
_PARSER.block.ruler.before("table", "too_deep", _too_deep)
_PARSER.block.ruler.at("reference", _definition)


def read_markdown(text: str) -> Written:
    """A text in Markdown as it is shown, with its sections and tables.

    Headings are lines between blank ones that keep their marks (`tables.HEADING_LINE`), as items of lists do; tables
    are lines as `tables.row_lines` writes them, and code stays as it is. Of a link its words are left, as in HTML, and
    what is written in HTML is read as such.
    """
    top = front_matter_end(text)
    known: dict[str, Any] = {"referred": {normalizeReference(found[1]) for found in _REFERRED.finditer(text)}}
    draft, end, depth = Draft(), 0, 0
    lines, marks, rows, tables = list[str](), list[str](), list[list[str]](), list[TableRows]()

    def flush() -> None:
        draft.block("\n".join(lines), tables)
        lines.clear()
        tables.clear()

    def marked() -> str:
        """The marks of the items that a line stands in: of each once, then blanks."""
        shown = "".join(marks)
        marks[:] = (" " * len(mark) for mark in marks)
        return shown

    draft.block("\n".join(text[:top].splitlines()[1:-1]))
    for token in _PARSER.parse(text[top:], known):
        if token.map:
            if token.map[0] > end or token.type in ("heading_open", "hr") or token.type in _WHOLE:
                flush()
            end = max(end, token.map[0 if token.type in _HOLDS else 1])
        if token.type in _WHOLE:
            marked()
            _whole(draft, token)
        elif token.type == "list_item_open":
            marks.append(f"{token.info}{token.markup} ")
        elif token.type == "list_item_close":
            if marks[-1].strip():
                lines.append(marked().rstrip())
            marks.pop()
        elif token.type in ("heading_open", "paragraph_open"):
            depth = int(token.tag[1:] or 0)  # of "h2", or "p"
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "table_close":
            begin = sum(len(line) + 1 for line in lines)
            lines += _rows(*rows)
            if any(rows[0]) and rows[1:]:
                tables.append((begin, sum(len(line) + 1 for line in lines) - 1, rows[0]))
            rows.clear()
        elif token.type == "inline":
            said = _shown(_PARSER.inline.parse(token.content, _PARSER, known, []))  # one by one: tokens are large
            if rows:
                rows[-1].append(one_line(said))
            elif depth and len(said) <= _HEADING_CHARACTERS:
                marked()
                draft.heading(said, depth, "#" * depth + " ")
            elif said:
                lines.append(marked() + said)
    flush()
    return draft.finish()


def _shown(tokens: Sequence[Token]) -> str:
    """What is shown of a paragraph; of a picture, what is said of it. A link that holds nothing but pictures, such as a
    badge, is left out."""
    pieces, tags = list[str](), _elements(tokens)
    opened, pictures, words = 0, False, False
    for number, one in enumerate(tokens):
        if one.type == "link_open":
            opened, pictures, words = len(pieces), False, False
        elif one.type == "link_close":
            del pieces[opened if pictures and not words else len(pieces) :]
        elif one.type == "image":
            pieces.append(_shown(one.children or ()) or one.content)
            pictures = True
        else:
            pieces.append(tags.get(number, "\n" if "break" in one.type else one.content))
            words = words or bool(pieces[-1].strip())
    return _EMPTY_LINES.sub("", "".join(pieces)).strip()


def _elements(tokens: Sequence[Token]) -> dict[int, str]:
    """What stands for the tags of HTML among tokens, by their number: nothing, or a line end. A tag without attributes
    that nothing closes is said, as "<input>"."""
    found = [(number, _TAG.match(one.content)) for number, one in enumerate(tokens) if one.type == "html_inline"]
    closed = {tag[2].lower() for _, tag in found if tag and tag[1]}
    shown = dict[int, str]()
    for number, tag in found:
        name = tag[2].lower() if tag else ""
        if tag is None:  # a comment, or a name with marks in it
            if not tokens[number].content[1:2].strip("!?"):
                shown[number] = ""
        elif name in _ELEMENTS and (tag[1] or tag[3] or name in closed or name in _ALONE):
            shown[number] = "\n" if name == "br" else ""
    return shown


def _whole(draft: Draft, token: Token) -> None:
    """Write code as it stands, and what a page would show of a block of HTML. Where that begins with no tag of HTML, or
    no page has such tags, it stands as it is."""
    markup = token.content
    if token.type != "html_block":
        draft.code(markup)
        return
    tag, written = _TAG.match(markup.lstrip()), None
    if tag[2].lower() in _ELEMENTS if tag else not markup.lstrip()[1:2].strip("!?"):
        with suppress(FormatError):
            written = html_text(markup, "a block of HTML")[1]
    if written is None:
        draft.block(markup)
        return
    cursor, (text, sections, known) = 0, written
    for start, one in [*((section.start, section) for section in sections), (len(text), None)]:
        inside = [row for row in known.get("tables", ()) if cursor <= row[0] < start]
        draft.block(text[cursor:start], [(first - cursor, last - cursor, header) for first, last, header in inside])
        if one is not None:
            draft.heading(one.title, one.depth, "#" * min(one.depth, 6) + " ")
            cursor = start + len(one.title)


def _rows(header: Sequence[str], *body: Sequence[str]) -> list[str]:
    """The rows of a table as lines. Where its columns have no names they are items of a list: of two cells the first is
    the name of the second."""
    if any(header):
        return [line for line, _ in row_lines(header if body else (), body or (header,)) if line]
    said = ([cell for cell in cells if cell] for cells in body)
    return [f"- {(': ' if len(header) == 2 else '; ').join(cells)}" for cells in said if cells]


def front_matter_end(text: str) -> int:
    """Where the text begins after a block between two `---` lines at the top, as site generators write it."""
    if not text.startswith(("---\n", "---\r\n")):
        return 0
    match = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$\n?", re.MULTILINE).search(text, 4)
    return match.end() if match else 0
