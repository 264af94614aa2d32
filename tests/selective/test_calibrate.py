from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answerable.errors import ModelError
from answerable.selective.calibrate import Calibration, fit, threshold_for_risk
from answerable.selective.features import NAMES


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
    st.lists(st.tuples(st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9]), st.booleans()), min_size=1, max_size=60),
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


def test_a_calibration_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    made = Calibration(tuple(float(i) for i in range(len(NAMES))), -1.5, 0.4, "made up")
    made.save(tmp_path / "calibration.json")
    assert Calibration.load(tmp_path / "calibration.json") == made


@pytest.mark.parametrize("content", ["", "{}", '{"weights": [1], "bias": 0, "threshold": 0, "fitted_on": ""}', "[]"])
def test_a_damaged_calibration_is_refused_by_name(tmp_path: Path, content: str) -> None:
    (tmp_path / "calibration.json").write_text(content)
    with pytest.raises(ModelError, match="calibration"):
        Calibration.load(tmp_path / "calibration.json")
