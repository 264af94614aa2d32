from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import UsageError
from answerable.evaluation.metrics.found import average_passage_recall, met, passage_em, path_recall
from tests.evaluation.metrics.cases import load

IDS = st.sampled_from("abcdef")
CHAINS = st.lists(st.lists(IDS, min_size=1, max_size=3), max_size=6)
GOLD = st.sets(IDS, min_size=1, max_size=3)


def test_the_official_script() -> None:
    cases = load("paths")
    assert len(cases) >= 200
    for chains, gold, k, some, every, path in cases:
        assert passage_em(met(chains, k), gold) == every
        assert path_recall(chains, gold, k) == path
        assert average_passage_recall(chains, gold, k) == (some + every) / 2  # with two gold passages


def test_a_path_is_the_gold_passages_and_no_others() -> None:
    assert path_recall([["a", "b", "c"]], ["a", "b"], 1) == 0.0
    assert path_recall([["c", "a"], ["b", "a"]], ["a", "b"], 1) == 0.0
    assert path_recall([["c", "a"], ["b", "a"]], ["a", "b"], 2) == 1.0
    assert passage_em(["c", "a", "b"], ["a", "b"]) == 1.0


def test_a_ranking_is_chains_of_one_passage() -> None:
    assert met(["ab", "c"], 2) == {"ab", "c"}
    assert average_passage_recall(["ab", "c", "d"], ["d", "ab"], 2) == 0.5
    assert path_recall(["ab", "c"], ["c"], 2) == 1.0


def test_what_cannot_be_scored_is_refused() -> None:
    for measure in (path_recall, average_passage_recall):
        with pytest.raises(UsageError, match="without gold passages"):
            measure([["a"]], [], 1)
        with pytest.raises(UsageError, match="counts chains"):
            measure([["a"]], ["a"], 0)
    with pytest.raises(UsageError, match="without gold passages"):
        passage_em(["a"], [])


@given(CHAINS, GOLD, st.integers(1, 6))
def test_measures_grow_with_k_and_keep_their_order(chains: list[list[str]], gold: set[str], k: int) -> None:
    measures = (path_recall, average_passage_recall)
    for measure in measures:
        assert 0 <= measure(chains, gold, k) <= measure(chains, gold, k + 1) <= 1
        assert measure([chain[::-1] for chain in chains], gold, k) == measure(chains, gold, k)
    path, average = (measure(chains, gold, k) for measure in measures)
    assert path <= passage_em(met(chains, k), gold) <= average


@given(GOLD)
def test_perfect_and_empty_runs(gold: set[str]) -> None:
    for measure in (path_recall, average_passage_recall):
        assert measure([sorted(gold)], gold, 1) == 1.0
        assert measure([], gold, 1) == 0.0
