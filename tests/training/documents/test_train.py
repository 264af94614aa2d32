from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from answerable.documents.weights import open_weights  # noqa: E402
from answerable.encoders.sentences import WALK, SentenceEncoder, walks  # noqa: E402
from answerable.encoders.shipped import open_shipped  # noqa: E402
from answerable.encoders.skills import ModularEncoder  # noqa: E402
from answerable.errors import ModelError, UsageError  # noqa: E402
from answerable.testing.encoder import PASSAGES  # noqa: E402
from answerable.training.documents.model import WALKING, Walker, weights_of  # noqa: E402
from answerable.training.documents.train import KINDS, NavigationRecipe, train_navigation  # noqa: E402
from answerable.training.experts import begin_expert, export_expert, open_expert, put_expert  # noqa: E402
from answerable.workspace.models import open_navigator  # noqa: E402
from tests.evaluation.long import worlds as long_worlds  # noqa: E402
from tests.training.documents.worlds import BIRD, LAMP, PIER, begun, write_bert  # noqa: E402
from tests.training.experts import check_run, export_encoder  # noqa: E402
from walks import TrainedNavigator, restore_walk  # noqa: E402

RECIPE: dict[str, Any] = {
    "threads": 1,
    "dropout": 0.0,
    "draw": {"tokens": 150, "questions": 2, "least": 2},
    "loop": {"rate": 1e-3, "checkpoint_seconds": 0.0, "most": 6},
    "sources": {"squad": 1, "hotpotqa": 1, "sharc": 1},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder, a BERT, and an encoder of skills exported from it."""
    folder = tmp_path_factory.mktemp("navigation")
    long_worlds.write(folder / "data")
    bert = write_bert(folder / "bert")
    export_encoder(bert, folder / "model")
    return folder


def test_a_run_learns_and_resumes_to_the_same_walk(folder: Path, tmp_path: Path) -> None:
    def train(how: dict[str, Any], out: Path) -> Walker:
        return train_navigation(NavigationRecipe.of(how), folder / "data", out)

    assert not check_run(WALKING, train, RECIPE | {"start": str(folder / "model")}, tmp_path)


def test_a_grafted_walk_encodes_as_the_trained_one_and_moves_nothing_else(folder: Path, tmp_path: Path) -> None:
    model = Path(shutil.copytree(folder / "model", tmp_path / "model"))
    before = ModularEncoder(model, threads=1)
    name, vectors = before.name, before.encode_passages(PASSAGES)
    assert not walks(open_shipped(model))
    walker, layout = begun(model)
    torch.manual_seed(8)
    with torch.no_grad():
        for weight in walker.parameters():
            if weight.requires_grad and weight.ndim:
                weight += 0.05 * torch.randn_like(weight)
    shipped = put_expert(WALKING, walker, model, 0, {"terms": "ours"})
    assert shipped.name == name and shipped.about["licence"] == "ours" and shipped.about["navigate"]["terms"] == "ours"
    assert np.array_equal(ModularEncoder(model, threads=1).encode_passages(PASSAGES), vectors)
    running, training = SentenceEncoder(shipped, threads=1), TrainedNavigator(walker, layout)
    assert running.name.startswith("walk-") and running.dimension == 32
    for mine, theirs in zip(
        running.encode_paragraphs([LAMP, PIER, BIRD]), training.encode_paragraphs([LAMP, PIER, BIRD]), strict=True
    ):
        assert ((mine[0] * theirs[0]).sum(1) > 0.95).all() and mine[1] @ theirs[1] > 0.95
    assert ((running.encode_asked(["Who?"], 3) * training.encode_asked(["Who?"], 3)).sum(1) > 0.95).all()
    kept, given = open_weights(model / WALK), weights_of(walker)
    assert kept.mix_sentence == pytest.approx(given.mix_sentence, abs=1e-2) and kept.scale == given.scale
    assert put_expert(WALKING, walker, model, 0, {}).about["files"] == shipped.about["files"]


def test_an_exported_walk_can_be_gone_on_from(folder: Path, tmp_path: Path) -> None:
    model = Path(shutil.copytree(folder / "model", tmp_path / "model"))
    with pytest.raises(ModelError):
        restore_walk(model)
    walker, _ = begun(model)
    torch.manual_seed(8)
    with torch.no_grad():
        for weight in walker.parameters():
            if weight.requires_grad:
                weight += 0.05 * torch.randn_like(weight)
    put_expert(WALKING, walker, model, 0, {})
    found, tokenizer = restore_walk(model)
    assert tokenizer == model / "tokenizer.json"
    theirs = walker.state_dict()
    for name, weight in found.state_dict().items():
        if "types.weight" not in name:  # of its rows only the first is ever used
            assert torch.allclose(weight, theirs[name], atol=float(theirs[name].abs().max()) / 60), name


def test_a_walk_from_a_bert_is_exported_whole(folder: Path, tmp_path: Path) -> None:
    walker, tokenizer = begin_expert(WALKING, str(folder / "bert"), 0.0)
    shipped = export_expert(WALKING, walker, tmp_path / "model", tokenizer, 0, "tiny", {})
    assert walks(shipped) and open_navigator(str(tmp_path / "model"), 1)[0].dimension == 32
    assert ModularEncoder(tmp_path / "model", threads=1).encode_passages(PASSAGES).shape[1] == 32


def test_what_does_not_walk_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="does not walk"):
        open_navigator(str(folder / "model"))
    with pytest.raises(ModelError, match="no trained walk"):
        open_expert(WALKING, tmp_path)
    (tmp_path / "walk.npz").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="learned"):
        open_weights(tmp_path / "walk.npz")


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"speed": 3}, "speed"),
        ({"attention": "hard"}, "attention|hard"),
        ({"sources": {"nowhere": 1}}, "nowhere"),
        ({"sources": {}}, "no sources"),
        ({"draw": {"steps": "jumps"}}, "draw.steps"),
        ({"loop": {"evaluate_steps": 3}}, "not judged"),
    ],
)
def test_a_recipe_that_cannot_be_used_is_refused(wrong: dict[str, Any], match: str) -> None:
    with pytest.raises(UsageError, match=match):
        NavigationRecipe.of(RECIPE | wrong)


def test_the_command_trains_and_exports_a_model_that_walks(folder: Path, tmp_path: Path) -> None:
    recipe = RECIPE | {"start": str(folder / "model"), "sources": {"squad": 1}}
    made = KINDS["navigation"].make(NavigationRecipe.of(recipe), folder / "data", tmp_path / "run")
    assert made.folder == tmp_path / "run/model" and walks(open_shipped(made.folder))
    assert made.name == open_shipped(folder / "model").name
    assert open_navigator(str(made.folder), 1)[0].encode_asked(["Who?"], 3).shape == (4, 32)
