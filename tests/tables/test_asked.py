from __future__ import annotations

import pytest

from answerable.tables.asked import Asked, asked_again, conditions
from answerable.tables.programs import places
from tests.tables.made import table


def rows(question: str, kind: str, column: str) -> list[list[int]]:
    """The rows of the conditions of a kind on a column."""
    found = table()
    at = found.header.index(column)
    known = conditions(Asked.of(question), found)
    return [places(one.rows) for one in known if (one.kind, one.column) == (kind, at)]


@pytest.mark.parametrize(
    ("question", "kind", "column", "expected"),
    [
        ("average salary of engineers", "full", "Role", [0, 1, 4]),
        ("what does tanaka earn", "part", "Name", [2]),
        ("who started after 2019", ">", "Start", [3, 4]),
        ("who started in 2021", "part", "Start", [3, 4]),
        ("anyone starting in july", "month", "Start", [3]),
        ("who started in july 2021", "number", "Start", [3]),
        ("who earns over 60k", ">", "Salary", [0, 1, 2]),
        ("who is not an engineer", "not", "Role", [2, 3]),
        ("who has no manager", "empty", "Manager", [2]),
        ("how many are remote", "yes", "Remote", [0, 2]),
        ("how many are not remote", "no", "Remote", [1, 3, 4]),
        ("who isn't remote", "no", "Remote", [1, 3, 4]),
        ("who is remote and not an engineer", "yes", "Remote", [0, 2]),
        ("who is remote and not an engineer", "no", "Remote", [1, 3, 4]),
    ],
)
def test_a_question_means_rows_by_its_words(question: str, kind: str, column: str, expected: list[int]) -> None:
    assert expected in rows(question, kind, column)


def test_cells_of_yes_and_no_are_meant_as_the_question_says() -> None:
    assert rows("how many are remote", "no", "Remote") == rows("how many are not remote", "yes", "Remote") == []


def test_days_of_the_week_are_what_tables_call_them() -> None:
    rota = table("Day,Cook\nMon,Ines\nThurs,Karol\nFriday,Ola\n")
    for question, row in (("Monday", 0), ("thursday", 1), ("Fri", 2), ("Fridays", 2)):
        known = conditions(Asked.of(f"who cooks on {question}"), rota)
        assert [places(one.rows) for one in known if one.kind == "full"] == [[row]]


def test_a_question_is_asked_again_with_what_stands_in_the_same_column() -> None:
    remote = "Is Ana  Ruiz remote, and since when?"
    assert asked_again("Mei Tanaka's", remote, table()) == "is mei tanaka remote, and since when?"
    assert asked_again("ana ruiz", remote, table()) is None
    assert asked_again("testers", remote, table()) is None
    year = table("Year,Town,People\n1999,Kiel,40\n2009,Oslo,50\n")
    assert asked_again("in 2009", "How many people in 1999?", year) == "how many people in 2009?"


def test_the_same_rows_of_a_column_are_meant_once() -> None:
    known = conditions(Asked.of("engineers, engineer, the engineer Ana Ruiz"), table())
    named = [(one.column, one.rows) for one in known]
    assert len(set(named)) == len(named)


def test_words_of_no_cell_mean_nothing() -> None:
    assert conditions(Asked.of("what is the capital of Mongolia"), table()) == []
    assert conditions(Asked.of(""), table()) == []


def test_a_row_that_sums_up_fits_only_what_names_it() -> None:
    found = table("Order,Amount\nA,50\nB,120\nTotal,170\n")
    over = conditions(Asked.of("orders over 100"), found)
    assert [places(one.rows) for one in over if one.kind == ">"] == [[1]]
    named = conditions(Asked.of("what is the total"), found)
    assert [2] in [places(one.rows) for one in named if one.kind == "full"]


def test_odd_questions_are_taken_apart() -> None:
    for question in ("10² ① ٣", "the " * 2_000, "🙂", "1" * 400):
        assert len(Asked.of(question).words) <= 60
        conditions(Asked.of(question), table())


def test_a_cell_that_lists_several_things_is_each_of_them() -> None:
    boiler = table('Date,What was done\n2021,Service\n2022,"Service, new expansion vessel"\n2023,Service of the pump\n')
    known = conditions(Asked.of("how many times was the boiler serviced"), boiler)
    found = {one.kind: places(one.rows) for one in known if one.column == 1}
    assert found == {"full": [0, 1], "part": [0, 1, 2]}
