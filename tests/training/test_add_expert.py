from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from answerable.encoders.modular import SkillModel, SkillShape, regrown
from answerable.encoders.shipped import open_shipped, sha256
from answerable.encoders.skills import ModularEncoder
from answerable.errors import ModelError
from answerable.testing.encoder import PASSAGES
from answerable.training.add_expert import add_expert
from answerable.training.export import SPANS, spans_of
from answerable.training.paths.model import PathModel
from answerable.training.restore import restore_skills
from answerable.types import Skill
from tests.training.experts import begun, noised
from tests.training.paths.worlds import write_bert

TEXT = "Alan Stevenson built Skerryvore off Tiree."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(begun(write_bert) / "model", tmp_path / "model"))


def moved(model: SkillModel, skill: Skill) -> SkillModel:
    """The model after what could have been the training of one skill alone."""
    model.train_alone([skill])
    return noised(model, seed=3)  # type: ignore[no-any-return]


def test_only_the_grafted_expert_changes(folder: Path) -> None:
    before = open_shipped(folder)
    hashes = dict(before.about["files"])
    old = ModularEncoder(folder, threads=1)
    vectors = old.encode_passages(PASSAGES), old.encode_mentions(TEXT, [(0, 14)]), old.propose(TEXT)
    model = moved(restore_skills(folder)[0], Skill.PROPOSE)
    after = add_expert(model, Skill.PROPOSE, folder, spans_of(model), {})
    assert after.name == before.name and after.about["licence"] == "ours"
    changed = {name for name, digest in after.about["files"].items() if hashes[name] != digest}
    assert {"propose.bin", SPANS} <= changed <= {"propose.bin", "propose.onnx", SPANS}
    new = ModularEncoder(folder, threads=1)
    assert np.array_equal(new.encode_passages(PASSAGES), vectors[0])
    assert np.array_equal(new.encode_mentions(TEXT, [(0, 14)]), vectors[1])
    row = new.segments.texts([TEXT], 64)[0]
    with torch.no_grad():
        ids = torch.tensor([row.ids])
        theirs = model.trunk(ids, torch.ones_like(ids), Skill.PROPOSE)[0].numpy()
    ours = new._run(Skill.PROPOSE, [row])[0]
    near = (ours * theirs).sum(1) / np.linalg.norm(ours, axis=1) / np.linalg.norm(theirs, axis=1)
    assert near.mean() > 0.99


def test_an_expert_of_other_weights_is_refused_and_nothing_changes(folder: Path) -> None:
    model = moved(restore_skills(folder)[0], Skill.PROPOSE)
    with torch.no_grad():
        model.trunk.layers[0].feed_forward["shared"].rise.weight.mul_(1.1)  # type: ignore[union-attr,operator,index]
    before = {path.name: sha256(path) for path in folder.iterdir()}
    with pytest.raises(ModelError, match="not trained on the weights"):
        add_expert(model, Skill.PROPOSE, folder, spans_of(model), {})
    assert {path.name: sha256(path) for path in folder.iterdir()} == before


def test_an_expert_that_others_use_is_refused(folder: Path) -> None:
    model = restore_skills(folder)[0]
    with pytest.raises(ModelError, match="alone"):
        add_expert(model, Skill.RERANK, folder, {}, {})


def test_reading_begins_as_reranking(folder: Path) -> None:
    model = restore_skills(folder)[0]
    reader = PathModel(regrown(model, SkillShape(reading=True)))
    state = reader.encoder.state_dict()
    for name, weight in state.items():
        if ".attention.read." in name:
            assert torch.equal(weight, state[name.replace(".read.", ".expanded.")])
