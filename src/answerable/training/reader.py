"""The span reader from a recipe: data in, a checkpoint out."""

from __future__ import annotations

import logging
import random
import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import torch
from tokenizers import Tokenizer
from torch import Tensor

from answerable.encoders.choose import SHIPPED
from answerable.encoders.pretrained import minilm_folder
from answerable.encoders.shipped import MANIFEST, open_shipped
from answerable.encoders.trunk import Trunk
from answerable.errors import ModelError, UsageError
from answerable.readers.layout import Layout
from answerable.training.beside import DISTANT, Beside, Found, distant, widen
from answerable.training.experts import calibrate
from answerable.training.export import export_reader
from answerable.training.loop import LoopSettings, Parts, batches_by_length, begun, fit, halved, seen
from answerable.training.low_rank import MODEL, adapt, export_adapted
from answerable.training.reading import Encoded, encode, load_pool
from answerable.training.recipe import Kind, Made, ModelRecipe, setting
from answerable.training.restore import restore_reader, sizes_of
from answerable.training.sources import SOURCES, load_source
from answerable.training.span import SpanReader, collate, reading_loss, shared_loss
from answerable.training.start import TOKENIZER, WEIGHTS, MeanRecipe, load_bert, mean_of, weights

logger = logging.getLogger(__name__)

ALONE = 0.5
"""What the loss of each window alone weighs beside the one that a question's windows share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderRecipe(ModelRecipe):
    """A recipe of the kind `reader`. `start`: the folder of an exported reader or of an earlier run, or that of a BERT
    that becomes the trunk; without one it is MiniLM's.

    `sources` says how often each is seen. `frozen`: so many of the lowest layers,
    and the embeddings, stay as they are, which takes less time and, where `start` has no adapter, leaves their exported
    bytes alone; 0 for none.
    `embeddings`: whether these learn, where no layer is frozen and there is no rank. `rank`: that of the changes that
    products of layers learn beside weights that stay, which are exported as an adapter beside the graph of `start`, an
    exported reader; 0: the weights learn. `toward`: a run from the same start whose change those begin as; empty: none.
    `windows`: how many are read of each question and scored together, with passages that a search finds for it beside
    its own; 1 for its own alone.
    """

    start: str = ""
    dropout: float = 0.1
    frozen: int = 0
    embeddings: bool = True
    rank: int = 0
    toward: str = ""
    windows: int = 1
    loop: LoopSettings = field(default_factory=LoopSettings)
    sources: Mapping[str, float] = field(default_factory=dict)

    ALLOWED: ClassVar[Collection[str]] = SOURCES | {DISTANT}

    def check(self) -> None:
        """As `Recipe.check`."""
        _require_rank(self.rank)
        if self.toward and not self.rank:
            raise UsageError("toward is for changes of a rank", hint="say their rank, or start from that run")
        if self.rank and (self.frozen or not self.start):
            raise UsageError("changes of a rank are to a whole reader", hint="name a start, and freeze no layers")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderMeanRecipe(MeanRecipe):
    """A recipe of the kind `reader-mean`. `rank` and `start` are as in those of the runs, where they have them."""

    rank: int = 0

    def check(self) -> None:
        """As `Recipe.check`."""
        _require_rank(self.rank)


def _require_rank(rank: int) -> None:
    if rank < 0:
        raise UsageError(f"rank cannot be {rank}", hint="it is 0, where the weights learn, or more")


Group = tuple[Encoded, ...]
"""What is read of one question at once."""


def build(recipe: ReaderRecipe, data: Path, layout: Layout, folder: Path) -> list[Group]:
    """Every source of a recipe, encoded as often as it says.

    `folder`: where the index stays that passages are found in, where a recipe has them read beside a question's own.
    """
    pool, seed = load_pool(data / "multihop/passages.jsonl.gz"), recipe.loop.seed
    beside = None
    if recipe.windows > 1:
        named = (name for name in recipe.sources if name != DISTANT)
        readings = [row for name in named for row in load_source(name, data, pool, "train")]
        beside = Beside(readings, ((one.title, one.text) for one in pool.values()), folder / "words")
    groups: list[Group] = []
    for name, epochs in recipe.sources.items():
        far = name == DISTANT
        rows: list[Any] = distant(data, folder / name) if far else load_source(name, data, pool, "train")
        rng = random.Random(seed)
        before = len(groups)
        for epoch, share in seen(epochs):
            chosen = rows if share == 1.0 else rng.sample(rows, int(len(rows) * share))
            groups += _laid(layout, chosen, recipe.windows, None if far else beside, seed + epoch)
        logger.info("%s: %d readings, %d examples", name, len(rows), len(groups) - before)
    return groups


def _laid(layout: Layout, rows: list[Any], windows: int, beside: Beside | None, seed: int) -> list[Group]:
    """The groups of some readings, each alone or with what is found beside it, or of questions in what was found."""
    rng = random.Random(seed)
    if beside is not None:
        drawn = (beside.windows(row, windows, rng) for row in rows)
    elif rows and isinstance(rows[0], Found):
        drawn = (row.windows(windows, rng) for row in rows)
    else:
        return [(one,) for one in encode(layout, widen(rows, seed), seed)]
    groups = (encode(layout, list(one), rng.randrange(1 << 30)) for one in drawn)
    return [tuple(group) for group in groups if group]


def train_reader(recipe: ReaderRecipe, data: Path, folder: Path) -> SpanReader:
    """Train a reader as the recipe says, resuming from `folder` when it holds a checkpoint.

    Raises `UsageError` for a recipe that cannot be used.
    """
    device = begun(recipe.threads, recipe.loop.seed)
    layout = Layout(Tokenizer.from_file(str(SHIPPED / TOKENIZER)))
    begin = restore_reader if recipe.rank else _begin  # an adapter is of a graph
    model = begin(Path(recipe.start) if recipe.start else minilm_folder(), recipe.dropout)
    if recipe.frozen or recipe.rank or not recipe.embeddings:
        freeze(model.trunk, recipe.frozen)
    if recipe.rank:
        adapt(model, recipe.rank, _left(Path(recipe.toward)).state_dict() if recipe.toward else {})
    model.to(device)
    groups = build(recipe, data, layout, folder)
    lengths = [recipe.windows * max(len(one.ids) for one in group) for group in groups]
    batches = batches_by_length(lengths, recipe.loop)
    logger.info("%d examples in %d batches", len(groups), len(batches))

    def loss(numbers: list[int]) -> Tensor:
        chosen = [groups[i] for i in numbers]
        batch = [one for group in chosen for one in group]
        with halved(device):
            start, end, kind = model(*(one.to(device) for one in collate(batch)))
        alone = reading_loss(start, end, kind, batch)
        return alone if recipe.windows == 1 else shared_loss(start, end, kind, chosen) + ALONE * alone

    fit(recipe.loop, Parts(model, batches, loss), folder)
    return (_left(folder) if recipe.rank else model.cpu()).eval()


def _begin(start: Path, dropout: float) -> SpanReader:
    """A reader to go on from, exported or as a run left it, or a BERT with new heads."""
    if (start / MANIFEST).is_file():
        return restore_reader(start, dropout)
    if any((start / name).is_file() for name in WEIGHTS):
        return _left(start, dropout)
    return SpanReader(load_bert(start, dropout))


def freeze(trunk: Trunk, layers: int) -> None:
    """Leave the embeddings and the lowest layers as they are."""
    for part in (trunk.words, trunk.places, trunk.types, trunk.norm, *trunk.layers[:layers]):
        part.requires_grad_(False)


def _left(run: Path, dropout: float = 0.0) -> SpanReader:
    """The reader that a run left."""
    try:
        state = weights(run)
        reader = SpanReader(Trunk(sizes_of(state), dropout))
        reader.load_state_dict(state)
    except (OSError, KeyError, ValueError, RuntimeError) as error:
        raise ModelError(f"{run} holds no trained reader", hint="train one: answerable train") from error
    return reader


def _make(recipe: ReaderRecipe, data: Path, out: Path) -> Made:
    """Train, export to the folder `reader`, and calibrate as the shipped reader until a selector recipe is run."""
    _require_start(recipe, out / "reader")
    return _exported(train_reader(recipe, data, out), out / "reader", recipe)


def _export(recipe: ReaderRecipe | ReaderMeanRecipe, run: Path, folder: Path) -> Made:
    """Export what a run left."""
    _require_start(recipe, folder)
    return _exported(_left(run), folder, recipe)


def _require_start(recipe: ReaderRecipe | ReaderMeanRecipe, folder: Path) -> None:
    """Raise `UsageError` where changes of the recipe's rank to its start could not be exported to `folder`."""
    if not recipe.rank:
        return
    start = Path(recipe.start)
    try:
        open_shipped(start).file(MODEL)
    except ModelError as error:
        raise UsageError(f"with a rank, start has to be the folder of an exported reader: {error}") from error
    if start.resolve() == folder.resolve():
        raise UsageError(f"start, {start}, would be written over by the changes to it", hint="choose another folder")


def _exported(reader: SpanReader, folder: Path, recipe: ReaderRecipe | ReaderMeanRecipe) -> Made:
    """The reader, or what changes its start into it, beside the tokenizer that ships."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = folder.resolve().parent / TOKENIZER
    if not tokenizer.exists() or not tokenizer.samefile(SHIPPED / TOKENIZER):
        shutil.copyfile(SHIPPED / TOKENIZER, tokenizer)
    if recipe.rank:
        shipped = export_adapted(Path(recipe.start), reader, recipe.rank, folder, recipe.about)
    else:
        shipped = export_reader(reader, folder, recipe.about)
    calibrate(folder)
    return Made.of(shipped)


def _mean(recipe: ReaderMeanRecipe, _: Path | None, out: Path) -> Made:
    torch.save({"model": mean_of(*recipe.runs())}, out / WEIGHTS[0])
    return _export(recipe, out, out / "reader")


KINDS: Mapping[str, Kind[Any]] = {
    "reader": Kind(ReaderRecipe, _make, setting("reader"), _export),
    "reader-mean": Kind(ReaderMeanRecipe, _mean, setting("reader"), _export, needs_data=False),
}
