"""What asks for the same as a column and a value in it, and what only sounds like it."""

from __future__ import annotations

import pytest

from answerable.sets.relations import meant, sameness

COUNTRIES = ("Denmark", "Norway", "Italy", "Spain", "Austria")


@pytest.mark.parametrize(
    ("asked", "column", "value", "same"),
    [
        ("employees that live in Aarhus", "City", "Aarhus", True),
        ("employees that left Aarhus", "City", "Aarhus", False),
        ("employees that moved away from Aarhus", "City", "Aarhus", False),
        ("employees who were hired in 2020", "Hired", "in 2020", True),
        ("employees that speak German", "Languages", "German", True),
        ("employees that left in 2020", "Hired", "in 2020", False),
        ("employees who earn more than 50,000", "Salary", "more than 50,000", True),
        ("employees with more than 3 children", "Age", "more than 3", False),
    ],
)
def test_a_verb_that_says_what_the_column_says(asked: str, column: str, value: str, same: bool) -> None:
    assert (sameness(asked, "employees", column, value) > 0.0) is same


@pytest.mark.parametrize(
    ("word", "column", "values", "own"),
    [
        ("Italian", "Country", COUNTRIES, "Italy"),
        ("Austrian", "Country", COUNTRIES, "Austria"),
        ("Dutch", "Country", COUNTRIES, None),
        ("cheap", "Country", COUNTRIES, None),
        ("female", "Gender", ("F", "M"), None),  # it may be either
    ],
)
def test_an_adjective_means_the_one_value_that_says_the_same(
    word: str, column: str, values: tuple[str, ...], own: str | None
) -> None:
    found = meant(word, f"{word} wines", "wines", {column: values}, before=True)
    assert found == (None if own is None else (column, own))


def test_what_stands_after_the_noun_must_say_it_for_certain() -> None:
    cuisines, asked = {"Cuisine": ("Italian", "Thai", "French")}, "recipes from {}"
    assert meant("Thailand", asked.format("Thailand"), "recipes", cuisines, before=False) == ("Cuisine", "Thai")
    assert meant("Vietnam", asked.format("Vietnam"), "recipes", cuisines, before=False) is None
    assert meant("Milan", "people from Milan", "people", {"Country": COUNTRIES}, before=False) is None
