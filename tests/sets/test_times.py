"""Times that constraints name: before, after, since and between years."""

from __future__ import annotations

import pytest

from answerable.sets.times import each_year, event, other_years, time, years_of


@pytest.mark.parametrize(
    ("wanted", "text", "other"),
    [
        ("films of the 1980s", "a film of 1979", True),
        ("films of the 1980s", "a film of 1984, after a novel of 1950", False),
        ("films of the 1980s", "set in the 1980s", False),
        ("films of the 1980s", "a film", False),
        ("films", "a film of 1979", False),
        ("films of the 2000s", "a film of 2014", True),
        ("houses of the 1800s", "a house of 1874", False),
        ("towers built before 1850", "built in 1931", True),
        ("towers built before 1850", "built in 1812 and raised in 1931", False),
        ("mails since 2001", "of 2001", False),
        ("mails after 2001", "of 2001", True),
        ("12000 steps", "in 1999", False),
        ("films made between 1990 and 1995", "a film of 1993", False),
        ("films from 1990 to 1995", "a film of 1999", True),
    ],
)
def test_years_that_are_others_than_asked_for(wanted: str, text: str, other: bool) -> None:
    assert other_years(wanted, text) is other


@pytest.mark.parametrize(
    ("title", "text", "fits"),
    [
        ("Voltaire", "Voltaire is a film of 1933, restored in 1995.", True),
        ("Indochine", "Indochine is a film of 1992. It is set in 1930.", False),
        ("Titanic (1943 film)", "It tells of the ship that sank in 1912.", False),
        ("Fausto", "Fausto is a film. It was shot in 1921.", True),
        ("Fausto", "Fausto was shown until 2019.", False),
        ("Fausto", "Fausto is a film.", False),
        ("Hook", "Hook was begun in the 12th century.", True),
    ],
)
def test_a_text_is_of_the_years_that_it_names_first(title: str, text: str, fits: bool) -> None:
    found = time("films from before 1940")
    assert found is not None and found.fits(title, text) is fits
    assert time("films of the 1930s") is None


@pytest.mark.parametrize(
    ("wanted", "asks", "years"),
    [
        ("people born in the 1930s", "When was {} born?", (1930, 1939)),
        ("painters born in the 17th century", "When was {} born?", (1600, 1699)),
        ("born in 1931", "When was {} born?", (1931, 1931)),
        ("bridges that were built before 1900", "When was {} built?", (0, 1899)),
        ("people who died after 1950 in Oslo", "When did {} died?", (1951, 9999)),
        ("clubs founded between 1901 and 1905", "When was {} founded?", (1901, 1905)),
        ("films set in the 1930s", None, None),
        ("films of the 1980s", None, None),
        ("1958 films", None, None),
        ("people born in Oslo", None, None),
    ],
)
def test_what_happened_at_a_time(wanted: str, asks: str | None, years: tuple[int, int] | None) -> None:
    found = event(wanted)
    assert (found and found.asks, found and (found.first, found.last)) == (asks, years)
    bound = time(wanted)
    assert found is None or (bound is not None and bound.fits("A", f"Of 1700. Then {found.first or 1899}."))


@pytest.mark.parametrize(
    ("wanted", "first", "count"),
    [
        ("people born in the 1930s", "people born 1930", 10),
        ("people born in 1931 in Oslo", "people born 1931 in Oslo", 1),
        ("clubs founded after 1950", "clubs founded 1951", 10),
        ("clubs founded before 1950", "clubs founded 1940", 10),
        ("houses built in the 1800s", "houses built 1800", 10),
        ("films released between 1950 and 1990", "films released 1950", 9),
    ],
)
def test_each_year_is_searched_for_or_some_of_many(wanted: str, first: str, count: int) -> None:
    years = each_year(wanted)
    assert (years[0], len(years)) == (first, count)
    assert each_year("films of the 1930s") == []


def test_a_century_and_a_decade_are_from_their_first_year_on() -> None:
    assert years_of("the late 12th century") == (1100, 1200) and years_of("in the 1930s") == (1930, 1940)
    assert years_of("the 5th century BC") is None and years_of("long ago") is None
