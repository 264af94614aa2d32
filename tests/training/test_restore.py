from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from tokenizers import Tokenizer

from answerable.encoders.adapter import adapted
from answerable.encoders.choose import SHIPPED
from answerable.encoders.session import Session
from answerable.encoders.shipped import seal
from answerable.errors import ModelError
from answerable.readers.layout import Layout
from answerable.testing.reader import LIGHT, OTHER
from answerable.training.restore import restore_reader, restore_skills


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


def test_the_shipped_encoder_of_skills_can_be_trained_on() -> None:
    model, _ = restore_skills(SHIPPED / "skills")
    assert model.trunk.shape.heads == 12 and len(model.how.experts()) == 7
    with pytest.raises(ModelError, match="no encoder of skills"):
        restore_skills(SHIPPED / "reader")
