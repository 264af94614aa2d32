"""What asks questions of a passage, in torch: an expert that reads, and a decoder that writes.

Decoder layers begin as every other layer of the trunk: what they attend among their own words as the expert of
questions does, and what they attend in the text as that of reading does (Rothe et al. 2020 begin decoders so).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from answerable.encoders.asking import SAID
from answerable.encoders.modular import ONE, SkillModel
from answerable.encoders.trunk import AttentionPart, SharedDropout, TrunkShape
from answerable.types import Skill

SAYS, LAYERS = 8192, 3
"""Tokens that can be said without standing in the text, where there are so many, and layers of the decoder."""
_NEVER = -10000.0


def split(hidden: Tensor, heads: int) -> Tensor:
    """(b, n, width) to (b, heads, n, width / heads)."""
    return hidden.view(*hidden.shape[:2], heads, -1).transpose(1, 2)


def held(part: AttentionPart, hidden: Tensor) -> Tensor:
    """(2, b, heads, n, width / heads): the keys and values of (b, n, width)."""
    return torch.stack([split(part.key(hidden), part.heads), split(part.value(hidden), part.heads)])


def attended(part: AttentionPart, asking: Tensor, keys: Tensor, values: Tensor, bias: Tensor) -> Tensor:
    """(b, q, width) by keys and values, (b, heads, n, width / heads); `bias` is very negative where not to attend."""
    query = split(part.query(asking), part.heads)
    scores = (query * query.shape[-1] ** -0.5) @ keys.transpose(-1, -2) + bias
    mixed = scores.softmax(-1) @ values
    out: Tensor = part.output(mixed.transpose(1, 2).reshape(*asking.shape[:2], -1))
    return out


class WriterLayer(nn.Module):
    """Attention to the words said before, attention to the text, and a feed-forward network, each with its norm."""

    def __init__(self, shape: TrunkShape, dropout: float) -> None:
        super().__init__()
        self.own, self.over = AttentionPart(shape), AttentionPart(shape)
        self.rise = nn.Linear(shape.width, shape.inner)
        self.fall = nn.Linear(shape.inner, shape.width)
        self.own_norm, self.over_norm, self.norm = (nn.LayerNorm(shape.width, eps=shape.norm_eps) for _ in range(3))
        self.dropout = SharedDropout(dropout)

    def before(self, hidden: Tensor) -> Tensor:
        """(2, b, heads, n, width / heads): keys and values of what was said."""
        return held(self.own, hidden)

    def text(self, hidden: Tensor) -> Tensor:
        """The same of what is read."""
        return held(self.over, hidden)

    def among(self, hidden: Tensor, before: Tensor, bias: Tensor) -> Tensor:
        """(b, m, width) by the words said."""
        out: Tensor = self.own_norm(hidden + self.dropout(attended(self.own, hidden, before[0], before[1], bias)))
        return out

    def about(self, hidden: Tensor, text: Tensor, bias: Tensor) -> Tensor:
        """(b, m, width) by the text, and through the network."""
        hidden = self.over_norm(hidden + self.dropout(attended(self.over, hidden, text[0], text[1], bias)))
        out: Tensor = self.norm(hidden + self.dropout(self.fall(F.gelu(self.rise(hidden)))))
        return out


class AskerModel(nn.Module):
    """Reads a text with an answer marked and writes a question that it answers."""

    def __init__(self, model: SkillModel) -> None:
        """The layers that read are those of `model`, not a copy."""
        super().__init__()
        shape, dropout = model.trunk.shape, model.how.dropout
        self.model = model
        self.marks = nn.Parameter(torch.zeros(2, shape.width))
        """What tells the tokens of the answer, and of the title."""
        self.places = nn.Embedding(SAID + 1, shape.width)
        self.first = nn.LayerNorm(shape.width, eps=shape.norm_eps)
        self.layers: Any = nn.ModuleList(WriterLayer(shape, dropout) for _ in range(LAYERS))
        self.keys, self.points = nn.Linear(shape.width, shape.width), nn.Linear(shape.width, shape.width)
        self.gate = nn.Linear(shape.width, 1)
        says = min(SAYS, shape.vocabulary)
        self.out = nn.Linear(shape.width, says)
        self.register_buffer("said", torch.arange(says))
        self.said: Tensor
        """The tokens that can be said, by their numbers in the vocabulary of the trunk."""
        self._begin()
        self.say(self.said.clone())

    def _begin(self) -> None:
        trunk: Any = self.model.trunk
        asks, reads = (self.model.how.expert(skill) for skill in (Skill.SINGLE, Skill.READ))
        for number, layer in enumerate(self.layers):
            theirs = trunk.layers[min(len(trunk.layers) - 1, 2 * number + 1)]
            attention, (feed, *_) = theirs.attention, theirs.feed_forward.values()
            begun = {
                "own": attention[asks if asks in attention else ONE],
                "over": attention[reads if reads in attention else ONE],
                "rise": feed.rise,
                "fall": feed.fall,
                "own_norm": theirs.attention_norm,
                "over_norm": theirs.attention_norm,
                "norm": theirs.norm,
            }
            for name, part in begun.items():
                layer.get_submodule(name).load_state_dict(part.state_dict())
        with torch.no_grad():
            self.places.weight.copy_(trunk.places.weight[: SAID + 1] + trunk.types.weight[0])
        self.first.load_state_dict(trunk.norm.state_dict())
        for one in (self.keys, self.points, self.gate):
            nn.init.normal_(one.weight, std=0.02)
            nn.init.zeros_(one.bias)

    def say(self, tokens: Tensor) -> None:
        """Let these tokens, as many as `said` holds, be what can be said; each begins as it is read."""
        with torch.no_grad():
            self.said.copy_(tokens)
            self.out.weight.copy_(self.model.trunk.words.weight[tokens])
            self.out.bias.zero_()

    def read(self, ids: Tensor, segments: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(b, n) int64 twice to keys and values of the text, (layers, 2, b, heads, n, width / heads), what is pointed
        at when a word is copied, and the words themselves, both (b, n, width)."""
        trunk = self.model.trunk
        places = torch.arange(ids.shape[1], device=ids.device).unsqueeze(0)
        table = torch.cat([torch.zeros_like(self.marks[:1]), torch.zeros_like(self.marks[:1]), self.marks])
        hidden = trunk.dropout(trunk.embedded(ids, places, F.embedding(segments, table)))
        bias = (1.0 - (segments >= 1).to(hidden.dtype)[:, None, None, :]) * _NEVER
        hidden = trunk.through(hidden, bias, Skill.READ)
        return torch.stack([layer.text(hidden) for layer in self.layers]), self.keys(hidden), trunk.words(ids)

    def written(self, hidden: Tensor, keys: Tensor, bias: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Of (b, m, width) the logits of what is said, (b, m, says), the attention to what may be copied,
        (b, m, n), and the logit of saying rather than copying, (b, m, 1)."""
        copied = (self.points(hidden) * hidden.shape[-1] ** -0.5) @ keys.transpose(1, 2) + bias[:, 0]
        return self.out(hidden), copied, self.gate(hidden)

    def forward(self, ids: Tensor, segments: Tensor, said: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """As `written`, for the (b, m) int64 tokens of questions, each by those before it and the text."""
        texts, keys, _ = self.read(ids, segments)
        bias = (1.0 - (segments >= 1).to(keys.dtype)[:, None, None, :]) * _NEVER
        length = said.shape[1]
        causal = torch.full((length, length), _NEVER, device=ids.device).triu(1)[None, None]
        places = self.places.weight[None, :length]
        hidden = self.model.trunk.dropout(self.first(self.model.trunk.words(said) + places))
        for layer, text in zip(self.layers, texts, strict=True):
            hidden = layer.about(layer.among(hidden, layer.before(hidden), causal), text, bias)
        return self.written(hidden, keys, bias)

    def step(
        self, words: Tensor, place: Tensor, before: Tensor, texts: Tensor, keys: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """`written` of the next word of k beams, and what was said with it.

        `words` (b, k, width) are the words said last, at `place` (1,); `before` (layers, 2, b * k, heads, t, width /
        heads) of those before; `texts` and `keys` as `read` gives them, `mask` (b, n).
        """
        rows, beams, width = words.shape
        bias = (1.0 - mask.to(words.dtype)[:, None, None, :]) * _NEVER
        hidden = self.first(words + self.places(place)[None])
        grown = []
        for number, layer in enumerate(self.layers):
            flat = hidden.reshape(rows * beams, 1, width)
            said = torch.cat([before[number], layer.before(flat)], dim=3)
            grown.append(said)
            flat = layer.among(flat, said, torch.zeros(1, 1, 1, 1))
            hidden = layer.about(flat.reshape(rows, beams, width), texts[number], bias)
        return (*self.written(hidden, keys, bias), torch.stack(grown))


def surprise(
    written: tuple[Tensor, Tensor, Tensor], ids: Tensor, wanted: Tensor, numbers: Tensor
) -> tuple[Tensor, Tensor]:
    """The summed -log P of the tokens `wanted`, (b, m) int64, 0 for none, and how many they are.

    `numbers`: for each token its place among what can be said, -1 for none. What can neither be said nor copied is left
    out.
    """
    logits, copied, gate = (one.float() for one in written)
    place = numbers[wanted]
    said = F.log_softmax(logits, -1).gather(-1, place.clamp(min=0)[..., None])[..., 0] + F.logsigmoid(gate[..., 0])
    said = said.masked_fill(place < 0, -1e4)
    there = (ids[:, None, :] == wanted[..., None]) & (wanted > 0)[..., None]
    attention = F.log_softmax(copied, -1).masked_fill(~there, -1e4).logsumexp(-1)
    copy = attention + F.logsigmoid(-gate[..., 0])
    both = torch.logaddexp(said, copy)
    known = (wanted > 0) & ((place >= 0) | there.any(-1))
    return -(both * known).sum(), known.sum()
