"""What a walk learned is what runs without torch, and can be gone on from."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch

from answerable.documents.weights import open_weights
from answerable.encoders.sentences import WALK as WEIGHTS
from answerable.encoders.sentences import SentenceEncoder, SentenceLayout
from answerable.errors import ModelError
from answerable.training.documents.model import read_together, weights_of
from answerable.workspace.models import open_navigator
from tests.training.cases import WALK
from tests.training.documents.worlds import BIRD, LAMP, PIER
from walks import TrainedNavigator, restore_walk


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return WALK.world(tmp_path_factory.mktemp("navigation"))


def test_what_is_exported_walks_as_the_model_does(folder: Path, tmp_path: Path) -> None:
    walker, shipped = WALK.grafted(folder, tmp_path)
    model = shipped.folder
    assert shipped.about["navigate"]["terms"] == "ours"
    layout = SentenceLayout(model / "tokenizer.json", read_together(walker))
    running, training = SentenceEncoder(shipped, threads=1), TrainedNavigator(walker, layout)
    assert running.name.startswith("walk-") and running.dimension == 32
    for mine, theirs in zip(
        running.encode_paragraphs([LAMP, PIER, BIRD]), training.encode_paragraphs([LAMP, PIER, BIRD]), strict=True
    ):
        assert ((mine[0] * theirs[0]).sum(1) > 0.95).all() and mine[1] @ theirs[1] > 0.95
    assert ((running.encode_asked(["Who?"], 3) * training.encode_asked(["Who?"], 3)).sum(1) > 0.95).all()
    kept, given = open_weights(model / WEIGHTS), weights_of(walker)
    assert kept.mix_sentence == pytest.approx(given.mix_sentence, abs=1e-2) and kept.scale == given.scale
    assert open_navigator(str(model), 1)[0].encode_asked(["Who?"], 3).shape == (4, 32)


def test_an_exported_walk_can_be_gone_on_from(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        restore_walk(Path(shutil.copytree(folder / "model", tmp_path / "before")))
    walker, shipped = WALK.grafted(folder, tmp_path)
    found, tokenizer = restore_walk(shipped.folder)
    assert tokenizer == shipped.folder / "tokenizer.json"
    theirs = walker.state_dict()
    for name, weight in found.state_dict().items():
        if "types.weight" not in name:  # of its rows only the first is ever used
            assert torch.allclose(weight, theirs[name], atol=float(theirs[name].abs().max()) / 60), name


def test_what_does_not_walk_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="does not walk"):
        open_navigator(str(folder / "model"))
    (tmp_path / "walk.npz").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="learned"):
        open_weights(tmp_path / "walk.npz")
