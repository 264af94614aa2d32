"""Rows of tables as members: what their cells say of each constraint, exactly, or nothing.

A table is found as any document is. Where it is of what the query names ("ships", by its title, by the name of its
first column of words, or by a cell of few values: "Type: Ferry"; "employees", near to the title "staff"), each row fits
a constraint or does not: its words stand in the row's cells and under the names of their columns, and what is bounded
is the number or the day of the one column that it is about. What is only near says nothing by itself: some cell must
tell of another constraint. A judge of texts is not asked, which takes no row of a list of ships for a ship. So where
cells do not tell of all that is asked for no row is a member, and where none says what is taken away, each is as likely
as not to be one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from answerable.corpora.citations import FindDocument, place_in
from answerable.corpora.fields import fields_of
from answerable.corpora.tables import rows_in
from answerable.corpora.values import version
from answerable.sets.bound import Bound, Size
from answerable.sets.by_fields import settled
from answerable.sets.candidates import Gathered, Prospect, branches
from answerable.sets.copies import without_copies
from answerable.sets.expression import Expression, asked_for, atoms
from answerable.sets.members import Row
from answerable.sets.parsing.features import many
from answerable.sets.parsing.words import tokens
from answerable.sets.relations import meant, sameness
from answerable.sets.sizes import SIGNS, measured, sizes, unit_in
from answerable.sets.versions import VERSION
from answerable.sets.wanted import Days, Wanted, Words, content, wanted
from answerable.tables.cells import FLAGS, Table, TablePlace, tables_in
from answerable.tables.programs import places
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


def with_rows(gathered: Gathered, expression: Expression, find: FindDocument, left_out: int) -> Gathered:
    """What was gathered, of copies of a document one, with the rows of its tables that belong, settled by their cells;
    and of each table as many as `left_out` that belong but for what is taken away. They stand in place of a document
    that is mostly tables."""
    rows: list[Prospect] = []
    prospects: list[Prospect] = []
    gathered = without_copies(gathered, find)
    for one in gathered.prospects:
        document = find(one.passages[0]) if any(rows_in(passage.text) for passage in one.passages) else None
        own = rows_of(document, expression, left_out) if document else []
        rows += [replace(one, row=row, by_fields=fits) for row, fits in own]
        prospects += [] if document and own and _of_rows(document) else [one]
    return replace(gathered, prospects=tuple(prospects), settled=(*gathered.settled, *rows)) if rows else gathered


def _of_rows(document: Document) -> bool:
    """Whether at least half of a document is rows of tables."""
    own = tables_in(document, 0, len(document.text))
    return 2 * sum(place.end - place.start for place in own) >= len(document.text)


def rows_of(document: Document, expression: Expression, left_out: int) -> list[tuple[Row, dict[str, bool]]]:
    """The rows of a document's tables that belong, in their order, and of each of these those that do but for what is
    taken away, each with the constraints that it fits or does not, if that is known; of none in which none belongs."""
    named = {max(one, key=_names) for one in branches(expression)}
    if not all(wanted(text).noun for text in named):
        return []
    lie = tables_in(document, 0, len(document.text))
    tables = ((table, place) for place in lie if (table := Table.read(document.text, place)))
    every = Words().union(*(wanted(text).every for text in atoms(expression)))
    said = (_Said(document, table, _called(table, place), every) for table, place in tables)
    return [row for one in said for row in _rows_of(one, expression, named, left_out)]


def _called(table: Table, place: TablePlace) -> str:
    """What the rows of a table may be called by: its title, but for a page of which it is under a heading that says
    that it is of something else: "Contacts" of "My books"."""
    return place.heading if any(map(many, tokens(place.heading))) else table.title


def _rows_of(
    said: _Said, expression: Expression, named: Collection[str], left_out: int
) -> list[tuple[Row, dict[str, bool]]]:
    """`rows_of` one table; `named`: the constraints that name what is looked for."""
    table = said.table
    noun = wanted(min(named)).noun
    told = {text: said.told(text, noun, text in named) for text in atoms(expression)}
    if said.only_near and not any(columns for rows in told.values() for columns in rows):
        return []
    unsaid = {text for text, rows in told.items() if not any(one is not None for one in rows)}
    unsaid -= {*atoms(plain := asked_for(expression))}
    about = {text: Columns().union(*filter(None, rows)) for text, rows in told.items()}
    found: dict[bool, list[tuple[Row, dict[str, bool]]]] = {True: [], False: []}
    for number in places(table.every):
        columns = {text: rows[number] for text, rows in told.items()}
        fits = {text: one is not None for text, one in columns.items() if text not in unsaid}
        belongs = settled(expression, fits) is not False
        if belongs or (len(found[False]) < left_out and settled(plain, fits)):
            cells = {text: said.cited(number, about[text] if one is None else one) for text, one in columns.items()}
            found[belongs].append((Row(said.whole(number), table.places[number][0], cells), fits))
    return found[True] and [*found[True], *found[False]]


def _names(constraint: str) -> tuple[bool, bool]:
    """How surely a constraint names what is looked for."""
    return wanted(constraint).noun != "", wanted(constraint).plural


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


class _Said:
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
        be what the table, or the row, is of; where it is not, the constraint is said `of` another."""
        one = wanted(text)
        asked = _Asked(one, text if named else f"{of} {text}", one.noun if named else of)
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

    def _telling(self, words: Sequence[Words], left: Words, asked: _Asked) -> Columns | None:
        """The columns of a row in which words stand, where all do, or all but a verb that says what one of these is."""
        for verb in (Words(), *asked.wanted.verbs):
            rest = left - verb
            if rest <= Words().union(*words) and (not verb or verb < left):
                at = Columns(at for at, own in enumerate(words) if own & rest)
                if not verb or any(
                    self._asks(asked, one, asked.words(words[one])) > 0.0 for one in at.difference(self._keys)
                ):
                    return at
        return None

    def _meant(self, left: Words, asked: _Asked) -> dict[tuple[int, str], Words]:
        """Of cells the words that mean what they say, where no cell and no column is called so."""
        one, found = asked.wanted, dict[tuple[int, str], Words]()
        strange = left.difference(*self._heads, *itertools.chain(*self._words))
        alone = [] if one.noun or one.after[1:] else one.after
        for said in (*one.before, *one.after) if strange else ():
            own, before = frozenset(content(said.low)), said in (*one.before, *alone)
            text = f"{said.text} {asked.noun}" if before else asked.text
            if own and own <= strange and (told := meant(said.text, text, asked.noun, self._values, before)):
                found[self.table.header.index(told[0]), told[1]] = own
        return found

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
        return sameness(asked.text, asked.noun, self.table.header[column], value)

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
        by_cell = (Columns(at for at in few if _last(row[at]) in ones) for row in self.table.rows)
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
        """By the column of days whose name the constraint has, or that is of whatever happened, or tells of what did,
        or the only one."""
        one = asked.wanted
        dated = {at: order.values for at, order in self.table.orders.items() if order.kind == "date"}
        led = [at for at in dated if (self._heads[at] - _WHENEVER) & one.every]
        ever = [at for at in dated if self._heads[at] <= _WHENEVER]
        found = led or ever or (self._best(asked, dated, one.when) if one.leads else [*dated])
        cells = dated[found[0]] if len(found) == 1 else [None] * len(self._words)
        return Columns(found), [value is not None and days[0] <= value <= days[1] for value in cells]

    def _sized(self, bound: Bound, asked: _Asked) -> Held:
        """By the column of such sizes whose name, and then whose unit, the constraint has, if it is one; or by the one
        of numbers that tells of what is bounded."""
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
            return self._numbered(self._best(asked, self._numbers(), asked.wanted.much), bound)
        cells = told[found[0]] if len(found) == 1 else [None] * len(self._words)
        return Columns(found), [size is not None and bound.holds(size) for size in cells]

    def _numbers(self) -> list[int]:
        """The columns of bare numbers, but for those that name."""
        orders, naming = self.table.orders, self.table.naming
        return [at for at, one in orders.items() if one.kind == "number" and at not in naming]

    def _counted(self, bound: Bound, asked: _Asked) -> Held:
        """By the column of numbers that the query names, or the only one of money, or the one that tells of it; or
        by the one of versions."""
        numbers = [at for at in self._numbers() if at in self.table.versions or not bound.size.kind]
        said = {at: len(self._heads[at] & self._asked) for at in numbers}
        most = max(said.values(), default=0)
        found = [at for at in numbers if (said[at] == most if most else self._of_money(at))]
        found = found or (numbers if bound.size.kind else self._best(asked, numbers, asked.wanted.much))
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
