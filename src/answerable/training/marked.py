"""Texts that are read together in one row, told apart by marks: what several experts are trained as."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from answerable.encoders.modular import SkillModel
from answerable.types import Skill

INPUTS = ("ids", "segments")
"""What graphs of these are fed."""


def second(model: nn.Module, ids: Tensor, segments: Tensor) -> Tensor:
    """The logits alone of such a model."""
    logits: Tensor = model(ids, segments)[1]
    return logits


class MarkedModel(nn.Module):
    """Rows of up to three texts, 1, 2 and 3 in their segments (0: padding), to logits by an expert and a head.

    A row is judged by the vector of its [CLS] and the mean over its tokens.
    """

    def __init__(self, model: SkillModel, skill: Skill, logits: int) -> None:
        """The layers are those of `model`, not a copy."""
        super().__init__()
        width = model.trunk.shape.width
        self.model, self.skill = model, skill
        self.marks = nn.Parameter(torch.zeros(2, width))
        """What tells the tokens of the second text, and of the third, from those of the first."""
        self.head = nn.Linear(2 * width, logits)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(self, ids: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        """(b, n) int64 twice, as `questions.side_by_side`, to (b, width) float32 means and (b, `logits`) float32."""
        trunk = self.model.trunk
        places = torch.arange(ids.shape[1], device=ids.device).unsqueeze(0)
        table = torch.cat([torch.zeros_like(self.marks[:1]), torch.zeros_like(self.marks[:1]), self.marks])
        marks = F.embedding(segments, table)
        hidden = trunk.dropout(trunk.embedded(ids, places, marks))
        mask = (segments >= 1).to(hidden.dtype)
        bias = (1.0 - mask[:, None, None, :]) * -10000.0
        hidden, mask = trunk.through(hidden, bias, self.skill).float(), mask.float()
        mean = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
        logits: Tensor = self.head(torch.cat([hidden[:, 0], mean], dim=-1))
        return mean, logits
