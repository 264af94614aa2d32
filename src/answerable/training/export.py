"""Trained models to folders of int8 graphs, sealed by a manifest: an encoder, a span reader, the encoder of skills."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor, nn

from answerable.encoders.modular import NAVIGATING, READING, SkillModel
from answerable.encoders.shipped import MANIFEST, Shipped, seal, sha256
from answerable.encoders.trunk import Trunk, load_trunk
from answerable.errors import ModelError
from answerable.training.int8 import (
    Axes,
    digest_of,
    graph_of,
    plain,
    save_tensors,
    shrink_words,
    to_int8,
    write_graphs,
)
from answerable.training.start import TOKENIZER
from answerable.types import Skill

SPANS = "spans.npz"
_KEPT = (".json", ".safetensors", ".model", ".txt")
NOTHING: Mapping[str, Any] = MappingProxyType({})
Graph = Callable[[SkillModel, Path], Any]
"""Makes a graph of an encoder as graphs compute it, in a folder to work in."""
Heads = Mapping[str, Callable[[Path], None]]
"""Further files by their names, with what writes each."""


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


def export_reader(reader: nn.Module, out: Path, tokenizer: Path) -> Shipped:
    """Write `model.onnx` and `manifest.json` in `out` from a span reader.

    Inputs ids, types and mask, (b, n) int64; outputs start and end, (b, n), and kind, (b, 4): float32 logits.
    """
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


def _write(module: nn.Module, inputs: tuple[str, ...], outputs: tuple[str, ...], axes: Axes, out: Path) -> None:
    """Export `module` and quantise it into `out/model.onnx`."""
    made: Any = plain(module)
    shrink_words(made.trunk)
    out.mkdir(parents=True, exist_ok=True)
    to_int8(made, inputs, outputs, axes, out / "model.onnx")


class _Hidden(nn.Module):
    """A trunk through one expert, as the graph computes it: ids and mask (b, n) to vectors (b, n, width)."""

    def __init__(self, model: SkillModel, skill: Skill) -> None:
        super().__init__()
        self.trunk, self.skill = model.trunk, skill

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        hidden: Tensor = self.trunk(ids, mask, self.skill)
        return hidden


def export_skills(
    model: SkillModel,
    out: Path,
    name: str,
    tokenizer: Path,
    about: Mapping[str, Any],
    beside: Heads = NOTHING,
    shared: bool = False,
) -> Shipped:
    """Write the model to the folder `out`, with its tokenizer, for `answerable.encoders.skills.ModularEncoder`.

    `EXPERT.onnx` and `EXPERT.bin` for each expert, `shared.bin`, `spans.npz` (the anchor and W^a of section 3.1,
    float32) and the manifest, which says how vectors are made and which skills go to which expert. The name is `name`
    and a digest of the weights that vectors are made by, so not of an expert of reading: one trained alone leaves every
    index in use. `about` joins the manifest: where the weights come from and on what terms. `beside` are
    further files to be written. `shared`: name the tokenizer that stands beside `out`, for several models, rather than
    put a copy into it.
    """
    how = model.how
    out.mkdir(parents=True, exist_ok=True)
    made = plain(model)
    digest = digest_of({name: value for name, value in made.state_dict().items() if not _apart(model, name)})
    shrink_words(made.trunk)
    if not shared and tokenizer.resolve() != (out / TOKENIZER).resolve():
        shutil.copyfile(tokenizer, out / TOKENIZER)
    with tempfile.TemporaryDirectory(dir=out) as place:
        work = Path(place)
        skills = {expert: next(one for one in Skill if how.expert(one) == expert) for expert in how.experts()}
        files = write_graphs({expert: expert_graph(skill)(made, work) for expert, skill in skills.items()}, work)
        heads = {**spans_of(made), **beside}
        for file, write in heads.items():
            write(work / file)
        for file in (*files, *heads):
            (work / file).replace(out / file)
    listed = f"../{TOKENIZER}" if shared else TOKENIZER
    told = {
        "task": "skills",
        "dimension": model.trunk.shape.width,
        "routing": {skill.value: how.expert(skill) for skill in Skill},
        "pooling": how.pooling.value,
        "unit": how.unit,
        "tokens": model.trunk.shape.positions,
        "heads": model.trunk.shape.heads,
        "weights_sha256": digest,
    }
    return seal(out, f"{name}-{digest[:8]}", [*files, *heads, listed], {**told, **about})


def _apart(model: SkillModel, name: str) -> bool:
    """Whether weights are of an expert that vectors are not made by: of reading, or of walking."""
    how = model.how
    return (how.reading and f".{READING}." in name) or (how.navigating and f".{NAVIGATING}." in name)


def spans_of(model: SkillModel) -> Heads:
    """The head of span proposal."""
    return {SPANS: partial(save_tensors, tensors={"anchor": model.anchor, "span": model.span.weight})}


def expert_graph(skill: Skill) -> Graph:
    """Makes the int8 graph of the expert of `skill`."""
    axes: Axes = {key: {0: "rows", 1: "tokens"} for key in ("ids", "mask", "hidden")}
    return lambda model, work: graph_of(_Hidden(model, skill), ("ids", "mask"), ("hidden",), axes, work)


def seal_transformers(model: Any, tokenizer: Any, folder: Path, name: str, about: Mapping[str, Any]) -> Shipped:
    """Write a model to `folder` as Hugging Face writes it, with our manifest beside it; its digest ends the name."""
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    files = sorted(path.name for path in folder.iterdir() if path.suffix in _KEPT and path.name != MANIFEST)
    return seal(folder, f"{name}-{sha256(folder / 'model.safetensors')[:12]}", files, dict(about))
