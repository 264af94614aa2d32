"""What printing adds to the pages of a text: running heads and feet, which are no part of what is said."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence

_EDGE = 2
_LONGEST = 120
_LEAST_PAGES = 3
_SHARE = 0.4
_NUMBER = re.compile(r"\d{1,5}")
_ROMAN = re.compile(r"[ivxlc]{1,8}", re.IGNORECASE)


def running_lines(pages: Sequence[Sequence[str]]) -> list[set[int]]:
    """Of each page, given as lines from top to bottom, which ones are running heads or feet.

    They are short, among the two topmost or lowest, and come again, the same or with the number of the page, on three
    pages or more and four of ten from the first to the last: a head may change with the chapter.
    """
    found: dict[Hashable, list[tuple[int, int]]] = {}
    for page, lines in enumerate(pages):
        for place in _edges(len(lines)):
            for key in _keys(lines[place], page):
                found.setdefault(key, []).append((page, place))
    running: list[set[int]] = [set() for _ in pages]
    for places in found.values():
        on = sorted({page for page, _ in places})
        if len(on) >= _LEAST_PAGES and len(on) >= _SHARE * (on[-1] - on[0] + 1):
            for page, place in places:
                running[page].add(place)
    return running


def _edges(count: int) -> Iterable[int]:
    """The places of the lines at the top and at the foot of a page of `count` lines."""
    return range(count) if count <= 2 * _EDGE else (*range(_EDGE), *range(count - _EDGE, count))


def _keys(line: str, page: int) -> Iterator[Hashable]:
    """What a line has in common with the same running line on another page."""
    said = " ".join(line.casefold().split())
    if not said or len(said) > _LONGEST:
        return
    yield said
    if _ROMAN.fullmatch(said):
        yield "roman", ""
    for count, match in enumerate(_NUMBER.finditer(said)):
        if count == 4:
            break
        yield said[: match.start()], said[match.end() :], int(match.group()) - page
