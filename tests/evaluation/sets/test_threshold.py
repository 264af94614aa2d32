"""One threshold for all queries: the best there is, and held to what it was tuned with."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import FormatError, UsageError
from answerable.evaluation.metrics.ranking import set_scores
from answerable.evaluation.sets.tables import (
    Threshold,
    best_threshold,
    check_threshold,
    read_threshold,
    write_threshold,
)

QUERY = st.tuples(
    st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([0.0, 0.1, 0.2, 0.4, 0.4001, 0.7, 0.9, 1.0])),
    st.frozensets(st.sampled_from("abcdefg"), min_size=1),
)


def mean(queries: list[tuple[dict[str, float], frozenset[str]]], threshold: float) -> float:
    found = [set_scores([id for id, p in judged.items() if p >= threshold], gold).f1 for judged, gold in queries]
    return sum(found) / len(found)


@given(st.lists(QUERY, min_size=1, max_size=5))
def test_no_threshold_is_better(queries: list[tuple[dict[str, float], frozenset[str]]]):
    if not any(judged for judged, _ in queries):
        with pytest.raises(UsageError):
            best_threshold((list(judged.items()), gold) for judged, gold in queries)
        return
    value, f1, count = best_threshold((list(judged.items()), gold) for judged, gold in queries)
    tried = {0.0, 1.1, *(p for judged, _ in queries for p in judged.values())}
    assert count == len(queries) and f1 == pytest.approx(max(mean(queries, one) for one in tried))
    assert mean(queries, value) == pytest.approx(f1)


def test_it_lies_between_what_is_kept_and_what_is_not():
    value, f1, _ = best_threshold([([("a", 0.9), ("x", 0.3)], {"a"}), ([("y", 0.2)], set())])
    assert (value, f1) == (0.6, 1.0)


def test_it_is_kept_and_is_for_what_it_was_tuned_with(tmp_path: Path):
    made = Threshold(0.25, 0.5, 3, {"name": "val"}, {"mode": "lexical", "enclaves": {"a": 1}}, {"judge": "j"})
    assert read_threshold(str(write_threshold(made, tmp_path / "t.json"))) == made
    check_threshold(made, {"mode": "lexical", "threshold": 0.25, "enclaves": {"b": 2}}, {"judge": "j"})
    with pytest.raises(UsageError, match="tuned with mode lexical, not dense"):
        check_threshold(made, {"mode": "dense"}, {"judge": "j"})
    with pytest.raises(UsageError, match="judge j, not k"):
        check_threshold(made, {"mode": "lexical"}, {"judge": "k"})


def test_a_number_or_a_file(tmp_path: Path):
    assert read_threshold("0.5") == 0.5
    for wrong in ("1.5", "nan", str(tmp_path / "none")):
        with pytest.raises(UsageError):
            read_threshold(wrong)
    (tmp_path / "t.json").write_text('{"threshold": 0.5}')
    with pytest.raises(FormatError):
        read_threshold(str(tmp_path / "t.json"))
