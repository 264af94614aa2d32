"""Exported int8 weights back to a module that can be trained on: the way to go on from a model that ships."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from answerable.encoders.shipped import open_shipped
from answerable.encoders.trunk import Trunk
from answerable.errors import ModelError
from answerable.training.span import SpanReader


def restore_reader(folder: Path, dropout: float = 0.0) -> SpanReader:
    """The span reader that was exported to `folder`, in fp32 but no finer than its int8 weights.

    Raises `ModelError` when the folder holds no reader of the shape made here.
    """
    path = open_shipped(folder).file("model.onnx")
    reader = SpanReader(Trunk(dropout=dropout))
    try:
        reader.load_state_dict(_state(path))
    except (KeyError, RuntimeError, ValueError) as error:
        raise ModelError(f"{path} is not a reader that can be trained on", hint="train one from its recipe") from error
    return reader


def _state(path: Path) -> dict[str, Tensor]:
    """Tensors by their names in the module: those kept whole by name, the quantised ones by the node that uses them."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    held: dict[str, Any] = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    state = {name: torch.from_numpy(array.copy()) for name, array in held.items() if not name.startswith("onnx::")}
    state["trunk.words.weight"] = torch.from_numpy(held["trunk.words.rows"] * held["trunk.words.scale"])
    for node in graph.node:
        if node.op_type not in ("MatMulInteger", "Gemm", "MatMul") or len(node.input) < 2:
            continue
        weight = node.input[1].removesuffix("_quantized")
        if f"{weight}_quantized" in held:
            module = node.name.strip("/").rsplit("/", 1)[0].replace("/", ".")
            scaled = held[f"{weight}_quantized"].astype(np.float32) * held[f"{weight}_scale"]
            state[f"{module}.weight"] = torch.from_numpy(np.ascontiguousarray(scaled.T))
    wanted = SpanReader(Trunk()).state_dict()
    return {name: value for name, value in state.items() if name in wanted}
