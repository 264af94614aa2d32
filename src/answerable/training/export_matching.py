"""A trained matcher put into the exported encoder it was trained on: `match.onnx`, which gives vectors and logits.

Its expert is its own, and everything else is read from where the other experts' lies: no vector of another skill
changes.
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
from answerable.encoders.questions import GRAPH, MATCH
from answerable.encoders.shipped import Shipped, open_shipped
from answerable.training.export import Axes
from answerable.training.export_skills import export_skills, quantised
from answerable.training.graft import graft_graph
from answerable.training.pairs.model import MatchModel
from answerable.training.pairs.start import open_matcher_run
from answerable.types import Skill

INPUTS, OUTPUTS = ("ids", "segments"), ("vectors", "logits")
_AXES: Axes = {
    **{name: {0: "rows", 1: "tokens"} for name in INPUTS},
    **{name: {0: "rows"} for name in OUTPUTS},
}


class _Matched(nn.Module):
    """The matcher as the graph computes it; `trunk` stands on top so that its tensors bear the names of the others'."""

    def __init__(self, matcher: MatchModel) -> None:
        super().__init__()
        self.matcher = matcher

    def forward(self, ids: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        found: tuple[Tensor, Tensor] = self.matcher(ids, segments)
        return found


def graft_matching(matcher: MatchModel, folder: Path, about: Mapping[str, Any]) -> Shipped:
    """Put a matcher into the exported encoder in `folder`, which keeps its name as an encoder.

    `about` joins what the manifest says of it. Raises `ModelError` when it was trained on other weights than those in
    `folder`.
    """
    routing = open_shipped(folder).about["routing"]
    told = {MATCH: {"name": f"match-{_digest(matcher)}", **about}}
    name = GRAPH.removesuffix(".onnx")
    return graft_graph(matcher.model, folder, name, routing[Skill.PASSAGE.value], matching_graph(matcher), told)


def export_matching(matcher: MatchModel, out: Path, name: str, tokenizer: Path, about: Mapping[str, Any]) -> Shipped:
    """Write a whole model to the folder `out`, with its tokenizer: one that began from no exported encoder."""
    plain = regrown(matcher.model, replace(matcher.model.how, matching=False))
    export_skills(plain, out, name, tokenizer, {})
    return graft_matching(matcher, out, about)


def matching_graph(matcher: MatchModel) -> Callable[[SkillModel, Path], Any]:
    """Makes the int8 graph, of its encoder as graphs compute it and a folder to work in."""
    made = copy.deepcopy(matcher).cpu().eval().float()

    def graph(plain: SkillModel, work: Path) -> Any:
        made.model = plain
        return quantised(_Matched(made), OUTPUTS, _AXES, work, INPUTS)

    return graph


def _digest(matcher: MatchModel) -> str:
    """The beginning of a SHA-256 of all weights."""
    digest = hashlib.sha256()
    for name, value in sorted(matcher.state_dict().items()):
        digest.update(name.encode())
        digest.update(value.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()[:8]


def main() -> None:
    """`python -m answerable.training.export_matching RUN MODEL`: put what a run has left into an exported model."""
    parser = argparse.ArgumentParser(prog="python -m answerable.training.export_matching", description=main.__doc__)
    parser.add_argument("run", type=Path, help="the folder that `answerable train` was given as --out")
    parser.add_argument("model", type=Path, help="the folder of the exported encoder it was trained on")
    parser.add_argument("--about", type=json.loads, default={}, help="JSON that joins the manifest")
    given = parser.parse_args()
    graft_matching(open_matcher_run(given.run), given.model, given.about)


if __name__ == "__main__":
    main()
