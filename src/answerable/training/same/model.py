"""What tells whether two questions ask the same, as it is trained: a cross-encoder by an expert of the encoder."""

from __future__ import annotations

from pathlib import Path

from torch import Tensor

from answerable.encoders.questions import GRAPH as MATCHED
from answerable.encoders.questions import MATCH
from answerable.encoders.sameness import GRAPH, SAME
from answerable.encoders.shipped import MANIFEST, open_shipped
from answerable.training.experts import ExpertSpec, named
from answerable.training.qapairs.model import INPUTS, MATCHING, MatchModel
from answerable.training.restore import expert_state
from answerable.types import Skill


def _logits(model: MatchModel, ids: Tensor, segments: Tensor) -> Tensor:
    logits: Tensor = model(ids, segments)[1]
    return logits


SAMENESS = ExpertSpec(
    Skill.MATCH,
    "matching",
    MatchModel,
    "test of two questions",
    lambda model, _: {SAME: {"name": named("same", model), "scale": 1.0, "shift": 0.0, "least": 0.5}},
    graph=GRAPH,
    inputs=INPUTS,
    outputs=("logits",),
    axes={**{name: {0: "rows", 1: "tokens"} for name in INPUTS}, "logits": {0: "rows"}},
    part="same",
    runs=_logits,
)


def begin_as_matcher(model: MatchModel, folder: Path) -> None:
    """Begin as the expert that was exported to `folder` to match questions and to rerank pairs, if there is one."""
    if (folder / MANIFEST).is_file() and MATCH in (shipped := open_shipped(folder)).about:
        state = expert_state(shipped.file(MATCHED), MATCHING.part)
        own = {f"model.{name}": value for name, value in state.items() if ".attention." in name}
        model.load_state_dict(model.state_dict() | own)
