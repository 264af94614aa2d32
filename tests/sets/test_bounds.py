"""What constraints bound, times and sizes, and what is left of a judgement by them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from answerable.sets.bounds import UNTOLD, apart, judged_within, plain_bounds, unbounded, within_bounds
from answerable.sets.judge import Floats


@pytest.mark.parametrize(
    ("wanted", "left"),
    [
        ("films from before 1940", "films"),
        ("novels first published after 2005", "novels"),
        ("dams built before 1950 in California", "dams in California"),
        ("films made between 1990 and 1995", "films"),
        ("films made between 1990–1995", "films"),
        ("founded before 1800", ""),
        ("albums released in the 1990s", "albums"),
        ("born in the 1930s", ""),
        ("albums of the 1990s", "albums of the 1990s"),
        ("mails after May 2001", "mails after May 2001"),
        ("films set before 1900", "films set before 1900"),
        ("films set before 1900 made after 1950", "films set before 1900"),
        ("trees over 100 years old in Spain", "trees in Spain"),
        ("dams that are more than 40 m high", "dams"),
        ("stadiums built after 1990 with more than 40,000 seats in Spain", "stadiums in Spain"),
        ("lakes with an area of more than 50 km2", "lakes"),
        ("that hold more than 40,000 people", ""),
    ],
)
def test_a_constraint_without_its_bounds(wanted: str, left: str) -> None:
    assert unbounded(wanted) == left


def test_no_more_bounds_are_read_than_anyone_writes() -> None:
    assert unbounded("films" + " under 2 hours" * 3) == "films"
    assert unbounded("films" + " under 2 hours" * 300).count("under") == 292


def test_what_a_text_does_not_say_is_left_unlikely() -> None:
    wanted, texts = (
        ["dams over 40 m high", "dams of Spain"],
        [("A", "It is 50 m high."), ("B", "It is 30 m high."), ("C", "")],
    )
    left = within_bounds(wanted, np.full((3, 2), 0.5, np.float32), texts)
    assert left == pytest.approx(np.array([[0.5, 0.5], [0.5 * UNTOLD, 0.5], [0.5 * UNTOLD, 0.5]]))


def test_a_judge_is_asked_without_the_time_and_years_decide_it() -> None:
    def ask(constraints: Sequence[str], texts: Sequence[tuple[str, str]]) -> Floats:
        assert list(constraints) == ["films", "made before 1940", "in the 1990s"]
        return np.full((len(texts), 3), 0.5, np.float32)

    texts = [("Voltaire", "a film of 1933"), ("Indochine", "a film of 1992")]
    found = judged_within(ask, ["films before 1940", "made before 1940", "in the 1990s"], texts)
    assert found == pytest.approx(np.array([[0.5, 1.0, 0.5], [0.5 * UNTOLD, 0.5 * UNTOLD, 0.5]]))


def test_a_number_that_is_of_nothing_bounds_money() -> None:
    left, (bound,) = apart("quotes for more than 5000")
    assert left == "quotes" and bound.fits("", "It came to £6,850.") and not bound.fits("", "It came to £4,000.")
    assert not bound.fits("", "They sold 6,000 chairs.")
    assert apart("people who are over the moon") == ("people who are over the moon", [])


def test_what_is_done_with_a_size_is_not_what_is_asked_for() -> None:
    assert [apart(one)[0] for one in ("people who earn more than $50", "dams that hold 3 km")] == [
        "people",
        "dams that hold 3 km",
    ]


@pytest.mark.parametrize(
    ("query", "plain"),
    [
        ("rooms with 20 or more seats", "rooms with at least 20 seats"),
        ("rooms with 20 seats or fewer", "rooms with at most 20 seats"),
        ("laptops from 2021 or later", "laptops since 2021"),
        ("wines of 2018 or older", "wines until 2018"),
        ("people aged 40 or older", "people aged at least 40"),
        ("packages with version 3.9 or older", "packages with version at most 3.9"),
        ("wines older than 2018", "wines before 2018"),
        ("children older than 4", "children older than 4"),
        ("films from the 60s or the '90s", "films from the 1960s or the 1990s"),
        ("people in their 60s", "people in their 60s"),
        ("films of the 20s", "films of the 20s"),  # which ones?
        ("films from 1990 or 1995", "films from 1990 or 1995"),
        ("pumps of 40 W or more than 2 kg", "pumps of 40 W or more than 2 kg"),
    ],
)
def test_a_number_itself_and_what_is_on_one_side_of_it(query: str, plain: str) -> None:
    assert plain_bounds(query) == plain
