"""Train the span reader from a recipe: data in, a checkpoint out. `recipes/reader.toml` is the shipped one."""

from __future__ import annotations

import logging
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional as F

from answerable.encoders.trunk import Trunk, load_trunk, minilm_folder
from answerable.readers.layout import Layout
from answerable.training.cloze import cloze
from answerable.training.loop import LoopSettings, plan_batches, train
from answerable.training.reading import (
    NONE,
    SPAN,
    Encoded,
    PoolPassage,
    Reading,
    boolq,
    encode,
    load_pool,
    multihop,
    share,
    squad,
)

logger = logging.getLogger(__name__)

REPORT, DEVELOPMENT = 0.25, 0.37
"""Shares of the SQuAD development articles kept for the report, and up to which they are kept for tuning."""


class SpanReader(nn.Module):
    """Start and end logits for each token and the kind of answer, from `[CLS]` (Devlin et al. 2019, section 4.2)."""

    def __init__(self, trunk: Trunk) -> None:
        super().__init__()
        self.trunk = trunk
        self.span = nn.Linear(trunk.shape.width, 2)
        self.kind = nn.Linear(trunk.shape.width, 4)

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(b, n) int64 to start (b, n), end (b, n) and kind (b, 4) logits; padding and question are masked."""
        hidden = self.trunk(ids, types, mask)
        logits = self.span(hidden)
        keep = (types == 1) & (mask == 1)
        keep = torch.cat([torch.ones_like(keep[:, :1]), keep[:, 1:]], dim=1)
        blocked = (1.0 - keep.to(logits.dtype)) * -10000.0
        return logits[..., 0] + blocked, logits[..., 1] + blocked, self.kind(hidden[:, 0])


def collate(batch: Sequence[Encoded]) -> tuple[Tensor, Tensor, Tensor]:
    """Pad to the longest: ids, types and mask, each (b, n) int64."""
    length = max(len(e.ids) for e in batch)
    ids, types, mask = (torch.zeros(len(batch), length, dtype=torch.long) for _ in range(3))
    for row, one in enumerate(batch):
        size = len(one.ids)
        ids[row, :size] = torch.tensor(one.ids)
        types[row, :size] = torch.tensor(one.types)
        mask[row, :size] = 1
    return ids, types, mask


def reading_loss(start: Tensor, end: Tensor, kind: Tensor, batch: Sequence[Encoded]) -> Tensor:
    """Cross-entropy of start, end and kind; yes/no questions have no span and train the kind alone."""
    starts = torch.tensor([e.start for e in batch])
    ends = torch.tensor([e.end for e in batch])
    kinds = torch.tensor([e.kind for e in batch])
    spanned = ((kinds == SPAN) | (kinds == NONE)).float()
    pointing = F.cross_entropy(start.float(), starts, reduction="none")
    pointing = pointing + F.cross_entropy(end.float(), ends, reduction="none")
    loss: Tensor = (pointing * spanned).mean() / 2 + 0.5 * F.cross_entropy(kind.float(), kinds)
    return loss


@dataclass(frozen=True, slots=True)
class Source:
    """A training source of a recipe: how often each of its examples is seen."""

    name: str
    epochs: float


def squad_part(name: str) -> str:
    """`report`, `development` or `train`: which part a SQuAD development article belongs to, by its name."""
    drawn = share(name)
    return "report" if drawn < REPORT else "development" if drawn < DEVELOPMENT else "train"


def load_source(name: str, data: Path, pool: dict[str, PoolPassage], part: str) -> list[Reading]:
    """The readings of one source, `part` being `train`, `development` or `report`; parts never share an article."""
    if name in ("squad1", "squad2"):
        dev = data / "squad" / ("squad1.1.json.gz" if name == "squad1" else "squad2.0.json.gz")
        rows = [r for title, r in squad(dev, "squad") if squad_part(title) == part]
        if name == "squad1" and part == "train":
            rows += [r for _, r in squad(data / "squad/squad-train-part.json.gz", "squad")]
        if name == "squad2" and part == "train":
            rows = [r for r in rows if r.kind == NONE]  # its answerable questions are squad1's
        return rows
    if name == "nq":
        return [r for _, r in squad(data / f"nq/nq-{'train' if part == 'train' else 'dev'}.json.gz", "nq")]
    if name == "policyqa":
        return [r for _, r in squad(data / f"policyqa/{'dev' if part == 'train' else 'test'}.json.gz", "policyqa")]
    if name in ("covidqa", "subjqa"):
        rows = [r for _, r in squad(data / f"{name}/{name}.json.gz", name)]
        held = {"covidqa": 0.3, "subjqa": 0.1}[name]
        return [r for r in rows if (share(r.passages[0][1]) < held) == (part != "train")]
    if name == "boolq":
        return list(boolq(data / f"boolq/{'train' if part == 'train' else 'dev'}.jsonl"))
    if name in ("hotpotqa", "2wikimultihopqa", "musique"):
        split = "train" if part == "train" else "dev"
        return [r for r, _ in multihop(data / name / f"{split}.jsonl", pool, name)]
    if name == "distractors":
        return _unrelated(data, pool)
    if name == "cloze":
        return list(cloze(pool, 40000, seed=1))
    raise KeyError(name)


def _unrelated(data: Path, pool: dict[str, PoolPassage]) -> list[Reading]:
    """Multi-hop questions over two passages given with them that hold neither the evidence nor the answer."""
    rows = []
    for name in ("hotpotqa", "2wikimultihopqa"):
        for reading, others in multihop(data / name / "train.jsonl", pool, name):
            answer = reading.answers[0].lower()
            wrong = [o for o in others if reading.kind == SPAN and answer not in pool[o].text.lower()]
            for a, b in zip(wrong[0::2], wrong[1::2], strict=False):
                passages = tuple((pool[p].title, pool[p].text) for p in (a, b))
                rows.append(replace(reading, passages=passages, kind=NONE, answer=None, source="distractors"))
    return rows


def widen(rows: list[Reading], seed: int) -> list[Reading]:
    """Some readings become chains (another passage beside the right one), some get the wrong passage and no answer."""
    rng = random.Random(seed)
    out = []
    for row in rows:
        drawn = rng.random()
        if row.source in ("squad", "nq", "cloze") and row.kind == SPAN and drawn < 0.34:
            other = rows[rng.randrange(len(rows))].passages[0]
            if drawn < 0.24 and len(other[1]) < 1200:
                _, start, end = row.answer or (0, 0, 0)
                after = rng.random() < 0.5
                passages = (row.passages[0], other) if after else (other, row.passages[0])
                out.append(replace(row, passages=passages, answer=(0 if after else 1, start, end)))
                continue
            if drawn > 0.28 and row.source != "cloze" and row.answers[0].lower() not in other[1].lower():
                out.append(replace(row, passages=(other,), kind=NONE, answer=None))
                continue
        if len(row.passages) == 2 and row.kind == SPAN and row.answer and rng.random() < 0.5:
            which, start, end = row.answer
            row = replace(row, passages=row.passages[::-1], answer=(1 - which, start, end))
        out.append(row)
    return out


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
    """Train a reader as the recipe says, resuming from `folder` when it holds a checkpoint."""
    settings = LoopSettings(**recipe.get("loop", {}))
    torch.set_num_threads(int(recipe.get("threads", 2)))
    torch.manual_seed(settings.seed)
    weights = minilm_folder()
    layout = Layout(Tokenizer.from_file(str(weights / "tokenizer.json")))
    model = SpanReader(load_trunk(weights / "model.safetensors", dropout=float(recipe.get("dropout", 0.1))))
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
