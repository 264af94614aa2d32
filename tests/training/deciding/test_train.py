"""A whole run: it learns, is exported beside the encoder it began from, and decides without torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from answerable.encoders.choose import encoder_folder  # noqa: E402
from answerable.encoders.deciding import Decider, decides, rows  # noqa: E402
from answerable.encoders.questions import side_by_side  # noqa: E402
from answerable.encoders.shipped import open_shipped  # noqa: E402
from answerable.encoders.skills import ModularEncoder  # noqa: E402
from answerable.encoders.wordpieces import WordPieces  # noqa: E402
from answerable.errors import UsageError  # noqa: E402
from answerable.testing.encoder import PASSAGES  # noqa: E402
from answerable.training.deciding.train import (  # noqa: E402
    DECIDING,
    KINDS,
    DecisionModel,
    DecisionRecipe,
    MeanRecipe,
    drawn,
    mean,
    train_deciding,
)
from answerable.training.experts import begin_expert, open_expert  # noqa: E402
from answerable.training.loop import tensors  # noqa: E402
from answerable.training.restore import begin_as  # noqa: E402
from tests.evaluation.long import worlds as long_worlds  # noqa: E402
from tests.training.experts import check_run, export_encoder  # noqa: E402
from tests.training.sets.worlds import write_bert  # noqa: E402

RECIPE: dict[str, Any] = {
    "threads": 1,
    "dropout": 0.0,
    "sources": {"sharc": 6.0, "conditionalqa": 2.0},
    "loop": {"rate": 3e-3, "tokens": 512, "checkpoint_seconds": 0.0},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data, a BERT, and an encoder of skills exported from it."""
    folder = tmp_path_factory.mktemp("deciding")
    long_worlds.write(folder / "data")
    export_encoder(write_bert(folder / "bert"), folder / "model")
    return folder


def recipe(folder: Path, **changed: Any) -> dict[str, Any]:
    return RECIPE | {"start": str(folder / "model")} | changed


def test_a_run_learns_and_resumes_to_the_same_weights(folder: Path, tmp_path: Path) -> None:
    def train(how: dict[str, Any], out: Path) -> DecisionModel:
        return train_deciding(DecisionRecipe.of(how), folder / "data", out)

    assert not check_run(DECIDING, train, recipe(folder), tmp_path)


def test_sources_are_seen_as_often_as_the_recipe_says_and_give_no_more_than_the_most(folder: Path) -> None:
    for many, most, wanted in ((1.0, 9, 1), (2.5, 9, 2), (3.0, 9, 3)):
        how = DecisionRecipe.of(recipe(folder, sources={"conditionalqa": many}, most=most))
        assert len(drawn(how, folder / "data")) == wanted
    assert len(drawn(DecisionRecipe.of(recipe(folder, sources={"sharc": 2.0}, most=1)), folder / "data")) == 2


def test_what_is_exported_decides_as_the_model_does(folder: Path, tmp_path: Path) -> None:
    made = KINDS["deciding"].make(DecisionRecipe.of(recipe(folder)), folder / "data", tmp_path / "run")
    assert made.folder is not None
    shipped, before = open_shipped(made.folder), open_shipped(folder / "model")
    assert decides(shipped) and not decides(before) and shipped.name == before.name
    old, new = (ModularEncoder(one).encode_passages(PASSAGES) for one in (folder / "model", made.folder))
    assert np.array_equal(old, new), "no vector of another skill moves"
    asked = ["May I light the lamp?", "Is the pier of stone?"]
    told, passages = ["", "I am the keeper."], [("Skerryvore", "The lamp was lit by the keeper."), ("", "The wall.")]
    with torch.no_grad():
        laid = side_by_side(rows(WordPieces(shipped.file("tokenizer.json")), asked, told, passages))
        by_torch = open_expert(DECIDING, tmp_path / "run").eval()(*tensors(laid, torch.device("cpu"))).numpy()
    assert Decider(shipped, 1).logits(asked, told, passages) == pytest.approx(by_torch, abs=0.3)


def test_the_mean_of_runs_is_calibrated_and_lies_between_them(folder: Path, tmp_path: Path) -> None:
    runs = []
    for seed in (1, 2):
        loop = RECIPE["loop"] | {"seed": seed}
        runs.append(str(tmp_path / f"run{seed}"))
        train_deciding(DecisionRecipe.of(recipe(folder, loop=loop)), folder / "data", Path(runs[-1]))
    how = recipe(folder, runs=runs, sources={"sharc": 1.0})
    (tmp_path / "mean").mkdir()
    made = mean(MeanRecipe.of(how), folder / "data", tmp_path / "mean")
    one, other = (open_expert(DECIDING, Path(run)).state_dict() for run in runs)
    ratios = set()
    for name, weight in made.state_dict().items():
        middle = (one[name] + other[name]) / 2
        if name.startswith("head."):
            ratios |= {round(float(each), 3) for each in (weight / middle).flatten()}
        else:
            assert torch.allclose(weight, middle, atol=1e-6)
    assert len(ratios) == 1 and 0.2 <= ratios.pop() <= 2.0
    assert KINDS["deciding-mean"].recipe is MeanRecipe
    with pytest.raises(UsageError, match="no models of one shape"):
        mean(MeanRecipe.of({**how, "runs": [str(folder)]}), folder / "data", tmp_path / "mean")


def test_it_begins_as_the_judge_that_ships() -> None:
    start = encoder_folder("skills")
    model, _ = begin_expert(DECIDING, "skills", 0.0)
    before = {name: one.clone() for name, one in model.state_dict().items()}
    begin_as(model, start, "fit", "fit.onnx", "judge")
    moved = {name for name, one in model.state_dict().items() if not torch.equal(one, before[name])}
    assert moved and all(".attention." in name and ".fit." in name for name in moved)
