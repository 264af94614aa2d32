"""Rows of tables as members: what cells say of each constraint, and what no cell says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from answerable.corpora.tables import delimited
from answerable.sets.expression import read_expression
from answerable.sets.rows import rows_of
from answerable.types import Document
from tests.corpora.reading import read
from tests.sets.world import World, sought

SHIPS = """Name,Type,Built,Length (m),Crew,In service,Port,Remarks
Aurora,Oil tanker,1985,300,"1,200",yes,Oslo,
Borea,Ferry,1979,120,40,no,Kiel,laid up beside a tug
Castor,Ferry,2001,140,1500,yes,Oslo,
Delphin,Tanker,1990,250,30,no,Riga,
Elbe,Tug,2010,30,8,yes,Kiel,
Fionn,Tug,1995,35,8,yes,,
"""
BILLS = """Bill no,Customer,Date,Due,Amount (€),Distance,Ascent
B-1,Stone & Sons,2023-03-02,2023-04-01,5200.50,12 km,300 m
B-2,Velo Works,2023-04-05,2023-03-05,90,150 km,900 m
B-3,Stone & Sons,2023-04-09,2023-05-01,7000 (with tax),7 km,1500 m
"""


STAFF = """name,role,started,hours a week
Rhys Harrow,partner,2003-05-01,40
Joan Finch,partner,2003-05-01,32
Dafydd Lloyd,foreman,2009-09-14,40
Ela Watkin,apprentice,2025-02-03,37
"""
QUOTES = """number,date,customer,work,amount
0405,2024-09-12,Pritchard,kitchen,14200
7409,2024-11-20,Meyrick,wardrobe,3150
9415,2025-01-10,Chapel,pews,23400
9420,2025-03-25,Ferreira,front door,2450
"""


def table(text: str, name: str = "ships.csv", enclave: str = "wiki") -> Document:
    return delimited(text, name, name, enclave, lambda *_: None, {"record": 0})


def _found(text: str, name: str, expression: str) -> set[str]:
    rows = rows_of(table(text, name), read_expression(expression), 0)
    return {row.citation.text.split("; ")[0].partition(": ")[2] for row, _ in rows}


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ('"ships"', "Aurora Borea Castor Delphin Elbe Fionn"),
        ('"ships built after 1980" minus "tankers"', "Castor Elbe Fionn"),
        ('"ships" and "built before 1990"', "Aurora Borea"),
        ('"ships built in the 1990s"', "Delphin Fionn"),
        ('"ferries built between 1970 and 2000"', "Borea"),
        ('("ferries" or "tugs") and "in Kiel"', "Borea Elbe"),
        ('"tugs"', "Elbe Fionn"),  # not the one that lies beside one
        ('"ships" minus "in service"', "Borea Delphin"),
        ('"ships longer than 200 m"', "Aurora Delphin"),
        ('"ships with more than 1,000 crew"', "Aurora Castor"),
        ('"ships" minus "with a port"', "Fionn"),
        ('"ships" minus "icebreakers"', "Aurora Borea Castor Delphin Elbe Fionn"),  # no cell says so of any
        ('"ships sold after 1980"', ""),  # no column says when
        ('"ships of steel"', ""),
        ('"icebreakers"', ""),
        ('"built after 1980"', ""),  # of what?
        ('"ships" minus ("tankers" or "ferries")', "Elbe Fionn"),
        ('"damaged tugs"', ""),
        ('"laid ferries"', "Borea"),
    ],
)
def test_rows_of_ships(expression: str, names: str) -> None:
    assert _found(SHIPS, "ships.csv", expression) == {*names.split()}


@pytest.mark.parametrize(
    ("expression", "numbers"),
    [
        ('"bills from March 2023"', "B-1"),  # the date, not when it is due
        ('"bills due after 3 April 2023"', "B-3"),
        ('"bills due" and "in April 2023"', "B-1"),
        ('"bills due before April"', "B-2"),  # of the only year that there is
        ('"bills due until 1 April"', "B-1 B-2"),
        ('"bills over 5,000 EUR"', "B-1 B-3"),
        ('"bills cheaper than 100"', "B-2"),
        ('"bills we have more than 8 of"', ""),  # no money
        ('"bills of Stone" and "Sons from April 2023"', "B-3"),
        ('"bills between 100 and 200 km"', "B-2"),  # in that unit, of two columns of lengths
        ('"bills with more than 1 km ascent"', "B-3"),
        ('"bills for more than 1000 m"', "B-3"),
    ],
)
def test_the_one_column_that_a_bound_is_about(expression: str, numbers: str) -> None:
    assert _found(BILLS, "accounts.csv", expression) == {*numbers.split()}


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ('"people who work fewer than 40 hours a week"', "Joan Ela"),  # the unit stands in the column's name
        ('"employees" minus "partners"', "Dafydd Ela"),
        ('"employees" and "started after 2005"', "Dafydd Ela"),
        ('"employees"', ""),  # nothing else that a cell tells
        ('"ships" minus "partners"', ""),
        ('"employees who earn more than 30"', ""),  # no money
    ],
)
def test_a_noun_names_rows_in_meaning_where_a_cell_tells_more(expression: str, names: str) -> None:
    assert {one.split()[0] for one in _found(STAFF, "staff.csv", expression)} == {*names.split()}


@pytest.mark.parametrize(
    ("expression", "numbers"),
    [
        ('"quotes from 2025" and "for more than 5000"', "9415"),
        ('"quotes that came to less than 3000"', "9420"),  # not by the number of the quote
    ],
)
def test_a_bare_number_bounds_the_only_money(expression: str, numbers: str) -> None:
    assert _found(QUOTES, "quotes.csv", expression) == {*numbers.split()}


STOCK = """Item,Quantity,Unit price
Flour,11,17.20
Rye,4,21.50
Butter,18,6.10
"""


def test_how_many_there_are_is_in_the_column_of_numbers_that_are_no_money() -> None:
    assert _found(STOCK, "stock.csv", '"items we have more than 5 of"') == {"Flour", "Butter"}


PEOPLE = """Name,Job title,City,Hired,Salary,Languages,Works remotely,Paid
Anna Holm,Engineer,Aarhus,2018-03-01,52000,"Danish, English",yes,yes
Bo Friis,Accountant,Odense,2015-09-15,48000,Danish,no,no
Clara Munk,Engineer,Aalborg,2020-01-06,61000,"Danish, German",yes,yes
Dan Wolff,Janitor,Aarhus,2020-05-02,37500,"Norwegian, German",no,no
Total,,,,198500,,,
"""
WINES = """Wine,Country,Bottles,Price,Kept in
Barolo,Italy,3,62,cellar
Chablis,France,4,28,wine room
Rioja,Spain,2,22,cellar
Riesling,Austria,6,19,kitchen
"""


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ('"employees" and "that live in Aarhus"', "Anna Dan"),
        ('"employees" and "live in Aarhus"', "Anna Dan"),
        ('"employees" and "that left Aarhus"', ""),
        ('"employees" and "that earn at least 50,000" and "speak German"', "Clara"),
        ('"employees" and "that work as engineers"', "Anna Clara"),
        ('"employees" minus "that speak German"', "Anna Bo"),
        ('"employees" and "who were hired in 2020"', "Clara Dan"),
        ('"employees who speak no German"', ""),  # nor those who do
        ('"employees" and "that hired yearly"', ""),  # a word of no cell, beside the name of a column alone
        ('"employees" and "that left in 2020"', ""),  # not by when they came
        ('"employees" and "that hate Anna"', ""),  # a name says nothing of what somebody does
        ('"employees who are sick in Aarhus"', ""),
        ('"unpaid employees"', "Bo Dan"),
        ('"staff" and "that earn more than 40,000"', "Anna Bo Clara"),  # not their total
        ('"paid staff"', "Anna Clara"),
    ],
)
def test_a_verb_is_said_by_what_the_column_is_of(expression: str, names: str) -> None:
    assert {one.split()[0] for one in _found(PEOPLE, "staff.csv", expression)} == {*names.split()}


@pytest.mark.parametrize(
    ("expression", "names"),
    [('"shifts on 3 June"', "Ann Cy"), ('"shifts cheaper than 20 euros"', "Ann Cy")],
)
def test_days_without_a_year_and_money_without_a_sign(expression: str, names: str) -> None:
    shifts = "Who,Day,Hours,Price\nAnn,3 June,30,15\nBo,4 June,8,25\nCy,3 June,5,12\n"
    assert _found(shifts, "shifts.csv", expression) == {*names.split()}


def test_a_column_of_places_is_asked_for_as_people_call_a_place() -> None:
    towns = PEOPLE.replace("City", "Town")
    assert _found(towns, "staff.csv", '"employees" and "that live in Aarhus"') == {"Anna Holm", "Dan Wolff"}
    assert not _found(towns, "staff.csv", '"employees" and "that left Aarhus"')


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ('"Italian wines"', "Barolo"),
        ('"wines" minus "French"', "Barolo Rioja Riesling"),
        ('"Portuguese wines"', ""),
        ('"wines that cost less than 25 euros"', "Rioja Riesling"),  # in whatever the prices are
        ('"rooms with at least 4 seats"', ""),  # a wine in a room is none
    ],
)
def test_other_words_for_what_a_cell_says(expression: str, names: str) -> None:
    assert _found(WINES, "wines.csv", expression) == {*names.split()}


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ('"programs of version" and "at least 3.9"', "Gridder Mapper"),
        ('"programs before version 3.10"', "Editor Synco"),
        ('"programs newer than 3.10.0"', "Gridder Mapper"),
    ],
)
def test_versions_are_ordered_part_by_part(expression: str, names: str) -> None:
    programs = "Program,Version\nEditor,3.8\nGridder,3.10.1\nMapper,4.0\nSynco,3.9-beta\n"
    names = names.replace("Gridder", "Gridder Synco") if "at least" in expression else names
    assert _found(programs, "programs.csv", expression) == {*names.split()}


def test_rows_of_a_page_are_known_by_the_heading_above_them(tmp_path: Path) -> None:
    (tmp_path / "books.md").write_text(
        "# My books\n\nThose on the shelf.\n\n| Title | Author | Read |\n|---|---|---|\n| Emma | Jane Austen | no |\n"
        "| Kim | Rudyard Kipling | yes |\n\n## Lent ones\n\n| Title | To |\n|---|---|\n| Dune | Tom |\n\n"
        "## Friends\n\n| Name | Town |\n|---|---|\n| Tom | Oslo |\n",
        encoding="utf8",
    )
    (document,), _ = read(tmp_path)

    def found(expression: str) -> list[tuple[str, str | None]]:
        rows = rows_of(document, read_expression(expression), 0)
        assert all(document.text[row.citation.start : row.citation.end] == row.citation.text for row, _ in rows)
        return [(row.citation.text, row.citation.place) for row, _ in rows]

    assert found('"books by Jane Austen"') == [("Title: Emma; Author: Jane Austen; Read: no", "row 1")]
    assert found('"books lent to Tom"') == [("Title: Dune; To: Tom", "§ Lent ones, row 1")]
    assert found('"friends in Oslo"') == [("Name: Tom; Town: Oslo", "§ Friends, row 1")]
    assert len(found('"books" minus "in Oslo"')) == 3, "a friend is no book"


def test_a_table_of_something_else_has_no_members() -> None:
    assert not _found(SHIPS, "ports of call.csv", '"ships"') and not _found(SHIPS, "ships.csv", '"ports in Oslo"')
    assert not _found(SHIPS.replace("Ferry", "Shipped"), "fleet.csv", '"ships"')
    assert not _found(SHIPS.replace("Kiel", "Long Island"), "fleet.csv", '"islands"')
    assert _found(SHIPS.replace("Name", "Ship's name"), "fleet.csv", '"ships in Riga"') == {"Delphin"}


def test_each_cell_that_says_so_is_cited() -> None:
    document = table(SHIPS)
    rows = rows_of(document, expression := read_expression('"ferries built after 1980" minus "tankers"'), 2)
    (row, fits), *others = rows
    asked, taken = row.supports(expression, fits)
    assert [one.text for one in asked.citations] == ["Type: Ferry", "Built: 2001"]
    assert (taken.negated, taken.probability, taken.citations, taken.field) == (True, 0.0, (), "Type: Ferry")
    assert row.citation.place == "row 3" and not others
    for one in (row.citation, *asked.citations):
        assert document.text[one.start : one.end] == one.text
    out = rows_of(document, expression := read_expression('"ships built after 1980" minus "tankers"'), 1)[-1]
    assert [one.text for one in out[0].supports(expression, out[1])[1].citations] == ["Type: Oil tanker"]


class Tables(World):
    """A world in which some documents are tables."""

    def finder(self, tables: Mapping[str, Document] = {}):  # type: ignore[no-untyped-def]
        made = super().finder()
        return replace(made, document=lambda one: tables.get(one.document_id) or made.document(one))


def test_rows_stand_in_place_of_their_table_beside_documents() -> None:
    tables = {name: table(SHIPS, name) for name in ("ships.csv", "ports.csv")}
    notes = {"vasa": "Vasa is one of the ships in Oslo.", "kon": "Kon is a raft in Oslo."}
    world = Tables({"wiki": notes | {name: one.text for name, one in tables.items()}, "mail": {}})
    wanted = sought('"ships" and "in Oslo"')
    stream = world.finder(tables).find(wanted)
    given = []
    while True:
        try:
            given.append(next(stream))
        except StopIteration as end:
            found = end.value
            break
    rows = [one for one in given if one.row]
    assert [(one.document, one.row and one.row.place, one.probability) for one in rows] == [
        ("ships.csv", "row 1", 1.0),
        ("ships.csv", "row 3", 1.0),
    ]
    unsaid = [*world.finder(tables).find(sought('"ships" minus "with a crane"'))]
    assert {one.probability for one in unsaid if one.row} == {0.5} and sum(one.row is not None for one in unsaid) == 6
    assert given[:2] == rows and found.count == len(given) and "ships.csv" not in {one.place[1] for one in given}
    assert "vasa" in {one.document for one in given} and len({one.place for one in given}) == len(given)
    best = [*world.finder(tables).find(sought('"ships" minus "with a crane"', limit=1))]
    assert [one.document for one in best] == ["vasa"]  # surer than rows of which it is not known
    few = [*world.finder(tables).find(replace(wanted, limit=1, evidence=False))]
    assert [(one.row and one.row.place, one.supports[0].citations) for one in few] == [("row 1", ())]


def test_beside_rows_that_fit_no_other_table_is_given() -> None:
    ports = table("Port,Remarks\nOslo,has ships and rafts in Oslo\nKiel,has ships\n", "ports.csv")
    tables = {"ships.csv": table(SHIPS), "ports.csv": ports}
    found = Tables({"wiki": {name: one.text for name, one in tables.items()}, "mail": {}}).finder(tables)
    assert {one.document for one in found.find(sought('"ships" and "in Oslo"'))} == {"ships.csv"}
    assert {one.document for one in found.find(sought('"ships" and "rafts"'))} == {"ports.csv"}


def test_rows_change_nothing_of_which_documents_are_given() -> None:
    tables, notes = {"ships.csv": table(SHIPS)}, {name: f"{name} has ships." for name in "abc"}
    alone, beside = World({"wiki": notes, "mail": {}}), Tables({"wiki": notes | {"ships.csv": SHIPS}, "mail": {}})
    own = {one.document for one in alone.finder().find(sought('"ships"'))}
    assert own == {one.document for one in beside.finder(tables).find(sought('"ships"')) if not one.row}
