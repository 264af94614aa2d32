from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.evaluation.metrics.hotpot import Scores, set_scores
from answerable.evaluation.metrics.ranking import average_precision, mrecall, ndcg, recall, reciprocal_rank
from tests.evaluation.metrics.cases import load

Measure = Callable[[Sequence[str], Mapping[str, int], int | None], float]
ALL: list[Measure] = [average_precision, mrecall, ndcg, recall, reciprocal_rank]
RANKINGS = st.permutations("abcdefgh").flatmap(lambda ids: st.integers(0, 8).map(lambda n: ids[:n]))
JUDGED = st.dictionaries(st.sampled_from("abcdefghxyz"), st.integers(-1, 3), max_size=8)


def test_trec_eval() -> None:
    cases = load("trec")
    assert len(cases) >= 200
    named: dict[str, Measure] = {"ndcg": ndcg, "map": average_precision, "recip_rank": reciprocal_rank}
    named |= {"ndcg_cut": ndcg, "map_cut": average_precision, "recall": recall}
    for scores, judged, measured in cases:
        # trec_eval's own order: by score, the higher id first among equals
        ranking = sorted(scores, key=lambda id: (scores[id], id), reverse=True)
        for name, value in measured.items():
            what, _, cut = name.rpartition("_")
            if "P" in (what, cut):  # precision, which nothing here is measured by
                continue
            measure, k = (named[what], int(cut)) if cut.isdigit() else (named[name], None)
            assert measure(ranking, judged, k) == value, (name, ranking, judged)


def test_the_official_recalls_of_quest() -> None:
    cases = load("quest")["cases"]
    assert len(cases) >= 200
    for said, gold, _, _, official in cases:
        judged = dict.fromkeys(gold, 1)
        assert [[mrecall(said, judged, k), recall(said, judged, k)] for k in (1, 3, 20)] == official


def test_worked_out_by_hand() -> None:
    ranking, judged = ["x", "b", "a", "c"], {"a": 1, "b": 2, "c": 0, "d": 1}
    assert ndcg(ranking, judged) == pytest.approx((2 / math.log2(3) + 1 / 2) / (2 + 1 / math.log2(3) + 1 / 2))
    assert average_precision(ranking, judged) == pytest.approx((1 / 2 + 2 / 3) / 3)
    assert reciprocal_rank(ranking, judged) == 0.5 and reciprocal_rank(ranking, judged, 1) == 0.0
    assert recall(ranking, judged) == 2 / 3
    assert mrecall(["a", "b", "d"], judged, 3) == 1.0
    assert mrecall(["a", "b", "d"], judged, 2) == 0.0, "three cannot be in the first two"


@given(RANKINGS, JUDGED, st.integers(1, 9))
def test_bounds_and_growth(ranking: list[str], judged: dict[str, int], k: int) -> None:
    for measure in ALL:
        assert 0 <= measure(ranking, judged, k) <= 1 + 1e-12
    for growing in (average_precision, mrecall, recall, reciprocal_rank):
        assert growing(ranking, judged, k) <= growing(ranking, judged, k + 1) <= growing(ranking, judged, None)


@given(RANKINGS, JUDGED)
def test_what_is_not_relevant_and_in_which_order_it_is_judged_does_not_matter(
    ranking: list[str], judged: dict[str, int]
) -> None:
    relevant = {id: gain for id, gain in reversed(judged.items()) if gain > 0}
    for measure in ALL:
        assert measure(ranking, judged, None) == measure(ranking, relevant, None)


@given(JUDGED.filter(lambda judged: any(gain > 0 for gain in judged.values())))
def test_perfect_and_empty_runs(judged: dict[str, int]) -> None:
    perfect = sorted((id for id in judged if judged[id] > 0), key=lambda id: -judged[id])
    for measure in ALL:
        assert measure(perfect, judged, None) == pytest.approx(1.0)
        assert measure([], judged, None) == measure([], judged, 5) == measure(perfect, {}, 5) == 0.0


@given(RANKINGS, JUDGED)
def test_a_repeated_id_keeps_its_place_and_is_worth_nothing_more(ranking: list[str], judged: dict[str, int]) -> None:
    unknown = [*ranking, *(f"{id}?" for id in ranking)]
    for measure in ALL:
        assert measure(ranking * 2, judged, None) == measure(unknown, judged, None)


IDS = st.lists(st.sampled_from("abcdef"), max_size=8)


def test_the_official_script() -> None:
    cases = load("quest")["cases"]
    assert len(cases) >= 200
    for said, gold, _, official, _ in cases:
        found = set_scores(said, gold)
        assert [found.precision, found.recall, found.f1] == official, (said, gold)


@given(IDS, IDS.filter(bool))
def test_bounds_order_and_repetition(said: list[str], gold: list[str]) -> None:
    scores = set_scores(said, gold)
    assert set_scores(said[::-1] * 2, gold * 2) == scores
    assert 0 <= min(scores.precision, scores.recall) <= scores.f1 + 1e-12
    assert scores.f1 <= max(scores.precision, scores.recall) + 1e-12 <= 1 + 1e-12
    assert set_scores(gold, gold) == Scores(1.0, 1.0, 1.0, 1.0) and set_scores([], gold) == Scores(0.0, 0.0, 0.0, 0.0)
