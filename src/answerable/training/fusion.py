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
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from answerable.encoders.modular import AttentionPart, ModularLayer, ModularTrunk, SkillModel
from answerable.readers.path_layout import Span
from answerable.text import normalise_answer
from answerable.types import Skill

GLOBALS, LONGEST = 10, 15
"""Global tokens, and tokens of the longest answer (Ma et al. 2023, appendix C.1)."""
_NEVER = -1e9
"""A score that counts for nothing in a softmax, and stays finite."""


class FusedEncoder(nn.Module):
    """Token ids of several passages of a question to vectors that know of the other passages."""

    def __init__(self, trunk: ModularTrunk, count: int = GLOBALS) -> None:
        """`count` global tokens; with none, each passage is encoded as the trunk does."""
        super().__init__()
        self.trunk = trunk
        self.globals = nn.Parameter(0.02 * torch.randn(count, trunk.shape.width))

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """(b, p, n) int64 ids and mask of b questions with p passages to (b, p, n, width), and globals (b, g, width).

        A passage of which all is masked only fills up. The order of the passages is nowhere told.
        """
        trunk, (questions, _, length) = self.trunk, ids.shape
        places = torch.arange(length, device=ids.device)
        hidden: Tensor = trunk.dropout(trunk.norm(trunk.words(ids) + trunk.places(places) + trunk.types.weight[0]))
        shared = trunk.norm(self.globals).expand(questions, -1, -1)
        bias = (1.0 - mask.to(hidden.dtype)) * -10000.0
        for layer in trunk.layers:
            assert isinstance(layer, ModularLayer)
            hidden, shared = _fused(layer, hidden, shared, bias, trunk.how.expert(Skill.READ))
        return hidden, shared


def _fused(layer: ModularLayer, hidden: Tensor, shared: Tensor, bias: Tensor, expert: str) -> tuple[Tensor, Tensor]:
    """One layer: passages (b, p, n, width) and globals (b, g, width), `bias` (b, p, n), to the same shapes."""
    questions, passages, length, width = hidden.shape
    count = shared.shape[1]
    part = _of(layer.attention, expert)
    assert isinstance(part, AttentionPart)
    local = torch.cat([hidden, shared[:, None].expand(-1, passages, -1, -1)], dim=2).flatten(0, 1)
    seen = torch.cat([bias, bias.new_zeros(questions, passages, count)], dim=2).flatten(0, 1)
    read = attend(part, hidden.flatten(0, 1), local, seen).view_as(hidden)
    whole = torch.cat([hidden.reshape(questions, passages * length, width), shared], dim=1)
    everywhere = torch.cat([bias.flatten(1), bias.new_zeros(questions, count)], dim=1)
    fused = attend(part, shared, whole, everywhere)
    feed_forward = _of(layer.feed_forward, expert)
    done = []
    for before, found in ((hidden, read), (shared, fused)):
        middle = layer.attention_norm(before + found)
        done.append(layer.norm(middle + layer.dropout(feed_forward(middle.flatten(0, -2)).view_as(middle))))
    return done[0], done[1]


def _of(pool: nn.ModuleDict, expert: str) -> nn.Module:
    return pool[expert] if expert in pool else next(iter(pool.values()))


def attend(part: AttentionPart, hidden: Tensor, context: Tensor, bias: Tensor) -> Tensor:
    """Attention of `hidden` (r, n, width) to `context` (r, m, width) by a sub-layer's projections: (r, n, width).

    `bias` (r, m) is 0 to keep and very negative to mask.
    """
    rows, _, width = context.shape
    size = width // part.heads
    query = part.query(hidden).view(rows, -1, part.heads, size).transpose(1, 2)
    key, value = (one(context).view(rows, -1, part.heads, size).transpose(1, 2) for one in (part.key, part.value))
    scores = query @ key.transpose(-1, -2) / math.sqrt(size) + bias[:, None, None, :].to(query.dtype)
    mixed = scores.softmax(-1).to(value.dtype) @ value
    out: Tensor = part.output(mixed.transpose(1, 2).reshape(rows, -1, width))
    return out


class FusedReader(nn.Module):
    """Scores of all spans of up to `longest` tokens, in all passages of a question, and of none of them."""

    def __init__(self, encoder: SkillModel, count: int = GLOBALS, longest: int = LONGEST) -> None:
        """`count` is at least 1. The layers are those of `encoder`, not a copy."""
        super().__init__()
        if count < 1:
            raise ValueError("a reader of many passages needs a global token")
        self.encoder, self.longest = FusedEncoder(encoder.trunk, count), longest
        width = encoder.trunk.shape.width
        self.first, self.last = nn.Linear(width, width), nn.Linear(width, width, bias=False)
        self.span, self.none = nn.Linear(width, 1), nn.Linear(width, 1)

    def forward(self, ids: Tensor, mask: Tensor, pointable: Tensor) -> tuple[Tensor, Tensor]:
        """Scores (b, p, n, longest), and (b,) of no span; float32. `[..., i, k]` is that of tokens i to i + k.

        `pointable` (b, p, n) bool: the tokens of the passages' texts. A span that is not all of them scores -1e9.
        """
        hidden, shared = self.encoder(ids, mask)
        first, last = self.first(hidden), self.last(hidden)
        found, inside = [], pointable
        for extra in range(self.longest):
            end = last.roll(-extra, dims=2)
            if extra:
                inside = inside & pointable.roll(-extra, dims=2)
                inside[:, :, max(0, ids.shape[2] - extra) :] = False
            score = self.span(F.gelu(first + end)).squeeze(-1).float()
            found.append(score.masked_fill(~inside, _NEVER))
        return torch.stack(found, dim=-1), self.none(shared[:, 0]).squeeze(-1).float()


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


@dataclass(frozen=True, slots=True)
class FusedAnswer:
    """An answer, its log-odds against "in none of the passages", and its best span: tokens first to last."""

    text: str
    score: float
    passage: int
    first: int
    last: int


def answers(scores: Tensor, none: float, said: Callable[[int, int, int], str], most: int = 200) -> list[FusedAnswer]:
    """The answers among the `most` best spans of one question's `scores` (p, n, longest), best first, ties by text.

    `said(passage, first, last)` is a span's text. Probabilities of spans that say the same, once normalised, are
    summed, wherever they stand.
    """
    _, length, longest = scores.shape
    values, places = scores.flatten().topk(min(most, scores.numel()))
    groups: dict[str, list[tuple[float, int, int, int]]] = {}
    for value, place in zip(values.tolist(), places.tolist(), strict=True):
        passage, first, extra = place // (length * longest), place // longest % length, place % longest
        if value <= _NEVER / 2:
            break
        words = normalise_answer(said(passage, first, first + extra))
        if words:
            groups.setdefault(words, []).append((value, passage, first, first + extra))
    found = []
    for group in groups.values():
        best = group[0]  # the first in the order of scores
        total = float(torch.logsumexp(torch.tensor([one[0] for one in group], dtype=torch.float64), dim=0))
        found.append(FusedAnswer(said(*best[1:]), total - none, *best[1:]))
    return sorted(found, key=lambda one: (-one.score, one.text))
