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

from collections.abc import Collection
from dataclasses import replace

from answerable.corpora.citations import FindDocument
from answerable.corpora.sources import title_from
from answerable.corpora.tables import rows_in
from answerable.sets.by_fields import settled
from answerable.sets.candidates import Gathered, Prospect, branches
from answerable.sets.copies import without_copies
from answerable.sets.expression import Expression, asked_for, atoms
from answerable.sets.members import Place, Row
from answerable.sets.parsing.features import many
from answerable.sets.parsing.words import tokens
from answerable.sets.told import Columns, Told
from answerable.sets.wanted import Words, wanted
from answerable.tables.cells import Table, TablePlace, tables_in
from answerable.tables.programs import places
from answerable.types import Document

_SUCH = frozenset(("ones", "others"))
"""What stands for the noun of the title: "Quick ones" below "Recipes"."""


def with_rows(gathered: Gathered, expression: Expression, find: FindDocument, left_out: int) -> Gathered:
    """What was gathered, of copies of a document one, with the rows of its tables that belong, settled by their cells;
    and of each table as many as `left_out` that belong but for what is taken away. They stand in place of documents
    that are mostly tables: where rows are what is looked for, a table is none."""
    rows: list[Prospect] = []
    having: dict[Place, Document] = {}
    gathered = without_copies(gathered, find)
    for one in gathered.prospects:
        document = find(one.passages[0]) if any(rows_in(passage.text) for passage in one.passages) else None
        if document:
            having[one.enclave, one.document] = document
            own = rows_of(document, expression, left_out)
            rows += [replace(one, row=row, by_fields=fits) for row, fits in own]
    if not rows:
        return gathered
    tables = {place for place, document in having.items() if _of_rows(document)}
    prospects = tuple(one for one in gathered.prospects if (one.enclave, one.document) not in tables)
    return replace(gathered, prospects=prospects, settled=(*gathered.settled, *rows))


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
    said = (Told(document, table, _called(document, table, place), every) for table, place in tables)
    return [row for one in said for row in _rows_of(one, expression, named, left_out)]


def _called(document: Document, table: Table, place: TablePlace) -> str:
    """What the rows of a table may be called by: its title, but for a page of which it is under a heading, and for a
    workbook of which it is a sheet, that is called after something else: "Contacts" of "My books"."""
    own = place.heading or table.title.removeprefix(f"{title_from(document.source)}, ")
    of_others = any(many(one) for one in tokens(own) if one.low not in _SUCH)
    return own if of_others else table.title


def _rows_of(
    said: Told, expression: Expression, named: Collection[str], left_out: int
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
