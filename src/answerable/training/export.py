"""Trained models to folders of int8 graphs, sealed by a manifest: a span reader, the encoder of skills.

Matrix products are quantised per output channel, with seven of eight bits, so that processors without VNNI compute the
same as others; activations as they come ("dynamic"); word vectors with a scale for each word. What experts share has
the same bytes in every graph then, so that each tensor is stored once, by its content, and graphs point to it (ONNX
external data): what several read stands in one file, and what one alone reads in that expert's.
"""

from __future__ import annotations

import copy
import hashlib
import shutil
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from answerable.encoders.adapter import ADAPTER
from answerable.encoders.modular import NAVIGATING, READING, SkillModel
from answerable.encoders.shipped import Shipped, seal, sha256
from answerable.training.start import TOKENIZER
from answerable.types import Skill

SPANS = "spans.npz"
NOTHING: Mapping[str, Any] = MappingProxyType({})
Graph = Callable[[SkillModel, Path], Any]
"""Makes a graph of an encoder as graphs compute it, in a folder to work in."""
Heads = Mapping[str, Callable[[Path], None]]
"""Further files by their names, with what writes each."""


def export_reader(reader: nn.Module, out: Path, about: Mapping[str, str] = NOTHING) -> Shipped:
    """Write `model.onnx` and `manifest.json` in `out` from a span reader, beside which its tokenizer stands.

    Inputs ids, types and mask, (b, n) int64; outputs start and end, (b, n), and kind, (b, 4): float32 logits.
    `about` joins the manifest: where the weights come from and on what terms. An adapter of another graph goes.
    """
    names = ("ids", "types", "mask")
    axes: Axes = {key: {0: "rows", 1: "tokens"} for key in (*names, "start", "end")} | {"kind": {0: "rows"}}
    made: Any = plain(reader)
    shrink_words(made.trunk)
    out.mkdir(parents=True, exist_ok=True)
    (out / ADAPTER).unlink(missing_ok=True)
    to_int8(made, names, ("start", "end", "kind"), axes, out / "model.onnx")
    name = f"span-{sha256(out / 'model.onnx')[:8]}"
    return seal(out, name, ["model.onnx", f"../{TOKENIZER}"], {"task": "span", **about})


class Run(nn.Module):
    """What a graph computes, of a module under a name."""

    def __init__(self, part: str, module: nn.Module, runs: Callable[..., Any]) -> None:
        super().__init__()
        self.add_module(part, module)
        self._part, self._runs = part, runs

    def forward(self, *given: Tensor) -> Any:
        """What it is made to compute."""
        return self._runs(self.get_submodule(self._part), *given)


def export_skills(
    model: SkillModel,
    out: Path,
    name: str,
    tokenizer: Path,
    about: Mapping[str, Any],
    shared: bool = False,
) -> Shipped:
    """Write the model to the folder `out`, with its tokenizer, for `answerable.encoders.skills.ModularEncoder`.

    `EXPERT.onnx` and `EXPERT.bin` for each expert, `shared.bin`, `spans.npz` (the anchor and W^a of section 3.1,
    float32) and the manifest, which says how vectors are made and which skills go to which expert. The name is `name`
    and a digest of the weights that vectors are made by, so not of an expert of reading: one trained alone leaves every
    index in use. `about` joins the manifest: where the weights come from and on what terms.
    `shared`: name the tokenizer that stands beside `out`, for several models, rather than put a copy into it.
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
        heads = spans_of(made)
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

    def graph(model: SkillModel, work: Path) -> Any:
        run = Run("trunk", model.trunk, lambda trunk, ids, mask: trunk(ids, mask, skill))
        return graph_of(run, ("ids", "mask"), ("hidden",), axes, work)

    return graph


SHARED = "shared.bin"
OPSET = 17
Axes = Mapping[str, Mapping[int, str]]
"""What the dimensions of inputs and outputs are called that may have any size."""
_ALIGNMENT = 64
"""Bytes: an arithmetic unit reads weights where they lie, without copying them first."""
_SMALL = 1024
"""Tensors of fewer bytes stay in their graph."""
M = TypeVar("M", bound=nn.Module)


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


def plain(module: M) -> M:
    """A copy to be exported: in fp32, and without dropout."""
    return copy.deepcopy(module).cpu().eval().float()


def shrink_words(trunk: Any) -> None:
    """Put int8 word vectors in place of a trunk's."""
    trunk.words = Int8Embedding(trunk.words.weight.detach())


def digest_of(state: Mapping[str, Tensor]) -> str:
    """SHA-256 of weights by their names."""
    digest = hashlib.sha256()
    for name, value in sorted(state.items()):
        digest.update(name.encode())
        digest.update(value.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def save_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write tensors to an .npz file by their names, in float32."""
    arrays: dict[str, Any] = {key: value.detach().cpu().float().numpy() for key, value in tensors.items()}
    np.savez(path, **arrays)


def to_int8(
    module: nn.Module,
    inputs: Sequence[str],
    outputs: Sequence[str],
    axes: Axes,
    target: Path,
    given: Sequence[Tensor] = (),
) -> None:
    """Trace `module`, called with what is `given`, else with a (b, n) int64 tensor for each input, and quantise its
    products into `target`."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    example = tuple(given) or tuple(torch.ones(2, 9, dtype=torch.long) for _ in inputs)
    with tempfile.TemporaryDirectory(dir=target.parent) as work:
        traced, small = Path(work) / "plain.onnx", Path(work) / "small.onnx"
        with warnings.catch_warnings():  # the tracer warns of sizes that are constants of the model anyway
            warnings.simplefilter("ignore")
            torch.onnx.export(
                module,
                example,
                str(traced),
                input_names=list(inputs),
                output_names=list(outputs),
                dynamic_axes={name: dict(held) for name, held in axes.items()},
                opset_version=OPSET,
                dynamo=False,
            )
        kinds = ["MatMul", "Gemm"]
        quantize_dynamic(traced, small, kinds, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
        small.replace(target)


def graph_of(module: nn.Module, inputs: Sequence[str], outputs: Sequence[str], axes: Axes, work: Path) -> Any:
    """The same as an ONNX graph, made in the folder `work`."""
    import onnx

    small = work / "small.onnx"
    to_int8(module, inputs, outputs, axes, small)
    graph = onnx.load(str(small))
    small.unlink()
    return graph


def write_graphs(graphs: Mapping[str, Any], folder: Path) -> list[str]:
    """Write graphs by their names, and the files they read: what several read in one, the rest in each graph's own."""
    readers: Counter[bytes] = Counter()
    for graph in graphs.values():
        readers.update({_key(data) for _, data in large(graph)})
    shared, names = WeightsFile(folder / SHARED), []
    for name, graph in graphs.items():
        own = shared if len(graphs) == 1 else WeightsFile(folder / f"{name}.bin")
        for tensor, data in large(graph):
            (shared if readers[_key(data)] > 1 else own).keep(tensor, data)
        names += [f"{name}.onnx", *([] if own is shared else own.close())]
        (folder / f"{name}.onnx").write_bytes(graph.SerializeToString())
    return [*names, *shared.close()]


class WeightsFile:
    """Tensors one after another, each once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("wb")
        self._places: dict[bytes, int] = {}

    def keep(self, tensor: Any, data: bytes) -> None:
        """Let a graph's tensor be read from this file, where its bytes are written if they did not stand there yet."""
        import onnx

        key = _key(data)
        if key not in self._places:
            self._file.write(b"\0" * (-self._file.tell() % _ALIGNMENT))
            self._places[key] = self._file.tell()
            self._file.write(data)
        for field in ("raw_data", "float_data", "int32_data", "int64_data"):
            tensor.ClearField(field)
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for name, value in (("location", self.path.name), ("offset", self._places[key]), ("length", len(data))):
            tensor.external_data.add(key=name, value=str(value))

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
