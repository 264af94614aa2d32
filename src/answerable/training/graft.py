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
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from answerable.encoders.choose import encoder_folder
from answerable.encoders.modular import SkillModel
from answerable.encoders.shipped import MANIFEST, Shipped, open_shipped, seal
from answerable.errors import ModelError
from answerable.readers.layout import MAX_TOKENS
from answerable.readers.paths import HEADS
from answerable.training.export import Int8Embedding
from answerable.training.export_paths import calibrate, heads_of
from answerable.training.export_skills import SPANS, WeightsFile, expert_graph, keep_outside, large, spans_of
from answerable.training.paths.start import open_paths_run, reads
from answerable.training.skills.start import open_run
from answerable.types import Skill

_CLOSE = 1e-4
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
    others = [name for other, name in routing.items() if other != skill.value and name != expert]
    sharing = [other for other, name in routing.items() if name == expert and other != skill.value]
    if not others or sharing:
        raise ModelError(
            f"the expert {expert} cannot be put into {folder} alone", hint="export the whole model: export_skills"
        )
    plain = copy.deepcopy(model).cpu().eval().float()
    words: Any = Int8Embedding(plain.trunk.words.weight.detach())
    plain.trunk.words = words
    with tempfile.TemporaryDirectory(dir=folder) as place:
        work = Path(place)
        graph = expert_graph(plain, skill, work)
        own = _own(graph, expert)
        _share(graph, _graph(shipped.file(f"{others[0]}.onnx")), others[0], expert, folder)
        file = WeightsFile(work / f"{expert}.bin")
        for tensor, data in own:
            keep_outside(tensor, file.path.name, file.placed(data), len(data))
        made = [f"{expert}.onnx", *file.close()]
        (work / made[0]).write_bytes(graph.SerializeToString())
        for name, tensors in heads.items():
            arrays: dict[str, Any] = {key: value.detach().cpu().float().numpy() for key, value in tensors.items()}
            np.savez(work / name, **arrays)
            made.append(name)
        for name in made:
            (work / name).replace(folder / name)
    listed = list(dict.fromkeys([*shipped.about["files"], *made]))
    kept = {key: value for key, value in shipped.about.items() if key not in ("name", "files")}
    return seal(folder, shipped.name, listed, {**kept, "routing": {**routing, skill.value: expert}, **about})


def _graph(path: Path) -> Any:
    """A graph whose large tensors are still pointers to where they lie."""
    import onnx

    return onnx.load(str(path), load_external_data=False)


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


def _own(graph: Any, expert: str) -> list[tuple[Any, bytes]]:
    """The large tensors that are the expert's alone, with their bytes."""
    own = {tensor.name for name, node, tensor in _tensors(graph) if _OWN in _role(name, node, expert)}
    return [(tensor, data) for tensor, data in large(graph) if tensor.name in own]


def _share(graph: Any, other: Any, theirs: str, ours: str, folder: Path) -> None:
    """Let what `graph` has in common with another expert's be read from where that reads it."""
    from onnx import numpy_helper

    known = {_role(name, node, theirs): tensor for name, node, tensor in _tensors(other)}
    for name, node, tensor in _tensors(graph):
        role = _role(name, node, ours)
        if _OWN in role:
            continue
        same = known.get(role)
        if same is None or not _close(numpy_helper.to_array(tensor), numpy_helper.to_array(same, base_dir=str(folder))):
            raise ModelError(
                f"the expert was not trained on the weights in {folder}", hint="let the recipe's `start` be that folder"
            )
        called = tensor.name
        tensor.CopyFrom(same)
        tensor.name = called


_OWN = "<own>"


def _role(name: str, node: str, expert: str) -> str:
    """What a tensor is to its graph, the same in the graphs of all experts; what is an expert's own says so.

    Tensors of modules have their names; those of products have numbers, and are told by the node that uses them.
    """
    said = name if name.startswith("trunk.") else f"{node} {name.rsplit('_', 1)[-1] if 'MatMul' in name else ''}"
    return said.replace(f"/{expert}/", f"/{_OWN}/").replace(f".{expert}.", f".{_OWN}.")


def _tensors(graph: Any) -> list[tuple[str, str, Any]]:
    """(name, first node that uses it, tensor) of each tensor of a graph."""
    users: dict[str, str] = {}
    for node in graph.graph.node:
        for name in node.input:
            users.setdefault(name, node.name)
    return [(tensor.name, users.get(tensor.name, ""), tensor) for tensor in graph.graph.initializer]


def _close(mine: NDArray[Any], held: NDArray[Any]) -> bool:
    """Whether two tensors hold the same numbers but for rounding: int8 ones may differ by one."""
    if mine.dtype != held.dtype or mine.shape != held.shape:
        return False
    if mine.dtype == np.int8:
        return bool(np.abs(mine.astype(np.int16) - held).max(initial=0) <= 1)
    return bool(np.allclose(mine, held, atol=_CLOSE, rtol=0.01))


def main() -> None:
    """`python -m answerable.training.graft RUN MODEL SKILL`: put what a run trained alone into an exported model."""
    parser = argparse.ArgumentParser(prog="python -m answerable.training.graft", description=main.__doc__)
    parser.add_argument("run", type=Path, help="the folder that `answerable train` was given as --out")
    parser.add_argument("model", type=Path, help="the folder of the exported encoder it was trained on")
    parser.add_argument("skill", choices=[Skill.PROPOSE.value, Skill.READ.value], help="what was trained")
    parser.add_argument("--about", type=json.loads, default={}, help="JSON that joins the manifest")
    given = parser.parse_args()
    if given.skill == Skill.PROPOSE.value:
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
