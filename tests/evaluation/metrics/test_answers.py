from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.evaluation.metrics.answers import agrees, exact, f1
from tests.evaluation.metrics.cases import load

WORDS = st.lists(st.sampled_from(["a", "the", "An", "red", "Red.", "river", "1,000", "não", "?", ""]), max_size=5)
TEXTS = WORDS.map(" ".join)
METRICS = [exact, f1]


@pytest.mark.parametrize(
    ("said", "gold", "em", "overlap"),
    [
        ("The Alan Stevenson.", ["alan stevenson"], 1.0, 1.0),
        ("Stevenson", ["Alan Stevenson", "Robert"], 0.0, 2 / 3),
        ("yes", ["yes indeed"], 0.0, 2 / 3),
        ("", [], 1.0, 1.0),
        ("the", [], 1.0, 1.0),
        ("something", [], 0.0, 0.0),
        ("", ["something"], 0.0, 0.0),
        ("a b b", ["b b c"], 0.0, 0.8),
    ],
)
def test_scores_worked_out_by_hand(said: str, gold: list[str], em: float, overlap: float) -> None:
    assert exact(said, gold) == em
    assert f1(said, gold) == pytest.approx(overlap)


def test_the_official_script() -> None:
    cases = load("squad")
    assert len(cases) >= 200
    for said, gold, em, overlap, *_ in cases:
        assert (exact(said, gold), f1(said, gold)) == (em, overlap), (said, gold)


def test_the_means_treat_what_is_missing_as_we_say() -> None:
    for case in load("squad_means"):
        answers, gold = case["said"], case["gold"]
        there = [id for id in gold if id in answers]
        second = [100 * sum(m(answers[id], gold[id]) for id in there) / len(there) for m in (exact, f1)]
        assert second == pytest.approx([case["v2"]["exact"], case["v2"]["f1"]], rel=1e-14)


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=3), st.randoms())
def test_the_order_and_repetition_of_gold_answers_do_not_matter(said: str, gold: list[str], chance: object) -> None:
    shuffled = gold * 2
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    for metric in METRICS:
        assert metric(said, gold) == metric(said, shuffled)


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=3))
def test_scores_are_shares_and_a_match_is_a_whole_overlap(said: str, gold: list[str]) -> None:
    for metric in METRICS:
        assert 0 <= metric(said, gold) <= 1
    assert f1(said, gold) >= exact(said, gold)
    assert exact(said.upper() + " .", gold) == exact(said, gold)


@given(TEXTS, TEXTS)
def test_overlap_is_symmetrical(said: str, gold: str) -> None:
    assert f1(said, [gold]) == pytest.approx(f1(gold, [said]), rel=1e-15)


@pytest.mark.parametrize(
    ("said", "gold", "right"),
    [
        ("William Marshal, the earl", ["William Marshal"], True),
        ("on 4 May", ["4 May"], True),
        ("5 May", ["4 May"], False),
        ("May", ["4 May 2001"], False),
        ("Yes.", ["yes"], True),
        ("yes it is", ["yes"], False),
        ("", ["4 May"], False),
        ("4 May", [], False),
        ("the keeper", ["a lamp", "keeper"], True),
    ],
)
def test_answers_agree_in_most_words_and_every_figure(said: str, gold: list[str], right: bool) -> None:
    assert agrees(said, gold) is right
