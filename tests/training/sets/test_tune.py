"""From logits to probabilities."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from answerable.errors import UsageError
from answerable.sets.evidence import judged_as
from answerable.sets.expression import read_expression
from answerable.training.sets.tune import JudgeTuning, evenly, log_loss, platt, pooled
from tests.training.sets.worlds import write_benchmark


@example(0.3125, -1.25)  # from a scale of 1 and a shift of 0, Newton's steps would go to and fro here
@settings(deadline=None, max_examples=20)
@given(st.floats(0.3, 3.0), st.floats(-4.0, 1.0))
def test_the_scale_and_shift_that_made_the_labels_are_found(scale: float, shift: float) -> None:
    rng = np.random.default_rng(1)
    logits = [rng.normal(0, 2, (400, 10)) for _ in range(5)]
    fits = [rng.random(one.shape) < 1 / (1 + np.exp(-(scale * one + shift))) for one in logits]
    found = platt(*evenly(logits, fits))
    assert found == pytest.approx((scale, shift), abs=0.35)
    assert log_loss(logits, fits, *found) <= log_loss(logits, fits, scale, shift) + 1e-9
    assert log_loss(logits, fits, *found) <= log_loss(logits, fits, 1.0, 0.0) + 1e-9


def test_nothing_that_fits_is_said() -> None:
    with pytest.raises(UsageError, match="nothing to calibrate on"):
        platt(np.zeros(6), np.zeros(6, bool), np.ones(6))


def test_what_finds_judged_is_taken_back_to_logits(tmp_path: Path) -> None:
    folder = write_benchmark(tmp_path / "towers")
    rows = [["Curlew", 0.9, 0.2], ["Hynish", 0.3, 0.7]]
    line = {"e": '"bird" minus "made of stone"', "cons": ["bird", "made of stone"], "rows": rows}
    line["cons"][1] = judged_as(read_expression(line["e"]))["made of stone"]
    (tmp_path / "judged.jsonl").write_text(json.dumps(line) + "\n")
    logits, fits = pooled(tmp_path / "judged.jsonl", folder / "atoms.jsonl", 2.0, -1.0)
    assert sorted(one.tolist() for one in fits) == [[False, True], [True, False]]
    first = [bool(one[0]) for one in fits].index(True)  # of "bird"
    assert (1 / (1 + np.exp(-(2 * logits[first] - 1)))).tolist() == pytest.approx([0.9, 0.3])


def test_a_recipe_says_the_atoms_of_each_file() -> None:
    with pytest.raises(UsageError, match="other numbers"):
        JudgeTuning.of({"kind": "constraints-tune", "judged": ["a", "b"], "atoms": ["a"]})
