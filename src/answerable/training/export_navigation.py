"""A trained walk put into the exported encoder it was trained on: `navigate.onnx`, and `walk.npz` for the rest.

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

from answerable.encoders.modular import SkillModel, regrown
from answerable.encoders.sentences import GRAPH, WALK
from answerable.encoders.shipped import Shipped, open_shipped
from answerable.training.export import Axes
from answerable.training.export_skills import export_skills, quantised
from answerable.training.graft import graft_graph
from answerable.training.navigation.judge import weights_of
from answerable.training.navigation.model import Walker
from answerable.training.navigation.start import open_walker_run, read_together
from answerable.types import Skill

INPUTS = ("ids", "mask", "belongs", "roles")
_AXES: Axes = {
    **{name: {0: "rows", 1: "tokens"} for name in INPUTS[:3]},
    "roles": {0: "rows", 1: "globals"},
    "vectors": {0: "rows", 1: "globals"},
}


class _Vectors(nn.Module):
    """The encoder as the graph computes it; `trunk` stands on top so that its tensors bear the names of the others'."""

    def __init__(self, walker: Walker) -> None:
        super().__init__()
        self.encoder = walker.encoder

    def forward(self, ids: Tensor, mask: Tensor, belongs: Tensor, roles: Tensor) -> Tensor:
        vectors: Tensor = self.encoder(ids, mask, belongs, roles)
        return vectors


def graft_navigation(walker: Walker, folder: Path, about: Mapping[str, Any]) -> Shipped:
    """Put a walk into the exported encoder in `folder`, which keeps its name as an encoder.

    `about` joins the manifest. Raises `ModelError` when the walk was trained on other weights than those in `folder`.
    """
    weights_of(walker).save(folder / WALK)
    routing = open_shipped(folder).about["routing"]
    name = GRAPH.removesuffix(".onnx")
    told = {"navigate": {"name": f"walk-{_digest(walker)}", "tokens": read_together(walker)}}
    return graft_graph(
        walker.model, folder, name, routing[Skill.PASSAGE.value], navigation_graph(walker), {**told, **about}, [WALK]
    )


def export_navigation(walker: Walker, out: Path, name: str, tokenizer: Path, about: Mapping[str, Any]) -> Shipped:
    """Write a whole model to the folder `out`, with its tokenizer: one that began from no exported encoder."""
    plain = regrown(walker.model, replace(walker.model.how, navigating=False))
    export_skills(plain, out, name, tokenizer, about)
    return graft_navigation(walker, out, {})


def navigation_graph(walker: Walker) -> Callable[[SkillModel, Path], Any]:
    """Makes the int8 graph, of its encoder as graphs compute it and a folder to work in."""
    made = copy.deepcopy(walker).cpu().eval().float()

    def graph(plain: SkillModel, work: Path) -> Any:
        made.encoder.model = plain
        return quantised(_Vectors(made), ("vectors",), _AXES, work, INPUTS)

    return graph


def _digest(walker: Walker) -> str:
    """The beginning of a SHA-256 of all weights: vectors made by others are refused."""
    digest = hashlib.sha256()
    for name, value in sorted(walker.state_dict().items()):
        digest.update(name.encode())
        digest.update(value.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()[:8]


def main() -> None:
    """`python -m answerable.training.export_navigation RUN MODEL`: put what a run has left into an exported model."""
    parser = argparse.ArgumentParser(prog="python -m answerable.training.export_navigation", description=main.__doc__)
    parser.add_argument("run", type=Path, help="the folder that `answerable train` was given as --out")
    parser.add_argument("model", type=Path, help="the folder of the exported encoder it was trained on")
    parser.add_argument("--about", type=json.loads, default={}, help="JSON that joins the manifest")
    given = parser.parse_args()
    graft_navigation(open_walker_run(given.run), given.model, given.about)


if __name__ == "__main__":
    main()
