from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from tokenizers import Tokenizer

from answerable.encoders.adapter import adapted
from answerable.encoders.choose import SHIPPED, encoder_folder
from answerable.encoders.constraints import GRAPH, feeding, lay
from answerable.encoders.modular import SkillModel
from answerable.encoders.session import Session
from answerable.encoders.shipped import open_shipped, seal
from answerable.errors import ModelError
from answerable.readers.layout import Layout
from answerable.testing.reader import LIGHT, OTHER
from answerable.training import start
from answerable.training.deciding import DECIDING
from answerable.training.experts import begin_expert
from answerable.training.restore import begin_as, restore_reader, restore_skills
from answerable.training.sets.model import JUDGING, restore_judge


def test_the_shipped_reader_comes_back_as_it_was() -> None:
    reader = restore_reader(SHIPPED / "reader").eval()
    shipped = Session(adapted(SHIPPED / "reader" / "model.onnx"), 1)
    layout = Layout(Tokenizer.from_file(str(SHIPPED / "tokenizer.json")))
    for question, text in (
        ("Who designed Skerryvore Lighthouse?", LIGHT),
        ("When did the works close?", OTHER),
        ("Was Skerryvore Lighthouse first lit in 1844?", LIGHT),
    ):
        asked, head, told = layout.tokens([question, layout.head(""), text])
        laid = layout.lay(asked, [(head, told)], lambda *_: 0)
        feed = {
            "ids": np.array([laid.ids]),
            "types": np.array([laid.types]),
            "mask": np.ones((1, len(laid.ids)), np.int64),
        }
        with torch.no_grad():
            ours = reader(*(torch.from_numpy(feed[name]) for name in ("ids", "types", "mask")))
        for mine, theirs in zip(ours, shipped.run(feed), strict=True):
            kept = np.abs(theirs) < 100  # the question is masked with a large number
            assert np.corrcoef(mine.numpy()[kept], theirs[kept])[0, 1] > 0.99


def test_another_model_is_refused(tmp_path: Path) -> None:
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph([], "none", [], [])), tmp_path / "model.onnx")
    seal(tmp_path, "one-1", ["model.onnx"], {})
    with pytest.raises(ModelError, match="not a reader"):
        restore_reader(tmp_path)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model"):
        restore_reader(tmp_path)


@pytest.fixture(scope="module")
def restored() -> tuple[SkillModel, Path]:
    return restore_skills(SHIPPED / "skills")


@pytest.fixture
def once(restored: tuple[SkillModel, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """What begins with the encoder that ships begins with this one, which nothing changes."""
    monkeypatch.setattr(start, "restore_skills", lambda folder: restored)


def test_the_shipped_encoder_of_skills_can_be_trained_on(restored: tuple[SkillModel, Path]) -> None:
    model, _ = restored
    assert model.trunk.shape.heads == 12 and len(model.how.experts()) == 7
    with pytest.raises(ModelError, match="no encoder of skills"):
        restore_skills(SHIPPED / "reader")


@pytest.mark.usefixtures("once")
def test_a_judge_that_ships_is_gone_on_from_with_its_head() -> None:
    folder = encoder_folder("skills")
    model = begin_expert(JUDGING, "skills", 0.0)[0].eval()
    restore_judge(model, folder)
    fed = feeding([lay([101, 1996, 3578, 2003, 1037, 10171, 102], [[101, 10171, 102], [101, 4743, 102]])])
    (shipped,) = Session(open_shipped(folder).file(GRAPH), 1).run_all([fed])[0]
    with torch.no_grad():
        ours = model(*(torch.from_numpy(one) for one in fed.values()))
    assert torch.allclose(ours, torch.from_numpy(shipped), atol=1.2)
    assert shipped[0, 0] - shipped[0, 1] > 2  # a lighthouse, and no bird


@pytest.mark.usefixtures("once")
def test_what_decides_begins_as_the_judge_that_ships() -> None:
    model, _ = begin_expert(DECIDING, "skills", 0.0)
    before = {name: one.clone() for name, one in model.state_dict().items()}
    begin_as(model, encoder_folder("skills"), "fit", "fit.onnx", "judge")
    moved = {name for name, one in model.state_dict().items() if not torch.equal(one, before[name])}
    assert moved and all(".attention." in name and ".fit." in name for name in moved)
