from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import UsageError
from answerable.evaluation.metrics.confidence import area, coverage_at_risk, risk_at_coverage, risk_coverage

QUESTIONS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), st.sampled_from([0.0, 0.5, 1.0])),
    min_size=1,
    max_size=30,
)


def curve(questions: list[tuple[float, float]]):  # type: ignore[no-untyped-def]
    return risk_coverage([c for c, _ in questions], [loss for _, loss in questions])


def test_worked_out_by_hand() -> None:
    made = risk_coverage([0.9, 0.4, 0.7, 0.4], [0, 1, 1, 0])
    assert made.thresholds == (0.9, 0.7, 0.4)
    assert made.coverages == (0.25, 0.5, 1.0)
    assert made.risks == (0.0, 0.5, 0.5)
    assert area(made) == 0.25 * 0 + 0.25 * 0.5 + 0.5 * 0.5
    assert coverage_at_risk(made, 0.0) == 0.25 and coverage_at_risk(made, 0.5) == 1.0
    assert risk_at_coverage(made, 0.25) == 0.0 and risk_at_coverage(made, 0.26) == 0.5
    assert coverage_at_risk(risk_coverage([0.3], [1]), 0.9) == 0.0


def test_the_definition_on_two_hundred_sets_of_questions() -> None:
    chance = random.Random(21)
    for _ in range(200):
        size = chance.randint(1, 25)
        confidences = [chance.choice([chance.random(), 0.5, 0.0]) for _ in range(size)]
        losses = [chance.choice([0.0, 1.0, chance.random()]) for _ in range(size)]
        made = risk_coverage(confidences, losses)
        exact, before = Fraction(0), Fraction(0)
        for threshold, coverage, risk in zip(made.thresholds, made.coverages, made.risks, strict=True):
            given = [Fraction(loss) for c, loss in zip(confidences, losses, strict=True) if c >= threshold]
            assert coverage == len(given) / size
            assert risk == pytest.approx(float(sum(given) / len(given)), rel=1e-14)
            exact += (Fraction(len(given), size) - before) * sum(given) / len(given)
            before = Fraction(len(given), size)
        assert area(made) == pytest.approx(float(exact), rel=1e-14)
        assert sorted(made.thresholds, reverse=True) == list(made.thresholds)


def test_without_ties_the_area_is_the_mean_risk() -> None:
    losses = [0, 1, 0, 0, 1]
    risks = [sum(losses[:n]) / n for n in range(1, 6)]
    assert area(risk_coverage([0.9, 0.8, 0.7, 0.6, 0.5], losses)) == pytest.approx(sum(risks) / 5)


@given(QUESTIONS, st.randoms())
def test_neither_order_nor_asking_twice_matters(questions: list[tuple[float, float]], chance: random.Random) -> None:
    shuffled = list(questions)
    chance.shuffle(shuffled)
    made, twice = curve(questions), curve(questions * 2)
    assert curve(shuffled) == made
    assert (twice.coverages, twice.risks) == (made.coverages, pytest.approx(made.risks))
    assert area(twice) == pytest.approx(area(made))


@given(QUESTIONS, st.floats(0, 1), st.floats(0.01, 1))
def test_a_wanted_risk_and_a_wanted_coverage_are_kept(
    questions: list[tuple[float, float]], risk: float, coverage: float
) -> None:
    made = curve(questions)
    assert 0 <= area(made) <= 1 and made.coverages[-1] == 1.0
    reached = coverage_at_risk(made, risk)
    assert reached == 0 or risk_at_coverage(made, reached) <= risk
    assert reached <= coverage_at_risk(made, min(1.0, risk + 0.1))
    assert risk_at_coverage(made, coverage) in made.risks
    assert coverage_at_risk(made, risk_at_coverage(made, coverage)) >= coverage


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_perfect_and_wholly_wrong_runs(confidences: list[float]) -> None:
    assert area(risk_coverage(confidences, [0.0] * len(confidences))) == 0.0
    assert area(risk_coverage(confidences, [1.0] * len(confidences))) == pytest.approx(1.0)


@pytest.mark.parametrize(("confidences", "losses"), [([], []), ([0.5], []), ([math.nan], [0]), ([0.5], [math.inf])])
def test_what_makes_no_curve_is_refused(confidences: list[float], losses: list[float]) -> None:
    with pytest.raises(UsageError):
        risk_coverage(confidences, losses)


@pytest.mark.parametrize("coverage", [0, -0.1, 1.1, math.nan])
def test_a_coverage_is_a_share(coverage: float) -> None:
    with pytest.raises(UsageError, match="no risk at a coverage"):
        risk_at_coverage(risk_coverage([0.5], [0]), coverage)
