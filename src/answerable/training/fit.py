"""The one run of every kind that learns batch by batch: seeds and threads first, then the loop, in all processes.

On several accelerators, started by torch's own launcher (`torchrun --nproc-per-node N -m answerable train RECIPE.toml
...`), each process works through its own share of the batches, and gradients are averaged after each step. Skills
differ from process to process, so that a weight may have a gradient in some only: those without count as zero, and a
weight without one anywhere keeps none, as it would in one process.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import torch
import torch.distributed as processes
from torch import Tensor, nn

from answerable.errors import UsageError
from answerable.training.loop import LoopSettings, plan_batches, train
from answerable.training.recipe import ModelRecipe

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopRecipe(ModelRecipe):
    """A recipe of what learns batch by batch, as `loop` says. In an evaluation `judged` examples are looked at."""

    judged: int = 64
    loop: LoopSettings = field(default_factory=LoopSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpertRecipe(LoopRecipe):
    """A recipe of an expert that learns beside those of an encoder."""

    dropout: float = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcedRecipe(ExpertRecipe):
    """One whose `sources` say how often each is seen."""

    sources: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run is made of: a model, batches of numbers of examples, and the loss of one batch.

    A loss that has done its own backward pass has no graph. `names` says of each batch what it is of; `judge` gives
    values, higher being better; `quick` weights learn `loop.quicker` times as fast.
    """

    model: nn.Module
    batches: Sequence[list[int]]
    loss: Callable[[list[int]], Tensor]
    names: Sequence[str] = ()
    judge: Callable[[], Mapping[str, float]] | None = None
    quick: Collection[nn.Parameter] = ()


def begun(threads: int, seed: int) -> torch.device:
    """Set threads and seed, and join the other processes, if there are any; the device this one works on."""
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    return join()


def fit(loop: LoopSettings, parts: Parts, folder: Path) -> None:
    """Run the loop in `folder`, resuming from its checkpoint: checkpoints, log and best weights stand there.

    Of several processes each learns from its share of the batches. Raises `UsageError` where there is no batch.
    """
    if not parts.batches:
        raise UsageError("the recipe's sources gave nothing to learn from", hint="see them more often")

    def step(numbers: list[int]) -> Tensor:
        loss = parts.loss(numbers)
        if loss.requires_grad:
            loss.backward()  # type: ignore[no-untyped-call]
        average(parts.model)
        return loss.detach()

    train(
        parts.model,
        share(parts.batches),
        step,
        folder,
        loop,
        names=share(parts.names),
        evaluate=parts.judge,
        writes=first(),
        quick=parts.quick,
    )


def batches_by_length(lengths: Sequence[int], loop: LoopSettings) -> list[list[int]]:
    """Numbers of examples of like length in batches, in an order fixed by the seed."""
    return plan_batches(lengths, [0] * len(lengths), loop.tokens, loop.seed)


def seen(epochs: float) -> Iterator[tuple[int, float]]:
    """The passes through a source, with the share of each: one seen 2.5 times is whole twice, and half the third."""
    for number in range(int(-(-epochs // 1))):
        yield number, min(1.0, epochs - number)


def some(rng: random.Random, items: Sequence[Item], most: int) -> list[Item]:
    """Up to `most` of the items, drawn without order."""
    return rng.sample(items, min(most, len(items)))


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
