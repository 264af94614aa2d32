from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.tables.asked import Asked, conditions
from answerable.tables.programs import Program, places, programs
from tests.tables.made import SALARIES, table


def said(question: str, op: str, text: str = SALARIES) -> set[object]:
    """What the programs of an operation say to a question."""
    found = table(text)
    asked = Asked.of(question)
    return {one.values for one in programs(asked, found, conditions(asked, found)) if one.op == op}


@pytest.mark.parametrize(
    ("question", "op", "answer"),
    [
        ("average salary of engineers", "mean", 62500.0),
        ("total salary", "sum", 306750.0),
        ("how many engineers", "count", 3.0),
        ("how many roles", "kinds", 3.0),
        ("most frequent role", "most", ("engineer",)),
        ("who earns the most", "say", ("Mei Tanaka",)),
        ("second highest salary", "say", ("$67,500",)),
        ("who started last among engineers", "say", ("Ines Falk",)),
        ("who comes after Ole Berg", "say", ("Ines Falk",)),
        ("difference in salary of Ana Ruiz and Ole Berg", "spread", 13750.0),
        ("engineers who are not remote", "say", ("Tomas Blick", "Ines Falk")),
        ("salaries between 50,000 and 65,000", "count", 2.0),
        ("how many more engineers than testers", "more", 2.0),
    ],
)
def test_among_what_is_said_is_the_answer(question: str, op: str, answer: object) -> None:
    assert answer in said(question, op)


def test_years_are_counted_within_a_row() -> None:
    text = "Name,Reign,From,To\nOlav,1991–2003,1991,2003\nHarald,2003-2011,2003,2011\n"
    assert {12.0} == said("how long did Olav reign", "length", text) & {12.0}


@given(st.randoms(use_true_random=False))
def test_what_is_counted_and_summed_does_not_depend_on_the_order_of_rows(rng: random.Random) -> None:
    head, *rows = SALARIES.splitlines()
    rng.shuffle(rows)
    for op in ("count", "sum", "mean", "kinds"):
        question = "average salary of engineers who are not remote"
        assert said(question, op, "\n".join([head, *rows])) == said(question, op)


def test_each_program_says_cells_of_the_rows_it_selects() -> None:
    found = table()
    asked = Asked.of("which engineers started after 2018 and are not remote")
    made: list[Program] = [*programs(asked, found, conditions(asked, found))]
    assert len(made) > 100
    for one in made:
        if one.op == "say":
            assert isinstance(one.values, tuple)
            assert {*one.values} == {cell for row in places(one.rows) if (cell := found.rows[row][one.column])}
        elif one.op == "count":
            assert one.values == one.rows.bit_count()


def test_words_of_one_cell_are_of_it_in_any_order() -> None:
    stock = table('Item,Qty\n"Rope, polyester 12 mm",240\n"Rope, dyneema",65\n"Flare, red",32\n')
    asked = Asked.of("polyester rope or flares")
    made = [one for one in programs(asked, stock, conditions(asked, stock)) if one.op == "say" and one.column == 0]
    found = {(one.selector.kind, *places(one.rows)) for one in made if not one.selector.sort}
    assert {("both", 0), ("either", 0, 2)} <= found and ("either", 0, 1) not in found
