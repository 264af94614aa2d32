"""Tables on a PDF page: lines whose cells stand below those of a line that names columns, each as `row_line` writes it.

What parts cells is a wide gap; what makes columns of them is that the cells of each row stand below one name each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from answerable.corpora.sources import clean
from answerable.corpora.tables import is_number, row_line, split_header

Cell = tuple[str, float, float]
"""What a cell says, and its left and right in points."""
_LEAST = 2
"""Rows of a table below the names of its columns."""
_NAME = re.compile(r"(?=\S*(?:[^\W\d_]{2}|(?:19|20)\d\d))[^=:;<>|[\]{}\s]+(?: \S+){,5}")
"""The name of a column: a few words, or a year, and no piece of a program or a formula."""
_NAMES = 14
"""Words of all names together, at most: lines of prose need not be measured."""
_FAR = 4
"""Sizes of letters that a row may stand below the one above it."""
_WRAPPED, _APART = 1.35, 1.5
"""Sizes of letters that a line stands at most below the cell that it goes on with, and a row at least below another."""
_SET_OFF = 1.15
"""How much further from the rows the names of columns stand, at least."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page. `left`, `right` and `base` (upwards) are in points, as is the `size` of its letters; all are 0
    where the page does not tell. `bold` is asked only of short lines that begin with a number; `first` is its place
    among the characters of the page. `columns`: their names, of a row of a table."""

    text: str
    left: float = 0.0
    right: float = 0.0
    base: float = 0.0
    size: float = 0.0
    bold: bool = False
    first: int = -1
    columns: tuple[str, ...] = ()


def with_tables(
    lines: Sequence[Line], cells: Callable[[Line], Sequence[Cell]], bold: Callable[[Line], bool]
) -> list[Line]:
    """The lines of a page in their order, those of tables as rows of `columns`, without the ones that name these."""
    parted = cache(cells)
    found: list[Line] = []
    at = 0
    while at < len(lines):
        names = parted(lines[at]) if len(lines[at].text.split()) <= _NAMES else ()
        read = _Read(lines[at], names)
        end = at + 1
        while len(read.columns) > 1 and end < len(lines) and read.takes(lines[end], parted(lines[end])):
            end += 1
        bolder = end > at + 1 and bold(lines[at]) and not bold(lines[at + 1])
        if read.is_table(bolder):
            found += read.rows() or lines[at:end]
            at = end
        else:
            found.append(lines[at])
            at += 1
    return found


class _Read:
    """A table as far as it was read: a line that may name columns, and rows below it."""

    def __init__(self, line: Line, cells: Sequence[Cell]) -> None:
        named = all(_NAME.fullmatch(text) for text, _, _ in cells)
        self.columns = [(left, right) for _, left, right in cells] if named else []
        self.grid = [[clean(text) for text, _, _ in cells]]
        self._lines = [line]

    def takes(self, line: Line, cells: Sequence[Cell]) -> bool:
        """Take a line as the next row, or as more of the last one; False where it is neither."""
        gap = self._lines[-1].base - line.base
        if not 0 < gap <= _FAR * line.size:
            return False
        if len(self.grid) == 1 and cells and cells[0][2] < self.columns[0][0]:  # the first column has no name
            self.columns.insert(0, cells[0][1:])
            self.grid[0].insert(0, "")
        places = [self._column(left, right) for _, left, right in cells]
        if None in places or len({*places}) < len(places):
            return False
        wrapped = len(self.grid) > 1 and gap <= _WRAPPED * line.size and self._apart()
        if not wrapped and (len(cells) < 2 or 0 not in places):  # what sums up a bill stands below its last columns
            return False
        row = self.grid[-1] if wrapped else [""] * len(self.columns)
        for (text, left, right), place in zip(cells, places, strict=True):
            assert place is not None
            row[place] = f"{row[place]} {clean(text)}".strip()
            self.columns[place] = (min(left, self.columns[place][0]), max(right, self.columns[place][1]))
        if wrapped:
            self._lines[-1] = replace(self._lines[-1], base=line.base)
        else:
            self.grid.append(row)
            self._lines.append(line)
        return True

    def is_table(self, bolder: bool) -> bool:
        """Whether the first line names columns of the others: it is `bolder`, or of three names or more that stand
        further from the rows than these from each other, or one of them over numbers."""
        count, wide = len(self.grid) - 1, len(self.columns) > 2
        if count < _LEAST or bolder:
            return bolder and (wide or count >= _LEAST)
        above, below, *_ = (one.base - other.base for one, other in pairwise(self._lines))
        told = zip(*self.grid, strict=True)
        numbers = any(not is_number(name) and all(map(is_number, cells)) for name, *cells in told)
        return wide and (above > _SET_OFF * below or numbers)

    def rows(self) -> list[Line]:
        """The rows as lines; none where no line names columns."""
        header, body = split_header(self.grid)
        lines, columns = self._lines[len(self._lines) - len(body) :], tuple(header)
        told = zip(lines, body, strict=True)
        return [replace(line, text=row_line(header, row)[0], columns=columns) for line, row in told if header]

    def _column(self, left: float, right: float) -> int | None:
        """The one column that a cell stands in; None where it stands in several or in none."""
        under = [at for at, (first, last) in enumerate(self.columns) if left < last and first < right]
        return under[0] if len(under) == 1 else None

    def _apart(self) -> bool:
        """Whether rows stand so far from each other that what is near below one goes on with it."""
        return self._lines[0].base - self._lines[1].base >= _APART * self._lines[0].size
