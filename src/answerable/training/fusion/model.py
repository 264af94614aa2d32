"""Many passages read at once: Fusion-in-Encoder (Kedia et al. 2022), the reader of Chain-of-Skills' section 6.

Each passage is encoded with the question, and a few global tokens run along through all layers: they attend to every
token of every passage, and every token attends to its own passage and to them. So passages tell each other what they
hold at a cost that grows with their number and not with its square. An answer is a span of any of the passages, with
one softmax over all spans of all of them, and spans that say the same add up.

The layers are the encoder's, through its expert of reading. Ours is the score of a span (a perceptron on the vectors of
its two ends) and that of no span at all, which is that of the first global token: it has seen all passages.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from answerable.encoders.modular import AttentionPart, ModularLayer, SkillModel
from answerable.readers.fused import FUSED, GRAPH
from answerable.readers.path_layout import Span
from answerable.text import normalise_answer
from answerable.training.experts import ExpertSpec, begin_expert
from answerable.training.paths.model import PATHS
from answerable.types import Skill

GLOBALS, LONGEST = 10, 15
"""Global tokens, and tokens of the longest answer (Ma et al. 2023, appendix C.1)."""
_NEVER = -1e9
"""A score that counts for nothing in a softmax, and stays finite."""


class FusedEncoder(nn.Module):
    """Token ids of several passages of a question to vectors that know of the other passages."""

    def __init__(self, model: SkillModel, count: int = GLOBALS) -> None:
        """`count` global tokens; with none, each passage is encoded as the trunk does. The layers are not copied."""
        super().__init__()
        self.model = model
        self.globals = nn.Parameter(0.02 * torch.randn(count, model.trunk.shape.width))

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """(b, p, n) int64 ids and mask of b questions with p passages to (b, p, n, width), and globals (b, g, width).

        A passage of which all is masked only fills up. The order of the passages is nowhere told.
        """
        trunk, (questions, passages, length) = self.model.trunk, ids.shape
        places = torch.arange(length, device=ids.device)
        hidden: Tensor = trunk.dropout(trunk.norm(trunk.words(ids) + trunk.places(places) + trunk.types.weight[0]))
        shared = trunk.norm(self.globals).expand(questions, -1, -1)
        bias = (1.0 - mask.to(hidden.dtype)) * -10000.0
        tokens = torch.cat([hidden.flatten(1, 2), shared], dim=1)
        for layer in trunk.layers:
            assert isinstance(layer, ModularLayer)
            tokens = _fused(layer, tokens, bias, trunk.how.expert(Skill.READ))
        own = passages * length
        return tokens[:, :own].view_as(hidden), tokens[:, own:]


def _fused(layer: ModularLayer, tokens: Tensor, bias: Tensor, expert: str) -> Tensor:
    """One layer on all `tokens` (b, p * n + g, width), the passages' and then the globals; `bias` (b, p, n)."""
    part, feed_forward = _of(layer.attention, expert), _of(layer.feed_forward, expert)
    assert isinstance(part, AttentionPart)
    middle = layer.attention_norm(tokens + attend(part, tokens, bias))
    out: Tensor = layer.norm(middle + layer.dropout(feed_forward(middle)))
    return out


def _of(pool: nn.ModuleDict, expert: str) -> nn.Module:
    return pool[expert] if expert in pool else next(iter(pool.values()))


def attend(part: AttentionPart, tokens: Tensor, bias: Tensor) -> Tensor:
    """Attention by a sub-layer's projections, of passages to themselves and the globals, and of globals to all.

    `tokens` (b, p * n + g, width), the passages' and then the globals, to the same shape; `bias` (b, p, n) is 0 to
    keep and very negative to mask. Each projection is used once, so that the exported graph is all int8.
    """
    questions, passages, length = bias.shape
    own, width = passages * length, tokens.shape[2]
    split = (questions, -1, part.heads, width // part.heads)
    query, key, value = (one(tokens).view(split).transpose(1, 2) for one in (part.query, part.key, part.value))
    count = tokens.shape[1] - own

    def apart(every: Tensor) -> Tensor:
        """(b, h, p * n + g, s) to (b, h, p, n, s): the passages' own."""
        return every[:, :, :own].reshape(questions, part.heads, passages, length, -1)

    def beside(every: Tensor) -> Tensor:
        """(b, h, p * n + g, s) to (b, h, p, n + g, s): each passage with the globals."""
        theirs = every[:, :, None, own:].expand(-1, -1, passages, -1, -1)
        return torch.cat([apart(every), theirs], dim=3)

    free = bias.new_zeros(questions, passages, count)
    local = _mixed(
        apart(query),
        beside(key),
        beside(value),
        torch.cat([bias, free], dim=2)[:, None, :, None],
    )
    everywhere = torch.cat([bias.flatten(1), free[:, 0]], dim=1)[:, None, None]
    shared = _mixed(query[:, :, own:], key, value, everywhere)
    mixed = torch.cat([local.flatten(2, 3), shared], dim=2).transpose(1, 2)
    out: Tensor = part.output(mixed.reshape(questions, -1, width))
    return out


def _mixed(query: Tensor, key: Tensor, value: Tensor, bias: Tensor) -> Tensor:
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1]) + bias.to(query.dtype)
    return scores.softmax(-1).to(value.dtype) @ value


class FusedModel(nn.Module):
    """Scores of all spans of up to `longest` tokens, in all passages of a question, and of none of them."""

    def __init__(self, model: SkillModel, count: int = GLOBALS, longest: int = LONGEST) -> None:
        """`count` is at least 1. The layers are those of `model`, not a copy."""
        super().__init__()
        if count < 1:
            raise ValueError("a reader of many passages needs a global token")
        self.encoder, self.longest = FusedEncoder(model, count), longest
        width = model.trunk.shape.width
        self.first, self.last = nn.Linear(width, width), nn.Linear(width, width, bias=False)
        self.span, self.none = nn.Linear(width, 1), nn.Linear(width, 1)

    @property
    def model(self) -> SkillModel:
        """The encoder of skills whose expert of reading reads."""
        return self.encoder.model

    def train_alone(self) -> None:
        """Freeze all but the global tokens, the heads and the expert of reading: no vector of another skill changes."""
        expert = self.model.how.expert(Skill.READ)
        for name, weight in self.named_parameters():
            of_expert = f".attention.{expert}." in name or f".feed_forward.{expert}." in name
            weight.requires_grad_(of_expert or not name.startswith("encoder.model."))

    def forward(self, ids: Tensor, mask: Tensor, pointable: Tensor) -> tuple[Tensor, Tensor]:
        """Scores (b, p, n, longest), and (b,) of no span; float32. `[..., i, k]` is that of tokens i to i + k.

        `pointable` (b, p, n) bool: the tokens of the passages' texts. A span that is not all of them scores -1e9.
        """
        scores, none = self.scores(ids, mask)
        inside = [pointable]
        for extra in range(1, self.longest):
            ends = torch.zeros_like(pointable)
            ends[:, :, : max(0, ids.shape[2] - extra)] = pointable[:, :, extra:]
            inside.append(inside[-1] & ends)
        return scores.masked_fill(~torch.stack(inside, dim=-1), _NEVER), none

    def scores(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """As `forward`, for all tokens; what would go beyond the last one means nothing."""
        hidden, shared = self.encoder(ids, mask)
        first, last = self.first(hidden), self.last(hidden)
        weight, bias = self.span.weight, self.span.bias  # from the left, where export leaves products in float32
        found = [weight @ F.gelu(first + last.roll(-extra, dims=2)).transpose(-1, -2) for extra in range(self.longest)]
        scores = torch.cat(found, dim=-2).transpose(-1, -2) + bias
        return scores.float(), self.none(shared[:, :1]).flatten().float()


def one_question(reader: FusedModel, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """The passages of one question: ids and mask (p, n) to scores (p, n, longest) and ()."""
    scores, none = reader.scores(ids[None], mask[None])
    return scores[0], none[0]


FUSION = ExpertSpec(
    Skill.READ,
    "reading",
    FusedModel,
    "reader of many passages",
    lambda _, tokens: {FUSED: {"tokens": tokens}},
    graph=GRAPH,
    outputs=("scores", "none"),
    axes={key: {0: "passages", 1: "tokens"} for key in ("ids", "mask", "scores")},
    part="reader",
    within="encoder",
    runs=one_question,
    calibrated=True,
    apart=False,
)
"""The reader of many passages, for `readers.fused.open_fused`. The heads are in the graph: it scores spans, with
fifteen to a token too many for a file of small heads to be of use."""


def begin_fused(start: str, dropout: float) -> tuple[FusedModel, Path]:
    """A reader to train and the tokenizer it reads with. All but its expert, global tokens and heads is frozen.

    `start` is what a path reader begins from: an encoder, whose expert of reranking reading begins as, or the folder of
    a run of `recipes/paths.toml`, whose expert of reading it goes on from. Raises `UsageError` as `begin_expert`.
    """
    begun, tokenizer = begin_expert(PATHS, start, dropout)
    model = FusedModel(begun.encoder)
    model.train_alone()
    return model, tokenizer


def fused_loss(scores: Tensor, none: Tensor, right: Tensor) -> Tensor:
    """The negative log-likelihood of all right spans together, in one space with every span of every passage.

    `scores` and `right`, bool, (b, p, n, longest); `none` (b,), which is what is right where no span is.
    """
    flat, good = scores.flatten(1), right.flatten(1)
    every = torch.logsumexp(torch.cat([none[:, None], flat], dim=1), dim=1)
    some = torch.logsumexp(flat.masked_fill(~good, _NEVER), dim=1)
    return (every - torch.where(good.any(1), some, none)).mean()


def right_spans(text: str, offsets: Sequence[Span], answers: Collection[str], longest: int = LONGEST) -> Tensor:
    """(n, longest) bool: which spans of a text's n tokens say an answer, once both are normalised."""
    wanted = {normalise_answer(answer) for answer in answers} - {""}
    right = torch.zeros(len(offsets), longest, dtype=torch.bool)
    for first, (begin, _) in enumerate(offsets):
        for extra, (_, end) in enumerate(offsets[first : first + longest]):
            right[first, extra] = normalise_answer(text[begin:end]) in wanted
    return right
