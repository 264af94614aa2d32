"""One trained expert put into an exported encoder of skills: its own file of weights changes, and nothing else.

An expert that was trained beside frozen weights goes with whatever else was made on them, so the model keeps its name
and every index stays in use. What the expert's graph shares with the others is read from where theirs lies.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answerable.encoders.choose import encoder_folder
from answerable.encoders.modular import SkillModel
from answerable.encoders.shipped import MANIFEST, Shipped, open_shipped, seal
from answerable.errors import ModelError, UsageError
from answerable.training.export import NOTHING, Graph, Heads, WeightsFile, expert_graph, large, plain, shrink_words
from answerable.types import Skill

_CLOSE = 1e-6
"""How far numbers of what is shared may lie apart: the model was restored from int8 and is quantised again."""


def add_expert(model: SkillModel, skill: Skill, folder: Path, heads: Heads, about: Mapping[str, Any]) -> Shipped:
    """Put the expert of `skill`, and `heads`, into the exported encoder in `folder`; texts of the skill then go to it.

    `about` joins the manifest. Raises `ModelError` when the expert was trained on other weights than those in `folder`.
    """
    routing = dict(open_shipped(folder).about["routing"])
    expert = model.how.expert(skill)
    others = {name for other, name in routing.items() if other != skill.value and name != expert}
    if not others or any(name == expert and other != skill.value for other, name in routing.items()):
        raise ModelError(f"the expert {expert} cannot be put into {folder} alone", hint="export the whole model")
    told = {**about, "routing": {**routing, skill.value: expert}}
    return add_graph(model, folder, expert, expert_graph(skill), told, heads, min(others))


def add_graph(
    model: SkillModel,
    folder: Path,
    name: str,
    make: Graph,
    about: Mapping[str, Any],
    heads: Heads = NOTHING,
    other: str = "",
) -> Shipped:
    """Put a graph of that name, and `heads`, into the exported encoder its expert was trained on.

    Writes `name.onnx`, and what it alone reads to `name.bin`. What it shares, it reads from where the expert `other`
    does; without a name, that of passages. Raises `ModelError` as `add_expert`.
    """
    import onnx

    shipped = open_shipped(folder)
    other = other or shipped.about["routing"][Skill.PASSAGE.value]
    made = plain(model)
    shrink_words(made.trunk)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        work = Path(place)
        graph = make(made, work)
        theirs = onnx.load(str(shipped.file(f"{other}.onnx")), load_external_data=False)  # large tensors stay pointers
        own = _share(graph, theirs, other, folder)
        file = WeightsFile(work / f"{name}.bin")
        for tensor, data in own:
            file.keep(tensor, data)
        files = [f"{name}.onnx", *file.close(), *heads]
        (work / files[0]).write_bytes(graph.SerializeToString())
        for head, write in heads.items():
            write(work / head)
        for one in files:
            (work / one).replace(folder / one)
    return resealed(shipped, about, files)


def resealed(shipped: Shipped, about: Mapping[str, Any], files: list[str] | tuple[str, ...] = ()) -> Shipped:
    """The manifest written anew, with what the files now hold, with further ones and what else is to be said."""
    kept = {key: value for key, value in shipped.about.items() if key not in ("name", "files")}
    listed = list(dict.fromkeys([*shipped.about["files"], *files]))
    return seal(shipped.folder, shipped.name, listed, {**kept, **about})


def tunable(start: str, out: Path) -> Shipped:
    """A copy in `out` of the exported model in `start`, to be tuned. Raises `UsageError` where there is none."""
    if not copied(start, out):
        raise UsageError(f"{start} is no exported model", hint="`start` is the folder of one")
    for name in open_shipped(encoder_folder(start)).about["files"]:
        if not (out / name).exists():
            shutil.copyfile(encoder_folder(start) / name, out / name)
    return open_shipped(out)


def copied(start: str, out: Path) -> bool:
    """Copy the exported encoder that training began from to `out`, to be added to; whether it was one at all.

    A tokenizer that stands beside the model is not copied: that of the run stands beside `out`.
    """
    folder = encoder_folder(start)
    if not (folder / MANIFEST).is_file():
        return False
    out.mkdir(parents=True, exist_ok=True)
    for name in [*open_shipped(folder).about["files"], MANIFEST]:
        if Path(name).parent == Path():
            shutil.copyfile(folder / name, out / name)
    return True


def _share(graph: Any, theirs: Any, expert: str, folder: Path) -> list[tuple[Any, bytes]]:
    """Let a graph read what the experts share from where they do; the rest of its large tensors, with their bytes.

    What is shared is known by its numbers: the model may have been restored from int8, so that only rounding differs.
    `theirs`: the graph of another expert, of that name.
    """
    common = _shared(theirs, expert)
    held = [(tensor, *_numbers(tensor, theirs, folder)) for tensor in common.values()]
    own, met = [], set()
    for tensor, data in large(graph):
        mine = _numbers(tensor, graph, folder)
        same = next((one for one, *numbers in held if all(map(_close, mine, numbers))), None)
        if same is None:
            own.append((tensor, data))
            continue
        met.add(_place(same))
        called = tensor.name
        tensor.CopyFrom(same)
        tensor.name = called
    if common.keys() - met:
        raise ModelError(
            f"the expert was not trained on the weights in {folder}", hint="let the recipe's `start` be that folder"
        )
    return own


_Place = tuple[str, str]
"""The file that a tensor lies in, and where it begins."""


def _shared(graph: Any, expert: str) -> dict[_Place, Any]:
    """The tensors outside an expert's graph that are not its own, by where they lie.

    Weights of modules have their names; those of products have numbers, and are told by the node that uses them.
    """
    users = {name: node.name for node in graph.graph.node for name in node.input}
    return {
        _place(tensor): tensor
        for tensor in graph.graph.initializer
        if tensor.external_data and f".{expert}." not in tensor.name and f"/{expert}/" not in users.get(tensor.name, "")
    }


def _place(tensor: Any) -> _Place:
    said = {one.key: one.value for one in tensor.external_data}
    return said["location"], said["offset"]


def _numbers(tensor: Any, graph: Any, folder: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    """A tensor's numbers, and the scale of those that are int8: it stands in the graph beside them, by their name."""
    from onnx import numpy_helper

    scale = f"{tensor.name.removesuffix('_quantized')}_scale"
    scales = [one for one in graph.graph.initializer if one.name == scale and tensor.name != scale]
    beside = numpy_helper.to_array(scales[0], base_dir=str(folder)) if scales else np.ones(1, np.float32)
    return numpy_helper.to_array(tensor, base_dir=str(folder)), beside


def _close(mine: NDArray[Any], held: NDArray[Any]) -> bool:
    """Whether two tensors hold the same numbers but for rounding: int8 ones may differ by one."""
    if mine.dtype != held.dtype or mine.shape != held.shape:
        return False
    if mine.dtype == np.int8:
        return bool(np.abs(mine.astype(np.int16) - held).max(initial=0) <= 1)
    return bool(np.allclose(mine, held, atol=_CLOSE, rtol=0.001))
