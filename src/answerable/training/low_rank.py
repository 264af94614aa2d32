"""Low-rank changes of a reader's products: what learns is a product of two small factors beside weights that stay."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from answerable.encoders.adapter import ADAPTER, adapted
from answerable.encoders.shipped import Shipped, seal, sha256
from answerable.errors import UsageError
from answerable.training.export import NOTHING
from answerable.training.packing import pack_adapter
from answerable.training.span import SpanReader
from answerable.training.start import TOKENIZER

MODEL = "model.onnx"


class LowRank(nn.Module):
    """A product W that becomes W + B A (Hu et al. 2022, section 4.1); of it, A, B and the bias learn."""

    def __init__(self, whole: nn.Linear, down: Tensor, up: Tensor) -> None:
        super().__init__()
        whole.weight.requires_grad_(False)
        self.whole, self.down, self.up = whole, nn.Parameter(down), nn.Parameter(up)

    def forward(self, hidden: Tensor) -> Tensor:
        """As the product."""
        out: Tensor = self.whole(hidden) + F.linear(F.linear(hidden, self.down), self.up)
        return out


@torch.no_grad()
def adapt(reader: SpanReader, rank: int, toward: Mapping[str, Tensor] = NOTHING) -> None:
    """Put factors beside all products of a reader's layers: they learn in place of these, with what else learns.

    `toward`: weights that a training of all of them had made of the reader's. The factors begin as the best part of
    their rank of what it changed, shared out evenly between them, and what else learns as it left that; without it
    A is drawn, and B is 0. Raises `UsageError` for weights of another shape.
    """
    layers = reader.trunk.layers
    try:
        for name, part in [*layers.named_modules()]:
            if isinstance(part, nn.Linear):
                change = toward[f"trunk.layers.{name}.weight"] - part.weight if toward else None
                layers.set_submodule(name, LowRank(part, *_factors(part, rank, change)))
        for name, weight in reader.named_parameters():
            if weight.requires_grad and (plain := name.replace(".whole.", ".")) in toward:
                weight.copy_(toward[plain])
    except (KeyError, RuntimeError) as error:
        hint = "name a run that began from the same reader"
        raise UsageError("the run to begin as (toward) is of another shape than the reader", hint=hint) from error


def _factors(part: nn.Linear, rank: int, change: Tensor | None) -> tuple[Tensor, Tensor]:
    """A and B to begin with; of a change its best part (Eckart and Young 1936)."""
    if change is None:
        drawn = torch.randn(rank, part.in_features) / part.in_features**0.5
        return drawn, torch.zeros(part.out_features, rank)
    outer, sizes, inner = torch.linalg.svd(change, full_matrices=False)
    root = sizes[:rank].sqrt()
    return root[:, None] * inner[:rank], outer[:, :rank] * root


def export_adapted(
    start: Path, reader: SpanReader, rank: int, out: Path, about: Mapping[str, str] = NOTHING
) -> Shipped:
    """Write to `out`, beside which the tokenizer stands, the graph of the reader in `start` as it is, an adapter that
    takes it to this reader, and a manifest of both, which `about` joins."""
    shutil.copyfile(start / MODEL, out / MODEL)
    pack_adapter(start, reader, rank, out)
    name = f"span-{sha256(out / ADAPTER)[:8]}"
    both = hashlib.sha256(bytes(adapted(out / MODEL))).hexdigest()
    return seal(out, name, [MODEL, ADAPTER, f"../{TOKENIZER}"], {"task": "span", "adapted": both, **about})
