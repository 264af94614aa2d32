"""What kinds share that learn batch by batch: their recipes, seeds and threads, and how often a source is seen."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import torch

from answerable.errors import UsageError
from answerable.training.loop import LoopSettings
from answerable.training.recipe import ModelRecipe

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopRecipe(ModelRecipe):
    """A recipe of what learns batch by batch, as `loop` says. In an evaluation `judged` examples are looked at."""

    judged: int = 64
    loop: LoopSettings = field(default_factory=LoopSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadRecipe(ModelRecipe):
    """A recipe of a small head beside a frozen encoder, judged after each of the `epochs`.

    `hidden`: width of its MLP. `dropout` is of its inputs.
    """

    hidden: int
    dropout: float
    epochs: int
    loop: LoopSettings = field(default_factory=LoopSettings)

    def looped(self, batches: Sequence[list[int]]) -> LoopSettings:
        """How to train over these batches, which are of all epochs."""
        return replace(self.loop, evaluate_steps=-(-len(batches) // self.epochs))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpertRecipe(LoopRecipe):
    """A recipe of an expert that learns beside those of an encoder."""

    dropout: float = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcedRecipe(ExpertRecipe):
    """One whose `sources` say how often each is seen."""

    sources: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnjudgedRecipe(SourcedRecipe):
    """One of a kind that is not judged while it learns: its last weights are what it leaves."""

    def check(self) -> None:
        """As `Recipe.check`."""
        if self.loop.evaluate_steps:
            raise UsageError(f"the kind {self.kind!r} is not judged while it learns", hint="leave out evaluate_steps")


def begun(threads: int, seed: int) -> torch.device:
    """Set threads and seed; the device to work on."""
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def seen(epochs: float) -> Iterator[tuple[int, float]]:
    """The passes through a source, with the share of each: one seen 2.5 times is whole twice, and half the third."""
    for number in range(int(-(-epochs // 1))):
        yield number, min(1.0, epochs - number)


def some(rng: random.Random, items: Sequence[Item], most: int) -> list[Item]:
    """Up to `most` of the items, drawn without order."""
    return rng.sample(items, min(most, len(items)))
