"""Data for reading paths, in the forms of the real ones, and a BERT that reads it: every text here was written here."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

from answerable.datasets.parts import question_part
from answerable.encoders.modular import SkillShape
from answerable.readers.paths import MARK, PathLayout
from answerable.training.paths.model import PathModel
from answerable.training.start import begin
from tests.training.files import article, write_lines, write_squad
from tests.training.skills import worlds

VOCABULARY = [*worlds.VOCABULARY, "yes", "no", MARK]
SHAPE = replace(worlds.SMALL, vocabulary=len(VOCABULARY), positions=160)


def write_bert(folder: Path, seed: int = 5) -> Path:
    """A folder of Hugging Face's form with random weights, whose tokenizer can mark paths."""
    return worlds.write_bert(folder, seed, SHAPE, VOCABULARY)


def layout(bert: Path) -> PathLayout:
    """The layout of the model that `write_bert` wrote."""
    return PathLayout(Tokenizer.from_file(str(bert / "tokenizer.json")), 128)


def model(bert: Path, seed: int = 3, **how: Any) -> PathModel:
    """A path reader with random heads."""
    torch.manual_seed(seed)
    return PathModel(begin(str(bert), SkillShape(**{"reading": True, **how}))[0]).eval()


def write_data(folder: Path) -> Path:
    """A folder of training data: two-hop questions whose passages have sentences, and files in SQuAD's form."""
    worlds.write_data(folder)
    pool = folder / "multihop/passages.jsonl.gz"
    with gzip.open(pool, "rt", encoding="utf8") as lines:
        rows = [json.loads(line) for line in lines]
    for row in rows:
        row["sentences"] = [f"{one.strip()}." for one in row["text"].split(".") if one.strip()]
    write_lines(pool, rows)
    for source in ("hotpotqa", "2wikimultihopqa"):
        path = folder / source / "train.jsonl"
        asked = [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]
        asked[1]["answer"], asked[2]["answer"] = "yes", "no"
        for row in asked[:6]:  # some names fall to development
            row["_id"] = next(f"{row['_id']}-{n}" for n in range(999) if question_part(f"{row['_id']}-{n}") != "train")
        for row in asked:  # the year of the second tower stands in its second sentence
            row["supporting"] = [[title, 0] for title, _ in row["supporting"][:1]] + [[row["supporting"][1][0], 1]]
        write_lines(path, asked)
    articles = [_article(number) for number in range(10, 26)]
    write_squad(folder / "nq/nq-train.json.gz", [_article(number) for number in range(30, 54)])
    write_squad(folder / "squad/squad-train-part.json.gz", articles[:8])
    write_squad(folder / "squad/squad1.1.json.gz", articles[8:])
    write_squad(folder / "squad/squad2.0.json.gz", [_article(number, False) for number in range(18, 30)])
    write_lines(folder / "boolq/train.jsonl", map(_claim, range(20)))
    return folder


def _article(number: int, answered: bool = True) -> dict[str, Any]:
    paragraphs = []
    for which, year in (("lamp", str(1820 + number)), ("bell", str(1720 + number))):
        text = f"The {which} of pier {number} was lit in {year}. A boat ships oil to it in 50 hours from Ross."
        paragraphs.append((text, [(f"When was the {which} of pier {number} lit?", year if answered else None)]))
    return article(f"Pier_{number}", *paragraphs)


def _claim(number: int) -> dict[str, Any]:
    row = {"_id": f"b{number}", "question": f"is tower {number} of stone", "title": f"Tower {number}"}
    return row | {"passage": f"Tower {number} is built of stone.", "answer": number % 2 == 0}
