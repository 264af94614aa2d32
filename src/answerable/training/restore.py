"""Exported int8 weights back to a module that can be trained on: the way to go on from a model that ships."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from answerable.encoders.adapter import adapted
from answerable.encoders.modular import READING, ROUTINGS, ModularTrunk, Pooling, SkillModel, SkillShape, Special
from answerable.encoders.shipped import MANIFEST, Shipped, open_shipped
from answerable.encoders.trunk import Trunk, TrunkShape
from answerable.errors import ModelError
from answerable.training.span import SpanReader
from answerable.types import Skill

WORDS = "trunk.words.weight"


@dataclass(frozen=True, slots=True)
class Stored:
    """A tensor as a graph holds it: as it is, or in int8 with a scale for each output, transposed."""

    array: NDArray[Any]
    scales: NDArray[np.float32] | None = None

    @property
    def value(self) -> Tensor:
        """It as a module has it."""
        return _tensor(self.array if self.scales is None else (self.array.astype(np.float32) * self.scales).T)


def restore_reader(folder: Path, dropout: float = 0.0) -> SpanReader:
    """The span reader that was exported to `folder`, in fp32 but no finer than its int8 weights.

    Raises `ModelError` when the folder holds no reader of the shape made here.
    """
    path = open_shipped(folder).file("model.onnx")
    try:
        state = {name: one.value for name, one in stored(adapted(path)).items()}
        reader = SpanReader(Trunk(sizes_of(state), dropout))
        reader.load_state_dict({name: value for name, value in state.items() if name in reader.state_dict()})
    except (KeyError, RuntimeError, ValueError) as error:
        raise ModelError(f"{path} is not a reader that can be trained on", hint="train one from its recipe") from error
    return reader


def restore_skills(folder: Path) -> tuple[SkillModel, Path]:
    """The encoder of skills that was exported to `folder`, in fp32 but no finer than its int8 weights; its tokenizer.

    An expert of reading comes with it, should there be one, but not its heads. Raises `ModelError` when the folder
    holds no such encoder.
    """
    shipped = open_shipped(folder)
    try:
        state: dict[str, Tensor] = {}
        for expert in dict.fromkeys(shipped.about["routing"].values()):
            state |= expert_state(shipped.file(f"{expert}.onnx"))
        with np.load(shipped.file("spans.npz")) as spans:
            state |= {"anchor": torch.from_numpy(spans["anchor"]), "span.weight": torch.from_numpy(spans["span"])}
        sizes = sizes_of(state, int(shipped.about.get("heads", 0)))
        model = SkillModel(ModularTrunk(sizes, _shape(shipped, state)))
        model.load_state_dict(state)
    except (KeyError, RuntimeError, ValueError) as error:
        raise ModelError(
            f"{folder} holds no encoder of skills to train on", hint="train one from its recipe"
        ) from error
    return model, shipped.file("tokenizer.json")


def sizes_of(state: Mapping[str, Tensor], heads: int = 0) -> TrunkShape:
    """The sizes of a trunk from those of its tensors, which do not tell its heads: MiniLM's have 32 numbers each.

    Raises `KeyError` or `ValueError` where they are not of a trunk.
    """
    vocabulary, width = state["trunk.words.weight"].shape
    layers = 1 + max(int(name.split(".")[2]) for name in state if name.startswith("trunk.layers."))
    inner = next(len(value) for name, value in state.items() if name.endswith(".rise.bias"))
    return TrunkShape(vocabulary, width, layers, heads or width // 32, inner, len(state["trunk.places.weight"]))


def _shape(shipped: Shipped, state: Mapping[str, Tensor]) -> SkillShape:
    """How the exported model is built, from its manifest and the names of its tensors."""
    apart = (Skill.READ.value, Skill.NAVIGATE.value, Skill.FIT.value, Skill.MATCH.value)
    theirs = {skill: expert for skill, expert in shipped.about["routing"].items() if skill not in apart}
    pooling, unit = Pooling(shipped.about["pooling"]), bool(shipped.about["unit"])
    for special in (Special.ATTENTION, Special.FEED_FORWARD, Special.NONE):
        for routing in ROUTINGS:
            reading = shipped.about["routing"].get("read") == READING
            shape = SkillShape(routing, special, pooling, unit, 0.05 if unit else 1.0, reading=reading)
            ours = {skill.value: shape.expert(skill) for skill in Skill if skill not in apart}
            part = f"trunk.layers.0.{special.value.replace('-', '_')}.{shape.expert(Skill.SINGLE)}."
            if theirs == ours and (special is Special.NONE or any(name.startswith(part) for name in state)):
                return shape
    raise ValueError("no routing of ours")


def expert_state(path: Path, part: str = "trunk") -> dict[str, Tensor]:
    """The tensors of one expert's graph, those it shares with others among them, by their names in `SkillModel`.

    `part`: what the trunk is called in nodes of the graph. Tensors around a trunk keep their names in it.
    """
    graph, named = _opened(path)
    held = {name[max(0, name.find("trunk.")) :]: array for name, array in named.items()}
    for node in graph.node:
        if node.op_type == "Identity":  # tensors that are equal are stored once
            held[node.output[0]] = held[node.input[0]]
    words = held.pop("trunk.words.rows") * held.pop("trunk.words.scale")
    state = {name: _tensor(array) for name, array in held.items() if name.startswith(("trunk.", f"{part}."))}
    state["trunk.words.weight"] = _tensor(words)
    for node in graph.node:
        kept = [held[name] for name in node.input if name in held]
        if node.name == f"/{part}/Add_1":  # texts have type 0 throughout, so that the other's row was never used
            state["trunk.types.weight"] = _tensor(np.stack([kept[0], kept[0]]))
    for name, weight in _products(graph, held):
        module = _module(name) if "/layers." in name else f"{part}.{_module(name)}"
        state[f"{module}.weight"] = weight.value
    return state


def begin_as(model: Any, folder: Path, key: str, graph: str, part: str) -> None:
    """Give a model that is trained around an encoder the attention of the expert that was exported to `folder` under a
    `key` of its manifest, as the `part` of a `graph`, if there is one."""
    if (folder / MANIFEST).is_file() and key in (shipped := open_shipped(folder)).about:
        state = expert_state(shipped.file(graph), part)
        own = {f"model.{name}": value for name, value in state.items() if ".attention." in name}
        model.load_state_dict(model.state_dict() | own)


def _tensor(array: NDArray[Any]) -> Tensor:
    return torch.from_numpy(np.array(array, np.float32, order="C"))


def _module(node: str) -> str:
    """The module that a node such as `/trunk/layers.0/question/query/MatMul_quant` computes: nodes leave out pools."""
    names = node.strip("/").split("/")[1:]
    if not names[0].startswith("layers."):
        return ".".join(names[:-1])
    layer, expert, part = names[:3]
    return f"trunk.{layer}.{'feed_forward' if part in ('rise', 'fall') else 'attention'}.{expert}.{part}"


def stored(model: Path | bytes) -> dict[str, Stored]:
    """What a reader's graph holds of its module, by the names there: tensors kept whole by their own, the quantised
    ones by the node that uses them, and what word vectors are looked up as."""
    graph, held = _opened(model)
    own = {name: Stored(array) for name, array in held.items() if not name.startswith("onnx::")}
    if "trunk.words.rows" in held:
        own[WORDS] = Stored(held["trunk.words.rows"] * held["trunk.words.scale"])
    return own | {_reads(name): one for name, one in _products(graph, held)}


def _reads(node: str) -> str:
    """The tensor that a node such as `/trunk/layers.0/rise/MatMul_quant` of a reader's graph multiplies by."""
    return f"{node.strip('/').rsplit('/', 1)[0].replace('/', '.')}.weight"


def _opened(model: Path | bytes) -> tuple[Any, dict[str, NDArray[Any]]]:
    """A graph, and its tensors by their names."""
    import onnx
    from onnx import numpy_helper

    graph = (onnx.load_from_string(model) if isinstance(model, bytes) else onnx.load(str(model))).graph
    return graph, {one.name: numpy_helper.to_array(one) for one in graph.initializer}


def _products(graph: Any, held: Mapping[str, NDArray[Any]]) -> Iterator[tuple[str, Stored]]:
    """The weights of a graph's int8 products by the names of their nodes."""
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            scale = held[node.input[1].removesuffix("_quantized") + "_scale"]
            yield node.name, Stored(held[node.input[1]], np.asarray(scale, np.float32).reshape(-1))
