"""The lines of a PDF page with where they stand and how large they are, in the order in which they are read.

And headings told by how they are set: larger than the text, or bold and numbered.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

from answerable.corpora.headings import NUMBERED_LINE, is_contents
from answerable.corpora.pdf_tables import Line, with_tables

_BOLD = re.compile(rb"bold|black|heavy|semib|demi", re.IGNORECASE)
_MOST_RECTANGLES = 400
_GUTTER = 8
_COLUMN_LINES = 8
_APART = 0.9
"""Sizes of letters between cells of a row, at least."""


def page_lines(page: Any) -> list[Line]:
    """The lines of a pypdfium2 page that hold something, columns one after the other."""
    textpage = page.get_textpage()
    try:
        # Characters beyond the Basic Multilingual Plane are whole in the first, places are those of the second.
        shown = _rows(textpage.get_text_bounded())
        placed = _as_shown(shown, textpage.get_text_range())
        if placed is None:
            return [Line(text.strip()) for text, _ in shown if text.strip()]
        measure = _Measure(textpage, placed[-1][1] + len(placed[-1][0]))
        lines = [
            measure.line(text, place, raw) for (text, _), (raw, place) in zip(shown, placed, strict=True) if raw.strip()
        ]
        return with_tables(_in_columns(lines, measure), measure.cells, measure.is_bold)
    finally:
        textpage.close()


def _rows(raw: str) -> list[tuple[str, int]]:
    """The lines of a text and where each begins in it."""
    rows: list[tuple[str, int]] = []
    cursor = 0
    for row in re.split(r"(\r\n|\r|\n)", raw):
        if row not in ("\r\n", "\r", "\n"):
            rows.append((row, cursor))
        cursor += len(row)
    return rows


def _as_shown(shown: Sequence[tuple[str, int]], raw: str) -> list[tuple[str, int]] | None:
    """The rows of a page's text that its places are of, parted as they are shown: a small mark amid a line, as of a
    note, ends a row there. None where rows do not come together so."""
    rows = _rows(raw)
    if len(rows) == len(shown):
        return rows
    held = iter(rows)
    found: list[tuple[str, int]] = []
    for text, _ in shown:
        row, start = next(held, ("", len(raw)))
        wanted, end = _letters(text), start + len(row)
        while len(_letters(raw[start:end])) < len(wanted) and (more := next(held, None)):
            end = more[1] + len(more[0])
        if _letters(raw[start:end]) != wanted:
            return None
        found.append((raw[start:end], start))
    return found if next(held, None) is None else None


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


class _Measure:
    """Asks pdfium of single characters of a page. Each call takes about a microsecond, so only few are asked of."""

    def __init__(self, textpage: Any, length: int) -> None:
        import pypdfium2.raw

        self._raw = pypdfium2.raw
        self._page = textpage
        self._doubles = [ctypes.c_double() for _ in range(4)]
        self._matrix = pypdfium2.raw.FS_MATRIX()
        self._name = ctypes.create_string_buffer(64)
        self._flags = ctypes.c_int()
        count = textpage.count_chars()
        # Characters without a meaning are not in the text. Where there are none, no place has to be asked for.
        self._alike = count == length and self._raw.FPDFText_GetCharIndexFromTextIndex(textpage, count - 1) == count - 1

    def line(self, text: str, place: int, raw: str) -> Line:
        """The line whose text begins at `place` of the page's text, where it reads `raw`."""
        first = place + len(raw) - len(raw.lstrip())
        last = place + len(raw.rstrip()) - 1
        middle = (first + last) // 2
        while raw[middle - place].isspace() and middle < last:
            middle += 1
        left, base = self._origin(self._index(first))
        size = self._size(self._index(middle))
        text = text.strip()
        bold = len(text) <= 120 and NUMBERED_LINE.match(text) is not None and self._is_bold(self._index(middle))
        return Line(
            text, left, self.sides(self._index(last))[1], base, size, bold, place + len(raw) - len(raw.lstrip())
        )

    def _index(self, place: int) -> int:
        return place if self._alike else max(self._raw.FPDFText_GetCharIndexFromTextIndex(self._page, place), 0)

    def _origin(self, index: int) -> tuple[float, float]:
        x, y, *_ = self._doubles
        self._raw.FPDFText_GetCharOrigin(self._page, index, x, y)
        return x.value, y.value

    def _size(self, index: int) -> float:
        """Points as they are shown: many programs write size 1 and scale it."""
        size: float = self._raw.FPDFText_GetFontSize(self._page, index)
        if self._raw.FPDFText_GetMatrix(self._page, index, self._matrix):
            size *= math.hypot(self._matrix.c, self._matrix.d)
        return round(size * 2) / 2

    def _is_bold(self, index: int) -> bool:
        if self._raw.FPDFText_GetFontWeight(self._page, index) >= 600:
            return True
        self._raw.FPDFText_GetFontInfo(self._page, index, self._name, len(self._name), self._flags)
        return _BOLD.search(self._name.value) is not None

    def sides(self, index: int) -> tuple[float, float]:
        """Left and right of a character."""
        left, right, bottom, top = self._doubles
        if not self._raw.FPDFText_GetCharBox(self._page, index, left, right, bottom, top):
            return 0.0, 0.0
        return left.value, right.value

    def count_runs(self) -> int:
        """How many runs of text the page is drawn with."""
        count: int = self._raw.FPDFText_CountRects(self._page, 0, -1)
        return count

    def runs(self) -> list[tuple[float, float]]:
        """Left and right of the runs of text that the page is drawn with, of some of them where there are very many."""
        count = self.count_runs()
        left, top, right, bottom = self._doubles
        runs = []
        for index in range(0, count, count // _MOST_RECTANGLES + 1):
            if self._raw.FPDFText_GetRect(self._page, index, left, top, right, bottom):
                runs.append((left.value, right.value))
        return runs

    def cells(self, line: Line) -> list[tuple[str, float, float]]:
        """The parts of a line between which there is room for two letters, each with its left and right."""
        found, begin, left = list[tuple[str, float, float]](), 0, line.left
        for blank in re.finditer(r"\s+", line.text):
            _, right = self.sides(self._index(line.first + blank.start() - 1))
            after, _ = self.sides(self._index(line.first + blank.end()))
            if after - right > _APART * line.size:
                found.append((line.text[begin : blank.start()], left, right))
                begin, left = blank.end(), after
        return [*found, (line.text[begin:], left, line.right)]

    def is_bold(self, line: Line) -> bool:
        """Whether a line is, by its first letter."""
        return self._is_bold(self._index(line.first))

    def parted(self, line: Line, gutter: float) -> tuple[Line, Line] | None:
        """A line that runs across two columns as the two that it is; None for one that is a single line."""
        for place in range(1, len(line.text)):
            if line.text[place].isspace():
                continue
            left, _ = self.sides(self._index(line.first + place))
            if left < gutter:
                continue
            before = line.text[:place].rstrip()
            _, right = self.sides(self._index(line.first + len(before) - 1))
            if right > gutter or left - right < _GUTTER:
                return None
            return (
                replace(line, text=before, right=right),
                replace(line, text=line.text[place:], left=left, first=line.first + place),
            )
        return None


def _in_columns(lines: list[Line], measure: _Measure) -> list[Line]:
    """The same lines, two columns that were written side by side put one after the other."""
    if len(lines) < _COLUMN_LINES or not all(line.right > line.left for line in lines):
        return lines
    backward = sum(after.base >= before.base for before, after in pairwise(lines))
    if backward < _COLUMN_LINES // 2 and measure.count_runs() < len(lines) + _COLUMN_LINES // 2:
        return lines
    gutter = _gutter(measure.runs(), lines)
    if gutter is None:
        return lines
    parted: list[Line] = []
    torn = 0
    for line in lines:
        halves = measure.parted(line, gutter) if line.left < gutter < line.right else None
        torn += halves is not None
        parted += halves or (line,)
    left = [line for line in parted if line.right <= gutter]
    right = [line for line in parted if line.left >= gutter]
    if not (_is_column(left) and _is_column(right)):
        return lines
    back = sum(before.left >= gutter >= after.right for before, after in pairwise(parted)) - torn
    if torn < _COLUMN_LINES // 2 and back < _COLUMN_LINES // 2:
        return lines
    return list(_by_column(sorted(parted, key=lambda line: -line.base), gutter))


def _gutter(runs: Sequence[tuple[float, float]], lines: Sequence[Line]) -> float | None:
    """The middle of a clear strip in the middle of the page that hardly a run of text crosses."""
    start, end = int(min(line.left for line in lines)), int(max(line.right for line in lines)) + 1
    if not 100 <= end - start <= 20_000:
        return None
    steps = [0] * (end - start + 2)
    for left, right in runs:
        first, last = max(int(left) - start, 0), min(math.ceil(right) - start, end - start)
        if first < last:
            steps[first] += 1
            steps[last] -= 1
    cover = list(accumulate(steps))
    allowed = max(cover) * 0.1
    third = (end - start) // 3
    best: tuple[int, int] = (0, 0)
    opened = None
    for place in range(third, end - start - third + 1):
        clear = cover[place] <= allowed
        if clear and opened is None:
            opened = place
        elif not clear:
            opened = None
        if opened is not None and place - opened > best[1] - best[0]:
            best = (opened, place)
    return start + sum(best) / 2 if best[1] - best[0] >= _GUTTER else None


def _is_column(lines: Sequence[Line]) -> bool:
    """Whether lines fill a column of text, as the cells of a table do not."""
    if len(lines) < _COLUMN_LINES:
        return False
    width = max(line.right for line in lines) - min(line.left for line in lines)
    return sorted(line.right - line.left for line in lines)[len(lines) // 2] >= 0.6 * width


def _by_column(lines: Sequence[Line], gutter: float) -> Iterator[Line]:
    """Lines from top to bottom: between those that cross the gutter, the left column, then the right one."""
    right: list[Line] = []
    for line in lines:
        if line.left < gutter < line.right:
            yield from right
            right = []
            yield line
        elif line.left >= gutter:
            right.append(line)
        else:
            yield line
    yield from right


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
        line = lines[index]
        if line.size < body * _LARGER and not (line.bold and line.size >= body * 0.97):
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
