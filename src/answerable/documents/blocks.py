"""The lines of a text about rules: sentences, and lead-ins with their items."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

Span = tuple[int, int]
"""Characters [start, end) of a text."""
_MARK = re.compile(r"[ \t]*(?:[*•·–-]|\(?(?:\d{1,2}|[a-z])[.)])[ \t]+")
_HEADING = re.compile(r"[ \t]*#+[ \t]+")
_GAP = re.compile(r"\n[ \t\r]*\n")
_TAIL = re.compile(r"[\s,;:.]*(?:[,;.]\s*(?:and|or)|\s(?:and|or))?[\s,;:.]*$")


@dataclass(frozen=True, slots=True)
class List:
    """A lead-in and the items under it, without their marks; there is at least one."""

    lead: Span
    items: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """Characters [start, end) of a heading, without its mark."""

    start: int
    end: int


def blocks(text: str, start: int, end: int) -> Iterator[Span | List | Heading]:
    """Headings, lines of sentences, and lists among characters [start, end), in order.

    Items are lines with a mark ("*", "-", "1."), or the lines right below one that ends in a colon.
    """
    lines = [(start + m.start(), start + m.end()) for m in re.finditer(r"[^\n]*\S[^\n]*", text[start:end])]
    lead: Span | None = None
    marked = False
    items: list[Span] = []
    for a, b in [*lines, (end, end)]:
        mark, heading = _MARK.match(text, a, b), _HEADING.match(text, a, b)
        if lead and a < b and not heading:
            apart = bool(_GAP.search(text, items[-1][1] if items else lead[1], a))
            if not items:
                marked = bool(mark)
            if bool(mark) == marked and (mark or (not apart and text[lead[0] : lead[1]].rstrip().endswith(":"))):
                items.append((mark.end() if mark else a, b))
                continue
        if lead:
            yield List(lead, tuple(items)) if items else lead
        lead, items = None, []
        if heading:
            yield Heading(heading.end(), b)
        elif mark:
            yield mark.end(), b
        elif a < b:
            lead = (a, b)


def trimmed(text: str, start: int, end: int) -> Span:
    """Characters [start, end) without the blanks and marks around them, nor the "and" or "or" that ends an item."""
    end = start + _TAIL.search(text[start:end]).start()  # type: ignore[union-attr]  # it matches at the end of all
    while start < end and not (text[start].isalnum() or text[start] in "£$€'‘“\"("):
        start += 1
    return start, max(start, end)
