"""A question as a table is asked it: its words, numbers and months, and conditions on rows that it may mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from answerable.corpora.values import MONTHS, NUMERALS, UNITS, date
from answerable.tables.cells import FLAGS, Order, Table, stem, stems, tokens

ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_NUMBERS = {word: float(at) for at, word in enumerate(NUMERALS)} | {w: float(at) for at, w in enumerate(ORDINALS, 1)}
_TIMES = {"k": 1e3, "thousand": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9}
_COMMON = frozenset(
    "a an the of in on at to for from by with and or is are was were be been being do does did has have had how many "
    "much what which who whom whose when where why that this these those it its their his her there than as not no "
    "name list tell me show give many any all each other total number yet already still didn don haven hasn isn aren "
    "wasn t".split()
)
_DENYING = frozenset(
    "not no never without except excluding non neither nor unlike t besides other missing empty lacking none didn don "
    "haven hasn isn aren wasn unpaid".split()
)
_COMPARING = frozenset("over above under below exceeding exceed exceeds than least most".split())
_NOTHING = frozenset(("n/a", "na", "none", "-", "–", "—", "?", "unknown", "tba", "tbd"))
_HAVING = frozenset(("have", "has", "ha", "with"))
ORDERS = frozenset((">", "<", ">=", "<="))
_MOST, _MOST_ORDERS, _MOST_DENIED = 14, 16, 8
_LONGEST = 60
"""Words of a question that are looked at."""
_NAMING = frozenset(("full", "part", "number"))
_NEAR = 3
"""Words before that of a column of yes and no in which a "not" is of it."""
_ALIKE = 5
"""Letters by which a word names a column of yes and no."""
_QUANTITY = frozenset(map(stem, "qty quantity pcs pieces units count stock hand available in on of".split()))
"""Words of the name of a column that tells how many there are of what a row names."""
_LONGEST_CELL = 40
"""Words of a cell that are looked at."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The `words` of a question and their `stems`.

    `numbers`: the words [start, end) that name each, its value, and of a month of a year how long it lasts, in years.
    `months`: each with the word that names it. Whether it `denies` something; which words are `telling` (places).
    """

    words: tuple[str, ...]
    stems: tuple[str, ...]
    numbers: tuple[tuple[int, int, float, float], ...]
    months: tuple[tuple[int, int], ...]
    denies: bool
    telling: tuple[int, ...]

    @staticmethod
    def of(question: str) -> Asked:
        """Take a question apart."""
        said = tokens(question)[:_LONGEST]
        numbers: list[tuple[int, int, float, float]] = []
        for at, word in enumerate(said):
            value = float(word.replace(",", "")) if word[0].isdecimal() else _NUMBERS.get(word)
            if value is not None:
                numbers.append((at, at + 1, value, 0.0))
                if at + 1 < len(said) and (times := _TIMES.get(said[at + 1])):
                    numbers.append((at, at + 2, value * times, 0.0))
        months = [(at, MONTHS[word]) for at, word in enumerate(said) if word in MONTHS]
        for at, _ in months:
            for start, end in ((at, at + 3), (at, at + 2), (at - 1, at + 2), (at - 1, at + 1)):
                near = said[start:end] if start >= 0 and end <= len(said) else ()
                day = date(" ".join(near)) if any(word[0].isdecimal() for word in near) else None
                if day:
                    numbers.append((start, end, day, 0.0 if any(len(word) < 3 for word in near) else 1 / 12))
                    break
        telling = tuple(at for at, word in enumerate(said) if word not in _COMMON)
        denies = not _DENYING.isdisjoint(said)
        return Asked(said, tuple(map(stem, said)), tuple(numbers), tuple(months), denies, telling)

    def repeats(self, values: tuple[str, ...] | float) -> bool:
        """Whether cells say no word that the question does not, and it offers none to choose from: "x or y", "which
        of x and y"."""
        if isinstance(values, float) or "or" in self.words or ("which", "of") in pairwise(self.words):
            return False
        said = {word for value in values for word in stems(value)}
        return bool(said) and said <= {*self.stems}


class Condition(NamedTuple):
    """Rows, as bits, by a cell of `column`: "full", all words of it or of a thing that it lists are those [start, end)
    of the question; "part", some are; "number", "month", an order (`ORDERS`), "yes", "no", "filled", "empty"; "not",
    none of such; "near", they are near to what it says. `size`: words of the cell."""

    column: int
    rows: int
    kind: str
    start: int
    end: int
    size: int


def bits(flags: list[bool]) -> int:
    """The places of what is true, as bits."""
    return sum(1 << at for at, flag in enumerate(flags) if flag)


def conditions(asked: Asked, table: Table) -> list[Condition]:
    """What the question may mean by its words, likeliest first: the same rows of a column once."""
    found: dict[tuple[int, int], Condition] = {}
    orders: dict[tuple[int, int, str], Condition] = {}
    for column in range(len(table.header)):
        made = [*_by_words(asked, table, column), *_by_filling(asked, table, column)]
        if column in table.orders:
            values, compared = _by_value(asked, table.orders[column], column)
            made += values
            for one in compared:
                if rows := one.rows & table.every:
                    orders.setdefault((column, rows, one.kind), one._replace(rows=rows))
        for one in (one._replace(rows=one.rows & table.every or one.rows) for one in made):
            if _compared(asked, one):
                continue
            old = found.get((column, one.rows))
            if one.rows and (old is None or _better(one) > _better(old)):
                found[column, one.rows] = one
    common = {*range(len(asked.words))} - {*asked.telling}
    ranked = sorted(
        found.values(),
        key=lambda one: (one.kind != "full", -len({*range(one.start, one.end)} - common), one.rows.bit_count()),
    )[:_MOST]
    denied = [
        Condition(one.column, rest, "not", one.start, one.end, one.size)
        for one in (ranked[:_MOST_DENIED] if asked.denies else [])
        if one.kind in ("full", "part", "number", "month") and (rest := table.every & ~one.rows)
    ]
    named = [bool({*head} & {*asked.stems}) for head in table.heads]
    compared = sorted(orders.values(), key=lambda one: not named[one.column])[:_MOST_ORDERS]
    return [*ranked, *denied, *compared]


def counted(asked: Asked, table: Table) -> tuple[int, range] | None:
    """The column by which a table tells "how many", and the words that say of what: the one in the unit that is asked
    for ("how many km"), of any rows (no words), or the one of quantities, of what cells call so and neither columns nor
    the table are called. None for no column."""
    at = next((at for at, pair in enumerate(pairwise(asked.words), 2) if pair == ("how", "many")), len(asked.words))
    told = [column for column, order in table.orders.items() if order.kind == "number" and column not in table.naming]
    unit = _units(asked.words[at : at + 1])
    if unit and len(measured := [one for one in told if unit <= _units(tokens(table.header[one]))]) == 1:
        return measured[0], range(0)
    at += 2 if unit and asked.words[at + 1 : at + 2] == ("of",) else 0
    end = next((end for end in range(at, len(asked.words)) if asked.words[end] in _COMMON), len(asked.words))
    quantities = [one for one in told if table.heads[one] and _QUANTITY.issuperset(table.heads[one])]
    held = {word for column in table.stems for cell in column for word in cell}
    called = held.difference(stems(table.title), *table.heads).issuperset(asked.stems[at:end])
    return (quantities[0], range(at, end)) if at < end and called and len(quantities) == 1 else None


def _units(said: Sequence[str]) -> set[tuple[str, float]]:
    """What units among words measure, and how much of that they are."""
    return {UNITS[one] for word in said for one in (word, word.removesuffix("s")) if one in UNITS}


def asked_again(named: str, question: str, table: Table) -> str | None:
    """A question with another thing in the place of what it names in the same column: "Where does Kim live?" of "Kim"
    and "Where does Bo live?". None where the table has not both in one."""
    new, old = Asked.of(named), Asked.of(question)
    held = [one for one in conditions(old, table) if one.kind in _NAMING]
    for one in conditions(new, table):
        other = next((it for it in held if it.column == one.column and it.rows != one.rows), None)
        if one.kind in _NAMING and other is not None:
            said = r"[\W_]*".join(map(re.escape, old.words[other.start : other.end]))
            put = " ".join(new.words[one.start : one.end])
            return re.sub(rf"(?<!\w){said}(?!\w)", put, question.casefold(), count=1)
    return None


def _compared(asked: Asked, one: Condition) -> bool:
    """Whether a word before a number says that it is compared with, as "over 200" does, and not what a cell is."""
    numbers = one.end > one.start and all(asked.words[at][0].isdecimal() for at in range(one.start, one.end))
    return numbers and not _COMPARING.isdisjoint(asked.words[max(0, one.start - 2) : one.start])


def _better(one: Condition) -> tuple[bool, int]:
    return one.kind == "full", one.end - one.start


def _by_words(asked: Asked, table: Table, column: int) -> list[Condition]:
    """Runs of the question's words that cells hold."""
    said = asked.stems
    at_word: dict[str, list[int]] = {}
    for at, word in enumerate(said):
        at_word.setdefault(word, []).append(at)
    cells = table.stems[column]
    alike: dict[tuple[str, ...], int] = {}
    for row, cell in enumerate(cells):
        alike[cell] = alike.get(cell, 0) | 1 << row
    listed: dict[tuple[str, ...], int] = {}
    for row, items in enumerate(table.items[column]):
        for item in items:
            listed[item] = listed.get(item, 0) | 1 << row
    runs: dict[tuple[int, int], tuple[int, int]] = {}
    for cell, own in alike.items():
        for first, word in enumerate(cell[:_LONGEST_CELL]):
            for at in at_word.get(word, ()):
                if first and at and cell[first - 1] == said[at - 1]:
                    continue
                length = 1
                while said[at + length : at + length + 1] == cell[first + length : first + length + 1] != ():
                    length += 1
                if length < len(cell) and all(word in _COMMON for word in asked.words[at : at + length]):
                    continue
                size, rows = runs.get((at, at + length), (len(cell), 0))
                runs[at, at + length] = (min(size, len(cell)), rows | own)
    made = []
    for (start, end), (size, rows) in runs.items():
        for (first, last), (_, others) in runs.items():  # what holds the longer run holds the shorter
            if first <= start and end <= last:
                rows |= others
        full = alike.get(said[start:end], 0) | listed.get(said[start:end], 0)
        made.append(Condition(column, full, "full", start, end, end - start))
        if rows != full:
            made.append(Condition(column, rows, "part", start, end, size))
    return made


def _by_filling(asked: Asked, table: Table, column: int) -> list[Condition]:
    """Whether cells are filled, where the question has or lacks something, and what they answer to its words."""
    cells = table.stems[column]
    filled = bits([bool(row[column]) and row[column].casefold() not in _NOTHING for row in table.rows])
    whole = (1 << len(cells)) - 1
    made = []
    if filled not in (0, whole) and (asked.denies or not _HAVING.isdisjoint(asked.stems)):
        made += [Condition(column, filled, "filled", 0, 0, 0), Condition(column, whole & ~filled, "empty", 0, 0, 0)]
    named = {word[:_ALIKE] for word in table.heads[column]}
    at = next((at for at, word in enumerate(asked.stems) if word[:_ALIKE] in named), None)
    if at is not None and table.shapes[column] == "flag":
        said = [FLAGS.get(row[column].casefold()) for row in table.rows]
        denied = not _DENYING.isdisjoint(asked.words[max(0, at - _NEAR) : at + 1])
        unsure = denied != asked.denies or not _DENYING.isdisjoint(table.heads[column])
        meant = ("yes", "no") if unsure else ("no",) if denied else ("yes",)
        made += [Condition(column, bits([one == word for one in said]), word, at, at + 1, 1) for word in meant]
    return made


def _by_value(asked: Asked, order: Order, column: int) -> tuple[list[Condition], list[Condition]]:
    """Cells of a number, year or month that is named, and those above and below."""
    have = [value for value in order.values if value is not None]
    low, high = min(have), max(have)
    parted = order.kind == "date" and any(value % 1 for value in have)
    told = list(asked.numbers)
    equal, compared = [], []
    for at, month in asked.months if parted else ():
        of_month = [value is not None and int(value % 1 * 12 + 1e-6) + 1 == month for value in order.values]
        equal.append(Condition(column, bits(of_month), "month", at, at + 1, 1))
        if int(low) == int(high):
            told.append((at, at + 1, int(low) + (month - 1) / 12, 1 / 12))
    for start, end, value, lasting in told:
        long = (lasting or (0.0 if value % 1 else 1.0)) if parted else 0.0
        within = [v is not None and (v == value or value <= v < value + long - 1e-9) for v in order.values]
        same = bits(within)
        equal.append(Condition(column, same, "number", start, end, 1))
        far = abs(low) * 0.2, abs(high) * 0.2
        if (order.kind == "date" and value < 1000 <= low) or not low - far[0] <= value <= high + far[1]:
            continue
        above = bits([v is not None and v > value and not w for v, w in zip(order.values, within, strict=True)])
        below = bits([v is not None and v < value for v in order.values])
        for kind, rows in ((">", above), ("<", below), (">=", above | same), ("<=", below | same)):
            compared += [Condition(column, rows, kind, start, end, 1)] if rows else []
    return equal, compared
