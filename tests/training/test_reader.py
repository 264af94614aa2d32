"""What of a reader learns."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest
import torch

from answerable.encoders.trunk import Trunk, TrunkShape
from answerable.errors import UsageError
from answerable.training.loop import halved
from answerable.training.reader import freeze
from answerable.training.span import SpanReader
from answerable.training.start import mean_of


def test_frozen_layers_learn_nothing_and_the_others_do() -> None:
    reader = SpanReader(Trunk(TrunkShape(vocabulary=60, width=32, layers=3, heads=4, inner=64, positions=40)))
    freeze(reader.trunk, 2)
    ids = torch.randint(1, 60, (2, 9))
    start, end, kind = reader(ids, torch.ones_like(ids), torch.ones_like(ids))
    (start.sum() + end.sum() + kind.sum()).backward()
    learned = {name for name, weight in reader.named_parameters() if weight.grad is not None}
    assert learned
    assert {".".join(name.split(".")[:3]) for name in learned if name.startswith("trunk")} == {"trunk.layers.2"}


UNITS = {"x86_64": ("amx_bf16", "avx512_bf16"), "aarch64": ("bf16",)}
"""What makes a processor fast in bf16, as torch calls it."""


def test_work_is_halved_only_where_the_processor_is_made_for_it() -> None:
    able, units = torch.cpu.get_capabilities(), UNITS.get(platform.machine(), ())
    assert set(units) <= able.keys()  # torch still calls them so
    with halved(torch.device("cpu")):
        made = torch.ones(2, 2) @ torch.ones(2, 2)
    assert (made.dtype == torch.bfloat16) == any(able[unit] for unit in units)


def test_a_mean_lies_between_two_runs_of_one_shape(tmp_path: Path) -> None:
    for name, value in (("first", 0.0), ("last", 4.0), ("other", 1.0)):
        (tmp_path / name).mkdir()
        size = 3 if name == "other" else 2
        torch.save({"model": {"head.weight": torch.full((size,), value)}}, tmp_path / name / "checkpoint.pt")
    made = mean_of((tmp_path / "first", 0.75), (tmp_path / "last", 0.25))
    assert made["head.weight"].tolist() == [1.0, 1.0]
    for wrong in ("other", "nothing"):
        with pytest.raises(UsageError, match="no models of one shape"):
            mean_of((tmp_path / "first", 0.5), (tmp_path / wrong, 0.5))
