"""What printing and editors add to a text, and is no part of what is said: running heads and feet, hyphens that break
words, lines for Emacs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

_FOOT = re.compile(r"\[Page (?:\d{1,4}|[ivxlc]{1,8})\][ \t]*\r?$", re.MULTILINE)
"""How a page of an RFC ends."""
_MODE_LINE = re.compile(r"([^\n]*?)[ \t]*-\*-[^\n]{1,200}?-\*-[ \t]*(?=\r?\n|\Z)")
_EDGE = 2
_LONGEST = 120
_LEAST_PAGES = 3
_MOST_PAGES = 20_000
_SHARE = 0.4
_HYPHEN = re.compile(r"(?<=[^\W\d_])[\u00ad\u2010](\r?\n[ \t]*)([^\W\d_]\S*)[ \t]?")
_WITHIN = re.compile(r"\w\u2010\w")
_NUMBER = re.compile(r"\d{1,5}")
_SECTION = re.compile(r"\d{1,3}(?:\.\d{1,3})+\.?\s+(?=[^\W\d_])")
"""The number of a section before its title, which is no page's."""
_ROMAN = re.compile(r"[ivxlc]{1,8}", re.IGNORECASE)


def without_mode_line(text: str) -> str:
    """A text without what its first line tells Emacs, "-*- text -*-", and without that line where it says no more."""
    found = _MODE_LINE.match(text)
    if found is None:
        return text
    said = found[1] if any(map(str.isalnum, found[1])) else ""
    return said + text[found.end() :] if said else text[found.end() :].lstrip("\r\n")


def running_lines(pages: Sequence[Sequence[str]]) -> list[set[int]]:
    """Of each page, given as lines from top to bottom, which ones are running heads or feet.

    They are short, among the two topmost or lowest, and come again, the same or with the number of the page, on three
    pages or more and four of ten from the first to the last: a head may change with the chapter.
    """
    found: dict[str | tuple[str, str, int], list[tuple[int, int]]] = {}
    numbering: dict[int, set[int]] = {}
    for page, lines in enumerate(pages):
        ends = (*range(_EDGE), *range(len(lines) - _EDGE, len(lines)))
        for place in ends if len(lines) > 2 * _EDGE else range(len(lines)):
            for key in _keys(lines[place], page):
                found.setdefault(key, []).append((page, place))
                if isinstance(key, tuple):
                    numbering.setdefault(key[2], set()).add(page)
    numbers = {shift for shift, on in numbering.items() if _is_often(on)}
    running: list[set[int]] = [set() for _ in pages]
    for key, places in found.items():
        on = {page for page, _ in places}
        # Where pages are numbered, a number alone needs no other like it: chapters often begin with one.
        numbered = isinstance(key, tuple) and key[2] in numbers and (len(on) > 1 or not f"{key[0]}{key[1]}".strip())
        if numbered or _is_often(on):
            for page, place in places:
                running[page].add(place)
    return running


def _is_often(pages: set[int]) -> bool:
    return len(pages) >= _LEAST_PAGES and len(pages) >= _SHARE * (max(pages) - min(pages) + 1)


def _keys(line: str, page: int) -> Iterator[str | tuple[str, str, int]]:
    """What a line has in common with the same running line on another page."""
    said = " ".join(line.casefold().split())
    if not said or len(said) > _LONGEST:
        return
    yield said
    if _ROMAN.fullmatch(said):
        yield "a roman number"
    section = _SECTION.match(said)
    for count, match in enumerate(_NUMBER.finditer(said, section.end() if section else 0)):
        if count == 4:
            break
        yield said[: match.start()], said[match.end() :], int(match.group()) - page


def without_page_breaks(text: str) -> str:
    """A plain text printed as pages, between form feeds or as RFCs have them, without the running heads and feet.

    A sentence that runs on over a page's end runs on in the text. What has no pages is given back as it is.
    """
    cuts = [match.end() for match in _FOOT.finditer(text)] if "\f" not in text else []
    pages = text.split("\f") if "\f" in text else [text[a:b] for a, b in pairwise([0, *cuts, len(text)])]
    if not _LEAST_PAGES <= len(pages) <= _MOST_PAGES:
        return text
    rows = [[row for row in page.splitlines() if row.strip()] for page in pages]
    running = running_lines(rows)
    parts: list[str] = []
    for page, found in zip(pages, running, strict=True):
        kept = _kept(page, found)
        if not kept:
            continue
        if parts:
            goes_on = parts[-1][-1] not in ".!?:" and kept.lstrip()[0].islower()
            parts.append("\n" if goes_on else "\n\n")
        parts.append(kept)
    return "".join(parts) + "\n" if parts else ""


def without_line_breaks(text: str) -> str:
    """A plain text with the words whole that a hyphen of print parts at the end of a line, as manual pages have them.

    A text that writes that hyphen amid its lines too is given back as it is: there it may belong to the word.
    """
    return text if _WITHIN.search(text) else _HYPHEN.sub(r"\2\1", text)


def _kept(page: str, running: set[int]) -> str:
    """A page without its running lines and the blank lines around it; the first line keeps its blanks."""
    kept: list[str] = []
    place = 0
    for row in page.splitlines():
        if row.strip():
            if place not in running:
                kept.append(row.rstrip())
            place += 1
        elif kept:
            kept.append("")
    return "\n".join(kept).rstrip()
