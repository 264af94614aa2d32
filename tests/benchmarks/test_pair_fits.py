"""How sure an answer from a pair is, fitted and put to use."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import FormatError, ModelError
from answerable.privacy.enclaves import private, public
from answerable.qapairs.calibration import FILE, NAMES, PLAIN, open_calibration, read_calibrations, write_calibration
from answerable.training.selector import Asked
from pair_fits import (
    MEANT,
    Record,
    fitted,
    fitted_several,
    records,
    shares,
    threshold_for,
)
from tests.qapairs.test_answering import MAIL, WIKI, engine_of, shelf_of


def some_records(seed: int, count: int = 300) -> list[Record]:
    """Right where the score is high, mostly."""
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        values = [rng.random() for _ in NAMES]
        made.append(Record(tuple(values), rng.random() < values[0] ** 2))
    return made


def test_a_calibration_learns_what_goes_with_being_right():
    made = fitted(some_records(1), 0.8, "matcher", "reranker", "samples")
    assert made.weights[0] > 2 and made.weights[0] == max(made.weights)
    high, low = ([1.0] + [0.5] * (len(NAMES) - 1), [0.0] + [0.5] * (len(NAMES) - 1))
    assert made.confidence(high) > 0.6 > 0.3 > made.confidence(low)
    assert (made.matcher, made.reranker, made.fitted_on) == ("matcher", "reranker", "samples")


@given(st.integers(0, 50), st.floats(0.3, 0.99))
def test_the_answers_given_are_as_accurate_as_was_wanted(seed, wanted):
    found = some_records(seed, 80)
    made = fitted(found, wanted)
    given_ones = [one.right for one in found if made.confidence(one.features) >= made.threshold]
    assert not given_ones or sum(given_ones) / len(given_ones) >= wanted - 1e-9 or made.threshold == 1.0


def test_a_higher_accuracy_answers_no_more():
    found = some_records(3)
    made = fitted(found)
    thresholds = [threshold_for(made, found, accuracy) for accuracy in (0.5, 0.7, 0.9, 0.99)]
    assert thresholds == sorted(thresholds)


def test_near_misses_raise_the_threshold():
    found = some_records(5)
    made = fitted(found, 0.1)
    lured = [Record((0.97,) * len(NAMES), False, near=n < 3) for n in range(100)]
    low, high = threshold_for(made, found, 0.1), threshold_for(made, [*found, *lured], 0.1)
    sure = made.confidence((0.97,) * len(NAMES))
    assert low < sure < high, "three in three are too many"
    rest = [Record((0.0,) * len(NAMES), False, near=True) for _ in range(197)]
    assert threshold_for(made, [*found, *lured[:4], *rest], 0.1) < sure, "three of two hundred are not"


def test_no_feature_speaks_against_what_it_means():
    rng = random.Random(6)
    rows = [{name: rng.random() for name in NAMES} for _ in range(400)]
    right = [rng.random() < row["score"] * row["covered"] * (1.2 - row["length"]) for row in rows]
    found = [
        Record(tuple((row | {"equal": 1 - row["score"], "asked": 1 - row["covered"]}).values()), good)
        for row, good in zip(rows, right, strict=True)
    ]
    weights = dict(zip(NAMES, fitted(found).weights, strict=True))
    assert weights["equal"] == weights["asked"] == 0.0
    assert all(MEANT[name] * weight >= 0 for name, weight in weights.items())
    assert weights["score"] > 1 and weights["length"] < -1, "how long a question is may speak either way"


def test_one_kind_of_outcome_teaches_nothing():
    with pytest.raises(FormatError, match="wrongly"):
        fitted([Record((0.0,) * len(NAMES), True)] * 5)


def test_calibrations_survive_a_file(tmp_path: Path):
    found = some_records(4, 20)
    one, two = fitted(found, 0.5, "a", "", "x"), fitted(found, 0.6, "a", "b", "y")
    for made in (one, two, one):
        write_calibration(made, tmp_path / "made.json")
    assert read_calibrations(tmp_path / "made.json") == {("a", ""): one, ("a", "b"): two}
    assert open_calibration("a", "b", tmp_path / "made.json") == two
    assert open_calibration("other", "", tmp_path / "made.json") == PLAIN
    (tmp_path / "made.json").write_text("[{}]", encoding="utf8")
    with pytest.raises(ModelError, match="made"):
        open_calibration("a", "", tmp_path / "made.json")


def test_what_ships_can_be_read():
    for made in read_calibrations(FILE).values():
        assert 0 < made.threshold <= 1 and made.fitted_on


def test_an_engine_is_asked_and_judged():
    engine = engine_of(public("wiki"), private("mail"), wiki=shelf_of("wiki", WIKI), mail=shelf_of("mail", MAIL))
    asked = [
        Asked("Who built the tower of the Hook Lighthouse?", ("William Marshal",)),
        Asked("What is the job at Kõpu Lighthouse called?", ("Osprey",)),
        Asked("Who?", ()),
    ]
    found = records(engine, asked)
    assert [one.right for one in found[:2]] == [True, False]
    assert all(len(one.features) == len(NAMES) for one in found)


def test_weights_follow_what_is_known():
    rng = np.random.default_rng(0)
    several, single = (rng.normal(mean, 0.3, (200, 4)).astype(np.float32) for mean in (0.5, -0.5))
    made = fitted_several(several, single, "m", "made up")
    assert (made.matcher, made.fitted_on, len(made.weights)) == ("m", "made up", 4)
    assert shares(made, several) > 0.95 and shares(made, single) < 0.05
    assert all(weight == round(weight, 4) for weight in made.weights)


def test_both_kinds_are_needed():
    rows = np.ones((3, 2), np.float32)
    for several, single in ((rows, rows[:0]), (rows[:0], rows)):
        with pytest.raises(FormatError, match="needed"):
            fitted_several(several, single, "m")
