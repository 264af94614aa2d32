"""One trained expert put into an exported encoder of skills: its own file of weights changes, and nothing else.

An expert that was trained beside frozen weights goes with whatever else was made on them, so the model keeps its name
and every index stays in use. What the expert's graph shares with the others is read from where theirs lies.
"""

from __future__ import annotations

import argparse
import copy
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from answerable.encoders.choose import encoder_folder
from answerable.encoders.modular import SkillModel
from answerable.encoders.shipped import MANIFEST, Shipped, open_shipped, seal
from answerable.encoders.wordpieces import PASSAGE_TOKENS
from answerable.errors import ModelError
from answerable.readers.fused import FUSED, GRAPH
from answerable.readers.layout import MAX_TOKENS
from answerable.readers.paths import HEADS
from answerable.training.export import Int8Embedding
from answerable.training.export_fusion import fused_graph
from answerable.training.export_paths import calibrate, heads_of
from answerable.training.export_skills import SPANS, WeightsFile, expert_graph, keep_outside, large, spans_of
from answerable.training.fusion.model import FusedModel
from answerable.training.fusion.start import open_fused_run
from answerable.training.paths.start import open_paths_run, reads
from answerable.training.skills.start import open_run
from answerable.types import Skill

_CLOSE = 1e-6
"""How far numbers of what is shared may lie apart: the model was restored from int8 and is quantised again."""


def graft(
    model: SkillModel, skill: Skill, folder: Path, heads: Mapping[str, Mapping[str, Tensor]], about: Mapping[str, Any]
) -> Shipped:
    """Put the expert of `skill`, and `heads` (tensors by name for each .npz), into the exported encoder in `folder`.

    `about` joins the manifest. Raises `ModelError` when the expert was trained on other weights than those in `folder`.
    """
    shipped = open_shipped(folder)
    routing = dict(shipped.about["routing"])
    expert = model.how.expert(skill)
    others = {name for other, name in routing.items() if other != skill.value and name != expert}
    if not others or any(name == expert and other != skill.value for other, name in routing.items()):
        raise ModelError(
            f"the expert {expert} cannot be put into {folder} alone", hint="export the whole model: export_skills"
        )
    routing[skill.value] = expert
    return _put(
        shipped, expert, min(others), lambda plain, work: expert_graph(plain, skill, work), model, heads, routing, about
    )


def graft_fused(model: FusedModel, folder: Path, about: Mapping[str, Any]) -> Shipped:
    """Put a reader of many passages into the exported encoder that it was trained on; the path reader in it stays.

    Its expert of reading is its own: both readers read what all experts share. Raises `ModelError` as `graft`.
    """
    other = open_shipped(folder).about["routing"][Skill.PASSAGE.value]
    return graft_graph(model.model, folder, GRAPH.removesuffix(".onnx"), other, fused_graph(model), about)


def graft_graph(
    model: SkillModel,
    folder: Path,
    name: str,
    other: str,
    make: Callable[[SkillModel, Path], Any],
    about: Mapping[str, Any],
    beside: Sequence[str] = (),
) -> Shipped:
    """Put a graph of that name into the exported encoder its expert was trained on; no expert's routing changes.

    What it shares, it reads from where the expert `other` does. `make`: see `export_skills.Graphs`. `beside` are
    further files of the folder that join the manifest. Raises `ModelError` as `graft`.
    """
    shipped = open_shipped(folder)
    return _put(shipped, name, other, make, model, {}, shipped.about["routing"], about, beside)


def _put(
    shipped: Shipped,
    name: str,
    other: str,
    make: Callable[[SkillModel, Path], Any],
    model: SkillModel,
    heads: Mapping[str, Mapping[str, Tensor]],
    routing: Mapping[str, str],
    about: Mapping[str, Any],
    beside: Sequence[str] = (),
) -> Shipped:
    """Write `name.onnx`, what it alone reads to `name.bin`, and the heads; then the manifest.

    What it shares, it reads from where the expert `other` does.
    """
    folder = shipped.folder
    plain = copy.deepcopy(model).cpu().eval().float()
    words: Any = Int8Embedding(plain.trunk.words.weight.detach())
    plain.trunk.words = words
    with tempfile.TemporaryDirectory(dir=folder) as place:
        work = Path(place)
        graph = make(plain, work)
        own = _share(graph, _graph(shipped.file(f"{other}.onnx")), other, folder)
        file = WeightsFile(work / f"{name}.bin")
        for tensor, data in own:
            keep_outside(tensor, file.path.name, file.placed(data), len(data))
        made = [f"{name}.onnx", *file.close()]
        (work / made[0]).write_bytes(graph.SerializeToString())
        for head, tensors in heads.items():
            arrays: dict[str, Any] = {key: value.detach().cpu().float().numpy() for key, value in tensors.items()}
            np.savez(work / head, **arrays)
            made.append(head)
        for one in made:
            (work / one).replace(folder / one)
    listed = list(dict.fromkeys([*shipped.about["files"], *made, *beside]))
    kept = {key: value for key, value in shipped.about.items() if key not in ("name", "files")}
    return seal(folder, shipped.name, listed, {**kept, "routing": dict(routing), **about})


def copied(start: str, out: Path) -> bool:
    """Copy the exported encoder that training began from to `out`, to be grafted onto; whether it was one at all.

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


def _graph(path: Path) -> Any:
    """A graph whose large tensors are still pointers to where they lie."""
    import onnx

    return onnx.load(str(path), load_external_data=False)


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


def main() -> None:
    """`python -m answerable.training.graft RUN MODEL WHAT`: put what a run trained alone into an exported model."""
    parser = argparse.ArgumentParser(prog="python -m answerable.training.graft", description=main.__doc__)
    parser.add_argument("run", type=Path, help="the folder that `answerable train` was given as --out")
    parser.add_argument("model", type=Path, help="the folder of the exported encoder it was trained on")
    parser.add_argument("what", choices=[Skill.PROPOSE.value, Skill.READ.value, FUSED], help="what was trained")
    parser.add_argument("--about", type=json.loads, default={}, help="JSON that joins the manifest")
    given = parser.parse_args()
    if given.what == FUSED:
        graft_fused(open_fused_run(given.run), given.model, {FUSED: {"tokens": PASSAGE_TOKENS}} | given.about)
        return
    if given.what == Skill.PROPOSE.value:
        model = open_run(given.run)
        graft(model, Skill.PROPOSE, given.model, {SPANS: spans_of(model)}, given.about)
        return
    if not reads(given.run):
        raise ModelError(f"{given.run} holds no trained path reader", hint="train one: answerable train")
    reader = open_paths_run(given.run)
    calibrate(given.model)
    graft(
        reader.encoder,
        Skill.READ,
        given.model,
        {HEADS: heads_of(reader)},
        {"reading": {"tokens": MAX_TOKENS}} | given.about,
    )


if __name__ == "__main__":
    main()
