"""From logits to probabilities."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

pytest.importorskip("torch", reason="training needs the extra `train`")

from answerable.errors import UsageError
from answerable.training.sets.tune import log_loss, platt, pools
from tests.training.sets.worlds import write_benchmark


@example(0.3125, -1.25)  # whole steps of Newton's method go to and fro here
@settings(deadline=None, max_examples=20)
@given(st.floats(0.3, 3.0), st.floats(-4.0, 1.0))
def test_the_scale_and_shift_that_made_the_labels_are_found(scale: float, shift: float) -> None:
    rng = np.random.default_rng(1)
    logits = [rng.normal(0, 2, (400, 10)) for _ in range(5)]
    fits = [rng.random(one.shape) < 1 / (1 + np.exp(-(scale * one + shift))) for one in logits]
    found = platt(logits, fits)
    assert found == pytest.approx((scale, shift), abs=0.35)
    assert log_loss(logits, fits, *found) <= log_loss(logits, fits, scale, shift) + 1e-9
    assert log_loss(logits, fits, *found) <= log_loss(logits, fits, 1.0, 0.0) + 1e-9


def test_nothing_that_fits_is_said() -> None:
    with pytest.raises(UsageError, match="no document that fits"):
        platt([np.zeros((3, 2))], [np.zeros((3, 2), bool)])


def test_pools_hold_what_is_found_and_say_what_fits(tmp_path: Path) -> None:
    folder = write_benchmark(tmp_path / "towers")
    row = {"query": "bird of stone", "expression": '"bird" and "made of stone"', "docs": []}
    (folder / "val.jsonl").write_text(json.dumps(row) + "\n")
    (pool,) = pools(folder, tmp_path / "work", 5, 5)
    assert pool.constraints == ("bird", "made of stone") and len(pool.documents) == 5
    titles = [title for title, _ in pool.documents]
    assert pool.fits[titles.index("Curlew")].tolist() == [True, False]
    assert pool.fits[titles.index("Hynish")].tolist() == [False, True]
