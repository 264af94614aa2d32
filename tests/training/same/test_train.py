"""Lessons are drawn as the recipe says; what was learned tells without torch, and is calibrated."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from answerable.encoders.sameness import QuestionTest
from answerable.encoders.shipped import open_shipped
from answerable.encoders.wordpieces import WordPieces
from answerable.training.same import tune
from answerable.training.same.lessons import Lesson, read_groups
from answerable.training.same.train import SameRecipe, drawn, laid, run
from tests.training.cases import SAME


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = SAME.world(tmp_path_factory.mktemp("same"))
    assert {one.development for one in read_groups(folder / "groups.jsonl.gz")} == {True, False}
    return folder


def test_sources_are_seen_as_often_as_the_recipe_says(folder: Path) -> None:
    once, twice = (drawn(SameRecipe.of(SAME.how(folder, sources={"passages": n})), folder / "data") for n in (1.0, 1.5))
    assert len(once) == 8 and len(twice) == 12


def test_what_is_exported_tells_as_the_model_does(folder: Path, tmp_path: Path) -> None:
    trained, shipped = SAME.grafted(folder, tmp_path)
    lesson = Lesson("Who kept the lamp of Alma in 1811?", "keeper of Alma in 1811", True, "same")
    told = QuestionTest(shipped, 1)
    turned = Lesson(lesson.other, lesson.one, True, "same")
    rows = laid(WordPieces(shipped.file("tokenizer.json")), [lesson, turned])
    with torch.no_grad():
        by_torch = run(trained, rows, torch.device("cpu"))
    assert told.logit(lesson.one, lesson.other) == pytest.approx(float(by_torch.mean()), abs=0.3)


def test_a_copy_is_calibrated_on_development_groups(folder: Path, tmp_path: Path) -> None:
    SAME.grafted(folder, tmp_path)
    groups = [str(folder / "groups.jsonl.gz")]
    how = {"start": str(tmp_path / "model"), "groups": groups, "near_misses": 0.0, "threads": 1}
    done = tune.KINDS["same-question-tune"].make(tune.SameTuning.of(how), folder / "data", tmp_path / "tuned")
    assert done.record["near misses kept"] == 0.0 and 0 < done.record["least"] <= 1
    assert done.folder is not None and QuestionTest(open_shipped(done.folder), 1).least == done.record["least"]
