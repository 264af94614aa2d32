"""The training loop: one, plain, for every model. Batches by length, bf16 where it pays, checkpoints, exact resume.

Beside it is what kinds share that learn batch by batch: their recipes, seeds and threads, how often a source is seen.
"""

from __future__ import annotations

import json
import logging
import math
import os
import random
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from answerable.encoders.wordpieces import plan_batches
from answerable.errors import UsageError
from answerable.training.recipe import ModelRecipe

logger = logging.getLogger(__name__)
Found = TypeVar("Found")
Item = TypeVar("Item")

_CLIP = 1.0
"""The longest gradient that is learned from as it is."""
_TURNS, _CLEARLY = 6, 0.9
"""How often a layer is timed in bf16 and in fp32, and to which share of the time of fp32 the other must come down."""
_POOL = 4096
"""So many examples are put in order of their length at a time: the others of a batch are drawn from all."""


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """How to train. `tokens` bounds a batch: rows times the longest row."""

    rate: float = 2e-4
    tokens: int = 6144
    warmup: float = 0.06
    decay: float = 0.01
    seed: int = 7
    most: int = 0
    """The number of batches after which the schedule ends; 0 for all of them."""
    checkpoint_seconds: float = 120.0
    evaluate_steps: int = 0
    """How many steps lie between evaluations; 0 for none."""
    patience: int = 0
    """Training ends when this many evaluations in a row were no better than the best; 0 for never."""
    quicker: float = 1.0
    """How many times the rate is, for the weights given as `quick`."""


def halved(device: torch.device) -> AbstractContextManager[object]:
    """Work in bf16 where that is faster: on a GPU, and on the processors that a layer learns faster on by it."""
    if device.type == "cuda" or _quicker():
        return torch.autocast(device.type, torch.bfloat16)
    return nullcontext()


@cache
def _quicker() -> bool:
    """Whether a layer learns clearly faster in bf16 on this processor. Of those with instructions for it some take a
    third of the time of fp32, and some half as long again (`docs/model-cards/reader.md`)."""
    able = torch.cpu.get_capabilities()
    if not any(able.get(unit) for unit in ("amx_bf16", "avx512_bf16", "bf16")):
        return False
    with torch.random.fork_rng(devices=[]):
        layer, given = nn.Linear(384, 1536), torch.ones(2048, 384)
    took: dict[bool, list[float]] = {False: [], True: []}
    for turn in range(2 * _TURNS):
        half, started = turn % 2 == 1, time.perf_counter()
        with torch.enable_grad(), torch.autocast("cpu", torch.bfloat16, enabled=half):
            layer(given).sum().backward()
        took[half].append(time.perf_counter() - started)
    return min(took[True]) < _CLEARLY * min(took[False])


def tensors(feed: Mapping[str, Any], device: torch.device) -> list[Tensor]:
    """What a graph is fed, in order, as tensors on a device."""
    return [torch.from_numpy(array).to(device) for array in feed.values()]


def batches_by_length(lengths: Sequence[int], loop: LoopSettings) -> list[list[int]]:
    """Numbers of examples of like length in batches, in an order fixed by the seed."""
    rng = random.Random(loop.seed)
    order = list(range(len(lengths)))
    rng.shuffle(order)
    batches: list[list[int]] = []
    for begin in range(0, len(order), _POOL):
        pool = sorted(order[begin : begin + _POOL], key=lambda i: lengths[i])
        batch: list[int] = []
        for i in pool:
            if batch and (len(batch) + 1) * lengths[i] > loop.tokens:
                batches.append(batch)
                batch = []
            batch.append(i)
        batches.append(batch)
    rng.shuffle(batches)
    return batches


def in_batches(lengths: Sequence[int], tokens: int, run: Callable[[list[int]], Iterable[Found]]) -> list[Found]:
    """What `run` finds for each of some rows of these lengths, given the numbers of rows of like length together.

    At most `tokens` go into a batch: rows times the longest row.
    """
    found: dict[int, Found] = {}
    for batch in plan_batches(lengths, tokens):
        found |= zip(batch, run(batch), strict=True)
    return [found[i] for i in range(len(lengths))]


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run is made of: a model, batches of numbers of examples, and the loss of one batch.

    A loss that has done its own backward pass has no graph. `names` says of each batch what it is of: the log then has
    a loss for each name. `judge` gives values, higher being better; `quick` weights learn `LoopSettings.quicker` times
    as fast.
    """

    model: nn.Module
    batches: Sequence[list[int]]
    loss: Callable[[list[int]], Tensor]
    names: Sequence[str] = ()
    judge: Callable[[], Mapping[str, float]] | None = None
    quick: Collection[nn.Parameter] = ()


def fit(settings: LoopSettings, parts: Parts, folder: Path) -> None:
    """Learn from all batches with AdamW, linear warm-up and linear decay.

    Writes `checkpoint.pt` and a line of `log.jsonl` in `folder` every `checkpoint_seconds`; a run that finds a
    checkpoint there goes on from it, with the same batches and random numbers. The judge is asked every
    `evaluate_steps` and at the end; the mean of its values says which weights are best: those are in `best.pt` and, in
    the end, in the model. Raises `UsageError` where there is no batch.
    """
    if not parts.batches:
        raise UsageError("the recipe's sources gave nothing to learn from", hint="see them more often")
    folder.mkdir(parents=True, exist_ok=True)
    model, batches, names, evaluate = parts.model, parts.batches, parts.names, parts.judge
    fast = {id(weight) for weight in parts.quick}
    groups: list[dict[str, Any]] = [{"params": [weight for weight in model.parameters() if id(weight) not in fast]}]
    if fast:
        groups.append({"params": list(parts.quick), "lr": settings.rate * settings.quicker})
    optimizer = torch.optim.AdamW(groups, lr=settings.rate, weight_decay=settings.decay, fused=True)
    total = min(len(batches), settings.most or len(batches))
    warm = max(1, int(total * settings.warmup))
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda n: min((n + 1) / warm, max(0.0, (total - n) / max(1, total - warm)))
    )
    torch.manual_seed(settings.seed)
    path = folder / "checkpoint.pt"
    record = _Record(folder, model, settings, total)
    state = {"model": model, "optimizer": optimizer, "scheduler": scheduler, "record": record}
    first = _resume(path, state)
    if first:
        logger.info("resumed at step %d of %d", first, total)
    (folder / "settings.json").write_text(json.dumps(asdict(settings) | {"torch": torch.__version__}, indent=1))
    model.train()
    for number in range(first, total):
        if record.stopped:
            break
        loss = parts.loss(batches[number])
        if loss.requires_grad:
            loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), _CLIP)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        scheduler.step()
        record.add(number, loss.item(), len(batches[number]), names[number] if names else "")
        last = number + 1 == total
        due = evaluate is not None and (last or not (number + 1) % (settings.evaluate_steps or total))
        if evaluate is not None and due:
            record.judge(number + 1, evaluate())
        if due or last or record.waited():
            _save(path, state, number + 1)
            record.write(number + 1)
    record.restore_best()


class _Record:
    """What a run has shown so far: losses since the last line of the log, and which evaluation was best."""

    def __init__(self, folder: Path, model: nn.Module, settings: LoopSettings, total: int) -> None:
        self.folder, self.model, self.settings, self.total = folder, model, settings, total
        self.best, self.stale = -math.inf, 0
        self._losses: list[float] = []
        self._named: dict[str, list[float]] = {}
        self._judged: dict[str, float] = {}
        self._seen, self._began, self._saved_at = 0, time.monotonic(), time.monotonic()

    @property
    def stopped(self) -> bool:
        """Whether the evaluations have long enough been no better."""
        return 0 < self.settings.patience <= self.stale

    def add(self, number: int, loss: float, size: int, name: str) -> None:
        if not math.isfinite(loss):
            raise FloatingPointError(f"the loss is {loss} at step {number}")
        self._losses.append(loss)
        self._seen += size
        if name:
            self._named.setdefault(name, []).append(loss)

    def waited(self) -> bool:
        return time.monotonic() - self._saved_at > self.settings.checkpoint_seconds

    def judge(self, step: int, found: Mapping[str, float]) -> None:
        mean = sum(found.values()) / max(1, len(found))
        self._judged = {name: round(value, 4) for name, value in found.items()}
        self.stale += 1
        if mean > self.best:
            self.best, self.stale = mean, 0
            _replace(self.folder / "best.pt", {"model": self.model.state_dict(), "step": step})
        self.model.train()

    def write(self, step: int) -> None:
        self._saved_at = time.monotonic()
        seconds = self._saved_at - self._began
        line: dict[str, Any] = {"step": step, "of": self.total, "loss": _mean(self._losses)}
        line["per_second"] = self._seen / seconds
        if self._named:
            line["losses"] = {name: _mean(losses) for name, losses in sorted(self._named.items())}
        if self._judged:
            line["evaluation"] = self._judged
        with (self.folder / "log.jsonl").open("a") as log:
            log.write(json.dumps(line | {"minutes": round(seconds / 60, 1)}) + "\n")
        logger.info("%s", line)
        self._losses, self._named, self._judged = [], {}, {}

    def restore_best(self) -> None:
        if math.isfinite(self.best):
            self.model.load_state_dict(torch.load(self.folder / "best.pt", weights_only=True)["model"])

    def state_dict(self) -> dict[str, Any]:
        return {"best": self.best, "stale": self.stale}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.best, self.stale = float(state["best"]), int(state["stale"])


def _mean(losses: Sequence[float]) -> float:
    return round(sum(losses) / max(1, len(losses)), 4)


def _save(path: Path, parts: Mapping[str, Any], step: int) -> None:
    """Write the state of the parts and of the random numbers."""
    state = {name: part.state_dict() for name, part in parts.items()}
    random_state = {"random": torch.get_rng_state()}
    if torch.cuda.is_available():
        random_state["random_cuda"] = torch.cuda.get_rng_state()
    _replace(path, state | random_state | {"step": step})


def _replace(path: Path, state: Mapping[str, Any]) -> None:
    """Write beside the file and then in its place, so that there is a whole one at any time."""
    torch.save(state, path.with_suffix(".tmp"))
    os.replace(path.with_suffix(".tmp"), path)


def _resume(path: Path, parts: Mapping[str, Any]) -> int:
    """Take up a checkpoint if there is one; the number of steps it has behind it."""
    if not path.exists():
        return 0
    saved = torch.load(path, weights_only=True, map_location="cpu")
    for name, part in parts.items():
        if name in saved:  # checkpoints of earlier versions have no record
            part.load_state_dict(saved[name])
    torch.set_rng_state(saved["random"])
    if "random_cuda" in saved and torch.cuda.is_available():
        torch.cuda.set_rng_state(saved["random_cuda"])
    return int(saved["step"])


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
