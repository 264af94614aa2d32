"""Fitting how sure what is read near pairs is."""

from __future__ import annotations

import random

import pytest

from answerable.errors import FormatError
from answerable.pairs.calibration import PairCalibration
from answerable.pairs.near import NAMES, NearReader
from answerable.privacy.enclaves import public
from answerable.readers.overlap import OverlapReader
from answerable.training.pairs.near import NearRecord, as_right, fitted_near, near_records
from answerable.training.selector import Asked
from tests.pairs.test_answering import WIKI, engine_of, shelf_of


def record(first: float, right: bool, engine: bool) -> NearRecord:
    return NearRecord((first, *([0.0] * (len(NAMES) - 1))), right, engine)


def made(count: int = 200, seed: int = 0) -> list[NearRecord]:
    """Right where the first feature is high, nearly always; the engine is right in seven of ten."""
    rng = random.Random(seed)
    rows = [(rng.random(), rng.random(), rng.random()) for _ in range(count)]
    return [record(first, (first > 0.5) == (luck < 0.95), other < 0.7) for first, luck, other in rows]


def test_the_threshold_is_where_both_are_as_often_right():
    rows = [(0.9, True, True), (0.8, True, False), (0.7, False, True), (0.6, False, True), (0.5, True, False)]
    judged = [(sure, record(0.0, right, engine)) for sure, right, engine in rows]
    assert as_right(judged[:3]) == 0.7  # two and two
    assert as_right(judged[:4]) == 0.7  # the fourth is lost
    assert as_right(judged) == 0.5  # and won again
    assert as_right([(0.9, record(0.0, False, True))]) == 1.0
    assert as_right([(0.9, record(0.0, True, False)), (0.9, record(0.0, False, True)),
                     (0.9, record(0.0, False, True))]) == 1.0  # equal confidences stand or fall together  # fmt: skip


def test_weights_follow_what_is_right():
    fitted = fitted_near(made(), "m", "r", "made up")
    assert fitted.weighed == NAMES and (fitted.matcher, fitted.reranker, fitted.fitted_on) == ("m", "r", "made up")
    high, low = (fitted.confidence(record(value, True, True).features) for value in (0.95, 0.05))
    assert high > 0.8 > 0.2 > low
    assert low < fitted.threshold < high


def test_all_right_or_all_wrong_cannot_be_fitted():
    with pytest.raises(FormatError, match="rightly"):
        fitted_near([record(0.5, True, True)] * 8, "m", "r")


def test_records_are_of_questions_that_no_pair_was_sure_of():
    pairs = engine_of(public("wiki"), threshold=0.5, wiki=shelf_of("wiki", WIKI))
    near = NearReader(OverlapReader(), PairCalibration((0.0,) * len(NAMES), 0.0, 1.0, weighed=NAMES), 2)
    asked = [
        Asked("When was the tower of Kõpu Lighthouse completed?", ("1531",)),
        Asked("On which island was the tower of Kõpu Lighthouse put?", ("Hiiumaa",)),
    ]
    told: list[str] = []

    def ask(question: str) -> str:
        told.append(question)
        return "Ireland"

    [found] = near_records(pairs, near, asked, ask)
    assert told == [asked[1].question] and found.right and not found.engine and len(found.features) == len(NAMES)
