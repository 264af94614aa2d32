from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import UsageError
from answerable.evaluation.slices import ALL, by_slice, cost, grouped, ordered, table

SLICES = {"a": "PP", "b": "PG", "c": "PG", "d": "GG"}
MARKS = {
    "a": {"em": 1.0, "f1": 1.0},
    "b": {"em": 0.0, "f1": 0.5, "recall": 1.0},
    "c": {"em": 0.0, "f1": 0.25},
    "d": {"em": 1.0, "f1": 1.0, "recall": 0.0},
}


def test_means_of_all_and_of_each() -> None:
    found = {one.name: (one.questions, dict(one.means)) for one in by_slice(SLICES, MARKS)}
    assert found == {
        ALL: (4, {"em": 0.5, "f1": 0.6875, "recall": 0.5}),
        "PP": (1, {"em": 1.0, "f1": 1.0}),
        "PG": (2, {"em": 0.0, "f1": 0.375, "recall": 1.0}),
        "GG": (1, {"em": 1.0, "f1": 1.0, "recall": 0.0}),
    }
    assert list(found) == [ALL, "PP", "PG", "GG"]


def test_a_run_of_another_split_is_refused() -> None:
    with pytest.raises(UsageError, match="1 of 5 questions"):
        by_slice(SLICES, {**MARKS, "z": {"em": 1.0}})


def test_a_run_of_some_of_the_questions_is_fine() -> None:
    assert [one.questions for one in by_slice(SLICES, {"b": {"em": 1.0}})] == [1, 1]


def test_the_papers_cost() -> None:
    assert cost(75.3, 68.3) == pytest.approx(0.093, abs=1e-3)
    assert cost(53.0, 43.0) == pytest.approx(0.189, abs=1e-3)
    assert cost(0, 0) == 0 and cost(0.5, 0.6) < 0


def test_order_of_the_slices() -> None:
    assert ordered({"G+P", "GGP", "GG", "P", "PG", ALL, "GP", "PP"}) == [
        ALL, "PP", "PG", "GP", "GG", "P", "GGP", "G+P",
    ]  # fmt: skip


def test_the_table() -> None:
    none = by_slice(SLICES, MARKS)
    document = by_slice(SLICES, {"a": {"f1": 1.0}})
    assert table({"none": none, "document": document}, "f1") == (
        "| f1 | all | PP | PG | GG |\n|---|---|---|---|---|\n| questions | 4 | 1 | 2 | 1 |\n"
        "| none | 68.8 | 100.0 | 37.5 | 100.0 |\n| document | 100.0 | 100.0 | – | – |\n"
    )
    with pytest.raises(UsageError, match="no run"):
        table({}, "f1")


@given(
    st.dictionaries(st.integers().map(str), st.tuples(st.sampled_from(["PP", "PG", "G+P"]), st.floats(0, 1))),
    st.randoms(use_true_random=False),
)
def test_slices_part_the_questions_and_their_order_is_nothing(rows: dict[str, tuple[str, float]], chance) -> None:  # type: ignore[no-untyped-def]
    slices = {id: name for id, (name, _) in rows.items()}
    values = {id: value for id, (_, value) in rows.items()}
    groups = grouped(slices, values)
    assert sorted(v for name, ones in groups.items() if name != ALL for v in ones) == sorted(groups[ALL])
    keys = list(values)
    chance.shuffle(keys)
    again = grouped(slices, {id: values[id] for id in keys})
    assert {name: sorted(ones) for name, ones in again.items()} == {name: sorted(v) for name, v in groups.items()}
