"""The walk and its ablations, each trained the same short time, judged on documents that no part was trained on.

    python benchmarks/walks.py --data DATA --workspace DIR [--lessons 200] [--limit 40] [--variant NAME ...]
        [--json FILE]

DocHopper's tables 4 to 6 train every ablation; so does this, from one recipe but its start (the encoder that ships) at
an equal and small number of lessons, so that figures are below those of the shipped walk and only compare with each
other. `soft` and `straight-through` are how a query attends while it learns. Evidence is found if the best sentence
holds some (of two pieces: the best pair).
What is interrupted resumes. On one core a variant takes about eight minutes at 200 lessons and 40 questions.
"""

from __future__ import annotations

import argparse
import random
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

import common
from answerable.documents.walk import WalkSettings
from answerable.encoders.sentences import SentenceLayout
from answerable.evaluation.long.asked import LongDocument
from answerable.evaluation.long.load import LOADERS
from answerable.training.documents.judge import judge
from answerable.training.documents.model import WALKING, read_together
from answerable.training.documents.train import NavigationRecipe, train_navigation
from answerable.training.experts import open_expert
from answerable.training.start import TOKENIZER

VARIANTS: dict[str, dict[str, Any]] = {
    "soft": {},
    "straight-through": {"attention": "straight-through"},
    "no update": {"update": False},
}
SETS = ("squad", "covidqa", "policyqa", "ottqa", "hotpotqa", "doc2dial", "sharc")


def variant(recipe: dict[str, Any], changes: dict[str, Any], lessons: int) -> dict[str, Any]:
    """The recipe cut to a number of lessons, and changed."""
    return {**recipe, **changes, "loop": {**recipe["loop"], "most": lessons, "evaluate_steps": 0}}


def report(name: str, data: Path, limit: int) -> tuple[str, list[LongDocument]]:
    """Up to `limit` questions of the report, of documents drawn at random, twelve of one at most."""
    documents = list(LOADERS[name](data, "report"))
    rng = random.Random(5)
    rng.shuffle(documents)
    kept, left = [], limit
    for document in documents:
        some = rng.sample(document.questions, min(left, 12, len(document.questions)))
        if some:
            kept.append(replace(document, questions=tuple(some)))
            left -= len(some)
    return name, kept


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = common.parser(__doc__, "data", "workspace", limit=40)
    parser.add_argument("--recipe", type=Path, default=Path("recipes/navigation-more.toml"))
    parser.add_argument("--lessons", type=int, default=200)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--variant", action="append", choices=list(VARIANTS))
    return parser


def main(words: list[str] | None = None) -> None:
    """Train what is not there yet, and print a table."""
    given = arguments().parse_args(words)
    recipe = tomllib.loads(given.recipe.read_text("utf8")) | {"threads": given.threads, "start": "skills"}
    held = [report(name, given.data, given.limit) for name in SETS]
    table = common.Table()
    for name in given.variant or VARIANTS:
        folder = given.workspace / name.replace(" ", "-")
        asked = NavigationRecipe.of(variant(recipe, VARIANTS[name], given.lessons))
        if not (folder / "done").exists():
            train_navigation(asked, given.data, folder)
            (folder / "done").touch()
        walker = open_expert(WALKING, folder)
        layout = SentenceLayout(Tokenizer.from_file(str(folder / TOKENIZER)), read_together(walker))
        judged = judge(walker, layout, held, WalkSettings(update=asked.update))
        found = {key.split()[0]: 100 * value for key, value in judged.items()}
        table.add({"variant": name, "lessons": given.lessons, "questions": given.limit, "evidence": found})
        common.write(given.json, table)


if __name__ == "__main__":
    main()
