from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from answerable.encoders.encoder import Vectors
from answerable.tables.asked import Asked, conditions
from answerable.tables.nearness import Nearness
from answerable.tables.ranking import Ranking, nearness
from answerable.tables.wording import reason
from tests.tables.made import table

AXES = {"earn": 0, "salary": 0, "hired": 1, "start": 1, "vacation": 2, "holiday": 2, "sick": 4}


def encoded(texts: Sequence[str]) -> Vectors:
    """Words of one meaning on one axis; of a text of several words the last one counts that has an axis."""
    rows = np.full((len(texts), 5), 0.01, np.float32)
    for row, text in zip(rows, texts, strict=True):
        row[max((AXES.get(word, 3) for word in text.split() if word in AXES), default=3)] = 1
    return rows


def test_the_column_that_a_word_means_is_the_nearest() -> None:
    asked, found = Asked.of("what did Ole Berg earn"), table()
    near = Nearness(encoded).of(asked, found, conditions(asked, found))
    names = [name.casefold() for name in found.header]
    assert near[names.index("salary")].place == 0
    assert sorted(one.place for one in near) == sorted(min(place, 3) for place in range(len(near)))


def test_cells_that_a_word_is_near_to_are_a_condition() -> None:
    found = table("Who,Kind,Days\n" + "".join(f"P{at},{'vacation' if at % 2 else 'sick'},{at}\n" for at in range(9)))
    asked = Asked.of("days of holiday")
    (made,) = Nearness(encoded).conditions(asked, found, conditions(asked, found))
    assert (made.column, made.kind, asked.words[made.start]) == (1, "near", "holiday")
    assert made.rows == sum(1 << at for at in range(9) if at % 2)
    said = Ranking({"if.near": 9.0, "op.sum": 5.0}, frozenset(), Nearness(encoded)).say("days of holiday", found)[0]
    assert "where Kind is “vacation”, which is near to “holiday”" in reason(said, found)


def test_a_vector_is_made_once() -> None:
    met: list[str] = []

    def counted(texts: Sequence[str]) -> Vectors:
        met.extend(texts)
        return encoded(texts)

    near, asked = Nearness(counted), Asked.of("what did Ole Berg earn")
    for _ in range(2):
        near.of(asked, table(), conditions(asked, table()))
    assert len(met) == len(set(met)) > 0


def test_what_is_kept_is_no_more_than_a_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("answerable.tables.nearness._KEPT", 3)
    near, asked, found = Nearness(encoded), Asked.of("what did Ole Berg earn"), table()
    first = near.of(asked, found, conditions(asked, found))
    other = Asked.of("when was Ines hired")
    near.of(other, found, conditions(other, found))
    assert near.of(asked, found, conditions(asked, found)) == first
    assert len(near._kept) <= 3 + len(found.header) + len(asked.words) + 1


def test_the_shipped_encoder_knows_what_is_near() -> None:
    asked, found = Asked.of("how much does Ole Berg earn"), table()
    near = nearness().of(asked, found, conditions(asked, found))
    assert near[[name.casefold() for name in found.header].index("salary")].place == 0
