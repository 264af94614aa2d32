from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import UsageError
from answerable.evaluation.metrics.confidence import (
    BINS,
    Bin,
    above,
    area,
    auroc,
    coverage_at_risk,
    expected_calibration_error,
    reliability,
    risk_at_coverage,
    risk_coverage,
)

QUESTIONS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), st.sampled_from([0.0, 0.5, 1.0])),
    min_size=1,
    max_size=30,
)


def curve(questions: list[tuple[float, float]]):  # type: ignore[no-untyped-def]
    return risk_coverage([c for c, _ in questions], [loss for _, loss in questions])


def test_worked_out_by_hand() -> None:
    made = risk_coverage([0.9, 0.4, 0.7, 0.4], [0, 1, 1, 0])
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
        made, thresholds = risk_coverage(confidences, losses), sorted({*confidences}, reverse=True)
        exact, before = Fraction(0), Fraction(0)
        for threshold, coverage, risk in zip(thresholds, made.coverages, made.risks, strict=True):
            given = [Fraction(loss) for c, loss in zip(confidences, losses, strict=True) if c >= threshold]
            assert coverage == len(given) / size
            assert risk == pytest.approx(float(sum(given) / len(given)), rel=1e-14)
            exact += (Fraction(len(given), size) - before) * sum(given) / len(given)
            before = Fraction(len(given), size)
        assert area(made) == pytest.approx(float(exact), rel=1e-14)


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


ANSWERS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40)


def test_calibration_worked_out_by_hand() -> None:
    confidences, right = [0.95, 0.95, 0.65, 0.0], [True, False, True, False]
    assert expected_calibration_error(confidences, right) == pytest.approx(2 / 4 * 0.45 + 1 / 4 * 0.35)
    assert reliability(confidences, right)[0] == Bin(0.0, 0.1, 1, 0.0, 0.0)


@pytest.mark.parametrize("number", range(1, BINS + 1))
def test_a_border_belongs_to_the_bin_below(number: int) -> None:
    (only,) = reliability([number / BINS], [True])
    assert (only.low, only.high) == ((number - 1) / BINS, number / BINS)


def test_the_definition_on_two_hundred_sets_of_answers() -> None:
    chance = random.Random(22)
    for _ in range(200):
        size = chance.randint(1, 30)
        confidences = [chance.choice([chance.random(), chance.randint(0, 10) / 10]) for _ in range(size)]
        right = [chance.random() < c for c in confidences]
        error = Fraction(0)
        for number in range(BINS):
            low, high = number / BINS, (number + 1) / BINS
            inside = [n for n, c in enumerate(confidences) if low < c <= high or c == low == 0]
            gap = sum(Fraction(right[n]) - Fraction(confidences[n]) for n in inside)
            error += abs(gap) / size
        assert expected_calibration_error(confidences, right) == pytest.approx(float(error), rel=1e-12, abs=1e-15)


@given(ANSWERS, st.randoms())
def test_neither_order_nor_asking_twice_matters_to_calibration(
    answers: list[tuple[float, bool]], chance: random.Random
) -> None:
    confidences, right = [c for c, _ in answers], [r for _, r in answers]
    error = expected_calibration_error(confidences, right)
    assert 0 <= error <= 1
    shuffled = answers * 2
    chance.shuffle(shuffled)
    twice = expected_calibration_error([c for c, _ in shuffled], [r for _, r in shuffled])
    assert twice == pytest.approx(error, rel=1e-12, abs=1e-15)


def test_perfect_and_hopeless_confidence() -> None:
    assert expected_calibration_error([1.0, 0.0, 1.0], [True, False, True]) == 0.0
    assert expected_calibration_error([1.0, 0.0], [False, True]) == 1.0
    assert expected_calibration_error([0.5] * 4, [True, False] * 2) == 0.0


@pytest.mark.parametrize(
    ("confidences", "right"),
    [([], []), ([0.5], []), ([1.5], [True]), ([float("nan")], [True]), ([0.5], [2.0])],
)
def test_what_cannot_be_binned_is_refused(confidences: list[float], right: list[float]) -> None:
    with pytest.raises(UsageError):
        expected_calibration_error(confidences, right)


ROWS = st.lists(st.tuples(st.integers(-3, 3).map(float), st.booleans()), min_size=2, max_size=30).filter(
    lambda rows: len({mark for _, mark in rows}) == 2
)


def test_by_hand() -> None:
    assert auroc([0.9, 0.8, 0.3, 0.1], [True, True, False, False]) == 1.0
    assert auroc([0.9, 0.8, 0.3, 0.1], [True, False, True, False]) == 0.75
    assert auroc([0.5, 0.5, 0.5], [True, False, True]) == 0.5
    assert auroc([0.1, 0.9], [True, False]) == 0.0


@given(ROWS)
def test_it_is_the_chance_that_one_of_the_first_kind_is_above_one_of_the_second(rows: list[tuple[float, bool]]) -> None:
    scores, marks = [s for s, _ in rows], [m for _, m in rows]
    pairs = [(a > b) + (a == b) / 2 for a, first in rows if first for b, other in rows if not other]
    assert auroc(scores, marks) == pytest.approx(sum(pairs) / len(pairs))
    assert auroc([-s for s in scores], marks) == pytest.approx(1 - auroc(scores, marks))
    assert auroc([3 * s + 1 for s in scores], marks) == auroc(scores, marks)


@pytest.mark.parametrize(
    ("scores", "marks", "said"),
    [
        ([0.1], [True, False], "do not go together"),
        ([0.1, float("nan")], [True, False], "finite"),
        ([0.1, 0.2], [True, True], "one kind"),
        ([], [], "one kind"),
    ],
)
def test_what_makes_no_area_is_refused(scores: list[float], marks: list[bool], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        auroc(scores, marks)


SCORES = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=12)


def test_apart_and_over_each_other():
    assert above([3.0, 4.0], [1.0, 2.0]) == 1.0 and above([1.0], [2.0, 3.0]) == 0.0
    assert above([1.0, 2.0], [1.0, 2.0]) == 0.5 and above([1.0, 4.0], [2.0, 4.0]) == pytest.approx(
        (0 + 0 + 1 + 0.5) / 4
    )
    assert above([], [1.0]) is None and above([1.0], []) is None


@given(SCORES, SCORES)
def test_every_pair_is_compared(ones: list[float], others: list[float]):
    pairs = [1.0 if one > other else 0.5 if one == other else 0.0 for one in ones for other in others]
    assert above(ones, others) == pytest.approx(sum(pairs) / len(pairs))
    assert above(others, ones) == pytest.approx(1.0 - sum(pairs) / len(pairs))
