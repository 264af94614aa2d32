from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

import torch.distributed as processes  # noqa: E402

from answerable.training import fit as distributed  # noqa: E402


def test_alone_nothing_happens() -> None:
    model = torch.nn.Linear(2, 1)
    model(torch.ones(1, 2)).sum().backward()
    before = model.weight.grad.clone()
    distributed.average(model)
    assert torch.equal(model.weight.grad, before)
    assert distributed.first() and distributed.share([1, 2, 3]) == [1, 2, 3]
    ran: list[int] = []
    distributed.once(lambda: ran.append(1))
    assert ran == [1]


def test_a_process_of_several_takes_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "_together", lambda: True)
    monkeypatch.setattr(processes, "get_world_size", lambda: 3)
    shares = []
    for rank in range(3):
        monkeypatch.setattr(processes, "get_rank", lambda rank=rank: rank)
        shares.append(list(distributed.share(list(range(11)))))
    assert shares == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]  # as distributed for each: what is left over is left out


def test_gradients_are_the_mean_also_where_one_process_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other process is played by the test: it adds its own gradients where they would be summed."""
    model = torch.nn.ModuleDict(
        {name: torch.nn.Linear(1, 1, bias=False) for name in ("both", "ours", "theirs", "none")}
    )
    ours, theirs = {"both": 2.0, "ours": 4.0}, {"both": 6.0, "theirs": 8.0}
    for name, value in ours.items():
        model[name].weight.grad = torch.full((1, 1), value)
    order = iter(
        [torch.tensor([1.0, 0.0, 1.0, 0.0]), *(torch.full((1, 1), theirs.get(n, 0.0)) for n in list(model)[:3])]
    )
    monkeypatch.setattr(distributed, "_together", lambda: True)
    monkeypatch.setattr(processes, "get_world_size", lambda: 2)
    monkeypatch.setattr(processes, "all_reduce", lambda tensor: tensor.add_(next(order)))
    distributed.average(model)
    found: dict[str, Any] = {name: part.weight.grad for name, part in model.items()}
    assert found.pop("none") is None
    assert {name: float(grad) for name, grad in found.items()} == {"both": 4.0, "ours": 2.0, "theirs": 4.0}


def test_one_process_of_a_group_is_as_alone(tmp_path: Path) -> None:
    processes.init_process_group("gloo", init_method=f"file://{tmp_path / 'group'}", rank=0, world_size=1)
    try:
        model = torch.nn.Linear(2, 1)
        model(torch.ones(1, 2)).sum().backward()
        before = model.weight.grad.clone()
        distributed.average(model)
        assert torch.equal(model.weight.grad, before)
        assert distributed.first() and list(distributed.share([1, 2, 3])) == [1, 2, 3]
    finally:
        processes.destroy_process_group()
