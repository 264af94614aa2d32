"""Changes of a low rank beside a reader's weights."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from answerable.encoders.shipped import open_shipped
from answerable.encoders.trunk import Trunk, TrunkShape
from answerable.errors import UsageError
from answerable.training.export import export_reader
from answerable.training.low_rank import adapt, export_adapted
from answerable.training.reader import freeze
from answerable.training.restore import restore_reader
from answerable.training.span import SpanReader
from answerable.training.start import summed
from tests.training.experts import learned, noised
from tests.training.skills.worlds import write_tokenizer

SHAPE = TrunkShape(vocabulary=60, width=32, layers=2, heads=1, inner=64, positions=40)
IDS = torch.randint(1, 60, (2, 9), generator=torch.Generator().manual_seed(1))


def tiny(seed: int = 1) -> SpanReader:
    torch.manual_seed(seed)
    reader = SpanReader(Trunk(SHAPE))
    freeze(reader.trunk, 0)
    return reader.eval()


def read(reader: SpanReader) -> torch.Tensor:
    return torch.cat(reader(IDS, torch.ones_like(IDS), torch.ones_like(IDS)), 1)


def plain(reader: SpanReader) -> SpanReader:
    """A reader without factors that should compute the same."""
    made = tiny()
    made.load_state_dict(summed(reader.state_dict()))
    return made


def is_product(name: str) -> bool:
    return ".layers." in name and name.endswith("weight") and "norm" not in name


def test_factors_learn_and_the_weights_beside_them_stay() -> None:
    reader, whole = tiny(), tiny()
    adapt(reader, 3)
    assert torch.equal(read(reader), read(whole))
    losses = learned(reader, lambda: (read(reader) ** 2).mean(), 20, 0.01)
    assert losses[-1] < losses[0] / 2
    before = whole.state_dict()
    for name, value in reader.state_dict().items():
        stays = name.endswith("whole.weight") or name.startswith(("trunk.words", "trunk.places", "trunk.norm"))
        if (kept := name.replace(".whole.", ".")) in before:
            assert torch.equal(value, before[kept]) == (stays or name.startswith("trunk.types")), name
    made = plain(reader)
    assert made.state_dict().keys() == before.keys()
    assert torch.allclose(read(made), read(reader), atol=1e-4)
    for name, value in made.state_dict().items():
        if is_product(name):
            assert torch.linalg.matrix_rank(value - before[name], atol=1e-4) == 3


def test_they_begin_as_the_best_part_of_what_a_run_changed() -> None:
    reader, run = tiny(), noised(tiny())
    adapt(reader, 3, run.state_dict())
    before, wanted = tiny().state_dict(), run.state_dict()
    for name, value in summed(reader.state_dict()).items():
        if is_product(name):
            outer, sizes, inner = torch.linalg.svd(wanted[name] - before[name])
            best = outer[:, :3] @ torch.diag(sizes[:3]) @ inner[:3]
            assert torch.allclose(value, before[name] + best, atol=1e-5), name
        else:
            assert torch.equal(value, wanted[name]), name
    with pytest.raises(UsageError, match="another shape"):
        adapt(tiny(), 3, SpanReader(Trunk(TrunkShape(60, 64, 2, 2, 64, 40))).state_dict())


def test_what_is_exported_is_the_graph_as_it_was_and_an_adapter(tmp_path: Path) -> None:
    write_tokenizer(tmp_path / "tokenizer.json")
    start = export_reader(noised(tiny()), tmp_path / "start")
    reader = restore_reader(start.folder)
    freeze(reader.trunk, 0)
    adapt(reader, 3)
    reader = plain(noised(reader, 0.03))
    (tmp_path / "made").mkdir()
    export_adapted(start.folder, reader, 3, tmp_path / "made", {"licence": "ours"})
    made = open_shipped(tmp_path / "made")
    assert made.about["task"] == "span" and made.about["licence"] == "ours" and made.name != start.name
    assert made.file("model.onnx").read_bytes() == start.file("model.onnx").read_bytes()
    readers = (restore_reader(made.folder), restore_reader(start.folder), reader)
    found, before, wanted = (one.state_dict() for one in readers)
    for name, value in found.items():
        if is_product(name):
            assert (value - wanted[name]).norm() < (before[name] - wanted[name]).norm() / 2, name
