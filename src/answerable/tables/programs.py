"""What a question may ask of a table: programs that select rows and say something of them, and what each says.

After Pasupat and Liang 2015 (compositional semantic parsing on semi-structured tables): a small grammar over the
conditions that the question's words may mean, all of it run on the table, so that what fits the question is chosen
among answers.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from answerable.tables.asked import ORDERS, Asked, Condition, counted
from answerable.tables.cells import Table

MOST_VALUES = 12
"""Cells that one answer lists at most."""
_MOST_PAIRS = 48
_PATIENCE = 1_500_000
"""Cells that are looked at for one question: of a large table the likeliest conditions alone."""
_PLACES = (2, 3, 4, 5)
_SAID = frozenset(("full", "part"))
"""Conditions by the words of a cell."""
_RANGE = re.compile(r"(?<!\d)((?:1[5-9]|20)\d\d)\s?[-–—/]\s?(\d{4}|\d\d)(?!\d)")


class Sort(NamedTuple):
    """Which of some rows: "max" or "min" by a column, or "first", "last", "next", "previous" in the table's order
    (column -1); `place` 1 for the foremost, 2 for the second."""

    by: str
    column: int
    place: int


class Selector(NamedTuple):
    """Rows by conditions (their numbers): "all", "one", "both", "either" or "between"; of these, by `sort`."""

    kind: str
    conditions: tuple[int, ...]
    sort: Sort | None


class Program(NamedTuple):
    """`op` of the rows (bits) that `selector` selects: "say" the cells of `column`; "count" the rows, or what these
    count by the column; of the column's values the "kinds", "most" or "fewest" frequent, "sum", "mean", "spread";
    "length" in years of one row; "more", by how many one condition has rows than the other. `values`: the cells said,
    or the number."""

    op: str
    selector: Selector
    column: int
    values: tuple[str, ...] | float
    rows: int


@dataclass(frozen=True, slots=True)
class Said:
    """What a table says, with its probability among all that its programs say; the likeliest program that says it, with
    the question's `words` and conditions, how many of its words are `telling`, and which of these it leaves out: those
    that are `ignored` stand in cells of the table, those that are `unexplained` do not speak for it in any way, and of
    these the `strange` ones are words that the ranking does not know."""

    program: Program
    probability: float
    words: tuple[str, ...]
    conditions: tuple[Condition, ...]
    telling: int
    unexplained: tuple[str, ...]
    ignored: tuple[str, ...]
    strange: tuple[str, ...]

    @property
    def rows(self) -> list[int]:
        """The rows it rests on."""
        return places(self.program.rows)


def places(rows: int) -> list[int]:
    """The rows that are bits of a number, in order."""
    found = []
    while rows:
        low = rows & -rows
        found.append(low.bit_length() - 1)
        rows ^= low
    return found


def programs(asked: Asked, table: Table, known: Sequence[Condition]) -> Iterator[Program]:
    """All programs, each with what it says; none that works out anything else where a table tells the quantities that
    are asked for. `known`: the question's conditions."""
    counts, of = counted(asked, table) or (None, range(0))
    for selector, rows in _selected(asked, table, known):
        at = places(rows)
        if len(at) <= MOST_VALUES and (selector.kind != "all" or selector.sort):
            for column in range(len(table.header)):
                values = tuple(dict.fromkeys(cell for row in at if (cell := table.rows[row][column])))
                if values:
                    yield Program("say", selector, column, values, rows)
        if len(at) == 1:
            for column, years in _lengths(table, at[0]):
                yield Program("length", selector, column, years, rows)
        if not selector.sort:
            said = (known[one] for one in selector.conditions)
            counting = not of or any(one.start < of.stop and of.start < one.end for one in said)
            yield _count(table, selector, rows, at, counts if counting else None)
            if not of:
                yield from _worked_out(table, selector, rows, at, known)


def _selected(asked: Asked, table: Table, known: Sequence[Condition]) -> Iterator[tuple[Selector, int]]:
    plain = [(Selector("all", (), None), table.every)]
    plain += [(Selector("one", (number,), None), one.rows) for number, one in enumerate(known)]
    plain += _pairs(known)[:_MOST_PAIRS]
    once = len(table.rows) * (len(table.header) + 3 * len(table.orders))
    plain = plain[: max(4, _PATIENCE // max(1, once))]
    yield from plain
    nth = [1, *sorted({int(value) for _, _, value, _ in asked.numbers if value in _PLACES})]
    for selector, rows in plain:
        if rows.bit_count() > 1:
            for sort, sorted_rows in _sorted(table, places(rows), nth):
                yield selector._replace(sort=sort), sorted_rows
    for number, one in enumerate(known):
        if one.rows.bit_count() <= 2 and one.kind not in ORDERS:
            at = places(one.rows)
            if at[-1] + 1 < len(table.rows):
                yield Selector("one", (number,), Sort("next", -1, 1)), 1 << (at[-1] + 1)
            if at[0] > 0:
                yield Selector("one", (number,), Sort("previous", -1, 1)), 1 << (at[0] - 1)


def _pairs(known: Sequence[Condition]) -> list[tuple[Selector, int]]:
    made = []
    for first, one in enumerate(known):
        for second, other in enumerate(known[first + 1 :], first + 1):
            if one.start < other.end and other.start < one.end:
                continue
            ordered = (one.kind in ORDERS) + (other.kind in ORDERS)
            both = one.rows & other.rows
            kind = ""
            if one.column != other.column:
                kind, rows = "both" if both not in (0, one.rows, other.rows) else "", both
            elif ordered == 2:
                kind, rows = "between" if one.kind[0] != other.kind[0] and both else "", both
            elif both and {one.kind, other.kind} <= _SAID:  # words of one cell
                kind, rows = "both", both
            elif not ordered:
                kind, rows = "either", one.rows | other.rows
            if kind:
                made.append((Selector(kind, (first, second), None), rows))
    return made


def _sorted(table: Table, at: list[int], nth: Sequence[int]) -> Iterator[tuple[Sort, int]]:
    yield Sort("last", -1, 1), 1 << at[-1]
    for place in nth:
        if place <= len(at):
            yield Sort("first", -1, place), 1 << at[place - 1]
    for column, order in table.orders.items():
        have = [(value, row) for row in at if (value := order.values[row]) is not None]
        distinct = sorted({value for value, _ in have})
        if len(have) < 2:
            continue
        for place in nth:
            if place <= len(distinct):
                for by, wanted in (("max", distinct[-place]), ("min", distinct[place - 1])):
                    yield Sort(by, column, place), sum(1 << row for value, row in have if value == wanted)


def _lengths(table: Table, row: int) -> Iterator[tuple[int, float]]:
    """How many years a row speaks of: from one date to the next, or within a cell."""
    dated = ((column, order.values[row]) for column, order in table.orders.items() if order.kind == "date")
    days = [(column, day) for column, day in dated if day is not None]
    for (column, begin), (_, end) in pairwise(days):
        if end > begin > 1000:
            yield column, float(int(end) - int(begin))
    for column, cell in enumerate(table.rows[row]):
        if found := _RANGE.search(cell):
            end = int(found[2]) if len(found[2]) == 4 else int(found[1][:2] + found[2])
            if end >= int(found[1]):
                yield column, float(end - int(found[1]))


def _count(table: Table, selector: Selector, rows: int, at: list[int], column: int | None) -> Program:
    """How many rows there are, or by a column with numbers how many of something these tell."""
    told = [] if column is None else [table.orders[column].values[row] for row in at]
    if column is None or None in told:
        return Program("count", selector, -1, float(len(at)), rows)
    return Program("count", selector, column, round(math.fsum(filter(None, told)), 6), rows)


def _worked_out(
    table: Table, selector: Selector, rows: int, at: list[int], known: Sequence[Condition]
) -> Iterator[Program]:
    for column in range(len(table.header)):
        tally = Counter(cell for row in at if (cell := table.rows[row][column]))
        if 1 < len(tally) != len(at):
            yield Program("kinds", selector, column, float(len(tally)), rows)
            ranked = tally.most_common()
            top, low = ranked[0][1], ranked[-1][1]
            for op, wanted in (("most", top), ("fewest", low)) if low != top else (("most", top),):
                values = tuple(cell for cell, count in ranked if count == wanted)[:MOST_VALUES]
                yield Program(op, selector, column, values, rows)
        order = table.orders.get(column) if column not in table.naming else None
        have = [value for row in at if (value := order.values[row]) is not None] if order else []
        if order and len(have) > 1:
            spread = max(have) - min(have)
            if order.kind == "number":
                yield Program("sum", selector, column, round(sum(have), 6), rows)
                yield Program("mean", selector, column, round(sum(have) / len(have), 6), rows)
            else:
                spread = float(int(max(have)) - int(min(have)))
            yield Program("spread", selector, column, round(spread, 6), rows)
    if selector.kind == "either":
        one, other = (known[number].rows.bit_count() for number in selector.conditions)
        yield Program("more", selector, -1, float(abs(one - other)), rows)
