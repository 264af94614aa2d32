"""The reader with and without each group of its training sources, at an equal and small number of batches.

    python benchmarks/ablation.py --data DATA --workspace DIR [--batches 300] [--limit 300] [--json FILE]

Every variant starts from MiniLM, sees the same number of batches of the sources it has, in the proportions of the
first recipe, and is read as it ships: int8. What is interrupted resumes. The whole takes an hour on two cores at 300
batches; figures are far below those of the shipped reader, and only compare with each other.
"""

from __future__ import annotations

import random
import shutil
import tomllib
from pathlib import Path
from typing import Any

import common
from answerable.encoders.choose import SHIPPED
from answerable.evaluation.metrics.answers import f1
from answerable.readers.span import SpanReader
from answerable.training.export import export_reader
from answerable.training.reader import ReaderRecipe, train_reader
from answerable.training.reading import load_pool
from answerable.training.sources import load_source
from reader import said

GROUPS = {
    "SQuAD 1.1": ("squad1",),
    "no answer": ("squad2", "distractors", "subjqa"),
    "Natural Questions": ("nq",),
    "multi-hop": ("hotpotqa", "2wikimultihopqa", "musique"),
    "yes and no": ("boolq",),
    "policies, papers": ("policyqa", "covidqa"),
}
SETS = ("squad1", "squad2", "nq", "hotpotqa", "musique", "boolq", "policyqa", "subjqa")


def variant(recipe: dict[str, Any], group: str | None, batches: int) -> dict[str, Any]:
    """The recipe without a group of sources, cut to a number of batches."""
    left_out = GROUPS[group] if group else ()
    sources = {name: times for name, times in recipe["sources"].items() if name not in left_out}
    return {**recipe, "sources": sources, "loop": {**recipe["loop"], "most": batches}}


def measure(folder: Path, data: Path, limit: int) -> dict[str, float]:
    """F1 of each set, in per cent; where nothing may be said, with a threshold chosen on other questions."""
    reader = SpanReader(folder / "reader" / "model.onnx", folder / "tokenizer.json")
    pool = load_pool(data / "multihop/passages.jsonl.gz")
    found: dict[str, float] = {}
    for name in SETS:
        rows = load_source(name, data, pool, "report")
        rows = random.Random(1).sample(rows, min(limit, len(rows)))
        texts, _ = said(name, reader, rows, data, pool, limit)
        found[name] = common.mean([f1(text, row.answers) for text, row in zip(texts, rows, strict=True)], 100)
    return found


def main(words: list[str] | None = None) -> None:
    """Train what is not there yet, and print a table."""
    parser = common.parser(__doc__, "data", "workspace", limit=300)
    parser.add_argument("--batches", type=int, default=300)
    given = parser.parse_args(words)
    recipe = tomllib.loads(Path("recipes/reader.toml").read_text("utf8"))
    table = common.Table()
    for group in (None, *GROUPS):
        name = group or "nothing"
        folder = given.workspace / name.replace(" ", "-").replace(",", "")
        if not (folder / "reader" / "manifest.json").is_file():
            reader = train_reader(ReaderRecipe.of(variant(recipe, group, given.batches)), given.data, folder)
            shutil.copyfile(SHIPPED / "tokenizer.json", folder / "tokenizer.json")
            export_reader(reader, folder / "reader")
        found = measure(folder, given.data, given.limit)
        table.add({"left out": name, "batches": given.batches, "questions": given.limit, "f1": found})
        common.write(given.json, table)


if __name__ == "__main__":
    main()
