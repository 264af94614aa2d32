"""One threshold for all queries: the best there is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.evaluation.metrics.hotpot import set_scores
from finding import best_threshold

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
        with pytest.raises(SystemExit):
            best_threshold((list(judged.items()), gold) for judged, gold in queries)
        return
    found = best_threshold((list(judged.items()), gold) for judged, gold in queries)
    tried = {0.0, 1.1, *(p for judged, _ in queries for p in judged.values())}
    assert found.queries == len(queries) and found.f1 == pytest.approx(max(mean(queries, one) for one in tried))
    assert mean(queries, found.threshold) == pytest.approx(found.f1)


def test_it_lies_between_what_is_kept_and_what_is_not():
    found = best_threshold([([("a", 0.9), ("x", 0.3)], {"a"}), ([("y", 0.2)], set())])
    assert (found.threshold, found.f1) == (0.6, 1.0)
