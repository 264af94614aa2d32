"""Sizes that constraints name, and what texts say of them."""

from __future__ import annotations

import math
from time import process_time

import pytest

from answerable.sets.sizes import THEMSELVES, bare, bound, sizes, unit_in


@pytest.mark.parametrize(
    ("wanted", "kind", "least", "most"),
    [
        ("dams more than 100 m high", "length", 100, math.inf),
        ("islands smaller than 10 km2", "area", -math.inf, 1e7),
        ("mountains over 4,000 metres", "length", 4000, math.inf),
        ("bridges at least 300 feet long", "length", 91.44, math.inf),
        ("companies with fewer than 500 employees", "employee", -math.inf, 500),
        ("towns with more than 20,000 inhabitants", "people", 20_000, math.inf),
        ("towns with a population over 10,000", "people", 10_000, math.inf),
        ("films with a budget of over $50 million", "$", 5e7, math.inf),
        ("albums with at least ten songs", "song", 10, math.inf),
        ("films longer than three hours", "time", 180, math.inf),
        ("trips cheaper than 700 euros", "€", -math.inf, 700),
        ("chairs more expensive than $40", "$", 40, math.inf),
        ("films over two hours", "time", 120, math.inf),
        ("mountains no higher than 3,000 m", "length", -math.inf, 3000),
        ("films of no less than two hours", "time", 120, math.inf),
        ("trails between 100–200 km", "length", 1e5, 2e5),
        ("towers between 90 m and 0.2 km high", "length", 90, 200),
        ("prizes from $5 to $10 million", "$", 5e6, 1e7),
        ("games for between two and four players", "player", 2, 4),
        ("tunnels between 1100 and 1900 m long", "length", 1100, 1900),
        ("schools with 1000 students", "student", 950, 1050),
        ("engines with 12 cylinders", "cylinder", 11.5, 12.5),
        ("towers of 120 metres", "length", 115, 125),
        ("flats with 2.5 rooms", "room", 2.45, 2.55),
        ("schools with more than 1500 students", "student", 1500, math.inf),
        ("bills over 5,000 EUR", "€", 5000, math.inf),
        ("firms that have over 500 employees", "employee", 500, math.inf),
        ("towns over 5,000 inhabitants", "people", 5000, math.inf),
    ],
)
def test_bounds_of_sizes(wanted: str, kind: str, least: float, most: float) -> None:
    found = bound(wanted)
    assert found is not None and found.size.kind == kind
    assert (found.least, found.most) == (pytest.approx(least), pytest.approx(most))


@pytest.mark.parametrize(
    "wanted",
    [
        "films over the years",
        "works on people under 18",
        "books about living under one roof",
        "200 km rides",
        "victories over 3 countries",
        "victims of 11 September",
        "films between 1990 and 1995 about war",
        "bands with four members",
    ],
)
def test_what_bounds_no_size(wanted: str) -> None:
    assert bound(wanted) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("It is 2,737 m long.", [("length", 2737, {"along"})]),
        ("The Tiber is 405 km ( 252 mi ) long.", [("length", 405_000, {"along"}), ("length", 405_555, {"along"})]),
        ("It had 26 episodes in 1994 .", [("episode", 26, set())]),
        ("a population in 1990", []),
        ("It cost 12 dollars.", [("$", 12, set())]),
        ("a town with a population of 20,144 in 2010", [("people", 20_144, set())]),
        ("a height of 204 feet (62 m) from bedrock", [("length", 62.18, {"up"}), ("length", 62, {"up"})]),
        ("It lies 7 miles ( 11 km ) northeast of the film of 1990 films", []),
        ("$50 million from 26 backers from Oslo", [("$", 5e7, set()), ("backer", 26, set())]),
    ],
)
def test_sizes_that_a_sentence_names(text: str, told: list[tuple[str, float, set[str]]]) -> None:
    assert [(one.kind, pytest.approx(one.amount, rel=1e-4), set(one.ways)) for one in sizes(text)] == told


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("Oroville Dam is 770 feet ( 235 m ) high and 6,920 feet long.", True),
        ("The dam is 2,000 m long and 40 m high.", False),
        ("It lies 5 miles north of Baker.", False),
        ("It is 10 kilometres (6.2 miles) by boat.", False),
        ("It is a dam of 120 metres.", True),
        ("It is a dam.", False),
    ],
)
def test_a_text_fits_by_what_it_says_first_of_such_a_size(text: str, fits: bool) -> None:
    found = bound("dams more than 100 m high")
    assert found is not None and found.fits("A dam", text) is fits


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        ("games for more than 2 players", False),
        ("games for fewer than 2 players", False),
        ("games for at least 2 players", True),
        ("games for up to 2 players", True),
        ("games for no more than 2 players", True),
    ],
)
def test_what_is_more_than_a_number_is_not_that_number(wanted: str, fits: bool) -> None:
    found = bound(wanted)
    assert found is not None and found.fits("A game", "A game for 2 players.") is fits


def test_a_text_of_many_numbers_is_read_in_little_time() -> None:
    started = process_time()
    assert len([*sizes("3 dams 40 m high, " * 3000)]) == 6000
    assert process_time() - started < 2.0  # some 30 s if each looked at all of the text


def test_a_unit_stands_in_the_name_of_a_column() -> None:
    names = ("weight kg", "price £", "hours a week", "m", "Money ($)", "days from home")
    assert [unit_in(name) for name in names] == ["kg", "£", "hours", "", "$", ""]


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("A bag is £17. The minimum order is £40, postage £60.", True),
        ("A bag is £17. The minimum order is £80.", False),
        ("A bag is £17.", False),
    ],
)
def test_money_is_that_of_what_is_said_to_have_it(text: str, fits: bool) -> None:
    found = bound("suppliers with a minimum order below £50")
    assert found is not None and found.fits("Mills", text) is fits
    price = bound("bags with a price below £50")
    assert price is not None and price.fits("Mills", text)


def test_how_many_there_are_of_things_themselves_is_no_money() -> None:
    found = bare("items we have more than 5 of")
    assert found is not None and found.size.kind == THEMSELVES and not found.fits("Stock", "It costs £17.")
