"""A whole run: it learns, resumes, is exported beside the encoder it began from, and judges without torch."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from answerable.encoders.constraints import CONSTRAINT_TOKENS, ConstraintJudge, judges, lay  # noqa: E402  # noqa: E402
from answerable.encoders.shipped import open_shipped  # noqa: E402
from answerable.encoders.skills import ModularEncoder  # noqa: E402
from answerable.encoders.wordpieces import passage_text  # noqa: E402
from answerable.errors import ModelError, UsageError  # noqa: E402
from answerable.testing.encoder import PASSAGES  # noqa: E402
from answerable.training.experts import begin_expert, export_expert, open_expert, put_expert  # noqa: E402
from answerable.training.sets.constraint_sets import benchmark  # noqa: E402
from answerable.training.sets.draw import FitDraw, lessons  # noqa: E402
from answerable.training.sets.model import JUDGING, FitModel, laid  # noqa: E402
from answerable.training.sets.train import (  # noqa: E402
    KINDS,
    FitRecipe,
    _lessons,
    _loss,
    logits,
    train_constraints,
)
from answerable.training.start import MeanRecipe, weights  # noqa: E402
from tests.training.experts import check_run, export_encoder  # noqa: E402
from tests.training.sets.worlds import TOWERS, begun, write_benchmark, write_bert, write_quest  # noqa: E402

RECIPE: dict[str, Any] = {
    "threads": 1,
    "dropout": 0.0,
    "judged": 2,
    "loop": {"rate": 3e-3, "tokens": 400, "evaluate_steps": 10, "checkpoint_seconds": 0.0},
    "sources": {"quest": 1, "towers": 6},
}
TEXTS = list(TOWERS.items())
ASKED = ["tower", "made of stone", "bird"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data, a BERT, and an encoder of skills exported from it."""
    folder = tmp_path_factory.mktemp("sets")
    write_quest(folder / "data")
    write_benchmark(folder / "towers")
    bert = write_bert(folder / "bert")
    export_encoder(bert, folder / "model")
    return folder


def recipe(folder: Path, **changed: Any) -> dict[str, Any]:
    return RECIPE | {"start": str(folder / "model"), "benchmarks": {"towers": str(folder / "towers")}} | changed


def test_a_run_learns_judges_and_resumes_to_the_same_weights(folder: Path, tmp_path: Path) -> None:
    def train(how: dict[str, Any], out: Path) -> FitModel:
        return train_constraints(FitRecipe.of(how), folder / "data", out)

    assert check_run(JUDGING, train, recipe(folder), tmp_path) == {"quest", "towers"}


def test_written_lessons_are_learned_from_beside_sets(folder: Path, tmp_path: Path) -> None:
    rows = [{"title": str(n), "text": "A pier.", "asked": [["piers", 1]]} for n in range(10)]
    (tmp_path / "pages.jsonl").write_text("\n".join(map(json.dumps, rows)))
    asked = recipe(folder, sources={"towers": 1, "pages": 1.5}, written={"pages": str(tmp_path / "pages.jsonl")})
    made = _lessons(FitRecipe.of(asked), folder / "data", tmp_path / "work")
    own = [one.text[0] for one in made if one.source == "pages"]
    assert len(own) == 15 and set(own) == {str(n) for n in range(10)} and len(made) > 15


def test_what_is_seen_again_and_again_is_learned(folder: Path) -> None:
    model, pieces = begun(folder / "model")
    held = benchmark(folder / "towers", "train")
    made = list(lessons(held, held.constraints, {}, FitDraw(other=2), random.Random(3)))
    rows = laid(pieces, made, 64)
    optimizer = torch.optim.AdamW([one for one in model.parameters() if one.requires_grad], lr=5e-3)
    losses = []
    for _ in range(60):
        loss = _loss(model, rows, made, torch.device("cpu"))
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]


def test_a_grafted_judge_says_what_the_trained_one_says_and_moves_nothing_else(folder: Path, tmp_path: Path) -> None:
    model = Path(shutil.copytree(folder / "model", tmp_path / "model"))
    before = ModularEncoder(model, threads=1)
    name, vectors = before.name, before.encode_passages(PASSAGES)
    assert not judges(open_shipped(model))
    trained, pieces = begun(model)
    torch.manual_seed(8)
    with torch.no_grad():
        for weight in trained.parameters():
            if weight.requires_grad:
                weight += 0.1 * torch.randn_like(weight)
    shipped = put_expert(JUDGING, trained, model, 0, {"scale": 2.0, "shift": -1.0})
    assert shipped.name == name and shipped.about["licence"] == "ours"
    assert np.array_equal(ModularEncoder(model, threads=1).encode_passages(PASSAGES), vectors)
    running = ConstraintJudge(shipped, threads=1)
    given = running.logits(ASKED, TEXTS)
    said = pieces.ids(ASKED, CONSTRAINT_TOKENS)
    read_ = pieces.ids([passage_text(*text) for text in TEXTS], 64)
    wanted = np.array([logits(trained, [lay(ids, [one]) for ids in read_]) for one in said]).T
    assert np.abs(given - wanted).max() < 0.15 * np.abs(wanted).max() + 0.05
    probabilities = running.judge(ASKED, TEXTS)
    assert probabilities.dtype == np.float32 and np.allclose(probabilities, 1 / (1 + np.exp(1 - 2 * given)), atol=1e-6)
    many = running.logits([*ASKED] * 7, TEXTS)
    assert np.allclose(many[:, :3], many[:, 18:], atol=0.05) and many.shape == (6, 21)
    assert running.judge([], TEXTS).shape == (6, 0) and running.judge(ASKED, []).shape == (0, 3)


def test_a_judge_from_a_bert_is_exported_whole(folder: Path, tmp_path: Path) -> None:
    judge, tokenizer = begin_expert(JUDGING, str(folder / "bert"), 0.0)
    shipped = export_expert(JUDGING, judge, tmp_path / "model", tokenizer, 0, "tiny", {})
    assert judges(shipped)
    assert ConstraintJudge(shipped, threads=1).judge(ASKED, TEXTS).shape == (6, 3)


def test_what_does_not_judge_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="judges no constraints"):
        ConstraintJudge(open_shipped(folder / "model"))
    with pytest.raises(ModelError, match="no trained judge"):
        open_expert(JUDGING, tmp_path)


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"speed": 3}, "speed"),
        ({"sources": {"nowhere": 1}}, "nowhere"),
        ({"sources": {}}, "no sources"),
        ({"draw": {"jumps": 1}}, "jumps"),
    ],
)
def test_a_recipe_that_cannot_be_used_is_refused(wrong: dict[str, Any], match: str) -> None:
    with pytest.raises(UsageError, match=match):
        FitRecipe.of(RECIPE | {"benchmarks": {"towers": "towers"}} | wrong)


def test_the_command_trains_and_exports_a_model_that_judges(folder: Path, tmp_path: Path) -> None:
    given = recipe(folder, loop=RECIPE["loop"] | {"most": 2, "evaluate_steps": 0})
    made = KINDS["constraints"].make(FitRecipe.of(given), folder / "data", tmp_path / "run")
    assert made.folder == tmp_path / "run/model" and judges(open_shipped(made.folder))
    assert made.name == open_shipped(folder / "model").name


def test_a_judge_between_two_has_weights_between_theirs(folder: Path, tmp_path: Path) -> None:
    runs = [tmp_path / "first", tmp_path / "last"]
    for steps, run in zip((1, 3), runs, strict=True):
        how = recipe(folder, loop=RECIPE["loop"] | {"most": steps, "evaluate_steps": 0})
        train_constraints(FitRecipe.of(how), folder / "data", run)
    (tmp_path / "out").mkdir()
    asked = {"start": str(folder / "model"), "first": str(runs[0]), "last": str(runs[1]), "share": 0.25}
    made = KINDS["constraints-mean"].make(MeanRecipe.of(asked), None, tmp_path / "out")
    assert made.folder and judges(open_shipped(made.folder))
    first, last, own = (weights(run)["head.weight"] for run in (*runs, tmp_path / "out"))
    assert torch.allclose(own, 0.75 * first + 0.25 * last) and not torch.allclose(first, last)
    with pytest.raises(UsageError, match="no models of one shape"):
        KINDS["constraints-mean"].make(MeanRecipe.of(asked | {"last": "nowhere"}), None, tmp_path / "out")
