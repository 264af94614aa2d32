"""Rows of a text and its constraints."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from answerable.encoders.constraints import FIRST, TEXT, feeding, lay

IDS = st.lists(st.integers(1, 99), min_size=1, max_size=6)


def test_a_row_says_what_each_token_is_of_and_where_it_stands() -> None:
    row = lay([101, 7, 102], [[101, 8, 102], [101, 9, 9, 102]])
    assert row.ids == [101, 7, 102, 101, 8, 102, 101, 9, 9, 102]
    assert row.segments == [TEXT] * 3 + [FIRST] * 3 + [FIRST + 1] * 4
    assert row.places == [0, 1, 2, 0, 1, 2, 0, 1, 2, 3]
    assert row.heads == [3, 6]


@given(st.lists(st.tuples(IDS, st.lists(IDS, min_size=1, max_size=3)), min_size=1, max_size=4))
def test_padding_changes_no_row(given: list[tuple[list[int], list[list[int]]]]) -> None:
    rows = [lay(*one) for one in given]
    fed = feeding(rows)
    for number, row in enumerate(rows):
        size = len(row.ids)
        assert fed["ids"][number, :size].tolist() == row.ids
        assert not fed["segments"][number, size:].any() and (fed["segments"][number, :size] > 0).all()
        assert fed["places"][number, :size].tolist() == row.places
        assert fed["heads"][number, : len(row.heads)].tolist() == row.heads
