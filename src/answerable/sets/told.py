"""What the cells of a table say of constraints, row by row: which columns tell that one fits, or that none does."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from answerable.corpora.citations import place_in
from answerable.corpora.fields import fields_of
from answerable.corpora.values import SIGNS, YEARLESS, version
from answerable.sets.bound import Bound, Size
from answerable.sets.parsing.words import word
from answerable.sets.relations import meant, sameness
from answerable.sets.sizes import THEMSELVES, measured, sizes, unit_in
from answerable.sets.versions import VERSION
from answerable.sets.wanted import Days, Wanted, Words, content, wanted
from answerable.tables.cells import FLAGS, Table
from answerable.tables.ranking import nearness
from answerable.types import Citation, Document

_WHENEVER = frozenset(content("date year"))
"""The words of a column that says when, whatever happened: what was "made" by a Year, but not by what was Sunk."""
_WORDED = frozenset(("class", "text"))
"""What columns look like whose cells say of several rows what they are."""
_NAMING, _FEW, _LONGEST = (*_WORDED, "name", "key"), 30, 40
"""What columns look like whose cells words may mean, how many different ones they have at most, and how long."""
_NEAR = 0.6
"""The cosine of a noun and a name from which on rows may be what it says."""
_PLACES, _PLACE = ("location", "place"), "city"
"""What is near to the name of a column that says where something is: a cable in a "store room" is no room."""
_PEOPLE = frozenset(("people", "persons"))
_PERSONS = ("employee", "member", "patient", "customer", "guest", "pupil", "player", "contact")
"""What people are called in the title of a table of theirs."""
_MONEY = frozenset(content("amount cost fee money pay price rent salary sum"))
"""What columns of money are called."""
_UNIT = re.compile(r" *\( *([^()]*?) *\)")
_BARE = re.compile(r"[\d.,\s]+")
_LETTERS = re.compile(r"[^\W\d_]+")

Columns = frozenset[int]
Held = tuple[Columns, Sequence[bool]]
"""The column that tells of a bound, if one does, and the rows in which that is kept."""


def _last(cell: str) -> str:
    """The last word of a cell that may say what something is; not of a name: Rhode Island is no island."""
    words = _LETTERS.findall(cell)
    return words[-1].lower() if len(words) == 1 or (words and words[-1].islower()) else ""


class _Asked(NamedTuple):
    """A constraint as it is asked: what is wanted, in a `text` that has the noun of what is looked for."""

    wanted: Wanted
    text: str
    noun: str

    def words(self, own: Words) -> str:
        """Its words that are some of a cell's."""
        return " ".join(one for one in self.text.split() if own.intersection(content(one)))


class Told:
    """What the cells of a table say to a query of the words `asked`; its rows are `called` so. `only_near`: whether a
    noun names them in meaning alone."""

    def __init__(self, document: Document, table: Table, called: str, asked: Words) -> None:
        self._document, self.table, self._fields = document, table, fields_of(document)
        self._called = _LETTERS.findall(called.lower())
        self._asked, self.only_near = asked, False
        self._title, self._heads = frozenset(content(table.title)), [frozenset(content(one)) for one in table.header]
        alike = {cell: content(cell) for cell in {cell for row in table.rows for cell in row}}
        flags = [shape == "flag" for shape in table.shapes]
        self._words = [
            [
                head.union(alike[cell]) if cell and not (flag and FLAGS.get(cell.casefold()) == "no") else Words()
                for cell, head, flag in zip(row, self._heads, flags, strict=True)
            ]
            for row in table.rows
        ]
        """Of each cell its words and those of its column's name; none of an empty one, and of one that says no."""

    def told(self, text: str, of: str, named: bool) -> list[Columns | None]:
        """For each row the columns that say that it fits, perhaps none; None where it does not. `named`: the noun must
        be what the table, or the row, is of; where it is not, the constraint is said `of` another.
        Where it denies something, which nothing took apart, no cell tells it."""
        one = wanted(self._in_its_year(text))
        if one.denies:
            return [None] * len(self._words)
        own = one.noun if named else of
        joint = "that " if word(text.split()[0]).kind == "low" else ""
        asked = _Asked(one, text if own in text.lower() else f"{own} {joint}{text}", own)
        noun = frozenset(content(one.noun)) if named else Words()
        begun: Sequence[Columns | None] = self._named(one.noun) if named else [Columns()] * len(self._words)
        left = one.words - noun - self._title
        held = [self._sized(bound, asked) for bound in one.bounds]
        held += [self._dated(one.days, asked)] if one.days else []
        meant = self._meant(left, asked) if any(one is not None for one in begun) else {}
        found: list[Columns | None] = []
        for row, (columns, words) in enumerate(zip(begun, self._words, strict=True)):
            for (at, cell), more in meant.items():
                if self.table.rows[row][at] == cell:
                    words = [*words[:at], words[at] | more, *words[at + 1 :]]
            fits = columns is not None and all(kept[row] for _, kept in held)
            telling = self._telling(words, left, asked) if fits else None
            found.append(None if telling is None else telling.union(columns or (), *(at for at, _ in held)))
        return found

    def _in_its_year(self, text: str) -> str:
        """A constraint with the year of a month that it names without one, where all days of the table are of that."""
        return YEARLESS.sub(rf"\g<0> {self._years[0]}", text) if len(self._years) == 1 and self._years[0] else text

    @cached_property
    def _years(self) -> list[int]:
        """The years that the days of the table are of."""
        dated = (order.values for order in self.table.orders.values() if order.kind == "date")
        return [*dict.fromkeys(int(day) for values in dated for day in values if day is not None)]

    def _telling(self, words: Sequence[Words], left: Words, asked: _Asked) -> Columns | None:
        """The columns of a row in which words stand, where all do, or all but a verb that says what one of these is."""
        for verb in (Words(), *asked.wanted.verbs):
            rest = left - verb
            if rest <= Words().union(*words) and (not verb or verb < left):
                at = Columns(at for at, own in enumerate(words) if own & rest)
                cells = [one for one in at.difference(self._keys) if rest & words[one] - self._heads[one]]
                if not verb or any(self._asks(asked, one, asked.words(words[one])) > 0.0 for one in cells):
                    return at
        return None

    def _meant(self, left: Words, asked: _Asked) -> dict[tuple[int, str], Words]:
        """Of cells the words that mean what they say, where no cell and no column is called so."""
        one, found = asked.wanted, dict[tuple[int, str], Words]()
        strange = left.difference(*self._heads, *itertools.chain(*self._words))
        alone = [] if one.noun or one.after[1:] else one.after
        for said in (*one.before, *one.after) if strange else ():
            own, before = frozenset(content(said.low)), said in (*one.before, *alone)
            found |= self._denied(said.low, own & strange)
            text = f"{said.text} {asked.noun}" if before else asked.text
            if own and own <= strange and (told := meant(said.text, text, asked.noun, self._values, before)):
                found[self.table.header.index(told[0]), told[1]] = own
        return found

    def _denied(self, word: str, own: Words) -> dict[tuple[int, str], Words]:
        """The cells that say no in a column of yes and no whose name a word denies: "unpaid" of Paid."""
        of = frozenset(content(word[2:])) if own and word.startswith("un") else Words()
        flags = [at for at, head in enumerate(self._heads) if of and of == head and self.table.shapes[at] == "flag"]
        return {(at, row[at]): own for at in flags for row in self.table.rows if FLAGS.get(row[at].casefold()) == "no"}

    @cached_property
    def _values(self) -> dict[str, list[str]]:
        """Of each column of few and short cells that are words the different ones, by its name."""
        table, found = self.table, dict[str, list[str]]()
        for at, shape in enumerate(table.shapes):
            cells = [*dict.fromkeys(row[at] for row in table.rows if row[at])]
            if table.header[at] and at not in (*table.orders, *self._keys) and shape in _NAMING and len(cells) <= _FEW:
                found[table.header[at]] = [one for one in cells if len(one) <= _LONGEST]
        return found

    def _asks(self, asked: _Asked, column: int, value: str) -> float:
        """How surely a column tells what is asked; one of places also by what most people call a place."""
        names = [self.table.header[column], *([_PLACE] if column in self._places else [])]
        return max(sameness(asked.text, asked.noun, name, value) for name in names)

    @cached_property
    def _places(self) -> Columns:
        """The columns that say where something is."""
        names = enumerate(self.table.header)
        return Columns(at for at, name in names if nearness().between(name.lower(), _PLACES) >= _NEAR)

    def _best(self, asked: _Asked, columns: Iterable[int], value: str) -> list[int]:
        """Of columns the one that tells best of what is asked, if any does."""
        scores = {at: self._asks(asked, at, value) for at in columns if self.table.header[at]}
        return [at for at in scores if scores[at] == max(scores.values()) > 0.0][:1]

    def _named(self, noun: str) -> list[Columns | None]:
        """The columns by which each row is what a noun says; none are needed where the title has it in the plural."""
        ones = {noun, noun.removesuffix("s"), noun.removesuffix("es"), noun.removesuffix("ies") + "y"}
        if noun in self._called:
            return [Columns()] * len(self._words)
        shapes, keys = self.table.shapes, self._keys
        key = [at for at in keys if not ones.isdisjoint(_LETTERS.findall(self.table.header[at].lower()))]
        few = [at for at, shape in enumerate(shapes) if shape in _WORDED]
        having = [at for at in few if any(_last(row[at]) in ones for row in self.table.rows)]
        kinds = [at for at in having if at not in self._places]
        by_cell = (Columns(at for at in kinds if _last(row[at]) in ones) for row in self.table.rows)
        by_key = (Columns(at for at in key if words[at]) for words in self._words)
        found = [one or other or None for one, other in zip(by_cell, by_key, strict=True)]
        if any(found) or not self._near(noun, keys):
            return found
        self.only_near = True
        return [Columns()] * len(self._words)

    @cached_property
    def _keys(self) -> list[int]:
        """The first column of words, which mostly says what a row is called."""
        told = enumerate(self.table.shapes)
        return [at for at, shape in told if at not in self.table.orders and shape != "flag"][:1]

    def _near(self, noun: str, keys: Sequence[int]) -> bool:
        """Whether a noun means what a word of the title or the name of the first column of words says."""
        title = [word for word in self._called if content(word)]
        own = [self.table.header[at].lower() for at in keys if self._heads[at]]
        if noun in _PEOPLE:
            return any(nearness().between(one, title) >= _NEAR for one in _PERSONS)
        return nearness().between(noun, title + own) >= _NEAR

    def _dated(self, days: Days, asked: _Asked) -> Held:
        """By the column of days whose name the constraint has, or the query, or that is of whatever happened, or tells
        of what did, or the only one."""
        one = asked.wanted
        dated = {at: order.values for at, order in self.table.orders.items() if order.kind == "date"}
        led = [at for at in dated if (self._heads[at] - _WHENEVER) & one.every]
        ever = [at for at in dated if self._heads[at] <= _WHENEVER]
        said = [at for at in dated if not one.leads and self._heads[at] & self._asked]
        found = led or said or ever or (self._best(asked, dated, one.when) if one.leads else [*dated])
        cells = dated[found[0]] if len(found) == 1 else [None] * len(self._words)
        return Columns(found), [value is not None and days[0] <= value <= days[1] for value in cells]

    def _sized(self, bound: Bound, asked: _Asked) -> Held:
        """By the column of such sizes whose name, and then whose unit, the constraint has, if it is one; or by the one
        of numbers that tells of what is bounded."""
        if bound.size.kind == THEMSELVES:
            counts = [at for at in self._numbers() if not self._of_money(at)]
            return self._numbered(counts if len(counts) == 1 else self._best(asked, counts, asked.wanted.much), bound)
        if bound.size.kind in ("", VERSION):
            return self._counted(bound, asked)
        every, scores = asked.wanted.every, dict[int, int]()
        told = {at: self._sizes(at, bound.size.kind) for at in self.table.orders}
        for at, own in told.items():
            row, first = next(((row, size) for row, size in enumerate(own) if size), (0, None))
            if first:
                units = every.intersection(_LETTERS.findall(self.table.rows[row][at]))
                scores[at] = len(units) + 2 * (len(self._heads[at] & every) + bool(first.ways & bound.size.ways))
        found = [at for at, score in scores.items() if score == max(scores.values())]
        if not found and (bound.size.kind in SIGNS or not measured(bound.size.kind)):
            counted = {*content(bound.size.kind)}
            much = " ".join(one for one in asked.wanted.much.split() if not counted.intersection(content(one)))
            money = [at for at in self._numbers() if self._of_money(at)] if bound.size.kind in SIGNS else []
            return self._numbered(
                money[:1] if len(money) == 1 else self._best(asked, money or self._numbers(), much), bound
            )
        cells = told[found[0]] if len(found) == 1 else [None] * len(self._words)
        return Columns(found), [size is not None and bound.holds(size) for size in cells]

    def _numbers(self) -> list[int]:
        """The columns of bare numbers, but for those that name."""
        orders, naming = self.table.orders, self.table.naming
        return [at for at, one in orders.items() if one.kind == "number" and at not in naming]

    def _counted(self, bound: Bound, asked: _Asked) -> Held:
        """By the column of numbers that the query names, or the one that tells of it, or the only one of money; or
        by the one of versions."""
        numbers = [at for at in self._numbers() if at in self.table.versions or not bound.size.kind]
        said = {at: len(self._heads[at] & self._asked) for at in numbers}
        found = [at for at in numbers if said[at] == max(said.values()) > 0]
        if not found and bound.size.kind:
            found = numbers
        found = found or self._best(asked, numbers, asked.wanted.much) or [at for at in numbers if self._of_money(at)]
        if not bound.size.kind and self.table.versions.issuperset(found[:1]):
            bound = bound.of(version(asked.wanted.much.split()[-1]) or 0.0)
        return self._numbered(found, bound)

    def _numbered(self, found: Sequence[int], bound: Bound) -> Held:
        """By the numbers of a column, if it is one."""
        cells = self.table.orders[found[0]].values if len(found) == 1 else [None] * len(self._words)
        kind = bound.size.kind
        return Columns(found), [value is not None and bound.holds(Size(kind, value)) for value in cells]

    def _of_money(self, column: int) -> bool:
        name = self.table.header[column]
        return self.table.shapes[column] == "money" or bool(_MONEY & self._heads[column]) or unit_in(name) in SIGNS

    def _sizes(self, column: int, kind: str) -> list[Size | None]:
        """The size of a kind in each cell: in the unit that it or its column's name has, or counted by that name."""
        name = self.table.header[column]
        beside, within = "".join(_UNIT.findall(name)[:1]), unit_in(name)
        counted = bool(self._heads[column].intersection(content(kind)))
        found: list[Size | None] = []
        for row, value in zip(self.table.rows, self.table.orders[column].values, strict=True):
            bare = value is not None and bool(_BARE.fullmatch(row[column]))
            unit = beside or (within if bare else "")
            amount = f"{value:,.15g}" if value is not None and (bare or unit) else row[column]
            written = f"{unit}{amount}" if unit in SIGNS else f"{amount} {unit}"
            told = (size for size in sizes(f"{_UNIT.sub('', name)}: {written}") if size.kind == kind)
            found.append(next(told, Size(kind, value) if value is not None and bare and counted else None))
        return found

    def whole(self, number: int) -> Citation:
        """A row as it stands."""
        return self._citation(number, *self.table.places[number])

    def cited(self, number: int, columns: Columns) -> tuple[Citation, ...]:
        """Cells of a row as they stand, with the names of their columns; of those that are filled."""
        names, spans = self.table.header, self.table.cells[number]
        filled = [at for at in sorted(columns) if spans[at][1]]
        starts = (spans[at][0] - (len(names[at]) + 2 if names[at] else 0) for at in filled)
        return tuple(self._citation(number, start, spans[at][1]) for start, at in zip(starts, filled, strict=True))

    def _citation(self, number: int, start: int, end: int) -> Citation:
        of = self._document
        heading = None if of.kind == "table" else place_in(of, start)
        place = ", ".join(filter(None, (heading, f"row {number + 1}")))
        return Citation(of.text[start:end], of.id, of.enclave, start, end, of.title, of.source, self._fields, place)
