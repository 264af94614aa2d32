"""The judge of constraints as it is trained: an expert of the encoder of skills and a head.

The paper's classifier reads query and document as one text (Malaviya et al. 2023, section 4.3): `together`. Ours lets
the text attend to itself alone and constraints to both, so that one reading of a text serves many constraints.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn

from answerable.encoders.constraints import FIRST, FIT, GRAPH, TEXT
from answerable.encoders.modular import SkillModel
from answerable.training.experts import ExpertSpec, named, open_expert
from answerable.types import Skill

_HIDDEN = -10000.0


class FitModel(nn.Module):
    """Rows of a text and its constraints to a logit for each: how likely the text fits it."""

    def __init__(self, model: SkillModel, together: bool = False) -> None:
        """The layers are those of `model`, not a copy. `together`: a row is read as one text, with one constraint."""
        super().__init__()
        self.model, self.together = model, together
        self.mark = nn.Parameter(torch.zeros(model.trunk.shape.width))
        """What tells the tokens of a constraint from those of the text."""
        self.head = nn.Linear(2 * model.trunk.shape.width, 1)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def train_alone(self) -> None:
        """Freeze all but the expert of judging, the head and the mark: no vector of another skill's ever changes."""
        self.model.train_alone([Skill.FIT])

    def forward(self, ids: Tensor, segments: Tensor, places: Tensor, heads: Tensor) -> Tensor:
        """(b, n) int64 three times and (b, k) int64, as `constraints.Feeding`, to (b, k) float32 logits.

        A constraint is judged by the vector of its [CLS] and the mean over its tokens.
        """
        trunk = self.model.trunk
        marks = (segments >= FIRST)[:, :, None] * self.mark
        hidden = trunk.norm(trunk.words(ids) + trunk.places(places) + trunk.types.weight[0] + marks)
        hidden = trunk.dropout(hidden)
        bias = seen(segments, self.together).to(hidden.dtype)
        expert = trunk.how.expert(Skill.FIT)
        for layer in trunk.layers:
            hidden = layer(hidden, bias, expert)
        hidden = hidden.float()
        numbers = torch.arange(heads.shape[1], device=ids.device) + FIRST
        own = (segments[:, None, :] == numbers[None, :, None]).float()
        means = (own / own.sum(-1, keepdim=True).clamp(min=1.0)) @ hidden
        first = torch.gather(hidden, 1, heads[:, :, None].expand(-1, -1, hidden.shape[-1]))
        out: Tensor = self.head(torch.cat([first, means], dim=-1)).squeeze(-1)
        return out


def seen(segments: Tensor, together: bool = False) -> Tensor:
    """(b, n) segments to a (b, 1, n, n) float32 bias: 0 where a token attends to another, very negative elsewhere."""
    real = (segments != 0)[:, None, :].expand(-1, segments.shape[1], -1)
    if together:
        allowed = real
    else:
        same = segments[:, :, None] == segments[:, None, :]
        allowed = real & (same | (segments == TEXT)[:, None, :])
    return (1.0 - allowed[:, None].float()) * _HIDDEN


INPUTS = ("ids", "segments", "places", "heads")
TOGETHER = "together.json"
"""Left by a run whose judge reads query and document as one text."""
JUDGING = ExpertSpec(
    Skill.FIT,
    "fitting",
    FitModel,
    "judge of constraints",
    lambda judge, _: {FIT: {"name": named("fit", judge), "together": judge.together}},
    graph=GRAPH,
    inputs=INPUTS,
    outputs=("logits",),
    axes={
        **{name: {0: "rows", 1: "tokens"} for name in INPUTS[:3]},
        **{name: {0: "rows", 1: "constraints"} for name in ("heads", "logits")},
    },
    part="judge",
)
"""A judge of constraints: `fit.onnx`, which gives logits; its expert begins as that of reading."""


def judging(together: bool) -> ExpertSpec[FitModel]:
    """The judge that reads query and document together, or apart."""
    return replace(JUDGING, model=partial(FitModel, together=together))


def open_judge(folder: Path) -> FitModel:
    """The judge that a run left. Raises as `open_expert`."""
    return open_expert(judging((folder / TOGETHER).is_file()), folder)
