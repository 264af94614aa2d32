"""Sentences encoded in the context of their paragraph: ETC's global tokens on an expert of the encoder of skills.

The expert begins as that of passages, and the vector of a sentence is that of its global token and the mean over its
own tokens together: without the mean, training would have to begin from a token that nothing was ever trained to read.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from answerable.encoders.modular import SkillModel
from answerable.encoders.sentences import Role
from answerable.types import Skill

_HIDDEN = -10000.0


class GlobalEncoder(nn.Module):
    """Tokens and their global tokens to a vector for each global token (Ainslie et al. 2020; DocHopper, 3.1)."""

    def __init__(self, model: SkillModel) -> None:
        """The layers are those of `model`, not a copy."""
        super().__init__()
        self.model = model
        self.roles = nn.Embedding(len(Role), model.trunk.shape.width)
        nn.init.normal_(self.roles.weight, std=0.02)

    def forward(self, ids: Tensor, mask: Tensor, belongs: Tensor, roles: Tensor) -> Tensor:
        """(b, n) int64 ids, mask and numbers of global tokens, (b, g) roles, to (b, g, width) float32 of length 1."""
        trunk, count = self.model.trunk, roles.shape[1]
        places = torch.arange(ids.shape[1], device=ids.device)
        tokens = trunk.norm(trunk.words(ids) + trunk.places(places) + trunk.types.weight[0])
        own = membership(belongs, mask, roles)
        hidden = trunk.dropout(torch.cat([tokens, trunk.norm(self.roles(roles))], dim=1))
        bias = attention_bias(own, mask, roles).to(hidden.dtype)
        expert = trunk.how.expert(Skill.NAVIGATE)
        for layer in trunk.layers:
            hidden = layer(hidden, bias, expert)
        hidden = hidden.float()
        weight = own / own.sum(-1, keepdim=True).clamp(min=1.0)
        vectors = hidden[:, ids.shape[1] :] + weight @ hidden[:, : ids.shape[1]]
        return F.normalize(vectors[:, :count], dim=-1)


def membership(belongs: Tensor, mask: Tensor, roles: Tensor) -> Tensor:
    """(b, g, n) float32: which tokens a global token attends to. A sentence's: its own; a dummy's: all."""
    numbers = torch.arange(roles.shape[1], device=roles.device)
    own = (belongs[:, None, :] == numbers[None, :, None]).float()
    dummy = ((roles == Role.WHOLE) | (roles >= Role.SECOND)).float()[:, :, None]
    return dummy * mask[:, None, :].float() + (1.0 - dummy) * own


def attention_bias(own: Tensor, mask: Tensor, roles: Tensor) -> Tensor:
    """(b, 1, n + g, n + g) float32, 0 to attend and very negative not to, of n tokens and then g global tokens.

    Tokens attend to tokens and to the global tokens that attend to them; global tokens to those of `own`, and to each
    other.
    """
    real, used = mask.float(), (roles != Role.NONE).float()
    local = torch.cat([real[:, None, :].expand(-1, mask.shape[1], -1), own.transpose(1, 2)], dim=2)
    shared = torch.cat([own, used[:, None, :].expand(-1, roles.shape[1], -1)], dim=2)
    return (1.0 - torch.cat([local, shared], dim=1)[:, None]) * _HIDDEN
