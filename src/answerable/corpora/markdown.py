"""Markdown as it is shown: its headings as sections, rows of its tables as lines, and no marks but those of lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, paragraph
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from answerable.corpora.outline import Draft, TableRows, Written
from answerable.corpora.sources import one_line
from answerable.corpora.tables import row_lines

_AS_TYPED = re.compile(r"(?:(?<=http)|(?<=https))://[^\s<>\[\]*`]+|(?<=[^\W_])\*(?=[^\W_])")
"""What has no marks though it looks so: addresses, and a star within a word, as "2*3*4" is no emphasis."""
_ROLE = re.compile(r"\{[A-Za-z][\w:+.-]*\}(?=`)")
"""What MyST writes before a piece of code that is a name, as "{func}`read`": it is not shown."""
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


def _too_deep(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    return state.level >= _DEEPEST and not silent and paragraph(state, start, end, silent)


_PARSER = (
    MarkdownIt("commonmark", {"maxNesting": _DEEPEST + 2}).enable("table").disable(["inline", "text_join", "reference"])
)
_PARSER.inline.ruler.before("emphasis", "as_typed", _as_typed)
_PARSER.inline.ruler.before("emphasis", "role", _role)
_PARSER.block.ruler.before("table", "too_deep", _too_deep)


def read_markdown(text: str) -> Written:
    """A text in Markdown as it is shown, with its sections and tables.

    Headings are lines between blank ones that keep their marks (`tables.HEADING_LINE`), as items of lists do; tables
    are lines as `tables.row_lines` writes them, and code stays as it is. Of a link its words are left, as in HTML.
    """
    top = front_matter_end(text)
    draft, end, depth, known = Draft(), 0, 0, dict[str, Any]()
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
            draft.block(token.content)
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
            else:
                lines.append(marked() + said)
    flush()
    return draft.finish()


def _shown(tokens: Sequence[Token]) -> str:
    """What is shown of a paragraph; of a picture, what is said of it."""
    return "".join("\n" if "break" in one.type else _shown(one.children or ()) or one.content for one in tokens)


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
