"""Lessons are drawn as the recipe says; what was learned decides without torch, alone and as a mean."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from answerable.encoders.choose import encoder_folder
from answerable.encoders.deciding import Decider, rows
from answerable.encoders.questions import side_by_side
from answerable.encoders.wordpieces import WordPieces
from answerable.training.deciding.train import DECIDING, KINDS, DecisionRecipe, MeanRecipe, drawn, mean
from answerable.training.experts import begin_expert, open_expert
from answerable.training.loop import tensors
from answerable.training.restore import begin_as
from tests.training.cases import DECISIONS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return DECISIONS.world(tmp_path_factory.mktemp("deciding"))


def test_sources_are_seen_as_often_as_the_recipe_says_and_give_no_more_than_the_most(folder: Path) -> None:
    for many, most, wanted in ((1.0, 9, 1), (2.5, 9, 2), (3.0, 9, 3)):
        how = DecisionRecipe.of(DECISIONS.how(folder, sources={"conditionalqa": many}, most=most))
        assert len(drawn(how, folder / "data")) == wanted
    assert len(drawn(DecisionRecipe.of(DECISIONS.how(folder, sources={"sharc": 2.0}, most=1)), folder / "data")) == 2


def test_what_is_exported_decides_as_the_model_does(folder: Path, tmp_path: Path) -> None:
    trained, shipped = DECISIONS.grafted(folder, tmp_path)
    asked = ["May I light the lamp?", "Is the pier of stone?"]
    told, passages = ["", "I am the keeper."], [("Skerryvore", "The lamp was lit by the keeper."), ("", "The wall.")]
    with torch.no_grad():
        laid = side_by_side(rows(WordPieces(shipped.file("tokenizer.json")), asked, told, passages))
        by_torch = trained(*tensors(laid, torch.device("cpu")))[1].numpy()
    assert Decider(shipped, 1).logits(asked, told, passages) == pytest.approx(by_torch, abs=0.3)


def test_the_mean_of_runs_is_calibrated_and_lies_between_them(folder: Path, tmp_path: Path) -> None:
    runs = []
    for seed in (1, 2):
        loop = {**DECISIONS.given["loop"], "seed": seed}
        runs.append(str(tmp_path / f"run{seed}"))
        DECISIONS.train(DECISIONS.how(folder, loop=loop), folder, Path(runs[-1]))
    how = DECISIONS.how(folder, runs=runs, sources={"sharc": 1.0})
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


def test_it_begins_as_the_judge_that_ships() -> None:
    start = encoder_folder("skills")
    model, _ = begin_expert(DECIDING, "skills", 0.0)
    before = {name: one.clone() for name, one in model.state_dict().items()}
    begin_as(model, start, "fit", "fit.onnx", "judge")
    moved = {name for name, one in model.state_dict().items() if not torch.equal(one, before[name])}
    assert moved and all(".attention." in name and ".fit." in name for name in moved)
