"""What matches learns by both objectives, and matches without torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from answerable.encoders.questions import ANSWER_TOKENS, QUESTION_TOKENS, QuestionMatcher, side_by_side, together
from answerable.encoders.wordpieces import WordPieces
from answerable.errors import UsageError
from answerable.training.experts import open_expert
from answerable.training.qapairs.known import asked
from answerable.training.qapairs.model import MATCHING, encode
from answerable.training.qapairs.train import MatchRecipe
from tests.training.cases import PAIRS
from tests.training.experts import log

QUESTIONS = ["When was the tower of Alma put up?", "Who was the keeper of Bard?", "who kept Iona"]
TOLD = [(question, answer) for question, answer in zip(QUESTIONS, ("1811", "Bill", "Iris"), strict=True)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return PAIRS.world(tmp_path_factory.mktemp("pairs"))


def test_a_run_learns_by_both_objectives_from_what_is_within_reach(folder: Path, tmp_path: Path) -> None:
    PAIRS.train(PAIRS.how(folder), folder, tmp_path)
    assert {name for line in log(tmp_path) for name in line["losses"]} == {"vectors", "reranking"}
    assert 0 < len(json.loads((tmp_path / "reached.json").read_text())) < 30
    assert not any("generator" in name for name in open_expert(MATCHING, tmp_path).state_dict())


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
    PAIRS.train(PAIRS.how(folder, loop=loop, **how), folder, tmp_path / "run")
    losses = [json.loads(line)["loss"] for line in (tmp_path / "run/log.jsonl").read_text().splitlines()]
    assert len(losses) == 12 and losses[-1] < losses[0]


def test_what_is_exported_matches_as_the_model_does(folder: Path, tmp_path: Path) -> None:
    trained, shipped = PAIRS.grafted(folder, tmp_path)
    pieces = WordPieces(shipped.file("tokenizer.json"))
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


def test_what_cannot_be_used_is_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="neither"):
        MatchRecipe.of(PAIRS.how(folder, epochs=0.0, reranking=0.0))
    with pytest.raises(UsageError, match="no pairs in"):
        PAIRS.train(PAIRS.how(folder, pairs=[str(tmp_path / "gone.jsonl")]), folder, tmp_path)
