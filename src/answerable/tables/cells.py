"""A table as columns of words, numbers and dates, each cell with where it stands in its document."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from answerable.corpora.paragraphs import rows_from
from answerable.corpora.tables import LONGEST_NAME, cell_spans, row_line
from answerable.corpora.values import TIME, date, in_years, number, version
from answerable.text import words
from answerable.types import Document

_TOKEN = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d+|[^\W\d_]+")
_COMMA = re.compile(r"\d,\d{1,2}(?!\d)")
_POINT = re.compile(r"\d\.\d{1,2}(?!\d)|\d,\d{3}(?!\d)")
_THOUSANDS = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{3})+(?![\d.])")
_COMMAS = re.compile(r"[,;]\s")
_PADDED = re.compile(r"0\d[\d ]*")
_DIGITS = re.compile(r"\d[\d ]*")
_SIGN = re.compile(r"[$€£¥]")
_WHOLE_YEAR = re.compile(r"\W*(?:1\d|20)\d\d\W*")
_SLASHED = re.compile(r"\s*(\d{1,2})[/.](\d{1,2})[/.](\d{4}|\d\d)\b.*")
_MONTHLY = re.compile(r"\s*(?:(\d{1,2})[/.-]((?:1[5-9]|20)\d\d)|((?:1[5-9]|20)\d\d)[/.-](\d\d))\s*")
_ENDINGS = ("ies", "ing", "ed", "es", "s")
_DAYS = {day: day[:3] for day in "monday tuesday wednesday thursday friday saturday sunday".split()} | {
    short: short[:3] for short in "tues weds thur thurs".split()
}
_NAME = re.compile(r"(?:[A-Z][\w.'’-]*|de|van|von|of|the|&)(?:\s+(?:[A-Z][\w.'’-]*|de|van|von|of|the|&)){1,4}")
FLAGS = {
    "yes": "yes",
    "y": "yes",
    "true": "yes",
    "x": "yes",
    "✓": "yes",
    "no": "no",
    "n": "no",
    "false": "no",
    "-": "no",
}
"""What the cells of a column of yes and no say."""
_CODES = frozenset("id nr ref reference code key sku isbn".split())
_NUMBERED = frozenset("no num number".split())
"""What columns are called last whose numbers name; the latter ones may count, but where they come first."""
_SUMS = frozenset("total totals sum subtotal average overall".split())
MOST_ROWS = 5_000
"""Rows of a table that is looked at whole."""


def tokens(text: str) -> tuple[str, ...]:
    """Lower-case words and numbers, in order; a number keeps its commas and its point."""
    return tuple(_TOKEN.findall(text.casefold()))


def stem(word: str) -> str:
    """A word without the ending of a plural or of a verb; of a day of the week three letters, as tables write it."""
    word = _DAYS.get(word) or _DAYS.get(word.removesuffix("s"), word)
    for end in _ENDINGS:
        if len(word) - len(end) >= 3 and word.endswith(end):
            return word[: -len(end)] + ("y" if end == "ies" else "")
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def stems(text: str) -> tuple[str, ...]:
    """The stem of each of a text's `tokens`."""
    return tuple(map(stem, tokens(text)))


def with_commas(cells: Iterable[str]) -> bool:
    """Whether a column has commas before its decimals ("1.234,56"), or would have: of its amounts of money those of a
    thousand or more alone have a point ("€620", "€1.250")."""
    told = [*cells]
    if any(map(_POINT.search, told)):
        return False
    money = [cell for cell in told if _SIGN.search(cell)]
    whole = [number(cell) or 0 for cell in money if not _THOUSANDS.search(cell)]
    return any(map(_COMMA.search, told)) or (0 < len(whole) < len(money) and max(whole) < 1000)


@dataclass(frozen=True)
class Order:
    """A column that can be ordered: whether by "number" or by "date", and the value of each cell that has one."""

    kind: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class TablePlace:
    """Characters [start, end) of a document that are rows of a table, the names of its columns, and its title; in a
    page the `heading` above it that is not the page's title."""

    start: int
    end: int
    header: Sequence[str]
    title: str
    heading: str = ""


def tables_in(document: Document, start: int, end: int) -> Iterator[TablePlace]:
    """Where the tables lie that some of the characters [start, end) are in, of those that are known. One of a page is
    called after the page and the heading above it."""
    if document.offset:
        return
    if document.kind == "table":
        if header := document.meta.get("header"):
            yield TablePlace(rows_from(document), len(document.text), header, document.title)
        return
    for first, last, header in document.meta.get("tables") or ():
        if first < end and start < last:
            above = [document.title, *(one.title for one in document.sections if one.start <= first < one.end)][-1]
            heading = above if above != document.title else ""
            yield TablePlace(first, last, header, ", ".join(filter(None, (document.title, heading))), heading)


def table_in(document: Document, start: int, end: int) -> TablePlace | None:
    """The first of `tables_in`; None where none is known."""
    return next(tables_in(document, start, end), None)


@dataclass(frozen=True, eq=False)
class Table:
    """`rows` of cells under the names in `header`, a cell for each. `places`: characters of each row in its document;
    `cells`: of each cell, (0, 0) where it is empty."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    places: tuple[tuple[int, int], ...] = ()
    cells: tuple[tuple[tuple[int, int], ...], ...] = ()

    @staticmethod
    def of(document: Document) -> Table | None:
        """The table that a document is; None where it is none, has no header, is over `MOST_ROWS`, or where its lines
        cannot be taken apart into cells for certain."""
        place = table_in(document, 0, len(document.text)) if document.kind == "table" else None
        return Table.read(document.text, place) if place else None

    @staticmethod
    def read(text: str, place: TablePlace) -> Table | None:
        """The lines of a place as rows, as `of`."""
        begin, last = place.start, place.end
        if not any(place.header) or text.count("\n", begin, last) >= MOST_ROWS:
            return None
        labels = [name[:LONGEST_NAME].rstrip(" :").replace("_", " ") for name in place.header]
        rows, places, cells = [], [], []
        while begin < last:
            end = text.find("\n", begin, last)
            end = last if end < 0 else end
            row, spans = _row(text, begin, end, labels)
            if row_line(labels, row)[0] != text[begin:end]:
                return None  # what a cell says looks like the name of another
            rows.append(row)
            places.append((begin, end))
            cells.append(spans)
            begin = end + 1
        return Table(place.title, tuple(labels), tuple(rows), tuple(places), tuple(cells)) if rows else None

    @cached_property
    def every(self) -> int:
        """All rows, as bits, but the first and the last ones that sum up others: that are called so, and are so if they
        are also called after something."""
        ends = len(self.rows)
        while ends and self._sums_up(ends - 1, range(ends - 1), 0.0):
            ends -= 1
        begins = 0
        while begins < ends and self._leads(begins, ends):
            begins += 1
        return (1 << ends) - (1 << begins) or (1 << len(self.rows)) - 1

    def _leads(self, row: int, ends: int) -> bool:
        """Whether a row sums up some right below it: two or more, in most of its numbers."""
        runs = range(row + 3, ends + 1) if _called_sum(self.rows[row]) else ()
        return any(self._sums_up(row, range(row + 1, end), 0.5) for end in runs)

    def _sums_up(self, row: int, others: Sequence[int], share: float) -> bool:
        """Whether a row is called a sum and is one of the others, in more than this share of its numbers."""
        label = _called_sum(self.rows[row])
        if not label or len(label) == 1:
            return bool(label)
        told = [(order.values, value) for order in self.orders.values() if (value := order.values[row])]
        sums = [math.isclose(sum(have[at] or 0.0 for at in others), own, rel_tol=0.01) for have, own in told]
        return sum(sums) > share * len(sums)

    @cached_property
    def stems(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        """Of each column the stems in each cell."""
        return tuple(tuple(stems(row[column]) for row in self.rows) for column in range(len(self.header)))

    @cached_property
    def items(self) -> tuple[tuple[tuple[tuple[str, ...], ...], ...], ...]:
        """Of each column the stems of each thing that a cell lists: "service, new pump"."""
        listed = ([_COMMAS.split(row[column]) for row in self.rows] for column in range(len(self.header)))
        return tuple(tuple(tuple(map(stems, one)) if one[1:] else () for one in cells) for cells in listed)

    @cached_property
    def heads(self) -> tuple[tuple[str, ...], ...]:
        """The stems in the name of each column."""
        return tuple(map(stems, self.header))

    @cached_property
    def orders(self) -> dict[int, Order]:
        """The columns that can be ordered: more than half of what is filled are dates, or three in five numbers."""
        found = {}
        for column in range(len(self.header)):
            cells = [row[column] for row in self.rows]
            order = Order("number", tuple(map(version, cells))) if column in self.versions else _order(cells)
            if order is not None:
                found[column] = order
        return found

    @cached_property
    def versions(self) -> frozenset[int]:
        """The columns of versions, which are ordered part by part: of several parts, or called so."""
        found = set()
        for column, head in enumerate(self.heads):
            cells = [row[column] for row in self.rows if row[column]]
            told = [cell for cell in cells if version(cell) is not None]
            parted = any(cell.count(".") > 1 and not _SLASHED.fullmatch(cell) for cell in told)
            if 2 * len(told) > len(cells) and ("version" in head or parted):
                found.add(column)
        return frozenset(found)

    @cached_property
    def naming(self) -> frozenset[int]:
        """The columns of whole numbers, each once, that are called a number or a code: nothing is added up by them."""
        found = set()
        for column, head in enumerate(map(tokens, self.header)):
            told = [row[column] for row in self.rows if row[column]]
            named = _CODES.intersection(head[-1:]) or (column == 0 and _NUMBERED.intersection(head[-1:]))
            if (named or "#" in self.header[column]) and len({*told}) == len(told) and all(map(str.isdecimal, told)):
                found.add(column)
        return frozenset(found)

    @cached_property
    def shapes(self) -> tuple[str, ...]:
        """What the cells of each column look like: "money", "share", "time", "rank" or "number"; "year" or "date";
        "flag", "class" (few values), "name", "code", "prose", "key" (all differ) or "text"."""
        columns = range(len(self.header))
        return tuple(_shape([row[column] for row in self.rows], self.orders.get(column)) for column in columns)


def _called_sum(row: Sequence[str]) -> list[str]:
    """The words that a row is called by, if these say that it sums up others."""
    label = words(next(filter(None, row), ""))
    return label if label and label[0] in _SUMS else []


def _row(text: str, begin: int, end: int, labels: Sequence[str]) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...]]:
    """The cells of a line and where each stands: a piece goes to the next column of its name."""
    row, spans = [""] * len(labels), [(0, 0)] * len(labels)
    at = 0
    for start, stop in cell_spans(text, begin, end, labels):
        later = range(at, len(labels))
        own = next(
            (column for column in later if labels[column] and text.startswith(f"{labels[column]}: ", start)), None
        )
        column = next((column for column in later if not labels[column]), None) if own is None else own
        if column is not None:
            start += len(labels[column]) + 2 if labels[column] else 0
            row[column], spans[column], at = text[start:stop], (start, stop), column + 1
    return tuple(row), tuple(spans)


def _order(cells: Sequence[str]) -> Order | None:
    filled = sum(any(map(str.isalnum, cell)) for cell in cells)
    if not filled:
        return None
    if len({sign[0] for cell in cells if (sign := _SIGN.search(cell))}) > 1:
        return None  # of several currencies
    years = [number(cell) if _WHOLE_YEAR.fullmatch(cell) else None for cell in cells]
    slashed = [cell for cell in cells if _SLASHED.fullmatch(cell)]
    dates = _slashed(cells) or _monthly(cells, filled) or [date(cell) for cell in cells]
    if len(slashed) * 2 > filled and not any(dates):
        return None  # some have the day first and some the month
    if sum(day is not None for day in dates) * 2 >= filled:
        return Order("date", tuple(year if day is None else day for day, year in zip(dates, years, strict=True)))
    pointed = [cell.replace(".", "").replace(",", ".") for cell in cells] if with_commas(cells) else cells
    numbers = None if _padded(cells) else [number(cell) for cell in pointed]
    if numbers is None or sum(value is not None for value in numbers) * 5 < filled * 3:
        return None
    kind = "date" if sum(year is not None for year in years) * 2 > filled else "number"
    return Order(kind, tuple(numbers))


def _padded(cells: Sequence[str]) -> bool:
    """Whether numbers only name what they stand for, as nobody writes a zero before an amount: "0405", and those of
    telephones."""
    told = [cell.strip() for cell in cells if cell.strip()]
    padded = sum(bool(_PADDED.fullmatch(cell)) for cell in told)
    alike = len({sum(map(str.isdigit, cell)) for cell in told}) == 1
    return ((padded > 0 and alike) or 2 * padded > len(told)) and all(map(_DIGITS.fullmatch, told))


def _shape(cells: Sequence[str], order: Order | None) -> str:
    filled = [cell for cell in cells if cell]
    if order and order.kind == "date":
        return "year" if all(value is None or not value % 1 for value in order.values) else "date"
    looks = _NUMBERS if order else _TEXTS
    for shape, fits in looks:
        if 2 * sum(fits(cell) not in (None, False) for cell in filled) > len(filled):
            return shape
    if order:
        values = [value for value in order.values if value is not None]
        return "rank" if values == [values[0] + at for at in range(len(values))] else "number"
    if len({*filled}) * 3 <= len(filled):
        return "class"
    if sum(len(cell.split()) for cell in filled) > 5 * len(filled):
        return "prose"
    return "key" if len({*filled}) == len(filled) else "text"


_NUMBERS: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("money", re.compile(r"[$€£¥]").search),
    ("share", re.compile(r"%").search),
    ("time", TIME.match),
)
_TEXTS: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("flag", lambda cell: cell.casefold() in FLAGS),
    ("name", _NAME.fullmatch),
    ("code", re.compile(r"\w*\d\w*|\w*\d[\w-]*").fullmatch),
)


def _slashed(cells: Sequence[str]) -> list[float | None] | None:
    """Days as 31/12/2024, or as 12/31/2024 where only that can be; None for other cells."""
    found = [_SLASHED.fullmatch(cell) for cell in cells]
    pairs = [(int(one[1]), int(one[2])) for one in found if one]
    turned = any(second > 12 for _, second in pairs)
    if not pairs or any((first if turned else second) > 12 for first, second in pairs):
        return None
    days: list[float | None] = []
    for one in found:
        year = int(one[3]) + (2000 if len(one[3]) == 2 else 0) if one else 0
        day, month = (int(one[2]), int(one[1])) if one and turned else (int(one[1]), int(one[2])) if one else (0, 0)
        days.append(in_years(year, month, day) if one else None)
    return days


def _monthly(cells: Sequence[str], filled: int) -> list[float | None] | None:
    """Months as 03/2024 or 2024-03; None where fewer than half of what is filled are some, and for years that each
    go on into the next: 2001-02, 2002-03."""
    found = [_MONTHLY.fullmatch(cell) for cell in cells]
    pairs = [(int(one[2] or one[3]), int(one[1] or one[4])) if one else None for one in found]
    told = [pair for pair in pairs if pair]
    seasons = all(one and one[3] and (int(one[3]) + 1) % 100 == int(one[4]) for one in found if one)
    if 2 * len(told) < filled or seasons or any(not 1 <= month <= 12 for _, month in told):
        return None
    return [pair and in_years(*pair, 1) for pair in pairs]
