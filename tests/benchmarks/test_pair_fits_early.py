"""Fitting how sure what is read early is."""

from __future__ import annotations

import random

import pytest

from answerable.chains.beam import BeamSettings
from answerable.errors import FormatError
from answerable.privacy.enclaves import public
from answerable.qapairs.calibration import PairCalibration
from answerable.qapairs.early_exit import NAMES, EarlyReader, Several
from answerable.readers.overlap import OverlapReader
from answerable.training.selector import Asked
from pair_fits import EarlyRecord, Step, as_right, early_records, fitted_early, gain
from tests.qapairs.test_answering import WIKI, engine_of, shelf_of


def step(first: float, right: bool) -> Step:
    return Step((first, *([0.0] * (len(NAMES) - 1))), right)


def made(count: int = 400, seed: int = 0) -> list[EarlyRecord]:
    """Right where the first feature is high, nearly always; the engine is right in seven of ten."""
    rng = random.Random(seed)
    rows = [(rng.random(), rng.random(), rng.random()) for _ in range(count)]
    return [
        EarlyRecord("a", str(n), (step(first, (first > 0.5) == (luck < 0.95)),), other < 0.7)
        for n, (first, luck, other) in enumerate(rows)
    ]


def test_the_first_step_that_is_sure_counts():
    judged = [("a", True, [(0.3, False), (0.6, True)]), ("a", False, [(0.9, True)]), ("a", True, [])]
    assert gain(judged, 0.95) == 0 and gain(judged, 0.7) == pytest.approx(1 / 3)
    assert gain(judged, 0.5) == pytest.approx(1 / 3)  # the second step is right, as the engine is
    assert gain(judged, 0.2) == 0  # the first one is not


def test_nothing_is_lost_on_average_and_no_group_loses_more_than_one_in_fifty():
    safe = [("a", False, [(0.9, True)])] * 50
    assert as_right(safe) == 0.01
    lost = [("b", True, [(sure, False)]) for sure in (0.8, 0.6)] + [("b", True, [])] * 48
    assert as_right([*safe, *lost]) == 0.61  # what is won elsewhere does not make good the second of fifty
    assert as_right([*safe, *lost, *([("b", True, [])] * 50)]) == 0.01  # it is the second of a hundred
    assert as_right([*lost, *([("b", True, [])] * 50)]) == 0.81  # but nothing is won that makes it good
    lucky = [("a", True, [(0.6, False)]), ("a", False, [(0.505, True)]), ("a", True, [(0.495, False)])]
    assert as_right([*lucky, *([("a", True, [])] * 97)]) == 0.61  # at 0.5 alone nothing is lost
    few = [("a", False, [(0.9, True)]), *([("a", False, [])] * 99)]
    assert as_right([*few, *lost, *([("b", True, [])] * 50)]) == 0.61  # one in a hundred is won, and lost
    assert as_right([("b", True, [(1.0, False)])]) == 1.0


def test_weights_follow_what_is_right():
    fitted = fitted_early(made(), "m", "r", "made up")
    assert fitted.weighed == NAMES and (fitted.matcher, fitted.reranker, fitted.fitted_on) == ("m", "r", "made up")
    high, low = (fitted.confidence(step(value, True).features) for value in (0.95, 0.05))
    assert high > 0.8 > 0.2 > low
    assert low < fitted.threshold < high


def test_all_right_or_all_wrong_cannot_be_fitted():
    with pytest.raises(FormatError, match="rightly"):
        fitted_early([EarlyRecord("a", str(n), (step(0.5, True),), True) for n in range(8)], "m", "r")


def test_every_question_is_judged_and_those_that_a_pair_answers_or_that_need_more_have_no_steps():
    pairs = engine_of(public("wiki"), threshold=0.5, wiki=shelf_of("wiki", WIKI))
    unknown = PairCalibration((0.0,) * len(NAMES), 0.0, 1.0, weighed=NAMES)
    asked = [
        Asked("When was the tower of Kõpu Lighthouse completed?", ("1531",)),
        Asked("On which island was the tower of Kõpu Lighthouse put?", ("Hiiumaa",)),
    ]
    told: list[str] = []

    def ask(question: str) -> str:
        told.append(question)
        return "Ireland"

    for bias, steps in ((-1.0, [0, 2]), (1.0, [0, 0])):
        early = EarlyReader(OverlapReader(), unknown, 2, Several((0.0,) * 256, bias))
        found = early_records(pairs, early, asked, ask, "own", BeamSettings(k=10))
        assert [len(one.steps) for one in found] == steps and {one.group for one in found} == {"own"}
        assert not any(one.engine for one in found)
        assert all(each.right and len(each.features) == len(NAMES) for one in found for each in one.steps)
    assert told == [one.question for one in asked] * 2
