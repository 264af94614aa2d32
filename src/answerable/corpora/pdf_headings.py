"""Headings of a PDF told by how they are set: larger than the text, or bold and numbered."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from answerable.corpora.headings import is_contents
from answerable.corpora.pdf_lines import Line

_LARGER = 1.08
_MOST_LINES = 3
_MOST_WORDS = 25
_MOST_SHARE = 0.4
_DEEPEST = 6
_NUMBER = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+[^\W\d_]")

Place = tuple[int, int]
"""A page and a line of it."""


def depths_by_size(pages: Sequence[Sequence[Line]]) -> Mapping[Place, int]:
    """The depth of each line that is a heading, by its place; 0 for a line that goes on with the heading above it.

    The size most characters have is the text's. What is larger ranks by size, then by how many parts its number has.
    """
    sizes: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            sizes[line.size] += len(line.text)
    body = sizes.most_common(1)[0][0] if sizes else 0.0
    if body <= 0:
        return {}
    found = [run for number, lines in enumerate(pages) for run in _runs(lines, number, body)]
    if sum(len(run) for run, _, _ in found) > _MOST_SHARE * sum(map(len, pages)):
        return {}
    levels: dict[float, int] = {}
    for _, size, level in found:
        if level:
            levels[size] = min(levels.get(size, level), level)
    # A heading without a number ranks with the widest numbers that are set like it.
    keys = [(-size, level or levels.get(size, 1)) for _, size, level in found]
    ranks = {key: rank for rank, key in enumerate(sorted(set(keys)), 1)}
    depths: dict[Place, int] = {}
    for (run, _, _), key in zip(found, keys, strict=True):
        depths.update(dict.fromkeys(run, 0))
        depths[run[0]] = min(ranks[key], _DEEPEST)
    return depths


def _runs(lines: Sequence[Line], page: int, body: float) -> Iterator[tuple[list[Place], float, int]]:
    """Lines that are one heading together, with their size and how many parts their number has (0: it has none)."""
    index = 0
    while index < len(lines):
        if not _is_set_apart(lines[index], body):
            index += 1
            continue
        first = index
        index += 1
        while index < len(lines) and _goes_on(lines[index - 1], lines[index], body):
            index += 1
        run = lines[first:index]
        text = " ".join(line.text for line in run)
        if len(run) <= _MOST_LINES and _is_title(text):
            number = _NUMBER.match(text)
            level = number[1].count(".") + 1 if number else 0
            yield [(page, place) for place in range(first, index)], max(run[0].size, body), level


def _is_set_apart(line: Line, body: float) -> bool:
    return line.size >= body * _LARGER or (line.bold and line.size >= body * 0.97)


def _goes_on(above: Line, below: Line, body: float) -> bool:
    """Whether a line goes on with the heading above it."""
    near = 0 < above.base - below.base <= 1.8 * above.size
    return near and below.size == above.size >= body * _LARGER and not _NUMBER.match(below.text)


def _is_title(text: str) -> bool:
    words = text.split()
    numbered = _NUMBER.match(text) is not None
    return (
        len(words) <= _MOST_WORDS
        and sum(map(str.isalpha, text)) >= 2
        and text[-1] not in ",;"
        and (text[-1] != "." or (numbered and len(words) <= 10))
        and not is_contents(text)
    )
