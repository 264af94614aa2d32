"""A trained skill model to int8 ONNX: a graph for each expert, and files of weights that they read.

What experts share has the same bytes in every graph once it is quantised, since scales are made of the weights alone.
So each tensor is stored once, by its content, and graphs point to it (ONNX external data): what several read stands in
one file, and what one alone reads in that expert's. An expert added on the same trunk adds its own file and no more.
"""

from __future__ import annotations

import argparse
import copy
import filecmp
import hashlib
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from torch import Tensor, nn

from answerable.encoders.modular import NAVIGATING, READING, SkillModel
from answerable.encoders.shipped import Shipped, seal
from answerable.errors import ModelError
from answerable.training.export import Axes, Int8Embedding, to_int8
from answerable.training.skills.start import TOKENIZER, open_run
from answerable.types import Skill

SHARED, SPANS = "shared.bin", "spans.npz"
NOTHING: Mapping[str, Any] = MappingProxyType({})
AXES: Axes = {key: {0: "rows", 1: "tokens"} for key in ("ids", "mask", "hidden")}
Graphs = Mapping[str, Callable[[SkillModel, Path], Any]]
"""Makes graphs, by their names, of a model and a folder to work in."""
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
    shared_tokenizer: bool = False,
    graphs: Graphs = NOTHING,
) -> Shipped:
    """Write the model to the folder `out`, with its tokenizer, for `answerable.encoders.skills.ModularEncoder`.

    `EXPERT.onnx` and `EXPERT.bin` for each expert, `shared.bin`, `spans.npz` (the anchor and W^a of section 3.1,
    float32) and the manifest, which says how vectors are made and which skills go to which expert. The name is `name`
    and a digest of the weights that vectors are made by, so not of an expert of reading: one trained alone leaves every
    index in use. `about` joins the manifest: where the weights come from and on what terms. `beside` are further
    tensors by name, for each .npz file to be written. `shared_tokenizer`: name the one that stands beside `out`, for
    several models, rather than put a copy into it. `graphs` makes, of the model as its graphs compute it, the int8
    graphs of whatever else reads with it, by name: they share its weights as experts do.
    """
    how = model.how
    routing = {skill.value: how.expert(skill) for skill in Skill}
    out.mkdir(parents=True, exist_ok=True)
    if not shared_tokenizer and tokenizer.resolve() != (out / TOKENIZER).resolve():
        shutil.copyfile(tokenizer, out / TOKENIZER)
    plain = copy.deepcopy(model).cpu().eval().float()
    digest = _digest(plain)
    words: Any = Int8Embedding(plain.trunk.words.weight.detach())
    plain.trunk.words = words
    with tempfile.TemporaryDirectory(dir=out) as work:
        store = _Store(Path(work))
        for expert in how.experts():
            skill = next(one for one in Skill if how.expert(one) == expert)
            store.add(expert, expert_graph(plain, skill, Path(work)))
        for graph, make in graphs.items():
            store.add(graph, make(plain, Path(work)))
        files = store.write()
        heads = {SPANS: spans_of(plain), **beside}
        for file, tensors in heads.items():
            arrays: dict[str, Any] = {key: value.detach().cpu().float().numpy() for key, value in tensors.items()}
            np.savez(Path(work) / file, **arrays)
        files += heads
        for file in files:
            (Path(work) / file).replace(out / file)
    made = {
        "task": "skills",
        "dimension": model.trunk.shape.width,
        "routing": routing,
        "pooling": how.pooling.value,
        "unit": how.unit,
        "tokens": model.trunk.shape.positions,
        "heads": model.trunk.shape.heads,
        "weights_sha256": digest,
    }
    return seal(
        out, f"{name}-{digest[:8]}", [*files, f"../{TOKENIZER}" if shared_tokenizer else TOKENIZER], {**made, **about}
    )


def _digest(model: SkillModel) -> str:
    """SHA-256 of all weights but those of experts of reading and of walking, by name."""
    digest = hashlib.sha256()
    for name, value in sorted(model.state_dict().items()):
        if (model.how.reading and f".{READING}." in name) or (model.how.navigating and f".{NAVIGATING}." in name):
            continue
        digest.update(name.encode())
        digest.update(value.contiguous().numpy().tobytes())
    return digest.hexdigest()


def spans_of(model: SkillModel) -> dict[str, Tensor]:
    """The head of span proposal, by the names in `spans.npz`."""
    return {"anchor": model.anchor, "span": model.span.weight}


def expert_graph(plain: SkillModel, skill: Skill, work: Path) -> Any:
    """The int8 graph of the expert of `skill`, made in the folder `work`. `plain` is in fp32 but for its words."""
    return quantised(_Hidden(plain, skill), ("hidden",), AXES, work)


def quantised(
    module: nn.Module, outputs: Sequence[str], axes: Axes, work: Path, inputs: Sequence[str] = ("ids", "mask")
) -> Any:
    """The int8 graph of a module that is given `inputs`, (b, n) int64."""
    import onnx

    small = work / "small.onnx"
    to_int8(module, inputs, outputs, axes, small)
    graph = onnx.load(str(small))
    small.unlink()
    return graph


class _Store:
    """The files of weights: what several graphs read once in a file of its own, the rest in each graph's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._graphs: dict[str, Any] = {}

    def add(self, name: str, graph: Any) -> None:
        """Take an expert's graph."""
        self._graphs[name] = graph

    def write(self) -> list[str]:
        """Write all graphs and the files they read; their names."""
        readers: Counter[bytes] = Counter()
        for graph in self._graphs.values():
            readers.update({_key(data) for _, data in large(graph)})
        shared, alone = WeightsFile(self.folder / SHARED), len(self._graphs) == 1
        names: list[str] = []
        for name, graph in self._graphs.items():
            own = shared if alone else WeightsFile(self.folder / f"{name}.bin")
            for tensor, data in large(graph):
                file = shared if readers[_key(data)] > 1 else own
                keep_outside(tensor, file.path.name, file.placed(data), len(data))
            names += [f"{name}.onnx", *([] if alone else own.close())]
            (self.folder / f"{name}.onnx").write_bytes(graph.SerializeToString())
        return [*names, *shared.close()]


class WeightsFile:
    """Tensors one after another, each once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("wb")
        self._places: dict[bytes, int] = {}

    def placed(self, data: bytes) -> int:
        """Where the bytes stand, written if they did not yet."""
        key = _key(data)
        if key not in self._places:
            self._file.write(b"\0" * (-self._file.tell() % _ALIGNMENT))
            self._places[key] = self._file.tell()
            self._file.write(data)
        return self._places[key]

    def close(self) -> list[str]:
        """Close it; its name, or none when nothing was put into it and it is gone again."""
        self._file.close()
        if self._places:
            return [self.path.name]
        self.path.unlink()
        return []


def large(graph: Any) -> Iterator[tuple[Any, bytes]]:
    """The tensors of a graph that are kept outside it, with their bytes."""
    from onnx import numpy_helper

    for tensor in graph.graph.initializer:
        data = np.ascontiguousarray(numpy_helper.to_array(tensor)).tobytes()
        if len(data) >= _SMALL:
            yield tensor, data


def _key(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def keep_outside(tensor: Any, file: str, offset: int, length: int) -> None:
    """Let a graph's tensor be read from a place in a file beside it."""
    import onnx

    for field in ("raw_data", "float_data", "int32_data", "int64_data"):
        tensor.ClearField(field)
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", file), ("offset", offset), ("length", length)):
        tensor.external_data.add(key=key, value=str(value))


def main() -> None:
    """`python -m answerable.training.export_skills RUN OUT`: write what a training run has left."""
    parser = argparse.ArgumentParser(prog="python -m answerable.training.export_skills", description=main.__doc__)
    parser.add_argument("run", type=Path, help="the folder that `answerable train` was given as --out")
    parser.add_argument("out", type=Path, help="the folder of the model")
    parser.add_argument("--name", default="skills", help="what the model's name begins with")
    parser.add_argument("--beside", action="store_true", help="read the tokenizer.json beside OUT, without a copy")
    parser.add_argument("--about", type=json.loads, default={}, help="JSON that joins the manifest: source, licence")
    given = parser.parse_args()
    if not (given.run / TOKENIZER).is_file():
        raise ModelError(f"{given.run} holds no trained skill model", hint="train one: answerable train")
    tokenizer, beside = given.run / TOKENIZER, given.out.resolve().parent / TOKENIZER
    if given.beside and not (beside.is_file() and filecmp.cmp(tokenizer, beside, shallow=False)):
        raise ModelError(f"{beside} is not the tokenizer of {given.run}", hint="leave out --beside")
    export_skills(open_run(given.run), given.out, given.name, tokenizer, given.about, shared_tokenizer=given.beside)


if __name__ == "__main__":
    main()
