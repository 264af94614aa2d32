"""Adapters: what they add to a graph, how near they come to what was learned, and who vouches for them."""

import shutil
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch

from answerable.encoders.adapter import ADAPTER, adapted
from answerable.encoders.choose import SHIPPED
from answerable.encoders.shipped import open_shipped, seal
from answerable.encoders.trunk import Trunk, TrunkShape
from answerable.errors import ModelError
from answerable.training import packing
from answerable.training.export import export_reader
from answerable.training.packing import pack_adapter
from answerable.training.restore import Stored, restore_reader, stored
from answerable.training.span import SpanReader

SMALL = TrunkShape(vocabulary=60, width=64, layers=2, heads=2, inner=128, positions=40)
RANK = 6


def apart(reader: SpanReader, seed: int, rank: int) -> SpanReader:
    """A reader that learned on: of each product a change of this rank, of biases and norms any."""
    torch.manual_seed(seed)
    state = reader.state_dict()
    for name, value in state.items():
        if value.ndim == 1:
            value += 0.05 * torch.randn(value.shape)
        elif ".layers." in name:
            value += 0.008 * torch.randn(len(value), rank) @ torch.randn(rank, value.shape[1])
    reader.load_state_dict(state)
    return reader


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an exported reader, none of whose tensors are alike."""
    models = tmp_path_factory.mktemp("models")
    shutil.copy(SHIPPED / "tokenizer.json", models)
    torch.manual_seed(5)
    return export_reader(apart(SpanReader(Trunk(SMALL)), 6, 1).eval(), models / "reader").folder


@pytest.fixture
def folder(start: Path, tmp_path: Path) -> Path:
    """A copy of it with the adapter of a reader that learned on."""
    shutil.copy(start.parent / "tokenizer.json", tmp_path)
    made = tmp_path / "reader"
    shutil.copytree(start, made)
    pack_adapter(start, learned(start), RANK, made)
    return made


def learned(start: Path) -> SpanReader:
    return apart(restore_reader(start), 7, RANK).eval()


def distance(ours: SpanReader, theirs: SpanReader) -> float:
    pairs = zip(ours.state_dict().values(), theirs.state_dict().values(), strict=True)
    return float(sum((a - b).square().sum() for a, b in pairs))


def test_a_graph_with_its_adapter_is_what_was_learned(start: Path, folder: Path) -> None:
    wanted = learned(start)
    name = open_shipped(start).name
    restored = restore_reader(seal(folder, name, ["model.onnx", ADAPTER, "../tokenizer.json"], {}).folder)
    assert distance(restored, wanted) < 0.08 * distance(restore_reader(start), wanted)
    ids = torch.randint(1, 60, (2, 12))
    feed = {"ids": ids.numpy(), "types": (ids > 20).long().numpy(), "mask": np.ones_like(ids.numpy())}
    found = onnxruntime.InferenceSession(adapted(folder / "model.onnx")).run(None, feed)
    before = onnxruntime.InferenceSession(str(start / "model.onnx")).run(None, feed)
    aimed = [one.detach().numpy() for one in wanted(*map(torch.from_numpy, feed.values()))]
    assert np.abs(found[2] - aimed[2]).max() < 0.3 * np.abs(before[2] - aimed[2]).max()


def test_what_is_not_learned_stays_byte_for_byte(start: Path, folder: Path) -> None:
    assert adapted(start / "model.onnx") == start / "model.onnx"
    pack_adapter(start, restore_reader(start), RANK, folder)
    assert adapted(folder / "model.onnx") == (start / "model.onnx").read_bytes()


def test_more_directions_come_nearer(start: Path, folder: Path) -> None:
    wanted, far = learned(start), []
    for rank in (1, 3, RANK):
        pack_adapter(start, wanted, rank, folder)
        shipped = seal(folder, "span-1", ["model.onnx", ADAPTER, "../tokenizer.json"], {})
        far.append(distance(restore_reader(shipped.folder), wanted))
    assert far[0] > far[1] > far[2]


def test_what_was_learned_later_stands_beside_what_was_learned_before(folder: Path, tmp_path: Path) -> None:
    later = tmp_path / "later"
    shutil.copytree(folder, later)
    seal(folder, "span-1", ["model.onnx", ADAPTER, "../tokenizer.json"], {})
    wanted = apart(restore_reader(folder), 8, 2).eval()
    pack_adapter(folder, wanted, 2, later)
    seal(later, "span-2", ["model.onnx", ADAPTER, "../tokenizer.json"], {})
    assert distance(restore_reader(later), wanted) < 0.2 * distance(restore_reader(folder), wanted)
    with np.load(folder / ADAPTER) as before, np.load(later / ADAPTER) as after:
        assert np.array_equal(after["products"][::2], before["products"])
        assert np.array_equal(after["units"][::2], before["units"])


def test_an_adapter_that_no_manifest_names_is_refused(folder: Path) -> None:
    with pytest.raises(ModelError, match="an adapter stands beside"):
        open_shipped(folder).file("model.onnx")


def test_a_graph_that_holds_two_tensors_as_one_cannot_be_adapted(tmp_path: Path) -> None:
    shutil.copy(SHIPPED / "tokenizer.json", tmp_path)
    reader = SpanReader(Trunk(SMALL)).eval()  # its norms are all ones
    with pytest.raises(ModelError, match="by itself"):
        pack_adapter(export_reader(reader, tmp_path / "reader").folder, reader, RANK, tmp_path)


@pytest.mark.parametrize("name", ["trunk.words.weight", "kind.bias"])
def test_what_no_adapter_holds_is_not_dropped(
    start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    halves = {"kind.bias": Stored(stored(start / "model.onnx")["kind.bias"].array.astype(np.float16))}
    monkeypatch.setattr(packing, "stored", lambda graph: stored(graph) | halves)
    reader = restore_reader(start)
    reader.state_dict()["kind.bias"].copy_(halves["kind.bias"].value)
    pack_adapter(start, reader, RANK, tmp_path)
    reader.state_dict()[name][0] += 0.01
    with pytest.raises(ModelError, match=f"what changed of {name}"):
        pack_adapter(start, reader, RANK, tmp_path)
