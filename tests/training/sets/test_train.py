"""What is learned from is drawn as the recipe says; what was learned is judged by without torch."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from answerable.encoders.constraints import CONSTRAINT_TOKENS, ConstraintJudge, lay
from answerable.encoders.shipped import open_shipped
from answerable.encoders.wordpieces import WordPieces, passage_text
from answerable.training.add_expert import resealed
from answerable.training.sets.draw import FitDraw, benchmark, lessons
from answerable.training.sets.model import laid
from answerable.training.sets.train import KINDS, FitRecipe, _lessons, _loss, logits
from answerable.training.start import MeanRecipe, weights
from tests.training.cases import CONSTRAINTS
from tests.training.experts import learned
from tests.training.files import write_lines
from tests.training.sets.worlds import TOWERS, begun

TEXTS = list(TOWERS.items())
ASKED = ["tower", "made of stone", "bird"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return CONSTRAINTS.world(tmp_path_factory.mktemp("sets"))


def test_written_lessons_are_learned_from_beside_sets(folder: Path, tmp_path: Path) -> None:
    rows = [{"title": str(n), "text": "A pier.", "asked": [["piers", 1]]} for n in range(10)]
    written = {"pages": str(write_lines(tmp_path / "pages.jsonl", rows))}
    asked = CONSTRAINTS.how(folder, sources={"towers": 1, "pages": 1.5}, written=written)
    made = _lessons(FitRecipe.of(asked), folder / "data", tmp_path / "work")
    own = [one.text[0] for one in made if one.source == "pages"]
    assert len(own) == 15 and set(own) == {str(n) for n in range(10)} and len(made) > 15


def test_what_is_seen_again_and_again_is_learned(folder: Path) -> None:
    model, pieces = begun(folder / "model")
    held = benchmark(folder / "towers", "train")
    made = list(lessons(held, held.constraints, {}, FitDraw(other=2), random.Random(3)))
    rows = laid(pieces, made, 64)
    losses = learned(model, lambda: _loss(model, rows, made, torch.device("cpu")), 60, 5e-3)
    assert losses[-1] < 0.5 * losses[0]


def test_what_is_exported_judges_as_the_model_does(folder: Path, tmp_path: Path) -> None:
    trained, shipped = CONSTRAINTS.grafted(folder, tmp_path)
    about = shipped.about["fit"]
    running = ConstraintJudge(resealed(shipped, {"fit": {**about, "scale": 2.0, "shift": -1.0}}), threads=1)
    given, pieces = running.logits(ASKED, TEXTS), WordPieces(shipped.file("tokenizer.json"))
    said = pieces.ids(ASKED, CONSTRAINT_TOKENS)
    read = pieces.ids([passage_text(*text) for text in TEXTS], 64)
    wanted = np.array([logits(trained, [lay(ids, [one]) for ids in read]) for one in said]).T
    assert np.abs(given - wanted).max() < 0.15 * np.abs(wanted).max() + 0.05
    probabilities = running.judge(ASKED, TEXTS)
    assert probabilities.dtype == np.float32 and np.allclose(probabilities, 1 / (1 + np.exp(1 - 2 * given)), atol=1e-6)
    many = running.logits([*ASKED] * 7, TEXTS)
    assert np.allclose(many[:, :3], many[:, 18:], atol=0.05) and many.shape == (6, 21)
    assert running.judge([], TEXTS).shape == (6, 0) and running.judge(ASKED, []).shape == (0, 3)


def test_a_judge_between_two_has_weights_between_theirs(folder: Path, tmp_path: Path) -> None:
    runs = [tmp_path / "first", tmp_path / "last"]
    for steps, run in zip((1, 3), runs, strict=True):
        loop: dict[str, Any] = {**CONSTRAINTS.given["loop"], "most": steps, "evaluate_steps": 0}
        CONSTRAINTS.train(CONSTRAINTS.how(folder, loop=loop), folder, run)
    (tmp_path / "out").mkdir()
    asked = {"start": str(folder / "model"), "first": str(runs[0]), "last": str(runs[1]), "share": 0.25}
    made = KINDS["constraints-mean"].make(MeanRecipe.of(asked), None, tmp_path / "out")
    assert made.folder and ConstraintJudge.within(open_shipped(made.folder))
    first, last, own = (weights(run)["head.weight"] for run in (*runs, tmp_path / "out"))
    assert torch.allclose(own, 0.75 * first + 0.25 * last) and not torch.allclose(first, last)
