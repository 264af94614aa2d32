from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import UsageError
from answerable.evaluation.metrics.hotpot import Scores
from answerable.evaluation.metrics.ranking import set_scores
from tests.evaluation.metrics.cases import load

IDS = st.lists(st.sampled_from("abcdef"), max_size=8)


def test_the_official_script() -> None:
    cases = load("quest")["cases"]
    assert len(cases) >= 200
    for said, gold, _, official, _ in cases:
        found = set_scores(said, gold)
        assert [found.precision, found.recall, found.f1] == official, (said, gold)


def test_what_cannot_be_scored_is_refused() -> None:
    with pytest.raises(UsageError, match="without gold documents"):
        set_scores(["a"], [])


@given(IDS, IDS.filter(bool))
def test_bounds_order_and_repetition(said: list[str], gold: list[str]) -> None:
    scores = set_scores(said, gold)
    assert set_scores(said[::-1] * 2, gold * 2) == scores
    assert 0 <= min(scores.precision, scores.recall) <= scores.f1 + 1e-12
    assert scores.f1 <= max(scores.precision, scores.recall) + 1e-12 <= 1 + 1e-12
    assert set_scores(gold, gold) == Scores(1.0, 1.0, 1.0, 1.0) and set_scores([], gold) == Scores(0.0, 0.0, 0.0, 0.0)
