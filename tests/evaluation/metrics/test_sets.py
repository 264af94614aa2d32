from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import UsageError
from answerable.evaluation.metrics.sets import SetScores, average, grouped, set_scores
from tests.evaluation.metrics.cases import load

IDS = st.lists(st.sampled_from("abcdef"), max_size=8)


def test_the_official_script() -> None:
    cases = load("quest")["cases"]
    assert len(cases) >= 200
    for said, gold, _, official, _ in cases:
        assert set_scores(said, gold) == SetScores(*official), (said, gold)


def test_the_official_averages_by_template_and_domain() -> None:
    stored = load("quest")
    scores = [set_scores(case[0], case[1]) for case in stored["cases"]]
    for by, official in enumerate(stored["averages"]):
        groups = grouped(scores, [case[2][by] for case in stored["cases"]])
        for name, averages in zip(("precision", "recall", "f1"), official, strict=True):
            assert list(groups) == list(averages)
            for key, (count, mean) in averages.items():
                assert groups[key].count == count
                assert getattr(groups[key], name) == pytest.approx(mean, rel=1e-14)


def test_the_average_f1_is_not_the_f1_of_the_averages() -> None:
    both = average([set_scores(["a", "b", "c", "d"], ["a"]), set_scores(["a"], ["a", "b", "c", "d"])])
    assert both == SetScores(0.625, 0.625, 0.4, 2)


def test_what_cannot_be_scored_is_refused() -> None:
    with pytest.raises(UsageError, match="without gold documents"):
        set_scores(["a"], [])
    with pytest.raises(UsageError, match="no query to average"):
        average([])
    with pytest.raises(UsageError, match="2 groups were named for 1 queries"):
        grouped([set_scores(["a"], ["a"])], ["films", "books"])


@given(IDS, IDS.filter(bool))
def test_bounds_order_and_repetition(said: list[str], gold: list[str]) -> None:
    scores = set_scores(said, gold)
    assert set_scores(said[::-1] * 2, gold * 2) == scores
    assert 0 <= min(scores.precision, scores.recall) <= scores.f1 + 1e-12
    assert scores.f1 <= max(scores.precision, scores.recall) + 1e-12 <= 1 + 1e-12
    assert set_scores(gold, gold) == SetScores(1.0, 1.0, 1.0) and set_scores([], gold) == SetScores(0.0, 0.0, 0.0)


@given(st.lists(st.tuples(IDS, IDS.filter(bool), st.sampled_from(["films", "plants"])), min_size=1, max_size=8))
def test_groups_do_not_depend_on_order_or_on_asking_twice(rows: list[tuple[list[str], list[str], str]]) -> None:
    scores, keys = [set_scores(said, gold) for said, gold, _ in rows], [key for *_, key in rows]
    groups, turned = grouped(scores, keys), grouped(scores[::-1] * 2, keys[::-1] * 2)
    assert groups.keys() == turned.keys()
    for key, group in groups.items():
        assert (turned[key].f1, turned[key].count) == (pytest.approx(group.f1), 2 * group.count)
