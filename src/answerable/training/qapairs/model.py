"""What matches questions as it is trained: an expert of the encoder of skills, and a head that judges pairs.

One expert does both, as one serves expanded queries and reranking in Chain-of-Skills: the vector of a question (PAQ,
section 4.2.1: one embedding of both sides) and the logit of a question read with a pair (section 4.2.2).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from answerable.encoders.modular import SkillModel
from answerable.encoders.questions import ASKED, GRAPH, MATCH
from answerable.training.experts import ExpertSpec, named
from answerable.types import Skill


class MatchModel(nn.Module):
    """Rows of questions, alone or with a pair, to a vector and a logit for each."""

    def __init__(self, model: SkillModel) -> None:
        """The layers are those of `model`, not a copy."""
        super().__init__()
        width = model.trunk.shape.width
        self.model = model
        self.marks = nn.Parameter(torch.zeros(2, width))
        """What tells the tokens of a pair's question, and of its answer, from those of the question asked."""
        self.head = nn.Linear(2 * width, 1)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def train_alone(self) -> None:
        """Freeze all but the expert of matching, the head and the marks: no vector of another skill's ever changes."""
        self.model.train_alone([Skill.MATCH])

    def forward(self, ids: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        """(b, n) int64 twice, as `question_layout`, to (b, width) float32 of length 1, and (b,) float32 logits."""
        trunk = self.model.trunk
        places = torch.arange(ids.shape[1], device=ids.device).unsqueeze(0)
        table = torch.cat([torch.zeros_like(self.marks[:1]), torch.zeros_like(self.marks[:1]), self.marks])
        marks = F.embedding(segments, table)
        hidden = trunk.norm(trunk.words(ids) + trunk.places(places) + trunk.types.weight[0] + marks)
        hidden = trunk.dropout(hidden)
        mask = (segments >= ASKED).to(hidden.dtype)
        bias = (1.0 - mask[:, None, None, :]) * -10000.0
        expert = trunk.how.expert(Skill.MATCH)
        for layer in trunk.layers:
            hidden = layer(hidden, bias, expert)
        hidden, mask = hidden.float(), mask.float()
        mean = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
        logits: Tensor = self.head(torch.cat([hidden[:, 0], mean], dim=-1)).squeeze(-1)
        return F.normalize(mean, dim=-1), logits


INPUTS, OUTPUTS = ("ids", "segments"), ("vectors", "logits")
MATCHING = ExpertSpec(
    Skill.MATCH,
    "matching",
    MatchModel,
    "matcher of questions",
    lambda matcher, _: {MATCH: {"name": named("match", matcher)}},
    graph=GRAPH,
    inputs=INPUTS,
    outputs=OUTPUTS,
    axes={**{name: {0: "rows", 1: "tokens"} for name in INPUTS}, **{name: {0: "rows"} for name in OUTPUTS}},
    part="matcher",
)
"""A matcher of questions: `match.onnx`, which gives vectors and logits; its expert begins as that of questions."""
