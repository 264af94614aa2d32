from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from tokenizers import Tokenizer

from answerable.encoders.adapter import adapted
from answerable.encoders.choose import SHIPPED
from answerable.encoders.modular import SkillShape, Special
from answerable.encoders.session import Session
from answerable.encoders.shipped import seal
from answerable.errors import ModelError
from answerable.readers.layout import Layout
from answerable.testing.reader import LIGHT, OTHER
from answerable.training.export import export_skills
from answerable.training.restore import restore_reader, restore_skills
from tests.training.skills.worlds import small_model, write_tokenizer


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


@pytest.mark.parametrize(
    "how",
    [
        SkillShape(),
        SkillShape("naive", Special.FEED_FORWARD, unit=False, temperature=1.0),
        SkillShape(special=Special.NONE),
        SkillShape(reading=True),
    ],
)
def test_an_encoder_of_skills_comes_back_in_its_shape(how: SkillShape, tmp_path: Path) -> None:
    made = small_model(how)
    export_skills(made, tmp_path, "tiny", write_tokenizer(tmp_path / "tokenizer.json"), {})
    found, tokenizer = restore_skills(tmp_path)
    assert tokenizer == tmp_path / "tokenizer.json" and found.trunk.shape == made.trunk.shape
    assert found.how == how and found.how.experts() == made.how.experts()
    theirs = made.state_dict()
    for name, weight in found.state_dict().items():
        if name != "trunk.types.weight":  # of its rows only the first is ever used
            assert torch.allclose(weight, theirs[name], atol=float(theirs[name].abs().max()) / 60), name


def test_the_shipped_encoder_of_skills_can_be_trained_on() -> None:
    model, _ = restore_skills(SHIPPED / "skills")
    assert model.trunk.shape.heads == 12 and len(model.how.experts()) == 7
    with pytest.raises(ModelError, match="no encoder of skills"):
        restore_skills(SHIPPED / "reader")
