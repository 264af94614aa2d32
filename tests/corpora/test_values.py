"""Numbers and dates as people write them."""

from __future__ import annotations

import pytest

from answerable.corpora.values import date, number, version


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("$62,000", 62000),
        ("(3,290)", -3290),
        ("−5.6 %", -5.6),
        ("12 kg", 12),
        ("3rd", 3),
        ("2:29:28", 8968),
        ("28:40", 1720),
        ("€ .50", 0.5),
        ("-$5", -5),
        ("1e-05", 0.00001),
        ("$1.2 million", 1_200_000),
        ("$900K", 900_000),
        ("12 m", 12),
        ("CHF 620.00", 620),
        ("IT-413", None),
        ("9" * 400, None),
        ("Miliband", None),
        ("", None),
        ("–", None),
    ],
)
def test_reads_the_number_a_cell_begins_with(cell: str, value: float | None) -> None:
    assert number(cell) == value


@pytest.mark.parametrize(
    ("text", "year", "month"),
    [
        ("2019-03-01", 2019, 3),
        ("June 26, 1970", 1970, 6),
        ("26 June 1970 (Friday)", 1970, 6),
        ("Jan 8 2024", 2024, 1),
        ("3rd May", 0, 5),
    ],
)
def test_reads_the_day_a_text_names(text: str, year: int, month: int) -> None:
    day = date(text)
    assert day is not None
    assert (int(day), int(day % 1 * 12 + 1e-6) + 1) == (year, month)


@pytest.mark.parametrize("text", ["1970", "Mayor Smith", "12.5", ""])
def test_names_no_day(text: str) -> None:
    assert date(text) is None


def test_versions_rise_part_by_part() -> None:
    rising = [version(one) for one in ("0.9", "3.8", "v3.9", "3.9.1", "3.10", "3.10.2-beta", "12.0")]
    assert None not in rising and rising == sorted(one for one in rising if one is not None)
    assert [version(one) for one in ("3", "1.234.567", "3.9 million", "")] == [None] * 4
