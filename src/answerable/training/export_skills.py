"""A trained skill model to int8 ONNX: a graph for each expert, and one file of weights that all of them read.

What experts share has the same bytes in every graph once it is quantised, since scales are made of the weights alone.
So each tensor is stored once, under the digest of its content, and graphs point into the file (ONNX external data).
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from torch import Tensor, nn

from answerable.encoders.modular import READING, SkillModel
from answerable.encoders.shipped import Shipped, seal
from answerable.errors import ModelError
from answerable.training.export import Int8Embedding, to_int8
from answerable.training.skills.start import TOKENIZER, open_run
from answerable.types import Skill

WEIGHTS, SPANS = "weights.bin", "spans.npz"
NOTHING: Mapping[str, Any] = MappingProxyType({})
_ALIGNMENT = 64
"""Bytes: an arithmetic unit reads weights where they lie, without copying them first."""
_SMALL = 1024
"""Tensors of fewer bytes stay in their graph."""


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
    beside: Mapping[str, Mapping[str, Tensor]] = NOTHING,
) -> Shipped:
    """Write the model to the folder `out`, with its tokenizer, for `answerable.encoders.skills.ModularEncoder`.

    `EXPERT.onnx` for each expert, `weights.bin`, `spans.npz` (the anchor and W^a of section 3.1, float32) and the
    manifest, which says how vectors are made and which skills go to which expert. The name is `name` and a digest of
    the weights that vectors are made by, so not of an expert of reading: one trained alone leaves every index in use.
    `about` joins the manifest: where the weights come from and on what terms. `beside` are further tensors by name, for
    each .npz file to be written.
    """
    how = model.how
    routing = {skill.value: how.expert(skill) for skill in Skill}
    out.mkdir(parents=True, exist_ok=True)
    if tokenizer.resolve() != (out / TOKENIZER).resolve():
        shutil.copyfile(tokenizer, out / TOKENIZER)
    plain = copy.deepcopy(model).cpu().eval().float()
    digest = _digest(plain)
    words: Any = Int8Embedding(plain.trunk.words.weight.detach())
    plain.trunk.words = words
    files = []
    with tempfile.TemporaryDirectory(dir=out) as work:
        store = _Store(Path(work) / WEIGHTS)
        for expert in how.experts():
            skill = next(one for one in Skill if how.expert(one) == expert)
            graph = _quantised(_Hidden(plain, skill), Path(work))
            store.point(graph, Path(work) / f"{expert}.onnx")
            files.append(f"{expert}.onnx")
        store.close()
        heads = {SPANS: {"anchor": plain.anchor, "span": plain.span.weight}, **beside}
        for file, tensors in heads.items():
            arrays: dict[str, Any] = {key: value.detach().cpu().float().numpy() for key, value in tensors.items()}
            np.savez(Path(work) / file, **arrays)
        files += [WEIGHTS, *heads]
        for file in files:
            (Path(work) / file).replace(out / file)
    made = {
        "task": "skills",
        "dimension": model.trunk.shape.width,
        "routing": routing,
        "pooling": how.pooling.value,
        "unit": how.unit,
        "tokens": model.trunk.shape.positions,
        "weights_sha256": digest,
    }
    return seal(out, f"{name}-{digest[:8]}", [*files, TOKENIZER], {**made, **about})


def _digest(model: SkillModel) -> str:
    """SHA-256 of all weights but those of an expert of reading, by name."""
    digest = hashlib.sha256()
    for name, value in sorted(model.state_dict().items()):
        if model.how.reading and f".{READING}." in name:
            continue
        digest.update(name.encode())
        digest.update(value.contiguous().numpy().tobytes())
    return digest.hexdigest()


def _quantised(module: nn.Module, work: Path) -> Any:
    """The int8 graph of a module."""
    import onnx

    small = work / "small.onnx"
    axes = {key: {0: "rows", 1: "tokens"} for key in ("ids", "mask", "hidden")}
    to_int8(module, ("ids", "mask"), ("hidden",), axes, small)
    graph = onnx.load(str(small))
    small.unlink()
    return graph


class _Store:
    """The file of weights: each tensor once."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self._places: dict[tuple[int, bytes], int] = {}

    def point(self, graph: Any, path: Path) -> None:
        """Write a graph whose larger tensors are read from the file, adding those that are not there yet."""
        import onnx
        from onnx import numpy_helper

        for tensor in graph.graph.initializer:
            data = np.ascontiguousarray(numpy_helper.to_array(tensor)).tobytes()
            if len(data) < _SMALL:
                continue
            offset = self._placed(data)
            tensor.ClearField("raw_data")
            for field in ("float_data", "int32_data", "int64_data"):
                tensor.ClearField(field)
            tensor.data_location = onnx.TensorProto.EXTERNAL
            for key, value in (("location", WEIGHTS), ("offset", offset), ("length", len(data))):
                tensor.external_data.add(key=key, value=str(value))
        path.write_bytes(graph.SerializeToString())

    def _placed(self, data: bytes) -> int:
        key = len(data), hashlib.sha256(data).digest()
        if key not in self._places:
            self._file.write(b"\0" * (-self._file.tell() % _ALIGNMENT))
            self._places[key] = self._file.tell()
            self._file.write(data)
        return self._places[key]

    def close(self) -> None:
        self._file.close()


def main() -> None:
    """`python -m answerable.training.export_skills RUN OUT`: write what a training run has left."""
    parser = argparse.ArgumentParser(prog="python -m answerable.training.export_skills", description=main.__doc__)
    parser.add_argument("run", type=Path, help="the folder that `answerable train` was given as --out")
    parser.add_argument("out", type=Path, help="the folder of the model")
    parser.add_argument("--name", default="skills", help="what the model's name begins with")
    parser.add_argument("--about", type=json.loads, default={}, help="JSON that joins the manifest: source, licence")
    given = parser.parse_args()
    if not (given.run / TOKENIZER).is_file():
        raise ModelError(f"{given.run} holds no trained skill model", hint="train one: answerable train")
    export_skills(open_run(given.run), given.out, given.name, given.run / TOKENIZER, given.about)


if __name__ == "__main__":
    main()
