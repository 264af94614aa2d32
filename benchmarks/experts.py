"""Where the experts sit: the encoder of skills trained in several shapes, at an equal and small number of batches.

    python benchmarks/experts.py --data DATA --out DIR [--batches 120] [--passages 10000] [--questions 300]
        [--json FILE]

Every shape starts from MiniLM, sees the same batches of `recipes/skills.toml`, and is measured as it ships, in int8, on
the held-out tasks of `each_skill.py`, whose first lines say what is counted (Ma et al. 2023, table 6). What is
interrupted resumes. Figures are below those of the shipped encoder, and only compare with each other.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from pathlib import Path
from typing import Any

from each_skill import DEPTHS, by_words, fused, nearest, shares, tasks, vectors

from answerable.encoders.skills import ModularEncoder
from answerable.training.export_skills import export_skills
from answerable.training.skills.train import train_skills

SHAPES = {
    "no expert": {"special": "none", "routing": "paper"},
    "FFN expert, naive": {"special": "feed-forward", "routing": "naive"},
    "MHA expert, naive": {"special": "attention", "routing": "naive"},
    "MHA expert, as proposed": {"special": "attention", "routing": "paper"},
}
TASKS = ("NQ", "HotpotQA, hop 1", "HotpotQA, hop 2", "OTT-QA, rows", "OTT-QA, passages", "links")


def variant(recipe: dict[str, Any], shape: dict[str, str], batches: int) -> dict[str, Any]:
    """The recipe in another shape, from MiniLM, cut to a number of batches."""
    loop = {**recipe["loop"], "most": batches, "evaluate_steps": 0}
    return {**recipe, "start": "minilm", "model": {**recipe["model"], **shape}, "loop": loop}


def main() -> None:
    """Train what is not there yet, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--recipe", type=Path, default=Path("recipes/skills.toml"))
    parser.add_argument("--batches", type=int, default=120)
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    recipe = tomllib.loads(given.recipe.read_text("utf8"))
    asked = [task for task in tasks(given.data, given.passages, given.questions) if task.name in TASKS]
    lexical = {task.name: by_words(task) for task in asked}
    table = []
    print(f"{'shape':<26}{'task':<20}{'weights':>12}" + "".join(f"{f'top-{depth}':>9}" for depth in DEPTHS))
    for name, shape in SHAPES.items():
        folder = given.out / name.replace(" ", "-").replace(",", "")
        if not (folder / "model" / "manifest.json").is_file():
            model = train_skills(variant(recipe, shape, given.batches), given.data, folder)
            export_skills(model, folder / "model", "ablation", folder / "tokenizer.json", {})
        encoder = ModularEncoder(folder / "model")
        size = sum(path.stat().st_size for path in (folder / "model").glob("*.bin")) / 1e6
        for task in asked:
            found = nearest(*vectors(encoder, task))
            both = shares(task, fused(lexical[task.name], found))
            alone = shares(task, found)
            print(
                f"{name:<26}{task.name:<20}{size:>9.1f} MB" + "".join(f"{alone[f'top-{d}']:>9.1f}" for d in DEPTHS),
                flush=True,
            )
            about = {"shape": name, "task": task.name, "questions": len(task.queries), "batches": given.batches}
            table.append({**about, "megabytes": size, **alone, "with BM25": both})
    if given.json:
        given.json.write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
