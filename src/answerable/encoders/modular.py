"""One trunk, an expert for each skill: Chain-of-Skills' encoder in torch (Ma et al. 2023, sections 3.1 and 3.2).

Embeddings, feed-forward layers and norms are shared; what a text is encoded for chooses among the attention sub-layers
of each layer. The paper's alternatives are settings.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from answerable.encoders.trunk import AttentionPart, SharedDropout, Trunk, TrunkShape
from answerable.errors import ModelError
from answerable.types import Skill

Routing = Mapping[Skill, str]
"""The expert that each skill's texts go through, by name; every skill has one."""


class Special(StrEnum):
    """Which sub-layer of a layer each expert has for itself."""

    NONE = "none"
    ATTENTION = "attention"
    FEED_FORWARD = "feed-forward"


class Pooling(StrEnum):
    """What of a text's vectors represents it."""

    MEAN = "mean"
    """The mean over its tokens: what MiniLM was made with."""
    CLS = "cls"
    """The vector of [CLS]: the paper's, for models made with it."""


PAPER: Routing = MappingProxyType(
    {
        Skill.SINGLE: "question",
        Skill.EXPANDED: "expanded",
        Skill.RERANK: "expanded",
        Skill.PASSAGE: "passage",
        Skill.MENTION: "mention",
        Skill.ENTITY: "entity",
        Skill.PROPOSE: "propose",
        Skill.READ: "expanded",
        Skill.NAVIGATE: "passage",
        Skill.FIT: "expanded",
        Skill.MATCH: "question",
    }
)
"""Figure 3, right: expanded queries and reranked pairs are so alike that they share one expert.

In every routing paths are read, and documents judged, by the expert of reranking, documents walked by that of passages,
and questions matched by that of questions, unless these skills have experts of their own: `SkillShape.reading`,
`fitting`, `navigating` and `matching`.
"""
PRETRAINING: Routing = MappingProxyType(
    {**PAPER, Skill.EXPANDED: "question", Skill.RERANK: "question", Skill.READ: "question", Skill.FIT: "question"}
)
"""Figure 3, left: without supervision single and expanded queries share an expert, and nothing is reranked."""
NAIVE: Routing = MappingProxyType(
    {**PAPER, Skill.EXPANDED: "question", Skill.RERANK: "rerank", Skill.READ: "rerank", Skill.FIT: "rerank"}
)
"""Section 5.1: expanded queries with single ones, and reranking on its own."""
SEPARATE: Routing = MappingProxyType(
    {skill: skill.value for skill in PAPER}
    | {Skill.READ: "rerank", Skill.NAVIGATE: "passage", Skill.FIT: "rerank", Skill.MATCH: "single"}
)
"""Section 3.2's first thought, an expert for every skill. Passages keep one: another would need a second index."""
ROUTINGS: Mapping[str, Routing] = MappingProxyType(
    {"paper": PAPER, "pretraining": PRETRAINING, "naive": NAIVE, "separate": SEPARATE}
)
READING, NAVIGATING, FITTING, MATCHING = "read", "navigate", "fit", "match"
"""The experts of reading, of walking through documents, of judging them and of matching questions, where there are."""
ONE = "shared"
"""What all experts go through where a sub-layer is not theirs."""


@dataclass(frozen=True, slots=True)
class SkillShape:
    """How a skill model is built, beyond the sizes of its trunk, and how its vectors compare.

    `unit` and `temperature`: vectors of retrieval and linking are scaled to length 1 and their products divided by the
    temperature. The paper compares [CLS] vectors by plain dot product (`pooling = "cls"`, `unit = false`,
    `temperature = 1`); MiniLM was made with unit means, so that training starts from a working retriever with these.

    `reading`: whether paths are read by an expert of their own, which `recipes/paths.toml` adds to a trained model. It
    can be trained alone, and no other skill's vectors move. `navigating`: the same of walks through documents, by
    `recipes/navigation.toml`. `fitting`: the same of constraints, by `recipes/constraints.toml`; that expert begins as
    the one of reading, where there is one. `matching`: the same of questions among pairs, by `recipes/pairs.toml`.
    """

    routing: str = "paper"
    special: Special = Special.ATTENTION
    pooling: Pooling = Pooling.MEAN
    unit: bool = True
    temperature: float = 0.05
    dropout: float = 0.0
    reading: bool = False
    navigating: bool = False
    fitting: bool = False
    matching: bool = False

    def expert(self, skill: Skill) -> str:
        """The name of the expert that texts of `skill` go through. Raises `ModelError` for an unknown routing."""
        if self.routing not in ROUTINGS:
            raise ModelError(f"there is no routing {self.routing!r}", hint=f"use one of {', '.join(ROUTINGS)}")
        if self.special is Special.NONE:
            return ONE
        if self.navigating and skill is Skill.NAVIGATE:
            return NAVIGATING
        if self.fitting and skill is Skill.FIT:
            return FITTING
        if self.matching and skill is Skill.MATCH:
            return MATCHING
        return READING if self.reading and skill is Skill.READ else ROUTINGS[self.routing][skill]

    def experts(self) -> tuple[str, ...]:
        """The names of all experts, each once, in the order of the skills."""
        return tuple(dict.fromkeys(self.expert(skill) for skill in Skill))


class FeedForwardPart(nn.Module):
    """The two projections of a feed-forward sub-layer, without residual and norm."""

    def __init__(self, shape: TrunkShape) -> None:
        super().__init__()
        self.rise = nn.Linear(shape.width, shape.inner)
        self.fall = nn.Linear(shape.inner, shape.width)

    def forward(self, hidden: Tensor) -> Tensor:
        """(b, n, width) to (b, n, width)."""
        out: Tensor = self.fall(F.gelu(self.rise(hidden)))
        return out


class ModularLayer(nn.Module):
    """A transformer layer with a pool of one of its sub-layers (figure 2); norms are shared."""

    def __init__(self, shape: TrunkShape, how: SkillShape) -> None:
        super().__init__()
        names = how.experts()
        attention = names if how.special is Special.ATTENTION else (ONE,)
        feed_forward = names if how.special is Special.FEED_FORWARD else (ONE,)
        self.attention = nn.ModuleDict({name: AttentionPart(shape) for name in attention})
        self.feed_forward = nn.ModuleDict({name: FeedForwardPart(shape) for name in feed_forward})
        self.attention_norm = nn.LayerNorm(shape.width, eps=shape.norm_eps)
        self.norm = nn.LayerNorm(shape.width, eps=shape.norm_eps)
        self.dropout = SharedDropout(how.dropout)

    def forward(self, hidden: Tensor, bias: Tensor, expert: str) -> Tensor:
        """Map (b, n, width) to (b, n, width) through the sub-layers of `expert`, where it has its own."""
        attention = self.attention[expert if expert in self.attention else ONE]
        feed_forward = self.feed_forward[expert if expert in self.feed_forward else ONE]
        hidden = self.attention_norm(hidden + attention(hidden, bias))
        out: Tensor = self.norm(hidden + self.dropout(feed_forward(hidden)))
        return out


class ModularTrunk(nn.Module):
    """Token ids to contextual vectors, through the expert of a skill."""

    def __init__(self, shape: TrunkShape, how: SkillShape) -> None:
        super().__init__()
        self.shape, self.how = shape, how
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.places = nn.Embedding(shape.positions, shape.width)
        self.types = nn.Embedding(shape.types, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=shape.norm_eps)
        self.dropout = SharedDropout(how.dropout)
        self.layers = nn.ModuleList(ModularLayer(shape, how) for _ in range(shape.layers))

    def forward(self, ids: Tensor, mask: Tensor, skill: Skill) -> Tensor:
        """(b, n) int64 ids and mask to (b, n, width); all tokens have type 0, as in the trunk's own training."""
        places = torch.arange(ids.shape[1], device=ids.device).unsqueeze(0)
        hidden: Tensor = self.dropout(self.embedded(ids, places))
        bias = (1.0 - mask[:, None, None, :].to(hidden.dtype)) * -10000.0
        return self.through(hidden, bias, skill)

    def embedded(self, ids: Tensor, places: Tensor, *marks: Tensor) -> Tensor:
        """(b, n) ids at their places to (b, n, width): what goes into the first layer, but for dropout.

        `marks` are added to the words, their places and the type.
        """
        summed = self.words(ids) + self.places(places) + self.types.weight[0]
        for mark in marks:
            summed = summed + mark
        hidden: Tensor = self.norm(summed)
        return hidden

    def through(self, hidden: Tensor, bias: Tensor, skill: Skill) -> Tensor:
        """(b, n, width) through all layers by the expert of a skill; `bias` (b, 1, 1 or n, n), as `AttentionPart`."""
        expert = self.how.expert(skill)
        for layer in self.layers:
            hidden = layer(hidden, bias, expert)
        return hidden


class SkillModel(nn.Module):
    """The trunk with what the skills take of it: one vector, a mention, the two ends of a pair, or spans."""

    def __init__(self, trunk: ModularTrunk) -> None:
        super().__init__()
        self.trunk = trunk
        width = trunk.shape.width
        self.span = nn.Linear(2 * width, width, bias=False)
        """W^a of section 3.1."""
        self.anchor = nn.Parameter(torch.randn(width) / math.sqrt(width))
        """The anchor s of equations 2 and 3."""

    @property
    def how(self) -> SkillShape:
        """How it is built and how its vectors compare."""
        return self.trunk.how

    def forward(self, ids: Tensor, mask: Tensor, skill: Skill, places: Tensor | None = None) -> Tensor:
        """What `skill` needs of a padded batch: (b, n) int64 ids and mask to float32.

        MENTION: `places` (b, 1, 2), first and last token; gives (b, width), the mean of their vectors (equation 4).
        RERANK: `places` (b, 1, 2), [CLS] and the first [SEP]; gives (b, 2, width), their vectors (equation 5).
        PROPOSE: `places` (b, k, 2), first and last tokens; gives (b, k, width), the vectors of spans, that of (0, 0)
        being [CLS] as it is (section 3.1).
        Otherwise, and without places, (b, width): the text's pooled vector, of length 1 where the shape says so.
        """
        hidden = self.trunk(ids, mask, skill).float()
        if places is None or skill not in (Skill.MENTION, Skill.RERANK, Skill.PROPOSE):
            return self._comparable(self._pool(hidden, mask))
        rows = torch.arange(len(ids), device=ids.device)[:, None, None]
        ends: Tensor = hidden[rows, places]
        if skill is Skill.MENTION:
            return self._comparable(ends[:, 0].mean(1))
        if skill is Skill.RERANK:
            return ends[:, 0]
        null = (places == 0).all(-1, keepdim=True)
        return torch.where(null, ends[:, :, 0], torch.tanh(self.span(ends.flatten(2)).float()))

    def train_alone(self, skills: Collection[Skill]) -> None:
        """Freeze all but the experts of `skills`, so that no vector of another skill's ever changes.

        The head of span proposal learns with that skill.
        """
        experts = {self.how.expert(skill) for skill in skills}
        for name, weight in self.named_parameters():
            of_expert = any(f".{pool}.{one}." in name for pool in ("attention", "feed_forward") for one in experts)
            of_head = name in ("anchor", "span.weight") and Skill.PROPOSE in skills
            weight.requires_grad_(of_expert or of_head)

    def _pool(self, hidden: Tensor, mask: Tensor) -> Tensor:
        if self.how.pooling is Pooling.CLS:
            return hidden[:, 0]
        weight = mask.unsqueeze(-1).to(hidden.dtype)
        return (hidden * weight).sum(1) / weight.sum(1)

    def _comparable(self, vectors: Tensor) -> Tensor:
        return F.normalize(vectors, dim=-1) if self.how.unit else vectors


def from_trunk(trunk: Trunk, how: SkillShape) -> SkillModel:
    """A skill model whose every expert begins as the sub-layer of `trunk`; so that all skills begin as the trunk."""
    model = SkillModel(ModularTrunk(trunk.shape, how))
    theirs, state = trunk.state_dict(), model.state_dict()
    for name in state:
        if name.startswith("trunk."):
            state[name] = theirs[_plain(name.removeprefix("trunk."))]
    model.load_state_dict(state)
    return model


def _plain(name: str) -> str:
    """The name in `Trunk` of a tensor of `ModularTrunk`: experts' names are dropped."""
    parts = name.split(".")
    if "attention" in parts:
        del parts[parts.index("attention") + 1]
    elif "feed_forward" in parts:
        at = parts.index("feed_forward")
        del parts[at : at + 2]
    return ".".join(parts).replace("attention_norm", "attention.norm")


def regrown(old: SkillModel, how: SkillShape) -> SkillModel:
    """A model of another routing that goes on from `old`: an expert begins as what served its first skill there.

    That is figure 3's step from pretraining to fine-tuning: the expert of expanded queries begins as that of questions,
    and span proposal, which nothing trained, as the trunk's. An expert of reading begins as reranking's, and one of
    judging as that of reading. Raises `ModelError` when `how` has other sub-layers.
    """
    if old.how.special is not how.special:
        raise ModelError(
            f"the model to go on from has experts in {old.how.special.value}, not in {how.special.value}",
            hint="give `special` the same value in both recipes",
        )
    model = SkillModel(ModularTrunk(old.trunk.shape, how))
    served: dict[str, str] = {}
    for skill in Skill:
        first = Skill.READ if skill is Skill.FIT and not old.how.fitting else skill
        served.setdefault(how.expert(skill), old.how.expert(first))
    theirs, state = old.state_dict(), model.state_dict()
    for name in state:
        parts = name.split(".")
        old_parts = [
            served.get(part, part) if i and parts[i - 1] in ("attention", "feed_forward") else part
            for i, part in enumerate(parts)
        ]
        state[name] = theirs[".".join(old_parts)]
    model.load_state_dict(state)
    return model
