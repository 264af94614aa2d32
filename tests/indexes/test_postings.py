"""What a query weighs, whatever engine keeps the postings."""

from __future__ import annotations

import pytest

from answerable.indexes.postings import distance

SLIPS = [("lamp", "lamp", 0), ("lamp", "lmap", 1), ("lamp", "clam", 2), ("", "lamp", 4), ("ca", "abc", 3)]


@pytest.mark.parametrize(("one", "other", "slips"), SLIPS)
def test_slips_are_letters_to_change(one: str, other: str, slips: int) -> None:
    assert distance(one, other) == distance(other, one) == slips
