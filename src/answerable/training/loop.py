"""The training loop: one, plain, for every model. Batches by length, bf16, checkpoints, exact resume."""

from __future__ import annotations

import json
import logging
import math
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """How to train. `tokens` bounds a batch: rows times the longest row."""

    rate: float = 2e-4
    tokens: int = 6144
    warmup: float = 0.06
    decay: float = 0.01
    clip: float = 1.0
    seed: int = 7
    most: int = 0
    """The number of batches after which the schedule ends; 0 for all of them."""
    checkpoint_seconds: float = 120.0


def plan_batches(lengths: Sequence[int], phases: Sequence[int], tokens: int, seed: int) -> list[list[int]]:
    """Group example numbers into batches of like length, phase after phase, in an order fixed by the seed."""
    rng = random.Random(seed)
    batches: list[list[int]] = []
    for phase in sorted(set(phases)):
        order = [i for i, p in enumerate(phases) if p == phase]
        rng.shuffle(order)
        ready: list[list[int]] = []
        for begin in range(0, len(order), 4096):
            pool = sorted(order[begin : begin + 4096], key=lambda i: lengths[i])
            batch: list[int] = []
            for i in pool:
                if batch and (len(batch) + 1) * lengths[i] > tokens:
                    ready.append(batch)
                    batch = []
                batch.append(i)
            if batch:
                ready.append(batch)
        rng.shuffle(ready)
        batches += ready
    return batches


def train(
    model: nn.Module,
    batches: Sequence[list[int]],
    step: Callable[[list[int]], Tensor],
    folder: Path,
    settings: LoopSettings,
    on_checkpoint: Callable[[int], None] | None = None,
) -> None:
    """Run `step` (examples to a scalar loss) over all batches with AdamW, linear warm-up and linear decay.

    Writes `checkpoint.pt` and a line of `log.jsonl` in `folder` every `checkpoint_seconds`; a run that finds a
    checkpoint there goes on from it, with the same batches and the same random numbers.
    """
    folder.mkdir(parents=True, exist_ok=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.rate, weight_decay=settings.decay, fused=True)
    total = min(len(batches), settings.most or len(batches))
    warm = max(1, int(total * settings.warmup))
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda n: min((n + 1) / warm, max(0.0, (total - n) / max(1, total - warm)))
    )
    torch.manual_seed(settings.seed)
    path = folder / "checkpoint.pt"
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler}
    first = _resume(path, parts)
    if first:
        logger.info("resumed at step %d of %d", first, total)
    (folder / "settings.json").write_text(json.dumps(asdict(settings) | {"torch": torch.__version__}, indent=1))
    model.train()
    losses: list[float] = []
    seen, began, saved_at = 0, time.monotonic(), time.monotonic()
    for number in range(first, total):
        loss = step(batches[number])
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        scheduler.step()
        losses.append(loss.item())
        seen += len(batches[number])
        if not math.isfinite(losses[-1]):
            raise FloatingPointError(f"the loss is {losses[-1]} at step {number}")
        last = number + 1 == total
        if last or time.monotonic() - saved_at > settings.checkpoint_seconds:
            saved_at = time.monotonic()
            _save(path, parts, number + 1)
            rate = seen / (saved_at - began)
            line = {"step": number + 1, "of": total, "loss": round(sum(losses) / len(losses), 4), "per_second": rate}
            with (folder / "log.jsonl").open("a") as log:
                log.write(json.dumps(line | {"minutes": round((saved_at - began) / 60, 1)}) + "\n")
            logger.info("%s", line)
            losses.clear()
            if on_checkpoint:
                on_checkpoint(number + 1)


def _save(path: Path, parts: Mapping[str, Any], step: int) -> None:
    """Write the state of the parts and of the random numbers, beside the checkpoint and then in its place."""
    state = {name: part.state_dict() for name, part in parts.items()}
    torch.save(state | {"random": torch.get_rng_state(), "step": step}, path.with_suffix(".tmp"))
    os.replace(path.with_suffix(".tmp"), path)


def _resume(path: Path, parts: Mapping[str, Any]) -> int:
    """Take up a checkpoint if there is one; the number of steps it has behind it."""
    if not path.exists():
        return 0
    saved = torch.load(path, weights_only=True)
    for name, part in parts.items():
        part.load_state_dict(saved[name])
    torch.set_rng_state(saved["random"])
    return int(saved["step"])
