"""Train the span reader from a recipe: data in, a checkpoint out. `recipes/reader.toml` is the shipped one."""

from __future__ import annotations

import logging
import random
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor

from answerable.encoders.trunk import load_trunk, minilm_folder
from answerable.errors import UsageError
from answerable.readers.layout import Layout
from answerable.training.loop import LoopSettings, plan_batches, train
from answerable.training.reading import Encoded, encode, load_pool
from answerable.training.restore import restore_reader
from answerable.training.sources import SOURCES, load_source, widen
from answerable.training.span import SpanReader, collate, reading_loss

logger = logging.getLogger(__name__)


KEYS = {"kind", "start", "dropout", "threads", "first", "loop", "sources"}


def _checked(recipe: dict[str, Any]) -> LoopSettings:
    """The loop's settings of a recipe that can be used."""
    if unknown := set(recipe) - KEYS:
        raise UsageError(
            f"the recipe has a key that is not known: {min(unknown)}", hint=f"keys: {', '.join(sorted(KEYS))}"
        )
    if not recipe.get("sources"):
        raise UsageError("the recipe names no sources", hint="[sources] says how many times each is seen")
    for name in recipe["sources"]:
        if name not in SOURCES:
            raise UsageError(f"there is no source {name!r}", hint=f"sources: {', '.join(sorted(SOURCES))}")
    try:
        return LoopSettings(**recipe.get("loop", {}))
    except TypeError as error:
        raise UsageError(f"[loop] of the recipe cannot be used: {error}") from error


def build(recipe: dict[str, Any], data: Path, layout: Layout, seed: int) -> tuple[list[Encoded], list[int]]:
    """Encode every source of a recipe as often as it says; returns the examples and the phase of each."""
    pool = load_pool(data / "multihop/passages.jsonl.gz")
    encoded: list[Encoded] = []
    phases: list[int] = []
    for name, epochs in recipe["sources"].items():
        rows = load_source(name, data, pool, "train")
        rng = random.Random(seed)
        whole, part = divmod(float(epochs), 1.0)
        counts = 0
        for epoch in range(int(whole) + (part > 0)):
            chosen = rows if epoch < whole else rng.sample(rows, int(len(rows) * part))
            made = encode(layout, widen(chosen, seed + epoch), seed + epoch)
            encoded += made
            phases += [0 if name in recipe.get("first", ()) else 1] * len(made)
            counts += len(made)
        logger.info("%s: %d readings, %d examples", name, len(rows), counts)
    return encoded, phases


def train_reader(recipe: dict[str, Any], data: Path, folder: Path) -> SpanReader:
    """Train a reader as the recipe says, resuming from `folder` when it holds a checkpoint.

    A recipe's `start` is the folder of an exported reader to go on from; without one the trunk is MiniLM's. Raises
    `UsageError` for a key or a source that is not known.
    """
    settings = _checked(recipe)
    torch.set_num_threads(int(recipe.get("threads", 2)))
    torch.manual_seed(settings.seed)
    weights = minilm_folder()
    layout = Layout(Tokenizer.from_file(str(weights / "tokenizer.json")))
    dropout = float(recipe.get("dropout", 0.1))
    if "start" in recipe:
        model = restore_reader(Path(recipe["start"]), dropout)
    else:
        model = SpanReader(load_trunk(weights / "model.safetensors", dropout=dropout))
    examples, phases = build(recipe, data, layout, settings.seed)
    batches = plan_batches([len(e.ids) for e in examples], phases, settings.tokens, settings.seed)
    logger.info("%d examples in %d batches", len(examples), len(batches))

    def step(numbers: list[int]) -> Tensor:
        batch = [examples[i] for i in numbers]
        with torch.autocast("cpu", torch.bfloat16):
            start, end, kind = model(*collate(batch))
        return reading_loss(start, end, kind, batch)

    train(model, batches, step, folder, settings)
    return model.eval()
