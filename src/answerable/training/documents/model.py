"""The walk in torch: attention over a document's paragraphs and sentences, and queries updated by it (DocHopper, 3.4).

One code path serves paragraphs and sentences: what is attended is a set of sentences with weights, a single one where a
sentence is attended (the remark under equation 6).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from answerable.documents.weights import WalkWeights
from answerable.encoders.deciding import DECISIONS
from answerable.encoders.encoder import Vectors
from answerable.encoders.modular import SkillModel, SkillShape
from answerable.encoders.sentences import GRAPH, WALK, WINDOW, Role
from answerable.training.experts import ExpertSpec, named
from answerable.types import Skill

_HIDDEN = -10000.0


class GlobalEncoder(nn.Module):
    """Tokens and their global tokens to a vector for each global token (Ainslie et al. 2020; DocHopper, 3.1).

    The expert begins as that of passages, and the vector of a sentence is that of its global token and the mean over
    its own tokens together: without the mean, training would have to begin from a token that nothing was ever trained
    to read.
    """

    def __init__(self, model: SkillModel) -> None:
        """The layers are those of `model`, not a copy."""
        super().__init__()
        self.model = model
        self.roles = nn.Embedding(len(Role), model.trunk.shape.width)
        nn.init.normal_(self.roles.weight, std=0.02)

    def forward(self, ids: Tensor, mask: Tensor, belongs: Tensor, roles: Tensor) -> Tensor:
        """(b, n) int64 ids, mask and numbers of global tokens, (b, g) roles, to (b, g, width) float32 of length 1."""
        trunk, count = self.model.trunk, roles.shape[1]
        tokens = trunk.embedded(ids, torch.arange(ids.shape[1], device=ids.device))
        own = membership(belongs, mask, roles)
        hidden = trunk.dropout(torch.cat([tokens, trunk.norm(self.roles(roles))], dim=1))
        bias = attention_bias(own, mask, roles).to(hidden.dtype)
        hidden = trunk.through(hidden, bias, Skill.NAVIGATE).float()
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


_NEVER = -1e9


class Attention(StrEnum):
    """How a query attends while it learns; when it answers it always takes the best entry."""

    SOFT = "soft"
    """By the weights of the softmax."""
    STRAIGHT = "straight-through"
    """The best entry forward, the softmax's gradient backward."""


class Level(StrEnum):
    """What a step attends to."""

    PARAGRAPH = "paragraph"
    SENTENCE = "sentence"
    EITHER = "either"
    """Paragraphs, by their null sentences, and sentences in one softmax: conversations (appendix A.2)."""


ONCE = (Level.PARAGRAPH, Level.SENTENCE)
TWICE = ONCE + ONCE
"""The steps to one piece of evidence, and to two."""


@dataclass(frozen=True, slots=True)
class Table:
    """The vectors of p paragraphs of up to l sentences: `sentences` (p, l, d), `there` (p, l) bool, `wholes` (p, d)."""

    sentences: Tensor
    there: Tensor
    wholes: Tensor


@dataclass(frozen=True, slots=True)
class Taken:
    """What a step found for b questions: scores of `paragraphs` (b, p) and `sentences` (b, p, l) by its `query` (b, d).

    `residual` (b, d) is what it leaves the next step; `kept` (b, l, d) and `real` (b, l) bool are the mixed vectors k
    of the best paragraph's sentences, by which conversations are decided, and which of them there are.
    """

    paragraphs: Tensor
    sentences: Tensor
    query: Tensor
    residual: Tensor
    kept: Tensor
    real: Tensor


class Walker(nn.Module):
    """The encoder of global tokens, and what the walk learns besides: W_q, v (equations 4 to 6), u and W_c (4.3)."""

    def __init__(self, model: SkillModel) -> None:
        super().__init__()
        self.encoder = GlobalEncoder(model)
        width = model.trunk.shape.width
        self.scale = nn.Parameter(torch.tensor(math.log(1.0 / model.how.temperature)))
        """The logarithm of a query's length: vectors of length 1 would attend to everything alike."""
        self.mix_query, self.mix_sentence = (nn.Linear(width, width, bias=False) for _ in range(2))
        """The two halves of W_q."""
        self.chosen, self.classed = (nn.Parameter(torch.randn(width) / math.sqrt(width)) for _ in range(2))
        """v of equation 6, and u of section 4.3."""
        self.classes = nn.Linear(width, len(DECISIONS))
        self.stop = nn.Linear(width, 1)
        nn.init.normal_(self.mix_query.weight, std=0.001)
        with torch.no_grad():
            self.mix_sentence.weight.copy_(2.0 * torch.eye(width))

    @property
    def model(self) -> SkillModel:
        """The encoder of skills whose expert walks."""
        return self.encoder.model

    def quick(self) -> list[nn.Parameter]:
        """What may learn at a higher rate: all that no pretraining has shaped."""
        parts = (self.mix_query, self.mix_sentence, self.classes, self.stop)
        return [self.chosen, self.classed, *(weight for part in parts for weight in part.parameters())]

    def walk(
        self, table: Table, asked: Tensor, levels: Sequence[Level], attention: Attention, update: bool = True
    ) -> list[Taken]:
        """Every step of b questions through one document; `asked` (b, hops, d), of length 1.

        Without `update` the queries stay as they were asked (the paper's ablation).
        """
        queries = asked * self.scale.exp()
        taken: list[Taken] = []
        for number, level in enumerate(levels):
            query = queries[:, number] + (taken[-1].residual if taken and update else 0.0)
            taken.append(self._take(table, query, level, attention))
        return taken

    def enough(self, asked: Tensor, taken: Sequence[Taken], update: bool = True) -> Tensor:
        """(b,) logits of two steps being enough, by the query that a third would have."""
        query: Tensor = asked[:, len(ONCE)] * self.scale.exp() + (taken[len(ONCE) - 1].residual if update else 0.0)
        logits: Tensor = self.stop(query).squeeze(-1)
        return logits

    def _take(self, table: Table, query: Tensor, level: Level, attention: Attention) -> Taken:
        """Equation 3 by the products alone, q p = sum over j of alpha_j (q s_j); then equations 4 to 6."""
        sentences = torch.einsum("bd,pld->bpl", query, table.sentences).masked_fill(~table.there, _NEVER)
        alpha = sentences.softmax(-1)
        paragraphs = query @ table.wholes.T if level is Level.EITHER else (alpha * sentences).sum(-1)
        turned, moved = self.mix_query(query), self.mix_sentence(table.sentences)
        toward = (turned @ self.chosen)[:, None, None] * alpha + (moved @ self.chosen)[None]
        beta = toward.masked_fill(~table.there, _NEVER).softmax(-1)
        whole, alone = _weights(paragraphs, sentences, level, attention)
        within = whole.unsqueeze(-1) * beta + alone
        share = (whole.unsqueeze(-1) * beta * alpha).sum((1, 2)) + alone.sum((1, 2))
        residual = share.unsqueeze(-1) * turned + torch.einsum("bpl,pld->bd", within, moved)
        best = (sentences.amax(-1) if level is Level.SENTENCE else paragraphs).argmax(-1)
        rows = torch.arange(len(best), device=best.device)
        kept = alpha[rows, best].unsqueeze(-1) * turned[:, None] + moved[best]
        return Taken(paragraphs, sentences, query, residual, kept, table.there[best])

    def decide(self, taken: Sequence[Taken]) -> Tensor:
        """Section 4.3: logits (b, 4) from what was attended at every step.

        A gelu stands before the sum: k is linear in the query and in the sentence, so that without it no class could
        depend on how the two go together.
        """
        every, real = torch.cat([one.kept for one in taken], dim=1), torch.cat([one.real for one in taken], dim=1)
        gamma = (every @ self.classed).masked_fill(~real, _NEVER).softmax(-1)
        logits: Tensor = self.classes(torch.einsum("bl,bld->bd", gamma, F.gelu(every)))
        return logits


def _weights(paragraphs: Tensor, sentences: Tensor, level: Level, attention: Attention) -> tuple[Tensor, Tensor]:
    """How much each paragraph (b, p), and each sentence by itself (b, p, l), is attended to."""
    flat = sentences.flatten(1)
    if level is Level.PARAGRAPH:
        return _weighed(paragraphs, attention), torch.zeros_like(sentences)
    if level is Level.SENTENCE:
        return torch.zeros_like(paragraphs), _weighed(flat, attention).view_as(sentences)
    both, count = _weighed(torch.cat([paragraphs, flat], dim=1), attention), paragraphs.shape[1]
    return both[:, :count], both[:, count:].reshape(sentences.shape)


def _weighed(scores: Tensor, attention: Attention) -> Tensor:
    soft = scores.softmax(-1)
    if attention is Attention.SOFT:
        return soft
    hard = F.one_hot(soft.argmax(-1), soft.shape[-1]).to(soft.dtype)
    return hard + soft - soft.detach()


def weights_of(walker: Walker) -> WalkWeights:
    """What a walk has learned besides its encoder, as it runs without torch; lambdas and the like before any tuning."""

    def array(tensor: Tensor) -> Vectors:
        return np.array(tensor.detach().float().cpu().numpy(), np.float32)

    return WalkWeights(
        scale=array(walker.scale.exp()).reshape(1),
        mix_query=array(walker.mix_query.weight.T),
        mix_sentence=array(walker.mix_sentence.weight.T),
        chosen=array(walker.chosen),
        classed=array(walker.classed),
        classes=array(walker.classes.weight.T),
        classes_bias=array(walker.classes.bias),
        stop=array(walker.stop.weight[0]),
        stop_bias=array(walker.stop.bias),
        paragraph=np.array([1.0, 0.0], np.float32),
        sparse=np.zeros(2, np.float32),
        trust=np.array([0.5], np.float32),
        confidence=np.array([0.1, 0.1, -0.5], np.float32),
    )


WALKING = ExpertSpec(
    Skill.NAVIGATE,
    "navigating",
    Walker,
    "walk",
    lambda walker, _: {"navigate": {"name": named("walk", walker), "tokens": read_together(walker)}},
    begins=SkillShape(),
    heads=lambda walker: {WALK: weights_of(walker).save},
    graph=GRAPH,
    inputs=("ids", "mask", "belongs", "roles"),
    outputs=("vectors",),
    axes={name: {0: "rows", 1: "globals"} for name in ("roles", "vectors")},
    part="encoder",
    of="encoder",
    within="encoder",
)
"""A walk: `navigate.onnx`, whose expert begins as that of passages, and `walk.npz` for the rest."""


def read_together(walker: Walker) -> int:
    """How many tokens a walk's encoder reads together."""
    return min(WINDOW, walker.model.trunk.shape.positions)
