from __future__ import annotations

import itertools
import platform
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from answerable.training.loop import LoopSettings, Parts, _quicker, batches_by_length, fit, halved


@given(st.lists(st.integers(1, 384), min_size=1, max_size=80), st.integers(384, 4000), st.integers(0, 9))
def test_every_example_once_within_the_tokens(lengths: list[int], tokens: int, seed: int) -> None:
    loop = LoopSettings(tokens=tokens, seed=seed)
    batches = batches_by_length(lengths, loop)
    assert sorted(i for b in batches for i in b) == list(range(len(lengths)))
    assert all(len(b) * max(lengths[i] for i in b) <= tokens for b in batches)
    assert batches == batches_by_length(lengths, loop)


def run(folder: Path, stop_after: int | None = None) -> torch.nn.Linear:
    torch.manual_seed(1)
    model = torch.nn.Linear(4, 1)
    inputs, drawn = torch.randn(64, 4), []

    def step(numbers: list[int]) -> torch.Tensor:
        if stop_after is not None and len(drawn) == stop_after:
            raise KeyboardInterrupt
        drawn.append(numbers)
        x = inputs[numbers] + 0.1 * torch.randn(len(numbers), 4)  # the random state must come back too
        return ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()

    batches = batches_by_length([1] * 64, LoopSettings(tokens=4, seed=5))
    fit(LoopSettings(rate=0.1, checkpoint_seconds=0.0), Parts(model, batches, step), folder)
    return model


def test_an_interrupted_run_ends_where_an_undisturbed_one_does(tmp_path: Path) -> None:
    whole = run(tmp_path / "whole")
    for stop in (3, 5, 1):
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "parts", stop_after=stop)
    parts = run(tmp_path / "parts")
    assert torch.equal(whole.weight, parts.weight)
    assert (tmp_path / "parts/log.jsonl").read_text().count("\n") == 16


def test_a_loss_that_is_not_a_number_stops_the_run(tmp_path: Path) -> None:
    model = torch.nn.Linear(1, 1)
    with pytest.raises(FloatingPointError, match="step 0"):
        fit(LoopSettings(), Parts(model, [[0]], lambda _: model.weight.sum() * float("nan")), tmp_path)


def test_quick_weights_learn_at_a_higher_rate(tmp_path: Path) -> None:
    def moved(quicker: float, quick: bool) -> tuple[float, float]:
        torch.manual_seed(1)
        model = torch.nn.Linear(4, 1)
        before = [weight.detach().clone() for weight in model.parameters()]
        settings = LoopSettings(rate=0.01, decay=0.0, quicker=quicker)
        given = [model.bias] if quick else []
        parts = Parts(model, [[0]], lambda _: model(torch.ones(1, 4)).sum(), quick=given)
        fit(settings, parts, tmp_path / f"{quicker}{quick}")
        changes = [float((w.detach() - b).abs().max()) for w, b in zip(model.parameters(), before, strict=True)]
        return changes[0], changes[1]

    assert moved(5.0, quick=False) == pytest.approx((0.01, 0.01), rel=1e-3)
    assert moved(5.0, quick=True) == pytest.approx((0.01, 0.05), rel=1e-3)


UNITS = {"x86_64": ("amx_bf16", "avx512_bf16"), "aarch64": ("bf16",)}
"""What makes a processor fast in bf16, as torch calls it."""


def test_work_is_halved_only_where_the_processor_is_made_for_it() -> None:
    able, units = torch.cpu.get_capabilities(), UNITS.get(platform.machine(), ())
    assert set(units) <= able.keys()  # torch still calls them so
    with halved(torch.device("cpu")):
        made = torch.ones(2, 2) @ torch.ones(2, 2)
    assert made.dtype == torch.float32 or any(able[unit] for unit in units)


@pytest.mark.parametrize(
    ("able", "halves", "half"), [({}, 1.0, False), ({"avx512_bf16": True}, 3.0, False), ({"amx_bf16": True}, 0.5, True)]
)
def test_bf16_where_a_layer_learns_faster_by_it(
    monkeypatch: pytest.MonkeyPatch, able: dict[str, bool], halves: float, half: bool
) -> None:
    def clock() -> Iterator[float]:
        now = 0.0
        for took in itertools.cycle((1.0, halves)):  # in fp32, then in bf16
            yield now
            now += took
            yield now

    ticks, drawn = clock(), torch.get_rng_state()
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: able)
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks))
    _quicker.cache_clear()
    try:
        with halved(torch.device("cpu")):
            assert torch.is_autocast_enabled("cpu") is half
    finally:
        _quicker.cache_clear()
    assert torch.equal(torch.get_rng_state(), drawn)
