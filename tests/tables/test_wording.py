from __future__ import annotations

from dataclasses import replace

import pytest

from answerable.tables.asked import Asked, conditions
from answerable.tables.programs import Program, Said, programs
from answerable.tables.wording import reason, written
from tests.tables.made import SALARIES, table


def found(question: str, op: str, values: object, text: str = SALARIES) -> Said:
    """The shortest program that says something, as if it were ranked first."""
    asked = Asked.of(question)
    known = conditions(asked, table(text))
    made = [one for one in programs(asked, table(text), known) if (one.op, one.values) == (op, values)]
    best: Program = min(made, key=lambda one: (len(one.selector.conditions), one.selector.sort is not None))
    return Said(best, 0.9, asked.words, tuple(known), 2, (), (), ())


@pytest.mark.parametrize(
    ("question", "op", "values", "answer"),
    [
        ("average salary of engineers", "mean", 62500.0, "$62,500"),
        ("total salary", "sum", 306750.0, "$306,750"),
        ("how many engineers", "count", 3.0, "3"),
        ("what does tanaka earn", "say", ("$71,000",), "$71,000"),
        ("engineers who are not remote", "say", ("Tomas Blick", "Ines Falk"), "Tomas Blick, Ines Falk"),
    ],
)
def test_an_answer_looks_like_the_cells_it_is_made_of(question: str, op: str, values: object, answer: str) -> None:
    assert written(found(question, op, values).program, table()) == answer


@pytest.mark.parametrize(
    ("cells", "total"),
    [
        (("5.2 km", "3.8 km"), "9 km"),
        (("28:40", "20:15"), "48:55"),
        (("1:28:40", "0:20:15"), "1:48:55"),
        (("12", "0.55"), "12.55"),
        (("5 km", "3 mi"), "8"),
        (("38:30", "40:00"), "78:30"),
        (("-$5", "-$7"), "-$12"),
        (("$1.2 million", "$900 thousand"), "$2,100,000"),
        (("0.001", "0.002"), "0.003"),
    ],
)
def test_a_sum_has_the_unit_that_all_have(cells: tuple[str, str], total: str) -> None:
    text = f"Day,Run\nMonday,{cells[0]}\nTuesday,{cells[1]}\n"
    asked = Asked.of("total run")
    sums = [one for one in programs(asked, table(text), []) if one.op == "sum"]
    assert [written(one, table(text)) for one in sums] == [total]


def test_how_it_was_worked_out_is_said_in_words() -> None:
    assert reason(found("average salary of engineers", "mean", 62500.0), table()) == (
        "worked out from the table “team salaries”: the mean of Salary, over 3 of 5 rows, where Role is “engineers”"
    )
    assert reason(found("lowest salary", "say", ("$48,250",)), table()).endswith(": Salary, with the least Salary")
    dated = "Name,Start\nAna,2020-01-02\nBo,2019-01-02\nKim,2021-03-04\n"
    earliest = found("who came first", "say", ("Bo",), dated)
    assert reason(earliest, table(dated)).endswith(": Name, with the earliest Start")
    told = replace(found("average salary of engineers", "mean", 62500.0), ignored=("berg",))
    assert reason(told, table()).endswith("; left out: “berg”")
    assert "Remote is no" in reason(found("how many are not remote", "count", 3.0), table())
