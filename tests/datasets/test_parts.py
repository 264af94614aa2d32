"""Parts are fixed by a name for good: models that were trained before must not meet their own examples in a report."""

from __future__ import annotations

from collections import Counter

import pytest

from answerable.datasets.parts import part_of, question_part, share, squad_part, table_part

NAMES = [f"page {number}" for number in range(4000)]


def test_a_share_is_the_same_for_ever() -> None:
    assert share("page 1") == int("0621a1c1", 16) / 2**32
    assert min(map(share, NAMES)) >= 0
    assert max(map(share, NAMES)) < 1


def test_parts_have_their_shares() -> None:
    def shares(parts: list[str]) -> list[float]:
        return [Counter(parts)[part] / len(NAMES) for part in ("report", "development", "train")]

    assert shares([squad_part(name) for name in NAMES]) == pytest.approx([0.25, 0.12, 0.63], abs=0.03)
    assert shares([table_part(name) for name in NAMES]) == pytest.approx([0.15, 0.15, 0.7], abs=0.03)
    assert shares([part_of(name, 0.3, 0.4) for name in NAMES]) == pytest.approx([0.3, 0.1, 0.6], abs=0.03)
    assert set(map(question_part, NAMES)) == {"train", "development"}
