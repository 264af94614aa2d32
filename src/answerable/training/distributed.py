"""Several accelerators: each works through its own share of the batches, and gradients are averaged after each step.

Started by torch's own launcher, `torchrun --nproc-per-node N -m answerable train RECIPE.toml ...`; alone, every
function here does nothing. Skills differ from process to process, so that a weight may have a gradient in some only:
those without count as zero, and a weight without one anywhere keeps none, as it would in one process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

import torch
import torch.distributed as processes
from torch import nn

Item = TypeVar("Item")


def join() -> torch.device:
    """Join the other processes, if a launcher has started any; the device this one works on."""
    if int(os.environ.get("WORLD_SIZE", "1")) > 1 and not processes.is_initialized():
        processes.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    if not torch.cuda.is_available():
        return torch.device("cpu")
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    torch.cuda.set_device(device)
    return device


def _together() -> bool:
    return processes.is_available() and processes.is_initialized()


def first() -> bool:
    """Whether this process is the one that writes files."""
    return not _together() or processes.get_rank() == 0


def share(items: Sequence[Item]) -> Sequence[Item]:
    """This process's share of the batches: every n-th, all shares equally long, so that all take the same steps."""
    if not _together():
        return items
    size = processes.get_world_size()
    return items[processes.get_rank() : len(items) - len(items) % size : size]


def once(work: Callable[[], None]) -> None:
    """Do something in the first process and then in the others, which find its files there."""
    if first():
        work()
    if _together():
        processes.barrier()
        if not first():
            work()


def average(model: nn.Module) -> None:
    """Give every process the mean of the gradients."""
    if not _together():
        return
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    present = torch.tensor([weight.grad is not None for weight in weights], dtype=torch.float32).to(weights[0].device)
    processes.all_reduce(present)
    for weight, count in zip(weights, present.tolist(), strict=True):
        if count:
            weight.grad = torch.zeros_like(weight) if weight.grad is None else weight.grad
            processes.all_reduce(weight.grad)
            weight.grad /= processes.get_world_size()
