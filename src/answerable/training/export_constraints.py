"""A trained judge of constraints put into the exported encoder it was trained on: `fit.onnx`, which gives logits.

Its expert is its own, and everything else is read from where the other experts' lies: no vector changes.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from answerable.encoders.constraints import FIT, GRAPH
from answerable.encoders.modular import SkillModel, regrown
from answerable.encoders.shipped import Shipped, open_shipped
from answerable.training.export import Axes
from answerable.training.export_skills import export_skills, quantised
from answerable.training.graft import graft_graph
from answerable.training.sets.model import FitModel
from answerable.training.sets.start import open_judge_run
from answerable.types import Skill

INPUTS = ("ids", "segments", "places", "heads")
_AXES: Axes = {
    **{name: {0: "rows", 1: "tokens"} for name in INPUTS[:3]},
    "heads": {0: "rows", 1: "constraints"},
    "logits": {0: "rows", 1: "constraints"},
}


class _Logits(nn.Module):
    """The judge as the graph computes it; `trunk` stands on top so that its tensors bear the names of the others'."""

    def __init__(self, judge: FitModel) -> None:
        super().__init__()
        self.judge = judge

    def forward(self, ids: Tensor, segments: Tensor, places: Tensor, heads: Tensor) -> Tensor:
        logits: Tensor = self.judge(ids, segments, places, heads)
        return logits


def graft_constraints(judge: FitModel, folder: Path, about: Mapping[str, Any]) -> Shipped:
    """Put a judge into the exported encoder in `folder`, which keeps its name as an encoder.

    `about` joins what the manifest says of it: how its logits become probabilities. Raises `ModelError` when it was
    trained on other weights than those in `folder`.
    """
    routing = open_shipped(folder).about["routing"]
    told = {FIT: {"name": f"fit-{_digest(judge)}", "together": judge.together, **about}}
    name = GRAPH.removesuffix(".onnx")
    return graft_graph(judge.model, folder, name, routing[Skill.PASSAGE.value], constraints_graph(judge), told)


def export_constraints(judge: FitModel, out: Path, name: str, tokenizer: Path, about: Mapping[str, Any]) -> Shipped:
    """Write a whole model to the folder `out`, with its tokenizer: one that began from no exported encoder."""
    plain = regrown(judge.model, replace(judge.model.how, fitting=False))
    export_skills(plain, out, name, tokenizer, {})
    return graft_constraints(judge, out, about)


def constraints_graph(judge: FitModel) -> Callable[[SkillModel, Path], Any]:
    """Makes the int8 graph, of its encoder as graphs compute it and a folder to work in."""
    made = copy.deepcopy(judge).cpu().eval().float()

    def graph(plain: SkillModel, work: Path) -> Any:
        made.model = plain
        return quantised(_Logits(made), ("logits",), _AXES, work, INPUTS)

    return graph


def _digest(judge: FitModel) -> str:
    """The beginning of a SHA-256 of all weights."""
    digest = hashlib.sha256()
    for name, value in sorted(judge.state_dict().items()):
        digest.update(name.encode())
        digest.update(value.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()[:8]


def main() -> None:
    """`python -m answerable.training.export_constraints RUN MODEL`: put what a run has left into an exported model."""
    parser = argparse.ArgumentParser(prog="python -m answerable.training.export_constraints", description=main.__doc__)
    parser.add_argument("run", type=Path, help="the folder that `answerable train` was given as --out")
    parser.add_argument("model", type=Path, help="the folder of the exported encoder it was trained on")
    parser.add_argument("--about", type=json.loads, default={}, help="JSON that joins the manifest")
    given = parser.parse_args()
    graft_constraints(open_judge_run(given.run), given.model, given.about)


if __name__ == "__main__":
    main()
