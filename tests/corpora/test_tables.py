"""CSV and TSV: rows that say what their cells are, whatever the file is like."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from answerable.corpora.tables import borders, row_line, rows_in, split_header, statements
from answerable.errors import FormatError
from tests.corpora.reading import read, write


def test_rows_name_their_cells(tmp_path: Path) -> None:
    data = 'order_no,client,note\n1,"Hill, Ltd","two\nlines"\n2,,x\n'
    (document,), _ = read(write(tmp_path / "orders-2019.csv", data))
    assert document.text == "order no: 1; client: Hill, Ltd; note: two lines\norder no: 2; note: x"
    assert document.title == "orders 2019" and document.kind == "table"


@pytest.mark.parametrize(("name", "mark"), [("n.tsv", "\t"), ("n.csv", ";"), ("n.csv", "\t"), ("n.csv", "|")])
def test_other_marks_than_commas_are_seen(tmp_path: Path, name: str, mark: str) -> None:
    (document,), _ = read(write(tmp_path / name, f"a{mark}b\n1,5{mark}2\n"))
    assert document.text == "a: 1,5; b: 2"


def test_a_first_row_of_data_is_no_header() -> None:
    assert split_header([["1999", "x"], ["2000", "y"]]) == ([], [["1999", "x"], ["2000", "y"]])
    assert split_header([["", "x"], ["2000", "y"]]) == (["", "x"], [["2000", "y"]])
    assert split_header([["a", "a"], ["2000", "y"]])[0] == []
    assert split_header([["Guest", "+1"], ["Ann", "3"], ["Bo", "4"]])[0] == ["Guest", "+1"]


def test_columns_of_one_name_are_told_apart() -> None:
    rows = [["Day", "Winner", "Score", "Loser", "Score", "", "Score"], ["4 May", "Ulm", "21", "Bonn", "20", "x", "3"]]
    assert split_header(rows)[0] == ["Day", "Winner", "Score", "Loser", "Loser Score", "", "Score 2"]


@pytest.mark.parametrize(
    ("rows", "header", "left"),
    [
        ([["", "2019", "2018"], ["Sales:", "", ""], ["Oil", "10", "12"]], ["", "2019", "2018"], 2),
        (
            [["", "Three months", "", "A year", ""], ["", "2019", "2018", "2019", "2018"], ["Oil", "1", "2", "3", "4"]],
            ["", "Three months 2019", "Three months 2018", "A year 2019", "A year 2018"],
            1,
        ),
        ([["", "2019", "2018"], ["", "$m", "%"], ["Oil", "1", "2"]], ["", "2019 $m", "2018 %"], 1),
        ([["Year 2019", "", ""], ["(in $)", "May", "June"], ["Oil", "1", "2"]], ["Year 2019 (in $)", "May", "June"], 1),
        ([["City", "Built"], ["Rome", "1999"], ["Oslo", "2001"]], ["City", "Built"], 2),
        ([["Name", "Country"], ["Ann", "France"], ["Bob", "Peru"]], ["Name", "Country"], 2),
        ([["Founded", "1999"], ["Closed", "2004"]], [], 2),
        ([["bed", "2024", "2025"], ["1", "peas", "leeks"], ["2", "", "kale"]], ["bed", "2024", "2025"], 2),
        ([["Kim", "2024", "2025"], ["Bo", "2023", "2024"], ["Ada", "-", "2024"]], [], 3),
        ([["Name", "", ""], ["Ann", "France", "poet"], ["Bob", "Peru", "smith"]], [], 3),
    ],
)
def test_a_header_of_years_or_of_several_rows(rows: list[list[str]], header: list[str], left: int) -> None:
    assert split_header(rows) == (header, rows[len(rows) - left :])


def test_cells_are_found_in_their_line() -> None:
    line, spans = row_line(["A", "", "C"], [" x  y ", "z", "", "w"])
    assert line == "A: x y; z; w"
    assert [line[start:end] for start, end in spans] == ["x y", "z", "", "w"]


def test_ragged_rows_and_huge_fields_do_not_stop_the_rest(tmp_path: Path) -> None:
    data = "a,b\n1\n" + "x" * 200_000 + ",2\n3,4,5\n"
    (document,), reports = read(write(tmp_path / "n.csv", data))
    assert document.text == "a: 1\na: 3; b: 4; 5"
    assert len(reports) == 1 and "a field is too large" in reports[0]


def test_an_empty_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no rows"):
        read(write(tmp_path / "n.csv", ",,\n,,\n"))


def test_borders_part_the_names_and_cells_of_rows_and_nothing_else() -> None:
    text = "A note: nothing; really.\nYear: 1979; Place: New York; By: Smith; Jones\nYear: 1980; Place: Oslo; By: Bo"
    found = borders(text)
    assert [text[a:b] for a, b in itertools.pairwise(found)] == [
        *("Year: ", "1979; ", "Place: ", "New York; ", "By: ", "Smith; Jones", "\n"),
        *("Year: ", "1980; ", "Place: ", "Oslo; ", "By: ", "Bo"),
    ]
    assert [text[a:b] for a, b in rows_in(text)] == text.split("\n")[1:]


def test_lines_of_a_list_of_values_are_one_statement_each() -> None:
    text = "Fees:\n\nFee: 240 euro\n- Least age: 16 years\n\nNote: a line\nthat goes on. Alone: it is none."
    assert [text[a:b] for a, b in statements(text)][1:3] == ["Fee: 240 euro", "- Least age: 16 years"]
    assert {text.index("\n- Least"), text.index("\n\nNote")} <= {*borders(text)}
    mail = "From: Ann\nTo: Bo\nDate: 1 May\nSubject: Tea\n\nWhen: noon\nWhere: here"
    assert [mail[a:b] for a, b in statements(mail)] == [mail[: mail.index("\n\n")], "When: noon", "Where: here"]


def test_borders_part_paragraphs_and_items() -> None:
    text = "It has\ntwo lines.\n\nBooks:\n3. Piranesi: 10/10\n4. Emma\n- Cake, 1.5 kg\n* Tea"
    assert [text[a:b].strip() for a, b in itertools.pairwise([0, *borders(text), len(text)])] == [
        *("It has\ntwo lines.", "Books:", "3. Piranesi: 10/10", "4. Emma", "- Cake, 1.5 kg", "* Tea")
    ]


def test_borders_part_what_stands_under_each_other() -> None:
    text = "  alpha    OpenBSD 7    4 GB\n  beta     Debian 12    8 GB\n  gamma\t   mail and\n           backups"
    assert [text[a:b].strip() for a, b in itertools.pairwise([0, *borders(text), len(text)])] == [
        *("alpha", "OpenBSD 7", "4 GB", "beta", "Debian 12", "8 GB", "gamma", "mail and\n           backups", "")
    ]
    assert borders("One sentence.  And another,\nof two lines. With  a gap.") == []
