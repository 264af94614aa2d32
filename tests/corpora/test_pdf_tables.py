"""Tables in a PDF: rows below names of columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from answerable.corpora.paragraphs import paragraphs
from answerable.tables.cells import Table, tables_in
from answerable.types import Document
from tests.corpora.test_pdf_lines import Placed, document

LEFTS = (60, 160, 300, 420)
HEAD = ["Day", "Main", "Pudding"]
ROWS = [["Monday", "Chicken curry", "Fruit salad"], ["Tuesday", "Sausage and mash", "Flapjack"]]


def page(rows: list[list[str]], fonts: str = "F2", pitches: tuple[float, ...] = (18,), below: str = "") -> list[Placed]:
    """Rows of cells, the first in the first font and the others in F1, each as far above the next as it says."""
    placed: list[Placed] = [(60, 740, 10, "F1", "This is what there is to eat in the week that begins now.")]
    base = 712.0
    for number, row in enumerate(rows):
        placed += [
            (left, base, 10, "F1" if number else fonts, cell) for left, cell in zip(LEFTS, row, strict=False) if cell
        ]
        base -= pitches[min(number, len(pitches) - 1)]
    return [*placed, (60, base - 12, 10, "F1", below)] if below else placed


def tables(found: Document) -> list[list[list[str]]]:
    """The tables of a document that can be asked, each with its names first."""
    read = [Table.read(found.text, place) for place in tables_in(found, 0, len(found.text))]
    return [[[*one.header], *map(list, one.rows)] for one in read if one]


@pytest.mark.parametrize(
    ("fonts", "pitches", "rows"),
    [
        ("F2", (18,), [HEAD, *ROWS]),  # bold
        ("F1", (24, 18), [HEAD, *ROWS]),  # set off
        ("F1", (18,), [["Club", "Places", "Fee"], ["Chess", "16", "free"], ["Art", "12", "42"]]),  # numbers
        ("F2", (18,), [["Item", "Charge"], ["Half a day", "460"], ["A day", "780"]]),
        ("F2", (18,), [["", "one loaf", "two loaves"], ["flour", "450 g", "900 g"], ["salt", "9 g", "18 g"]]),
        ("F2", (18,), [HEAD, ROWS[0]]),
    ],
)
def test_rows_say_what_their_columns_are(
    tmp_path: Path, fonts: str, pitches: tuple[float, ...], rows: list[list[str]]
) -> None:
    found = document(tmp_path, [page(rows, fonts, pitches, "Tell us.")])
    assert tables(found) == [rows]
    lines = [
        "; ".join(f"{name}: {cell}" if name else cell for name, cell in zip(rows[0], row, strict=True))
        for row in rows[1:]
    ]
    assert found.text.split("\n\n")[1:] == ["\n".join(lines), "Tell us."]
    if rows[0][0]:
        assert [found.text[one.start : one.end] for one in paragraphs(found)][1:] == [*lines, "Tell us."]


@pytest.mark.parametrize(
    ("fonts", "rows"),
    [
        ("F1", [HEAD, *ROWS]),  # nothing tells the names from the cells
        ("F1", [["Item", "Charge"], ["Half a day", "460"], ["A day", "780"]]),
        ("F2", [["Item", "Charge"], ["Half a day", "460"]]),
        ("F2", [["i = 4", "j = 1", "k = Jan"], ["i = 4", "j = 1", "k = Feb"], ["i = 4", "j = 2", "k = Feb"]]),
        ("F2", [["1.", "Lay the tiles"], ["2.", "Wait"], ["3.", "Grout them"]]),
        ("F2", [["Three days", "Main"], ["Monday in the first week of the year", "Curry"], ["Tuesday", "Pie"]]),
    ],
)
def test_what_may_be_no_table_stays_as_it_is(tmp_path: Path, fonts: str, rows: list[list[str]]) -> None:
    found = document(tmp_path, [page(rows, fonts)])
    assert "tables" not in found.meta and all(cell in found.text for row in rows for cell in row)


def test_a_cell_may_go_on_below_and_what_sums_up_is_no_row(tmp_path: Path) -> None:
    bill = [
        ["What", "Qty", "Price"],
        ["Anodes,", "4", "18"],
        ["of zinc", "", ""],
        ["Pins", "9", "2"],
        ["", "Net", "90"],
    ]
    found = document(tmp_path, [page(bill, pitches=(18, 12, 18, 18))])
    assert tables(found) == [[["What", "Qty", "Price"], ["Anodes, of zinc", "4", "18"], ["Pins", "9", "2"]]]
    assert found.text.endswith("\n\nNet 90")
