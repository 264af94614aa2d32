"""A whole run: it learns, is exported beside the encoder it began from, calibrated, and tells without torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from answerable.encoders.sameness import QuestionTest, tells  # noqa: E402
from answerable.encoders.shipped import open_shipped  # noqa: E402
from answerable.encoders.skills import ModularEncoder  # noqa: E402
from answerable.encoders.wordpieces import WordPieces  # noqa: E402
from answerable.testing.encoder import PASSAGES  # noqa: E402
from answerable.training.experts import open_expert  # noqa: E402
from answerable.training.qapairs.model import MatchModel  # noqa: E402
from answerable.training.same import tune  # noqa: E402
from answerable.training.same.lessons import Lesson, read_groups  # noqa: E402
from answerable.training.same.train import KINDS, SAMENESS, SameRecipe, drawn, laid, run, train_same  # noqa: E402
from tests.training.experts import check_run, export_encoder  # noqa: E402
from tests.training.same.worlds import write_data, write_groups  # noqa: E402
from tests.training.sets.worlds import write_bert  # noqa: E402

RECIPE: dict[str, Any] = {
    "threads": 1,
    "dropout": 0.0,
    "most": 8,
    "sources": {"groups": 1.0, "passages": 1.0, "unlike": 0.5},
    "loop": {"rate": 3e-3, "tokens": 512, "checkpoint_seconds": 0.0},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data, groups, a BERT, and an encoder of skills exported from it."""
    folder = tmp_path_factory.mktemp("same")
    write_data(folder / "data")
    write_groups(folder / "groups.jsonl.gz")
    assert {one.development for one in read_groups(folder / "groups.jsonl.gz")} == {True, False}
    export_encoder(write_bert(folder / "bert"), folder / "model")
    return folder


def recipe(folder: Path, **changed: Any) -> dict[str, Any]:
    return RECIPE | {"start": str(folder / "model"), "groups": [str(folder / "groups.jsonl.gz")]} | changed


def test_a_run_learns_and_resumes_to_the_same_weights(folder: Path, tmp_path: Path) -> None:
    def train(how: dict[str, Any], out: Path) -> MatchModel:
        return train_same(SameRecipe.of(how), folder / "data", out)

    assert not check_run(SAMENESS, train, recipe(folder), tmp_path)


def test_sources_are_seen_as_often_as_the_recipe_says(folder: Path) -> None:
    once, twice = (drawn(SameRecipe.of(recipe(folder, sources={"passages": n})), folder / "data") for n in (1.0, 1.5))
    assert len(once) == 8 and len(twice) == 12


def test_what_is_exported_tells_as_the_model_does(folder: Path, tmp_path: Path) -> None:
    made = KINDS["same-question"].make(SameRecipe.of(recipe(folder)), folder / "data", tmp_path / "run")
    assert made.folder is not None
    shipped, before = open_shipped(made.folder), open_shipped(folder / "model")
    assert tells(shipped) and shipped.name == before.name
    old, new = (ModularEncoder(one).encode_passages(PASSAGES) for one in (folder / "model", made.folder))
    assert np.array_equal(old, new), "no vector of another skill moves"
    lesson = Lesson("Who kept the lamp of Alma in 1811?", "keeper of Alma in 1811", True, "same")
    told = QuestionTest(shipped, 1)
    turned = Lesson(lesson.other, lesson.one, True, "same")
    rows = laid(WordPieces(shipped.file("tokenizer.json")), [lesson, turned])
    with torch.no_grad():
        by_torch = run(open_expert(SAMENESS, tmp_path / "run").eval(), rows, torch.device("cpu"))
    assert told.logit(lesson.one, lesson.other) == pytest.approx(float(by_torch.mean()), abs=0.3)


def test_a_copy_is_calibrated_on_development_groups(folder: Path, tmp_path: Path) -> None:
    made = KINDS["same-question"].make(SameRecipe.of(recipe(folder)), folder / "data", tmp_path / "run")
    how = {"start": str(made.folder), "groups": [str(folder / "groups.jsonl.gz")], "near_misses": 0.0, "threads": 1}
    done = tune.KINDS["same-question-tune"].make(tune.SameTuning.of(how), folder / "data", tmp_path / "tuned")
    assert done.record["near misses kept"] == 0.0 and 0 < done.record["least"] <= 1
    assert done.folder is not None and QuestionTest(open_shipped(done.folder), 1).least == done.record["least"]
