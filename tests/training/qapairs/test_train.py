"""A whole run: it learns, resumes, is exported beside the encoder it began from, and matches without torch."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from answerable.encoders.questions import (  # noqa: E402  # noqa: E402
    ANSWER_TOKENS,
    QUESTION_TOKENS,
    QuestionMatcher,
    matches,
    side_by_side,
    together,
)
from answerable.encoders.shipped import open_shipped  # noqa: E402
from answerable.encoders.skills import ModularEncoder  # noqa: E402
from answerable.encoders.wordpieces import WordPieces  # noqa: E402
from answerable.errors import ModelError, UsageError  # noqa: E402
from answerable.testing.encoder import PASSAGES  # noqa: E402
from answerable.training.experts import begin_expert, export_expert, open_expert, put_expert  # noqa: E402
from answerable.training.qapairs.known import asked  # noqa: E402
from answerable.training.qapairs.model import MATCHING, MatchModel, encode  # noqa: E402
from answerable.training.qapairs.train import KINDS, MatchRecipe, train_matcher  # noqa: E402
from tests.training.experts import check_run, export_encoder, log  # noqa: E402
from tests.training.qapairs.worlds import write_bert, write_pairs, write_questions  # noqa: E402

RECIPE: dict[str, Any] = {
    "threads": 1,
    "dropout": 0.0,
    "batch": 4,
    "retrieved": 4,
    "reranking": 1.0,
    "reach": 8,
    "choices": 3,
    "refresh": 4,
    "judged": 4,
    "read": 2,
    "depth": 3,
    "loop": {"rate": 3e-3, "evaluate_steps": 4, "checkpoint_seconds": 0.0},
}
QUESTIONS = ["When was the tower of Alma put up?", "Who was the keeper of Bard?", "who kept Iona"]
TOLD = [(question, answer) for question, answer in zip(QUESTIONS, ("1811", "Bill", "Iris"), strict=True)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data, pairs, a BERT, and an encoder of skills exported from it."""
    folder = tmp_path_factory.mktemp("pairs")
    write_questions(folder / "data")
    write_pairs(folder / "pairs.jsonl")
    bert = write_bert(folder / "bert")
    export_encoder(bert, folder / "model")
    return folder


def recipe(folder: Path, **changed: Any) -> dict[str, Any]:
    return RECIPE | {"start": str(folder / "model"), "pairs": [str(folder / "pairs.jsonl")]} | changed


def test_a_run_learns_judges_and_resumes_to_the_same_weights(folder: Path, tmp_path: Path) -> None:
    def train(how: dict[str, Any], out: Path) -> MatchModel:
        return train_matcher(MatchRecipe.of(how), folder / "data", out)

    assert check_run(MATCHING, train, recipe(folder), tmp_path) == {"retrieved", "reranked"}
    assert {name for line in log(tmp_path / "whole") for name in line["losses"]} == {"vectors", "reranking"}
    assert 0 < len(json.loads((tmp_path / "whole/reached.json").read_text())) < 30
    assert not any("generator" in name for name in open_expert(MATCHING, tmp_path / "whole").state_dict())


@pytest.mark.parametrize("how", [{"epochs": 12.0, "reranking": 0.0}, {"epochs": 0.0, "reranking": 12.0}])
def test_every_objective_lowers_its_loss(folder: Path, tmp_path: Path, how: dict[str, Any]) -> None:
    loop = {"rate": 3e-3, "checkpoint_seconds": 0.0}
    learned = sum(not one.development for one in asked(folder / "data", ["nq", "squad"]))
    how = how | {
        "batch": learned,
        "reach": 0,
        "retrieved": 20,
        "choices": 10,
        "refresh": 100,
    }
    given = recipe(folder, loop=loop, **how)
    train_matcher(MatchRecipe.of(given), folder / "data", tmp_path / "run")
    losses = [json.loads(line)["loss"] for line in (tmp_path / "run/log.jsonl").read_text().splitlines()]
    assert len(losses) == 12 and losses[-1] < losses[0]


def test_a_grafted_matcher_says_what_the_trained_one_says_and_moves_nothing_else(folder: Path, tmp_path: Path) -> None:
    model = Path(shutil.copytree(folder / "model", tmp_path / "model"))
    before = ModularEncoder(model, threads=1)
    name, vectors = before.name, before.encode_passages(PASSAGES)
    assert not matches(open_shipped(model))
    trained, tokenizer = begin_expert(MATCHING, str(model), 0.0)
    pieces = WordPieces(tokenizer)
    torch.manual_seed(8)
    with torch.no_grad():
        for weight in trained.parameters():
            if weight.requires_grad:
                weight += 0.1 * torch.randn_like(weight)
    trained.eval()
    shipped = put_expert(MATCHING, trained, model, 0, {})
    assert shipped.name == name and shipped.about["licence"] == "ours"
    assert np.array_equal(ModularEncoder(model, threads=1).encode_passages(PASSAGES), vectors)
    running = QuestionMatcher(shipped, threads=1)
    found = running.encode_questions(QUESTIONS)
    wanted = encode(trained, pieces.ids(QUESTIONS, QUESTION_TOKENS), torch.device("cpu"))
    assert np.allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-4) and ((found * wanted).sum(1) > 0.97).all()
    [asked] = pieces.ids(QUESTIONS[:1], QUESTION_TOKENS)
    parts = [(pieces.ids([q], QUESTION_TOKENS)[0], pieces.ids([a], ANSWER_TOKENS)[0]) for q, a in TOLD]
    with torch.no_grad():
        tensors = (torch.from_numpy(one) for one in side_by_side([together(asked, *part) for part in parts]).values())
        logits = trained(*tensors)[1].numpy()
    given = running.rerank(QUESTIONS[0], TOLD)
    assert np.abs(given - logits).max() < 0.15 * np.abs(logits).max() + 0.05
    assert running.encode_questions([]).shape == (0, running.dimension) and running.rerank("Who?", []).shape == (0,)


def test_a_matcher_from_a_bert_is_exported_whole(folder: Path, tmp_path: Path) -> None:
    matcher, tokenizer = begin_expert(MATCHING, str(folder / "bert"), 0.0)
    shipped = export_expert(MATCHING, matcher, tmp_path / "model", tokenizer, 0, "tiny", {})
    assert matches(shipped)
    assert QuestionMatcher(shipped, threads=1).encode_questions(QUESTIONS).shape[0] == 3


def test_what_does_not_match_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="matches no questions"):
        QuestionMatcher(open_shipped(folder / "model"))
    with pytest.raises(ModelError, match="no trained matcher"):
        open_expert(MATCHING, tmp_path)


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"speed": 3}, "speed"),
        ({"epochs": 0.0, "reranking": 0.0}, "neither"),
        ({"batch": "many"}, "cannot be"),
    ],
)
def test_a_recipe_that_cannot_be_used_is_refused(wrong: dict[str, Any], match: str) -> None:
    with pytest.raises(UsageError, match=match):
        MatchRecipe.of(RECIPE | {"pairs": ["pairs.jsonl"]} | wrong)


def test_files_and_sources_that_cannot_be_used_are_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere"):
        train_matcher(MatchRecipe.of(recipe(folder, sources=["nowhere"])), folder / "data", tmp_path / "a")
    with pytest.raises(UsageError, match="no pairs in"):
        train_matcher(
            MatchRecipe.of(recipe(folder, pairs=[str(tmp_path / "gone.jsonl")])), folder / "data", tmp_path / "b"
        )


def test_the_command_trains_and_exports_a_model_that_matches(folder: Path, tmp_path: Path) -> None:
    given = recipe(folder, loop=RECIPE["loop"] | {"most": 2, "evaluate_steps": 0})
    made = KINDS["pairs"].make(MatchRecipe.of(given), folder / "data", tmp_path / "run")
    assert made.folder == tmp_path / "run/model" and matches(open_shipped(made.folder))
    assert made.name == open_shipped(folder / "model").name
