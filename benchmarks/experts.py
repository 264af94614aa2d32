"""Where the experts sit: the encoder of skills trained in several shapes, at an equal and small number of batches.

    python benchmarks/experts.py --data DATA --workspace DIR [--batches 120] [--passages 10000] [--limit 300]
        [--exact] [--json FILE]

Every shape starts from MiniLM, sees the same batches of `recipes/skills.toml`, and is measured as it ships, in int8, on
the held-out tasks of `each_skill.py`, whose first lines say what is counted (Ma et al. 2023, table 6). What is
interrupted resumes. Figures are below those of the shipped encoder, and only compare with each other. `--exact` also
measures the last shape in fp32, by torch, as it came out of training: what int8 costs.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np

import common
from answerable.encoders.encoder import Vectors
from answerable.encoders.modular import SkillModel
from answerable.encoders.segments import Row, Segments
from answerable.encoders.skills import BATCH_TOKENS, ModularEncoder
from answerable.encoders.wordpieces import PASSAGE_TOKENS, pad, plan_batches
from answerable.training.export import export_skills
from answerable.training.skills.train import SkillRecipe, train_skills
from answerable.training.start import open_run
from answerable.types import Skill
from each_skill import Task, by_words, fused, nearest, shares, tasks, vectors

SHAPES = {
    "no expert": {"special": "none", "routing": "paper"},
    "FFN expert, naive": {"special": "feed-forward", "routing": "naive"},
    "MHA expert, naive": {"special": "attention", "routing": "naive"},
    "MHA expert, as proposed": {"special": "attention", "routing": "paper"},
}
TASKS = ("NQ", "HotpotQA, hop 1", "HotpotQA, hop 2", "OTT-QA, rows", "OTT-QA, passages", "links")


EXACT = "MHA expert, as proposed"


def exact(model: SkillModel, segments: Segments, task: Task) -> tuple[Vectors, Vectors]:
    """Queries and passages as `each_skill.vectors`, by torch in fp32."""
    import torch

    skill = task.queries[0].skill
    side = Skill.ENTITY if skill is Skill.MENTION else Skill.PASSAGE
    if skill is Skill.MENTION:
        asked = [segments.spans([(one.query, [one.span or (0, 0)])])[0] for one in task.queries]
    else:
        asked = [Row(row.ids) for row in segments.joined([(one.query, one.evidence) for one in task.queries])]

    def encoded(of: Skill, rows: list[Row]) -> Vectors:
        out = np.empty((len(rows), model.trunk.shape.width), np.float32)
        with torch.no_grad():
            for batch in plan_batches([len(row.ids) for row in rows], BATCH_TOKENS):
                ids, mask = (torch.from_numpy(array) for array in pad([rows[i].ids for i in batch]))
                places = torch.tensor([rows[i].places for i in batch]) if rows[batch[0]].places else None
                out[batch] = model(ids, mask, of, places).numpy()
        return out

    return encoded(skill, asked), encoded(side, segments.passages(task.passages, PASSAGE_TOKENS))


def variant(recipe: dict[str, Any], shape: dict[str, str], batches: int) -> dict[str, Any]:
    """The recipe in another shape, from MiniLM, cut to a number of batches."""
    loop = {**recipe["loop"], "most": batches, "evaluate_steps": 0}
    return {**recipe, "start": "minilm", "model": {**recipe["model"], **shape}, "loop": loop}


def main(words: list[str] | None = None) -> None:
    """Train what is not there yet, and print a table."""
    parser = common.parser(__doc__, "data", "workspace", limit=300)
    parser.add_argument("--batches", type=int, default=120)
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--exact", action="store_true")
    given = parser.parse_args(words)
    recipe = tomllib.loads(Path("recipes/skills.toml").read_text("utf8"))
    asked = [task for task in tasks(given.data, given.passages, given.limit) if task.name in TASKS]
    lexical = {task.name: by_words(task) for task in asked}
    table = common.Table()
    for name, shape in SHAPES.items():
        folder = given.workspace / name.replace(" ", "-").replace(",", "")
        if not (folder / "model" / "manifest.json").is_file():
            model = train_skills(SkillRecipe.of(variant(recipe, shape, given.batches)), given.data, folder)
            export_skills(model, folder / "model", "ablation", folder / "tokenizer.json", {})
        encoder = ModularEncoder(folder / "model")
        size = sum(path.stat().st_size for path in (folder / "model").glob("*.bin")) / 1e6
        for task in asked:
            found = nearest(*vectors(encoder, task))
            both = shares(task, fused(lexical[task.name], found))
            about = {"shape": name, "task": task.name, "questions": len(task.queries), "batches": given.batches}
            table.add({**about, "megabytes": size, **shares(task, found), "with BM25": both})
            if given.exact and name == EXACT:
                model = open_run(folder).eval()
                found = nearest(*exact(model, encoder.segments, task))
                table.add({**about, "shape": f"{name}, fp32", **shares(task, found)})
    common.write(given.json, table)


if __name__ == "__main__":
    main()
