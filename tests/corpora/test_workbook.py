"""Workbooks as Excel writes them, and files that are none."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from answerable.corpora.formats import Limits
from answerable.corpora.workbook import tables_in, written
from answerable.errors import FormatError
from answerable.tables.cells import Table
from tests.corpora.packing import packed
from tests.corpora.reading import read, write

Cells = Sequence[Sequence[Any]]
CREW: Cells = [("Who", "Nights", "From"), ("Ada Sele", 3, date(2024, 5, 6)), ("Ben Orr", 2.5, date(2024, 6, 1))]


def workbook(sheets: Mapping[str, Cells], hidden: Sequence[str] = ()) -> bytes:
    made = io.BytesIO()
    with xlsxwriter.Workbook(made, {"default_date_format": "yyyy-mm-dd"}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
            if name in hidden:
                sheet.hide()
    return made.getvalue()


def test_each_table_of_each_sheet_that_is_shown_is_a_document(tmp_path: Path) -> None:
    sheets = {"Trips": CREW, "Aside": [("Secret",), ("x",)], "Costs": [("What", "Cost"), ("Rope", 12)]}
    path = write(tmp_path / "crew.xlsx", workbook(sheets, hidden=("Aside",)))
    documents, reports = read(path)
    assert not reports
    assert [(d.id, d.title, d.kind, d.meta["record"]) for d in documents] == [
        ("crew.xlsx#Trips", "crew, Trips", "table", 0),
        ("crew.xlsx#Costs", "crew, Costs", "table", 1),
    ]
    assert documents[0].text == (
        "Who: Ada Sele; Nights: 3; From: 2024-05-06\nWho: Ben Orr; Nights: 2.5; From: 2024-06-01"
    )
    assert read(path, start=1)[0] == documents[1:]


def test_a_single_table_is_called_after_its_file_and_its_notes_stand_above_its_rows(tmp_path: Path) -> None:
    rows = [("Nights away in spring",), (), *CREW, (), ("Asked of the harbour office",)]
    ((document,), _) = read(write(tmp_path / "crew-nights.xlsx", workbook({"Sheet1": rows})))
    assert (document.id, document.title) == ("crew-nights.xlsx", "crew nights")
    assert document.text.startswith("Nights away in spring\nAsked of the harbour office\nWho: Ada Sele; Nights: 3")
    table = Table.of(document)
    assert table is not None and table.header == ("Who", "Nights", "From") and len(table.rows) == 2


def test_an_empty_row_parts_tables_only_where_columns_are_named_again() -> None:
    apart = [["Who", "Cost"], ["Ada", "3"], ["", ""], ["Ben", "4"], ["", ""], ["Where", "Depth"], ["Bergen", "12"]]
    assert [*tables_in(apart)] == [
        ([], [["Who", "Cost"], ["Ada", "3"], ["Ben", "4"]]),
        ([], [["Where", "Depth"], ["Bergen", "12"]]),
    ]


def test_columns_in_which_nothing_stands_are_left_out_and_a_list_is_a_table() -> None:
    assert [*tables_in([["", "Who", "", "Cost"], ["", "Ada", "", "3"]])] == [([], [["Who", "Cost"], ["Ada", "3"]])]
    assert [*tables_in([["Rope"], [""], ["Buoy"]])] == [([], [["Rope"], ["Buoy"]])]
    assert [*tables_in([])] == []


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (3.0, "3"),
        (0.1 + 0.2, "0.3"),
        (1e20, "1e+20"),
        (True, "TRUE"),
        (datetime(2024, 5, 6), "2024-05-06"),
        (datetime(2024, 5, 6, 8, 30), "2024-05-06 08:30"),
        (time(8, 30, 5), "08:30:05"),
        (" a\nb ", "a b"),
    ],
)
def test_cells_are_written_as_people_write_them(cell: Any, said: str) -> None:
    assert written(cell) == said


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (workbook({"Empty": []}), "no rows"),
        (b"PK\x03\x04 and then nothing", "damaged, encrypted or no workbook"),
        (packed({"readme.txt": "x"}), "damaged, locked or no workbook"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and then nothing", "damaged, locked or no workbook"),
        (packed({"xl/worksheets/sheet1.xml": b"x" * 20_000_000}), "bomb"),
    ],
)
def test_what_is_broken_or_hostile_is_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        read(write(tmp_path / "n.xlsx", data), Limits())


def test_a_damaged_sheet_costs_itself_alone(tmp_path: Path) -> None:
    good = workbook({"Trips": CREW, "Costs": [("What", "Cost"), ("Rope", 12)]})
    path = write(tmp_path / "n.xlsx", _changed(good, "xl/worksheets/sheet2.xml", b"</sheetData>", b""))
    documents, reports = read(path)
    assert [document.title for document in documents] == ["n"]
    assert reports == ["skipped 1 sheet of n.xlsx: damaged"]


def _changed(book: bytes, name: str, old: bytes, new: bytes) -> bytes:
    import zipfile

    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        files = {one: archive.read(one) for one in archive.namelist()}
    assert old in files[name]
    return packed({**files, name: files[name].replace(old, new)})
