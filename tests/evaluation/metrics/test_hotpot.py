from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import UsageError
from answerable.evaluation.metrics.hotpot import MISSING, Scores, answer_scores, joint_scores, set_scores
from tests.evaluation.metrics.cases import load

FACTS = st.lists(st.tuples(st.sampled_from(["Alder", "Birch"]), st.integers(0, 3)), max_size=6)


def scored(said: str | None, gold: str, found: list[list[object]] | None, facts: list[list[object]]) -> list[Scores]:
    answer = MISSING if said is None else answer_scores(said, gold)
    wanted = [(str(title), int(str(number))) for title, number in facts]
    theirs = None if found is None else [(str(title), int(str(number))) for title, number in found]
    supporting = MISSING if theirs is None else set_scores(theirs, wanted)
    return [answer, supporting, joint_scores(answer, supporting)]


def test_the_official_script() -> None:
    cases = load("hotpot")["cases"]
    assert len(cases) >= 200
    for said, gold, found, facts, *official in cases:
        assert scored(said, gold, found, facts) == [Scores(*four) for four in official], (said, gold, found, facts)


def test_the_means_of_the_official_script() -> None:
    stored = load("hotpot")
    rows = [scored(*case[:4]) for case in stored["cases"]]
    for part, prefix in enumerate(("", "sp_", "joint_")):
        for name, short in (("em", "em"), ("f1", "f1"), ("precision", "prec"), ("recall", "recall")):
            mean = sum(getattr(row[part], name) for row in rows) / len(rows)
            assert mean == pytest.approx(stored["means"][prefix + short], rel=1e-14)


@pytest.mark.parametrize(
    ("said", "gold", "f1"),
    [
        ("yes", "yes indeed", 0.0),
        ("Yes.", "yes", 1.0),
        ("no answer", "noanswer", 0.0),
        ("no one", "no", 0.0),
        ("", "", 0),
    ],
)
def test_yes_and_no_share_words_with_nothing_but_themselves(said: str, gold: str, f1: float) -> None:
    assert answer_scores(said, gold).f1 == f1


def test_the_nearest_of_several_gold_answers_counts() -> None:
    assert answer_scores("the old mill", ["a new mill", "old mill"]) == Scores(1.0, 1.0, 1.0, 1.0)
    assert answer_scores("yes", ["no", "yes"]).em == 1.0
    with pytest.raises(UsageError, match="without a gold answer"):
        answer_scores("the old mill", [])


@given(FACTS, FACTS, st.integers(0, 99))
def test_neither_order_nor_repetition_of_facts_matters(
    said: list[tuple[str, int]], gold: list[tuple[str, int]], seed: int
) -> None:
    shuffled = said * 2
    random.Random(seed).shuffle(shuffled)
    scores = set_scores(said, gold)
    assert set_scores(shuffled, gold[::-1]) == scores
    turned = set_scores(gold, said)
    assert (scores.precision, scores.recall) == (turned.recall, turned.precision)


@given(FACTS, FACTS, st.sampled_from(["yes", "red mill", "mill", ""]), st.sampled_from(["no", "red mill", "a mill"]))
def test_together_is_no_better_than_either(
    said: list[tuple[str, int]], gold: list[tuple[str, int]], text: str, right: str
) -> None:
    answer, supporting = answer_scores(text, right), set_scores(said, gold)
    joint = joint_scores(answer, supporting)
    for name in ("em", "precision", "recall"):
        assert 0 <= getattr(joint, name) <= min(getattr(answer, name), getattr(supporting, name))
    assert 0 <= joint.f1 <= min(answer.f1, supporting.f1) + 1e-12
