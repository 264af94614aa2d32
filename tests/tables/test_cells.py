from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.tables.cells import MOST_ROWS, Table, stem, tokens
from answerable.tables.programs import places
from tests.tables.made import SALARIES, document, table


def test_words_keep_their_numbers_whole() -> None:
    assert tokens("Is $1,250.50 paid?") == ("is", "1,250.50", "paid")
    assert {stem("engineers"), stem("engineer")} == {"engineer"}
    assert stem("companies") == stem("company")


def test_a_document_is_taken_apart_into_cells_that_stand_there() -> None:
    source = document()
    found = table()
    assert found.header == ("Name", "Role", "Salary", "Start", "Remote", "Manager")
    assert found.rows[2] == ("Mei Tanaka", "head of design", "$71,000", "2016-02-08", "yes", "")
    for row, cells, (start, end) in zip(found.rows, found.cells, found.places, strict=True):
        assert all(source.text[a:b] == cell for cell, (a, b) in zip(row, cells, strict=True))
        assert source.text[start:end].startswith("Name: ")


cell = st.text(st.characters(codec="utf8", categories=("L", "N", "P", "Zs")), max_size=12).map(
    lambda text: " ".join(text.replace(";", "").replace(":", "").replace('"', "").split())
)


@given(st.lists(st.tuples(st.just("k"), cell, cell), min_size=1, max_size=6))
def test_cells_come_back_as_they_were_written(rows: list[tuple[str, str, str]]) -> None:
    lines = ["Key,One,Two", *(",".join(f'"{one}"' for one in row) for row in rows)]
    found = Table.of(document("\n".join(lines)))
    assert found is not None
    assert [row[0] for row in found.rows] == ["k"] * len(rows)


def test_what_is_no_table_or_too_long_is_none() -> None:
    assert Table.of(replace(document(), kind="text")) is None
    assert Table.of(document("1,2\n3,4\n")) is None, "no header"
    long = "Name,Age\n" + "".join(f"n{at},{at}\n" for at in range(MOST_ROWS + 1))
    assert Table.of(document(long)) is None


def test_columns_are_ordered_by_what_they_hold() -> None:
    found = table()
    assert {found.header[column]: order.kind for column, order in found.orders.items()} == {
        "Salary": "number",
        "Start": "date",
    }
    assert found.shapes == ("name", "text", "money", "date", "flag", "name")


def test_days_with_strokes_are_read_as_the_column_has_them() -> None:
    european = table("Item,Due\nrent,03/07/2024\ngas,19/07/2024\n").orders[1].values
    american = table("Item,Due\nrent,03/07/2024\ngas,03/27/2024\n").orders[1].values
    assert european[0] is not None
    assert american[0] is not None
    assert int(european[0] % 1 * 12 + 1e-6) == 6
    assert int(american[0] % 1 * 12 + 1e-6) == 2


def test_months_are_in_order_and_seasons_are_years() -> None:
    for cells in (("03/2011", "09/2014", "05/2009"), ("2011-03", "2014-09", "2009-05")):
        order = table("\nx,".join(["Name,Joined", *cells])).orders[1]
        assert order.kind == "date" and order.values == tuple(y + m / 12 for y, m in ((2011, 2), (2014, 8), (2009, 4)))
    assert table("Name,Season\na,2001-02\nb,2002-03\n").orders[1].values == (2001, 2002)
    assert table("Name,Code\na,13/2011\nb,14/2014\n").orders[1].kind == "number"
    assert table("Name,Joined\na,03/2011\nb,\nc,May 2009\n").orders[1].kind == "date"


def test_a_last_row_that_sums_up_counts_for_nothing() -> None:
    found = table(SALARIES + 'Total,,"$306,750",,,\n')
    assert len(found.rows) == 6
    assert found.every == 0b11111


def test_decimals_with_commas_are_known_by_their_column() -> None:
    assert table('Item,Price\na,"1.234,56"\nb,"2,50"\n').orders[1].values == (1234.56, 2.5)
    assert table("Item,Fee\na,€620\nb,€1.250\n").orders[1].values == (620, 1250)
    assert table("Fuel,Price\na,€1.759\nb,€1.649\n").orders[1].values == (1.759, 1.649)
    assert table("Part,Price\na,€1.759\nb,€1200\n").orders[1].values == (1.759, 1200)
    assert table('Item,Price\na,"1,234"\nb,"2,500"\n').orders[1].values == (1234, 2500)


def test_a_table_whose_cells_cannot_be_told_apart_is_none() -> None:
    assert Table.of(document('Name,Note,Price\na,"ok; Price: 99",5\nb,fine,6\n')) is None
    unnamed = table(",2018,2019\nA,5,7\n,6,8\n")
    assert unnamed.rows == (("A", "5", "7"), ("", "6", "8"))


@pytest.mark.parametrize(
    ("first", "members"),
    [
        ("Total visible minority population,60,30", [1, 2, 3]),
        ("Total,7,8", [1, 2, 3]),
        ("Total visible minority population,60,7", [0, 1, 2, 3]),
        ("Totally Spies,60,30", [0, 1, 2, 3]),
    ],
)
def test_a_first_row_that_sums_up_those_below_is_none_of_them(first: str, members: list[int]) -> None:
    text = f"Group,2001,2011\n{first}\nSouth Asian,30,20\nChinese,30,10\nNot a visible minority,900,800\n"
    assert places(table(text).every) == members


@pytest.mark.parametrize(
    ("name", "cells", "naming"),
    [
        ("number", ("0405", "0407", "1280"), True),  # nobody writes a zero before an amount
        ("phone", ("01970 555 214", "07700 900 341", "01970 555 8"), True),
        ("number", ("405", "407", "1280"), True),  # the first column is called so, and all differ
        ("Customer ID", ("9", "12", "4"), True),
        ("number", ("3", "3", "5"), False),
        ("members", ("405", "407", "1280"), False),
        ("share", ("0.5", "0.7", "0.25"), False),
        ("time", ("01:20", "02:30", "00:50"), False),
    ],
)
def test_numbers_that_name_are_no_amounts(name: str, cells: tuple[str, ...], naming: bool) -> None:
    held = Table("bills", (name, "sum"), tuple((cell, "1") for cell in cells))
    assert (0 not in held.orders or 0 in held.naming) is naming


def test_versions_are_ordered_part_by_part() -> None:
    found = table("Program,Version,Build,Rating,Released\na,3.9,1.2.9,4.25,1.10.2020\nb,3.10,1.10.0,4.3,2.9.2021\n")
    assert found.versions == {1, 2}, "the name says it, or what has more parts than a decimal and is no day"
    older, newer = found.orders[1].values
    assert older is not None and newer is not None and older < newer
    assert found.orders[3].values == (4.25, 4.3) and found.orders[4].kind == "date"
