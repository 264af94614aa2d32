"""Data and a small model for reading many passages: those of the path reader, and its corpora of single passages."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import torch

from answerable.encoders.modular import SkillShape
from answerable.training.fusion.model import FusedModel
from answerable.training.start import begin
from tests.training.paths import worlds


def write_data(folder: Path) -> Path:
    """The path reader's folder of training data, with the passages of its NQ as a corpus."""
    worlds.write_data(folder)
    with gzip.open(folder / "nq/nq-train.json.gz", "rt", encoding="utf8") as file:
        articles = json.load(file)["data"]
    with gzip.open(folder / "nq/nq-passages.jsonl.gz", "wt", encoding="utf8") as out:
        for article in articles:
            title = article["title"].replace("_", " ")
            for number, one in enumerate(article["paragraphs"]):
                row = {"_id": f"{title} {number}", "title": title, "text": one["context"]}
                out.write(json.dumps(row) + "\n")
    return folder


def model(bert: Path, seed: int = 3, **how: Any) -> FusedModel:
    """A reader with random heads, of the BERT that `worlds.write_bert` wrote."""
    torch.manual_seed(seed)
    return FusedModel(begin(str(bert), SkillShape(**{"reading": True, **how})).model, 3).eval()
