from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch

from answerable.encoders.choose import SHIPPED
from answerable.encoders.shipped import open_shipped
from answerable.encoders.trunk import Trunk, TrunkShape
from answerable.errors import ModelError
from answerable.training.export import Int8Embedding, export_reader
from answerable.training.reader import KINDS, ReaderRecipe
from answerable.training.span import SpanReader

SMALL = TrunkShape(vocabulary=60, width=32, layers=2, heads=4, inner=64, positions=40)
TEXTS = [
    "Skerryvore is a lighthouse that lies off the west coast of Scotland, south-west of the island of Tiree.",
    "The invoice for the second quarter is still open; could you look at it before Friday?",
    "In 1848 the company moved its works to Birmingham, where it made glass for lamps.",
    "Who owns the pier?",
]


def run(model: Path, **inputs: Any) -> list[np.ndarray[Any, Any]]:
    """The outputs of an ONNX file for torch tensors."""
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    found: list[np.ndarray[Any, Any]] = session.run(None, {key: value.numpy() for key, value in inputs.items()})
    return found


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder of models that has a tokenizer and nothing else."""
    shutil.copy(SHIPPED / "tokenizer.json", tmp_path)
    return tmp_path


def test_word_vectors_in_eight_bits_stay_close() -> None:
    torch.manual_seed(1)
    rows = torch.randn(50, 32) * torch.rand(50, 1)
    ids = torch.arange(50).view(5, 10)
    near = torch.cosine_similarity(Int8Embedding(rows)(ids), rows[ids], dim=-1)
    assert float(near.min()) > 0.9999
    assert float(Int8Embedding(torch.zeros(2, 4))(torch.tensor([[1]])).abs().sum()) == 0.0


def test_a_reader_keeps_its_logits(models: Path) -> None:
    torch.manual_seed(3)
    reader = SpanReader(Trunk(SMALL)).eval()
    shipped = export_reader(reader, models / "reader")
    for rows, length in ((1, 5), (3, 17)):  # other sizes than the example it was traced with
        ids = torch.randint(1, 60, (rows, length))
        types = (torch.arange(length) > 2).long().expand(rows, -1).contiguous()
        mask = torch.ones_like(ids)
        mask[0, length - 1] = 0
        found = run(shipped.file("model.onnx"), ids=ids, types=types, mask=mask)
        for ours, theirs in zip(found, reader(ids, types, mask), strict=True):
            assert ours.shape == tuple(theirs.shape)
            kept = theirs.detach().numpy() > -5000
            np.testing.assert_allclose(ours[kept], theirs.detach().numpy()[kept], atol=0.1)
            assert (ours[~kept] < -5000).all()


def test_an_adapter_of_the_graph_before_goes(models: Path) -> None:
    (models / "reader").mkdir()
    (models / "reader/adapter.npz").write_bytes(b"of another graph")
    shipped = export_reader(SpanReader(Trunk(SMALL)), models / "reader")
    assert shipped.file("model.onnx").is_file() and not (models / "reader/adapter.npz").exists()


def test_a_reader_comes_from_its_checkpoint(models: Path) -> None:
    reader = SpanReader(Trunk(TrunkShape(width=64, layers=2, heads=2, inner=128, positions=64)))
    torch.save({"model": reader.state_dict(), "step": 1}, models / "checkpoint.pt")
    recipe = ReaderRecipe.of({"sources": {"nq": 1}})
    export = KINDS["reader"].export
    assert export is not None
    shipped = open_shipped(export(recipe, models, models / "reader").folder or models)
    assert shipped.file("model.onnx").stat().st_size < 2.5e6  # a byte a number: there are two million
    assert shipped.file("tokenizer.json").resolve() == (models / "tokenizer.json").resolve()
    with pytest.raises(ModelError, match="no trained reader"):
        export(recipe, models / "absent", models / "reader")
