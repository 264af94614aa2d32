from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.encoders.choose import SHIPPED
from answerable.errors import ModelError
from answerable.selective.calibrate import (
    METHODS,
    Calibration,
    fit,
    fit_offsets,
    threshold_for_risk,
    thresholds_by_risk,
)
from answerable.selective.features import NAMES, PATHS, Choice, squash


def test_fit_finds_the_weights_that_made_the_data() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(20_000, 2))
    p = 1 / (1 + np.exp(-(1.5 * x[:, 0] - 0.7 * x[:, 1] + 0.4)))
    weights, bias = fit(x, rng.random(20_000) < p, ridge=0.1)
    assert weights == pytest.approx((1.5, -0.7), abs=0.08)
    assert bias == pytest.approx(0.4, abs=0.08)


def test_fit_survives_separable_and_one_sided_outcomes() -> None:
    for right in ([0, 0, 1, 1], [1, 1, 1, 1]):
        weights, bias = fit([[0.0], [0.1], [0.9], [1.0]], right)
        assert np.isfinite([*weights, bias]).all()


@given(
    st.lists(st.tuples(st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9, 1.0]), st.booleans()), min_size=1, max_size=60),
    st.floats(0, 1),
)
def test_the_threshold_keeps_to_the_risk_and_gives_as_many_answers_as_it_can(
    rows: list[tuple[float, bool]], risk: float
) -> None:
    confidences, right = [c for c, _ in rows], [r for _, r in rows]

    def kept(threshold: float) -> tuple[int, bool]:
        given = [r for c, r in rows if c >= threshold]
        return len(given), not given or sum(not r for r in given) <= risk * len(given)

    chosen = threshold_for_risk(confidences, right, risk)
    count, safe = kept(chosen)
    assert safe
    assert all(count >= n for n, ok in map(kept, {*confidences}) if ok)


def test_the_confidence_by_hand() -> None:
    made = Calibration(tuple(map(float, range(11))), -2.0, 0.5, paths={"rising": 0.25})  # later ones count nothing
    features = (0.125,) * len(NAMES)
    assert made.log_odds(features) == 55 * 0.125 - 2.0
    assert made.confidence(features) == made.confidence(features, "public") == squash(4.875)
    assert made.confidence(features, "rising") == squash(5.125)


def test_a_yes_or_a_no_is_as_sure_as_the_score_alone_makes_it() -> None:
    made = Calibration((1.0,) * len(NAMES), -2.0, 0.5, paths={"rising": 0.25}, polar=(0.5, -1.0))
    other = [0.125] * len(NAMES)
    other[NAMES.index("score")] = squash(3.0)
    polar = [*other]
    polar[NAMES.index("polar")] = 1.0
    for path in (None, *PATHS):
        assert made.confidence(polar, path) == pytest.approx(squash(0.5 * 4 * 3.0 - 1.0))
        assert made.confidence(other, path) == replace(made, polar=()).confidence(other, path)
    with pytest.raises(ModelError, match="a weight and a bias for yes and no, not 1 numbers"):
        replace(made, polar=(0.5,))


def test_never_is_above_every_confidence() -> None:
    for confidence in (0.0, 0.5, 1.0):
        assert threshold_for_risk([confidence], [False], 0.0) > 1.0
        assert threshold_for_risk([confidence], [True], 0.0) == confidence


def test_a_calibration_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    weights = tuple(float(i) for i in range(len(NAMES)))
    made = Calibration(weights, -1.5, 0.4, "made up", {"falling": -0.5}, ((0.1, 0.8),), (0.5, -1.0))
    made.save(tmp_path / "calibration.json")
    assert Calibration.load(tmp_path / "calibration.json") == made


def test_a_calibration_made_before_there_were_paths_is_what_it_was(tmp_path: Path) -> None:
    raw = {"weights": [0.5] * len(NAMES), "bias": -1.0, "threshold": 0.3, "fitted_on": "once"}
    (tmp_path / "calibration.json").write_text(json.dumps(raw))
    old = Calibration.load(tmp_path / "calibration.json")
    assert old == Calibration((0.5,) * len(NAMES), -1.0, 0.3, "once")
    features = (0.25,) * len(NAMES)
    assert {old.confidence(features, path) for path in (None, *PATHS)} == {old.confidence(features)}
    (tmp_path / "calibration.json").write_text(json.dumps({**raw, "paths": {"sideways": 1.0}}))
    with pytest.raises(ModelError, match="no path 'sideways'"):
        Calibration.load(tmp_path / "calibration.json")


def test_the_shipped_calibrations_load() -> None:
    found = sorted(SHIPPED.glob("*/calibration.json"))
    assert {path.parent.name for path in found} >= {"reader"}
    assert all(0 < Calibration.load(path).threshold < 1 for path in found)


FEATURES = st.lists(st.floats(0, 1), min_size=len(NAMES), max_size=len(NAMES)).map(tuple)
WEIGHTS = st.lists(st.floats(-9, 9), min_size=len(NAMES), max_size=len(NAMES)).map(tuple)
OFFSETS = st.dictionaries(st.sampled_from(PATHS), st.floats(-5, 5))


@given(WEIGHTS, st.floats(-9, 9), OFFSETS, FEATURES, st.sampled_from(PATHS))
def test_every_method_is_a_probability_and_offsets_only_move_their_own_path(
    weights: tuple[float, ...], bias: float, offsets: dict[str, float], features: tuple[float, ...], path: str
) -> None:
    made = Calibration(weights, bias, 0.5, paths=offsets)
    found = made.confidences(Choice("x", None, features, path))  # type: ignore[arg-type]
    assert tuple(found) == (METHODS if offsets else METHODS[:3])
    assert all(0.0 <= value <= 1.0 for value in found.values())
    moved = made.confidence(features, path) - made.confidence(features)
    assert list(found.values())[:3] == [features[1], features[2], made.confidence(features)]
    assert found.get("paths", 0.0) == (made.confidence(features, path) if offsets else 0.0)
    assert moved * offsets.get(path, 0.0) >= 0 and (path in offsets or moved == 0)


@given(WEIGHTS, FEATURES, st.integers(0, len(NAMES) - 1), st.floats(0, 1), st.sampled_from(PATHS))
def test_the_confidence_follows_the_sign_of_each_weight(
    weights: tuple[float, ...], features: tuple[float, ...], at: int, value: float, path: str
) -> None:
    made = Calibration(weights, 0.0, 0.5, paths={"rising": 1.0})
    moved = (*features[:at], value, *features[at + 1 :])
    change = made.confidence(moved, path) - made.confidence(features, path)
    assert change * (value - features[at]) * weights[at] >= -1e-12


def test_offsets_are_found_shrunk_and_left_out_where_nothing_tells() -> None:
    rng = np.random.default_rng(5)
    z, paths = rng.normal(size=30_000), np.array(["rising", "falling", "public"] * 10_000)
    true = {"rising": 0.6, "falling": -1.1, "public": 0.0}
    right = rng.random(len(z)) < 1 / (1 + np.exp(-(z + np.array([true[p] for p in paths]))))
    assert fit_offsets(z, paths.tolist(), right) == pytest.approx(true, abs=0.07)
    few = fit_offsets(z[:6], paths[:6].tolist(), right[:6])
    assert all(abs(value) < 0.2 for value in few.values())
    assert fit_offsets([0.0] * 40, ["rising"] * 40, [True] * 40, ridge=0.1)["rising"] > 3
    even = fit_offsets([0.0, 0.0], ["public"] * 2, [True, False])
    assert squash(even["public"]) == 0.5


@pytest.mark.parametrize("content", ["", "{}", '{"weights": [], "bias": 0, "threshold": 0, "fitted_on": ""}', "[]"])
def test_a_damaged_calibration_is_refused_by_name(tmp_path: Path, content: str) -> None:
    (tmp_path / "calibration.json").write_text(content)
    with pytest.raises(ModelError, match="calibration"):
        Calibration.load(tmp_path / "calibration.json")


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9]), st.booleans()), min_size=1, max_size=40))
def test_a_table_of_thresholds_keeps_to_each_risk_and_falls(rows: list[tuple[float, bool]]) -> None:
    found = thresholds_by_risk([c for c, _ in rows], [r for _, r in rows])
    assert [*found] == sorted(found) and [least for _, least in found] == sorted(
        (one for _, one in found), reverse=True
    )
    for risk, least in found:
        given = [right for confidence, right in rows if confidence >= least]
        assert given and given.count(False) <= risk * len(given)


def test_a_risk_is_met_by_the_nearest_smaller_one_that_was_fitted(tmp_path: Path) -> None:
    made = Calibration((0.0,) * len(NAMES), 0.0, 0.4, "made up", risks=((0.1, 0.8), (0.25, 0.6)))
    made.save(tmp_path / "calibration.json")
    read = Calibration.load(tmp_path / "calibration.json")
    assert read == made
    assert [read.least(risk) for risk in (None, 0.25, 0.3, 0.2, 0.1)] == [0.4, 0.6, 0.6, 0.8, 0.8]
    assert read.least(0.05) == 0.95  # not fitted: each answer by itself
    assert Calibration((0.0,) * len(NAMES), 0.0, 0.4).least(0.25) == 0.75
