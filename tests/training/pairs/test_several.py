"""Fitting what tells questions of several hops."""

from __future__ import annotations

import numpy as np
import pytest

from answerable.errors import FormatError
from answerable.training.pairs.several import fitted_several, shares


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
