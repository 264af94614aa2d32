"""Telling questions that need more than one passage."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from answerable.errors import ModelError
from answerable.qapairs.early_exit import LIKELY, SEVERAL, Several, open_several, write_several

ONE = Several((1.0, -2.0), 0.5, "m", "two numbers")


def test_probability_by_hand():
    vector = np.array([0.6, 0.8], np.float32)
    assert ONE.probability(vector) == pytest.approx(1 / (1 + math.exp(-(0.6 - 1.6 + 0.5))))
    assert not ONE.likely(vector) and ONE.likely(-vector)
    assert Several((0.0,), 0.0).probability(np.array([1.0], np.float32)) == LIKELY
    with pytest.raises(ValueError, match=r"shorter|longer"):
        ONE.probability(np.zeros(3, np.float32))


def test_it_is_kept_by_the_name_of_its_matcher(tmp_path: Path):
    path = tmp_path / "several.json"
    assert open_several("m", path) is None
    other = Several((3.0,), 0.0, "a")
    write_several(ONE, path)
    write_several(other, path)
    assert open_several("m", path) == ONE and open_several("a", path) == other and open_several("b", path) is None
    again = Several((1.0, 1.0), 0.0, "m")
    write_several(again, path)
    assert open_several("m", path) == again


@pytest.mark.parametrize("text", ["", "{", "[{}]", '[{"weights": [], "bias": 0, "matcher": "m", "fitted_on": ""}]'])
def test_what_cannot_be_used_is_told(text: str, tmp_path: Path):
    path = tmp_path / "several.json"
    path.write_text(text)
    with pytest.raises(ModelError):
        open_several("m", path)


def test_numbers_that_are_none_are_refused():
    for weights, bias in (((), 0.0), ((math.nan,), 0.0), ((1.0,), math.inf)):
        with pytest.raises(ModelError, match="no numbers"):
            Several(weights, bias)


def test_what_ships_fits_the_matcher_that_ships():
    from answerable.workspace.models import open_matcher

    matcher, _ = open_matcher("skills")
    shipped = open_several(matcher.name, SEVERAL)
    assert shipped is not None and len(shipped.weights) == matcher.dimension
    single, several = (
        "Who wrote Hamlet?",
        "In which city was the author of the novel that the film Jaws is based on born?",
    )
    rows = matcher.encode_questions([single, several])
    assert [shipped.likely(row) for row in rows] == [False, True]
